//! What a period answers to a strain.

use super::compression::flat_compression;
use super::energy::Energy;
use super::equilibrium::{Found, Search};
use super::layout::Layout;
use super::model::{CellModel, CellParameter};
use crate::Error;
use nalgebra::DVector;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::table::strain::Strain;

/// One period of woven cloth with persistent contacts.
#[derive(Clone, Debug)]
pub struct FabricCell {
    draft: Draft,
    model: CellModel,
    layout: Layout,
}

/// Energies per area of fabric without strain, J/m².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellEnergies {
    /// Of stretch.
    pub stretch: f64,
    /// Of bending, crimp included.
    pub bend: f64,
    /// Of warps on wefts.
    pub contact: f64,
    /// Of sheared crossings.
    pub shear: f64,
    /// Of parallel yarns on each other.
    pub parallel: f64,
}

impl CellEnergies {
    /// All of it, J/m².
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.contact + self.shear + self.parallel
    }
}

/// A period in equilibrium under a strain.
#[derive(Clone, Debug, PartialEq)]
pub struct CellResponse {
    /// Energies.
    pub energies: CellEnergies,
    /// d psi / d(sx, sa, sy), N/m.
    pub stress: [f64; 3],
    /// Heights of warp and weft at each crossing, warp after warp, m; none where yarns lie flat.
    pub heights: Option<Vec<[f64; 2]>>,
    /// Half of how far center lines of wefts and of warps rise and fall, means over the yarns, m; none where yarns lie flat.
    pub amplitudes: Option<[f64; 2]>,
    /// F_n at each crossing, N: contact of crimp, or the estimate of [Cirio14, Eq. 9] where yarns lie flat.
    pub normal_forces: Vec<f64>,
    /// Whether forces balance.
    pub converged: bool,
    /// Whether no direction has negative stiffness.
    pub stable: bool,
}

/// How a response changes with the logarithm of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSensitivity {
    /// Of psi, J/m².
    pub energy_density: f64,
    /// Of the stress, N/m.
    pub stress: [f64; 3],
    /// Of the amplitudes, m; zero where yarns lie flat.
    pub amplitudes: [f64; 2],
}

/// More crossings than this make matrices too large: longer periods are taken for mistakes.
const MOST_CROSSINGS: usize = 256;

impl FabricCell {
    /// A period of a draft.
    pub fn new(draft: &Draft, model: CellModel) -> Result<Self, Error> {
        if let Some(fault) = model.fault() {
            return Err(Error::invalid("persistent contacts", fault));
        }
        let crossings = draft.warps() * draft.wefts();
        if crossings > MOST_CROSSINGS {
            let problem = format!(
                "the draft has {crossings} crossings, at most {MOST_CROSSINGS} are possible: take a shorter period"
            );
            return Err(Error::invalid("persistent contacts", problem));
        }
        Ok(FabricCell { layout: Layout::new(draft, &model), draft: draft.clone(), model })
    }

    /// What the yarns are made of.
    pub fn model(&self) -> &CellModel {
        &self.model
    }

    /// The same draft of other yarns.
    pub fn with_model(&self, model: CellModel) -> Result<Self, Error> {
        FabricCell::new(&self.draft, model)
    }

    /// Area of a period without strain, m².
    fn area(&self) -> f64 {
        let [ax, ay] = self.model.spacing;
        self.layout.nodes() as f64 * ax * ay
    }

    fn find(&self, strain: &Strain<f64>) -> Result<Found, Error> {
        let Strain { sx, sa, sy } = *strain;
        if !(sx > -0.9 && sy > -0.9 && sx < 10.0 && sy < 10.0 && sa.abs() < 0.999) {
            let problem = format!(
                "strain ({sx}, {sa}, {sy}) is outside what a weave can follow: sx and sy are between -0.9 and 10, sa between -0.999 and 0.999"
            );
            return Err(Error::invalid("persistent contacts", problem));
        }
        Ok(Search { model: &self.model, layout: &self.layout, strain }.run())
    }

    /// The equilibrium under a strain.
    pub fn respond(&self, strain: &Strain<f64>) -> Result<CellResponse, Error> {
        let found = self.find(strain)?;
        let energy = Energy::new(&self.model, &self.layout, &found.strains);
        Ok(self.response(strain, &found, &energy))
    }

    /// The same, and how it changes with parameters.
    pub fn respond_with_sensitivity(
        &self,
        strain: &Strain<f64>,
        parameters: &[CellParameter],
    ) -> Result<(CellResponse, Vec<CellSensitivity>), Error> {
        let found = self.find(strain)?;
        let energy = Energy::new(&self.model, &self.layout, &found.strains);
        let mut response = self.response(strain, &found, &energy);
        let by_strain = found.strains.by_strain();
        let hessian = &found.derivatives.hessian;
        let mixed = by_strain.tr_mul(&(hessian * &found.rows))
            + found.strains.mixed_curvature(&self.layout, &found.derivatives.gradient);
        let mut out = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let mut by = energy.by_parameter(*parameter, hessian);
            let motion = found.motion(&found.rows.tr_mul(&by.gradient));
            response.stable &= motion.is_some();
            let motion = motion.unwrap_or_else(|| DVector::zeros(found.rows.ncols()));
            let stress = (by_strain.tr_mul(&by.gradient) + &mixed * &motion) / self.area();
            energy.add_heights(&(&found.rows * &motion), &mut by.heights);
            out.push(CellSensitivity {
                energy_density: by.energy / self.area(),
                stress: [stress[0], stress[1], stress[2]],
                amplitudes: response.heights.as_ref().map_or([0.0; 2], |h| self.amplitudes(h, &by.heights)),
            });
        }
        Ok((response, out))
    }

    fn response(&self, strain: &Strain<f64>, found: &Found, energy: &Energy<'_>) -> CellResponse {
        let area = self.area();
        let sums = &energy.sums;
        let stress = found.strains.by_strain().tr_mul(&found.derivatives.gradient) / area;
        let heights: Option<Vec<[f64; 2]>> = self.model.crimped.then(|| {
            let flat = [self.model.radius; 2];
            energy.crossings.iter().map(|c| c.as_ref().map_or(flat, |c| c.heights)).collect()
        });
        let normal_forces = if self.model.crimped {
            energy.crossings.iter().map(|c| c.as_ref().map_or(0.0, |c| c.normal_force())).collect()
        } else {
            flat_compression(&self.draft, &self.model, strain)
        };
        CellResponse {
            energies: CellEnergies {
                stretch: sums.stretch / area,
                bend: sums.bend / area,
                contact: sums.contact / area,
                shear: sums.shear / area,
                parallel: sums.parallel / area,
            },
            stress: [stress[0], stress[1], stress[2]],
            amplitudes: heights.as_ref().map(|h| self.amplitudes(h, h)),
            heights,
            normal_forces,
            converged: found.converged && energy.settled,
            stable: found.stable,
        }
    }

    /// Half of how far the yarns rise and fall by `heights`, with `values` in their place: means for wefts and warps.
    fn amplitudes(&self, heights: &[[f64; 2]], values: &[[f64; 2]]) -> [f64; 2] {
        [0, 1].map(|family| {
            let slot = 1 - family;
            let yarns = self.layout.yarns(family);
            let highest = |yarn: &[usize], over: bool| {
                let nodes = yarn.iter().filter(|n| self.layout.over[**n] == over);
                let top = nodes.max_by(|a, b| heights[**a][slot].total_cmp(&heights[**b][slot]));
                top.map(|n| values[*n][slot])
            };
            let half = |yarn: &Vec<usize>| match (highest(yarn, true), highest(yarn, false)) {
                (Some(a), Some(b)) => 0.5 * (a + b),
                // A yarn that stays on one side neither rises nor falls.
                _ => 0.0,
            };
            yarns.iter().map(half).sum::<f64>() / yarns.len() as f64
        })
    }
}
