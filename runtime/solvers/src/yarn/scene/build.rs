//! From a scene to a simulation.

use super::garment::WovenGarment;
use super::pins::Woven;
use super::{ClothSpec, GarmentSpec, Scene, SheetSpec};
use crate::scene;
use crate::yarn::material::YarnMaterial;
use crate::yarn::model::{GarmentLayout, Sheet, Weave};
use crate::yarn::{YarnPin, YarnSimulation};
use crate::{Error, Result};
use nalgebra::Vector3;
use std::path::Path;

impl Scene {
    /// Builds the scene; files it names are looked for in `folder`, `origin` names the scene in messages.
    pub fn build(&self, origin: &str, folder: &Path) -> Result<YarnSimulation> {
        if self.parameters.is_some() {
            let made = Scene { parameters: None, ..self.clone().with_parameters(origin, folder)? };
            return made.build(origin, folder);
        }
        if let Some(problem) = self.material.crimp_conflict() {
            return Err(Error::invalid(origin, format!("material: {problem}")));
        }
        if let Some(problem) = self.solver.fault_with(&self.material) {
            return Err(Error::invalid(origin, format!("solver: {problem}")));
        }
        let (weave, woven) = match &self.cloth {
            ClothSpec::Sheet(spec) => spec.weave(&self.material, origin, folder)?,
            ClothSpec::Garment(spec) => spec.weave(&self.material, origin, folder)?,
        };
        let pins = self.pins(&weave, &woven, origin)?;
        let mut simulation = YarnSimulation::new(weave, self.solver);
        simulation.pins = pins;
        simulation.gravity = Vector3::from(self.gravity);
        if let Some(thickness) = self.thickness {
            simulation.thickness = thickness;
        }
        simulation.bodies = self.bodies.iter().map(|body| body.build(folder)).collect::<Result<_>>()?;
        Ok(simulation)
    }

    fn pins(&self, weave: &Weave, woven: &Woven, origin: &str) -> Result<Vec<YarnPin>> {
        let pin = |(i, pin): (usize, &super::PinSpec)| {
            let nodes = pin.hold.nodes(weave, woven);
            let nodes = nodes.map_err(|problem| Error::invalid(origin, format!("pin {i} {problem}")))?;
            Ok(YarnPin { nodes, motion: pin.motion.clone(), until: pin.until, sliding: pin.sliding })
        };
        self.pins.iter().enumerate().map(pin).collect()
    }
}

impl GarmentSpec {
    fn weave(&self, material: &YarnMaterial, origin: &str, folder: &Path) -> Result<(Weave, Woven)> {
        let layout = self.garment(origin, folder)?.layout(*material);
        let GarmentLayout { weave, crossings, seams } =
            layout.map_err(|e| Error::invalid(origin, format!("cloth: {e}")))?;
        Ok((weave, Woven::Garment(WovenGarment { spec: self.clone(), crossings, seams })))
    }
}

impl SheetSpec {
    fn weave(&self, material: &YarnMaterial, origin: &str, folder: &Path) -> Result<(Weave, Woven)> {
        let sheet = self.sheet(material, origin, folder)?;
        let mut weave = sheet.weave().map_err(|e| Error::invalid(origin, format!("cloth: {e}")))?;
        if self.ripple != 0.0 {
            self.lift(&sheet, &mut weave);
        }
        Ok((weave, Woven::Sheet(Box::new(sheet))))
    }

    fn sheet(&self, material: &YarnMaterial, origin: &str, folder: &Path) -> Result<Sheet> {
        let [warps, wefts] = self.extent.yarns(material);
        let (across, up) = (Vector3::from(self.u).normalize(), Vector3::from(self.v).normalize());
        let half = |n: usize| 0.5 * (n as f64 - 1.0) * material.spacing;
        let mut sheet = Sheet {
            origin: Vector3::from(self.center) - across * half(warps) - up * half(wefts),
            across,
            up,
            tail: self.tail,
            ..Sheet::new(warps, wefts, self.draft.load(folder)?, *material)
        };
        for (i, tail) in self.tails.iter().enumerate() {
            let (count, name) = tail.of.count(&sheet);
            if tail.yarn >= count {
                let problem = format!("tail {i} names {name} {}, but there are only {count}", tail.yarn);
                return Err(Error::invalid(origin, problem));
            }
            sheet.tails.push((tail.of.family(), tail.yarn, tail.side == super::End::Last, tail.length));
        }
        Ok(sheet)
    }

    /// Lifts the sheet out of its plane.
    fn lift(&self, sheet: &Sheet, weave: &mut Weave) {
        let normal = sheet.across.cross(&sheet.up);
        let size = sheet.material.spacing * sheet.warps.max(sheet.wefts) as f64;
        for p in &mut weave.positions {
            let from = (*p - sheet.origin) / size;
            *p += normal * (self.ripple * scene::ripple(from.dot(&sheet.across), from.dot(&sheet.up)));
        }
    }
}
