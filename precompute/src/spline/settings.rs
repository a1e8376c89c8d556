//! How finely yarns are resolved and how equilibria are searched.

use crate::newton::NewtonOptions;
use yarnwise_shared::{Error, Result, range};

/// Resolution and search. [`Default`] suits all patterns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineSettings {
    /// Spans are at most this long at rest, in yarn radii.
    pub span: f64,
    /// Contact points are at most this far apart at rest, in yarn radii. With 1/8 two crossing yarns press on each other as the closed
    /// form says, wherever their points are: within 0.8 % at 0.95 diameters, 0.1 % below 0.9. With 1/4 it is 2.7 % and 1.1 %, and the
    /// stiffness of a weave at rest in shear, where yarns hardly touch, is 3 % off.
    pub contact_spacing: f64,
    /// No strain grows by more than this from one equilibrium to the next on the way from rest.
    pub increment: f64,
    /// When forces balance, and how much work is allowed.
    pub newton: NewtonOptions,
}

impl Default for SplineSettings {
    fn default() -> Self {
        SplineSettings { span: 0.6, contact_spacing: 0.125, increment: 0.1, newton: NewtonOptions::default() }
    }
}

impl SplineSettings {
    /// Refuses settings that cannot work.
    pub fn check(&self) -> Result<()> {
        let name = "yarns as splines";
        range::check(name, "the length of a span", self.span, [0.05, 4.0], " radii")?;
        range::check(name, "the distance of contact points", self.contact_spacing, [0.02, 1.0], " radii")?;
        range::check(name, "the increment of strain", self.increment, [1e-3, 1.0], "")?;
        range::check(name, "the tolerance", self.newton.tolerance, [1e-13, 1e-3], "")?;
        if self.newton.max_factorizations == 0 {
            return Err(Error::invalid(name, "no factorizations are allowed: a search needs at least 1"));
        }
        Ok(())
    }
}
