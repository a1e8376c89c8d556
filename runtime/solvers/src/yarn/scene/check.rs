//! Faults of a scene that its format allows.

use super::{ClothSpec, ExtentSpec, PinSpec, Scene, Selection, SheetSpec};
use crate::scene::check::{PLACE, all_between, between, corners, listed, perpendicular, pin, positive, within};
use crate::yarn::material::YarnMaterial;

/// The most crossings of a scene.
const MAX_CROSSINGS: usize = 4_000_000;
/// What a tail may be, in spacings: shorter pieces would not step.
const TAIL: [f64; 2] = [0.3, 1e4];

impl Scene {
    /// The first fault, in words.
    pub(super) fn fault(&self) -> Option<String> {
        (self.material.fault().map(within("material")))
            .or_else(|| self.cloth.fault(&self.material).map(within("cloth")))
            .or_else(|| all_between("gravity", &self.gravity, [-1e3, 1e3]))
            .or_else(|| listed("body", self.bodies.iter().map(|b| b.fault())))
            .or_else(|| listed("pin", self.pins.iter().map(PinSpec::fault)))
            .or_else(|| self.thickness.and_then(|t| positive("thickness", t, 1.0)))
            .or_else(|| self.solver.fault().map(within("solver")))
            .or_else(|| self.output.fault().map(within("output")))
    }
}

impl ClothSpec {
    fn fault(&self, material: &YarnMaterial) -> Option<String> {
        match self {
            ClothSpec::Sheet(sheet) => sheet.fault(material),
            ClothSpec::Garment(garment) => {
                let large = garment.most_crossings(material.spacing) > MAX_CROSSINGS as f64;
                let cure = "make the outlines smaller (they are in meters) or the spacing larger";
                let problem = || format!("more than {MAX_CROSSINGS} crossings: {cure}");
                large.then(problem).or_else(|| garment.fault(material))
            }
        }
    }
}

impl PinSpec {
    fn fault(&self) -> Option<String> {
        let hold = match &self.hold {
            Selection::Box { low, high } => corners(low, high),
            _ => None,
        };
        hold.or_else(|| pin(self.until, &self.motion))
    }
}

impl SheetSpec {
    fn fault(&self, material: &YarnMaterial) -> Option<String> {
        self.extent
            .fault(material)
            .or_else(|| self.draft.fault())
            .or_else(|| all_between("center", &self.center, PLACE))
            .or_else(|| between("ripple", self.ripple, [-1e3, 1e3]))
            .or_else(|| between("tail", self.tail, TAIL))
            .or_else(|| listed("tail", self.tails.iter().map(|t| between("length", t.length, TAIL))))
            .or_else(|| perpendicular(&self.u, &self.v))
    }
}

impl ExtentSpec {
    /// Numbers of warps and wefts.
    pub(super) fn yarns(&self, material: &YarnMaterial) -> [usize; 2] {
        match self {
            ExtentSpec::Yarns(counts) => *counts,
            ExtentSpec::Meters(size) => size.map(|s| (s / material.spacing).round() as usize),
        }
    }

    fn fault(&self, material: &YarnMaterial) -> Option<String> {
        if let ExtentSpec::Meters(size) = self
            && let Some(problem) = size.iter().find_map(|s| positive("extent", *s, 1e3))
        {
            return Some(problem);
        }
        let [warps, wefts] = self.yarns(material);
        let fine = warps >= 1 && wefts >= 1 && warps.checked_mul(wefts).is_some_and(|n| n <= MAX_CROSSINGS);
        let counts = format!("{warps} warps and {wefts} wefts");
        (!fine).then(|| format!("{counts}: at least one of each and at most {MAX_CROSSINGS} crossings are possible"))
    }
}
