//! Faults of a scene that its format allows.

use super::{ClothSpec, PinSpec, Scene, SheetSpec, StartSpec, TrianglesSpec};
use crate::scene::check::{PLACE, all_between, between, perpendicular, positive, within};

/// Why yarns with crimp cannot be part of hybrids.
const CRIMP: &str =
    "crimp is for yarns alone, triangles do not know it: leave it out, or take parameters without it ('crimp': false)";

/// The most crossings of a scene.
const MAX_CROSSINGS: usize = 4_000_000;
/// The most squares of a sheet.
const MAX_SQUARES: usize = 1_000_000;

impl Scene {
    /// The first fault, in words.
    pub(super) fn fault(&self) -> Option<String> {
        let crimp = || self.material.crimp.map(|_| CRIMP.to_owned());
        (self.material.fault().or_else(crimp).map(within("material")))
            .or_else(|| self.cloth.fault().map(within("cloth")))
            .or_else(|| self.region.fault().map(within("region")))
            .or_else(|| self.triangles.fault().map(within("triangles")))
            .or_else(|| self.start.fault().map(within("start")))
            .or_else(|| all_between("gravity", &self.gravity, [-1e3, 1e3]))
            .or_else(|| numbered("body", self.bodies.iter().map(|b| b.fault())))
            .or_else(|| numbered("pin", self.pins.iter().map(PinSpec::fault)))
            .or_else(|| self.thickness.and_then(|t| positive("thickness", t, 1.0)))
            .or_else(|| self.solver.fault().map(within("solver")))
            .or_else(|| self.output.fault().map(within("output")))
    }
}

/// The first fault of a list, with the number of its element, from 1 as faces and vertices are.
fn numbered(name: &str, mut faults: impl Iterator<Item = Option<String>>) -> Option<String> {
    (1..).zip(&mut faults).find_map(|(number, fault): (usize, _)| Some(format!("{name} {number}: {}", fault?)))
}

impl ClothSpec {
    fn fault(&self) -> Option<String> {
        let own = match self {
            ClothSpec::Sheet(sheet) => sheet.fault(),
            ClothSpec::Mesh(_) => None,
        };
        own.or_else(|| self.draft().fault())
    }
}

impl SheetSpec {
    fn fault(&self) -> Option<String> {
        let [columns, rows] = self.cells;
        let squares = columns.checked_mul(rows).filter(|n| (1..=MAX_SQUARES).contains(n));
        let crossings = self.crossings.checked_mul(self.crossings).and_then(|n| n.checked_mul(squares?));
        let fine = crossings.is_some_and(|n| (1..=MAX_CROSSINGS).contains(&n));
        let problem = || {
            format!(
                "{columns} by {rows} cells of {0} by {0} crossings: at least one of each and at most {MAX_SQUARES} cells and \
                 {MAX_CROSSINGS} crossings are possible",
                self.crossings
            )
        };
        (!fine)
            .then(problem)
            .or_else(|| all_between("origin", &self.origin, PLACE))
            .or_else(|| perpendicular(&self.u, &self.v))
    }
}

impl TrianglesSpec {
    fn fault(&self) -> Option<String> {
        match self {
            TrianglesSpec::Springs(material) => material.fault(),
            TrianglesSpec::Matched
            | TrianglesSpec::StVenantKirchhoff
            | TrianglesSpec::Table(_)
            | TrianglesSpec::Parameters(_) => None,
        }
    }
}

impl StartSpec {
    fn fault(&self) -> Option<String> {
        between("ripple", self.ripple, [-1e3, 1e3]).or_else(|| all_between("stretch", &self.stretch, [0.1, 10.0]))
    }
}
