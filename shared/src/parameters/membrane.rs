//! Cloth as a sheet: energy in its plane, and bending.

use super::sheet_energy::SheetEnergy;
use super::tensor_spline::TensorSpline;
use super::value::{SHEET, SHEET_BEND, SHEET_BEND_MIXED, SHEET_MIXED, Take, Value, none};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A sheet. `V` is [`Value`] in a file, and `f64` where every number is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MembraneParameters<V = Value> {
    /// Energy of stretch and shear.
    pub in_plane: InPlane<V>,
    /// Bending; where it is not given, solvers take that of their own yarns.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub bending: Option<SheetBending<V>>,
}

/// Energy of stretch and shear per rest area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InPlane<V = Value> {
    /// For small strains.
    Constants(SheetConstants<V>),
    /// For all strains that the data cover.
    Spline(TensorSpline),
}

/// psi = 1/2 C11 E11^2 + C12 E11 E22 + 1/2 C22 E22^2 + 2 C66 E12^2 in Green's strain, axes along the yarns; near rest E11 = sx,
/// E22 = sy and E12 = sa / 2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetConstants<V = Value> {
    /// Stretch along x, N/m.
    pub c11: V,
    /// Stretch along y, N/m.
    pub c22: V,
    /// Between the two, N/m.
    pub c12: V,
    /// Shear, N/m.
    pub c66: V,
}

/// 1/2 D(n) kappa^2 for a sheet bent about the normal of n, D(n) = D11 nx^4 + D22 ny^4 + (2 D12 + 4 D66) nx^2 ny^2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetBending<V = Value> {
    /// Along x, N m.
    pub d11: V,
    /// Along y, N m.
    pub d22: V,
    /// 2 D12 + 4 D66, N m.
    pub d_mixed: V,
}

impl<V: Copy> MembraneParameters<V> {
    pub(super) fn each<W>(&self, take: Take<V, W>) -> Result<MembraneParameters<W>> {
        let in_plane = match &self.in_plane {
            InPlane::Constants(c) => InPlane::Constants(c.each(take)?),
            InPlane::Spline(spline) => InPlane::Spline(spline.clone()),
        };
        Ok(MembraneParameters { in_plane, bending: self.bending.map(|b| b.each(take)).transpose()? })
    }
}

impl MembraneParameters<Value> {
    /// Faults beyond the ranges of single numbers; `at` is the place in the file.
    pub(super) fn check(&self, origin: &str, at: &str) -> Result<()> {
        let refuse = |problem: String| Err(Error::invalid(origin, format!("{at}.{problem}")));
        match &self.in_plane {
            InPlane::Constants(c) => {
                // With an unknown number there is nothing to compare.
                if let [Some(c11), Some(c22), Some(c12)] = [c.c11.0, c.c22.0, c.c12.0]
                    && c12 * c12 >= c11 * c22
                {
                    let most = (c11 * c22).sqrt();
                    return refuse(format!(
                        "in_plane.constants.c12 is {c12} N/m: beyond {most:.4} N/m (the root of c11 c22) the sheet would not be stable"
                    ));
                }
            }
            InPlane::Spline(spline) => {
                if let Some(fault) = spline.fault() {
                    return refuse(format!("in_plane.spline.{fault}"));
                }
            }
        }
        if let Some(SheetBending { d11: Value(Some(d11)), d22: Value(Some(d22)), d_mixed: Value(Some(mixed)) }) =
            self.bending
            && mixed < -2.0 * (d11 * d22).sqrt()
        {
            let least = -2.0 * (d11 * d22).sqrt();
            return refuse(format!(
                "bending.d_mixed is {mixed} N m: below {least:.4e} N m (minus twice the root of d11 d22) the sheet would not be stable"
            ));
        }
        Ok(())
    }
}

impl<V: Copy> SheetConstants<V> {
    fn each<W>(&self, take: Take<V, W>) -> Result<SheetConstants<W>> {
        let at = |name: &str| format!("in_plane.constants.{name}");
        Ok(SheetConstants {
            c11: take(&at("c11"), self.c11, SHEET)?,
            c22: take(&at("c22"), self.c22, SHEET)?,
            c12: take(&at("c12"), self.c12, SHEET_MIXED)?,
            c66: take(&at("c66"), self.c66, SHEET)?,
        })
    }
}

impl<V: Copy> SheetBending<V> {
    fn each<W>(&self, take: Take<V, W>) -> Result<SheetBending<W>> {
        Ok(SheetBending {
            d11: take("bending.d11", self.d11, SHEET_BEND)?,
            d22: take("bending.d22", self.d22, SHEET_BEND)?,
            d_mixed: take("bending.d_mixed", self.d_mixed, SHEET_BEND_MIXED)?,
        })
    }
}

impl InPlane<f64> {
    /// The constants of small strains.
    pub fn at_rest(&self) -> SheetConstants<f64> {
        match self {
            InPlane::Constants(c) => *c,
            InPlane::Spline(spline) => {
                let c = SheetEnergy::new(spline).at([0.0; 3]).curvature;
                SheetConstants { c11: c[(0, 0)], c22: c[(2, 2)], c12: c[(0, 2)], c66: c[(1, 1)] }
            }
        }
    }
}
