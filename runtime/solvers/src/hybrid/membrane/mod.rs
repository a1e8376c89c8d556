//! In-plane energies of triangles, as densities per rest area that depend on F (3×2; columns F_u along the wefts, F_v along the
//! warps).
//!
//! | | ψ(F) | for |
//! |---|---|---|
//! | [`StVenantKirchhoff`] | quadratic in Green's strain, orthotropic | the model of [Casafranca20, §4.1] |
//! | [`Matched`] | the energy of woven yarns in a uniform deformation | weaves: nothing jumps where yarns begin |
//! | [`EnergyTable`] | ψ(sx, sa, sy) of a baked database | knits and all other patterns |
//! | [`EnergySpline`] | ψ(sx, sa, sy) of a parameters file | fabrics whose energies were measured or simulated, on a grid or not |
//!
//! Each has its energy, J/m², its stress P = ∂ψ/∂F, N/m, and a tangent: a symmetric positive semi-definite 6×6 matrix, N/m,
//! that takes δF to δP, both with column u on top of column v. It is the Gauss-Newton part and the positive part of the
//! geometric stiffness, the one by which tension resists. Where cloth is not compressed and not sheared it is exact.

mod density;
mod directions;
mod hermite;
mod matched;
mod samples;
mod spline;
mod svk;
mod table;

pub use matched::Matched;
pub use spline::EnergySpline;
pub use svk::StVenantKirchhoff;
pub use table::EnergyTable;

use directions::Directions;
use nalgebra::{Matrix3x2, Matrix6};

/// F, δF or P: columns along u and v.
pub type Gradient = Matrix3x2<f64>;

/// Takes δF to δP, both with column u on top of column v.
pub type Tangent = Matrix6<f64>;

/// An in-plane energy.
#[derive(Clone, Debug)]
pub enum Membrane {
    /// Quadratic in Green's strain.
    StVenantKirchhoff(StVenantKirchhoff),
    /// That of the weave.
    Matched(Matched),
    /// That of a database.
    Table(EnergyTable),
    /// That of a parameters file.
    Spline(EnergySpline),
}

impl Membrane {
    /// ψ, J/m².
    pub fn energy(&self, f: &Gradient) -> f64 {
        match self {
            Membrane::StVenantKirchhoff(m) => m.energy(f),
            Membrane::Matched(m) => m.energy(f),
            Membrane::Table(m) => m.energy(f),
            Membrane::Spline(m) => m.energy(f),
        }
    }

    /// P = ∂ψ/∂F, N/m.
    pub fn stress(&self, f: &Gradient) -> Gradient {
        match self {
            Membrane::StVenantKirchhoff(m) => m.stress(f),
            Membrane::Matched(m) => m.stress(f),
            Membrane::Table(m) => m.stress(f),
            Membrane::Spline(m) => m.stress(f),
        }
    }

    /// Symmetric positive semi-definite, N/m.
    pub fn tangent(&self, f: &Gradient) -> Tangent {
        match self {
            Membrane::StVenantKirchhoff(m) => m.tangent(f),
            Membrane::Matched(m) => m.second_order(f).tangent(),
            Membrane::Table(m) => m.second_order(f).tangent(),
            Membrane::Spline(m) => m.second_order(f).tangent(),
        }
    }

    /// The part of the tangent that rigid rotation does not feel, N/m: without the stiffness of tension.
    pub fn material_tangent(&self, f: &Gradient) -> Tangent {
        match self {
            Membrane::StVenantKirchhoff(m) => m.material_tangent(f),
            Membrane::Matched(m) => m.second_order(f).material_tangent(),
            Membrane::Table(m) => m.second_order(f).material_tangent(),
            Membrane::Spline(m) => m.second_order(f).material_tangent(),
        }
    }

    /// What resists a change of strain from `start` to `end` with the stiffness of the start: P, N/m, and its symmetric positive
    /// semi-definite tangent. Rigid rotation is not resisted. At `start` P is nothing, and the tangent is
    /// [`material_tangent`](Membrane::material_tangent).
    pub fn damping(&self, start: &Gradient, end: &Gradient) -> (Gradient, Tangent) {
        match self {
            Membrane::StVenantKirchhoff(m) => m.damping(start, end),
            Membrane::Matched(m) => m.second_order(start).damping(&Directions::new(end)),
            Membrane::Table(m) => m.second_order(start).damping(&Directions::new(end)),
            Membrane::Spline(m) => m.second_order(start).damping(&Directions::new(end)),
        }
    }

    /// P = T + S: what stretch along the yarns' directions gives and what shear gives, N/m.
    pub fn stress_parts(&self, f: &Gradient) -> [Gradient; 2] {
        match self {
            Membrane::StVenantKirchhoff(m) => m.stress_parts(f),
            Membrane::Matched(m) => m.second_order(f).stress_parts(),
            Membrane::Table(m) => m.second_order(f).stress_parts(),
            Membrane::Spline(m) => m.second_order(f).stress_parts(),
        }
    }
}

impl From<StVenantKirchhoff> for Membrane {
    fn from(membrane: StVenantKirchhoff) -> Self {
        Membrane::StVenantKirchhoff(membrane)
    }
}

impl From<Matched> for Membrane {
    fn from(membrane: Matched) -> Self {
        Membrane::Matched(membrane)
    }
}

impl From<EnergyTable> for Membrane {
    fn from(membrane: EnergyTable) -> Self {
        Membrane::Table(membrane)
    }
}

impl From<EnergySpline> for Membrane {
    fn from(membrane: EnergySpline) -> Self {
        Membrane::Spline(membrane)
    }
}
