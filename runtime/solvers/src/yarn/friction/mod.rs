//! AnchorFriction as a spring to an anchor that is dragged along: one-dimensional plasticity with an implicit return map.
//!
//!   f_trial = −k (q − q̄),  f = clamp(f_trial, ±limit)                                  [Cirio14, Eqs. 10, 12]
//!   tangent k while it sticks, 0 while it slips; after the step the anchor is dragged: q̄ = q − clamp(q − q̄, ±limit/k)
//!
//! Sliding friction has q = u or v, k = k_f in N/m and the limit μ F_n in N; shear friction has q = φ of a corner,
//! k = k_φ in N m/rad and the limit μ_φ F_n in N m. Differs from the paper: the clamp is taken at the end of the step, not
//! lagged.

/// AnchorFriction at one anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorFriction {
    /// f, against the offset from the anchor.
    pub force: f64,
    /// −∂f/∂q.
    pub tangent: f64,
}

impl AnchorFriction {
    /// For an `offset` q − q̄.
    #[inline]
    pub fn new(stiffness: f64, limit: f64, offset: f64) -> Self {
        let trial = -stiffness * offset;
        if trial.abs() <= limit {
            AnchorFriction { force: trial, tangent: stiffness }
        } else {
            AnchorFriction { force: trial.clamp(-limit, limit), tangent: 0.0 }
        }
    }
}

/// The anchor after a step that ended at `value`.
#[inline]
pub fn dragged(stiffness: f64, limit: f64, value: f64, anchor: f64) -> f64 {
    if stiffness <= 0.0 {
        return value;
    }
    let reach = limit / stiffness;
    value - (value - anchor).clamp(-reach, reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sticks_below_the_limit_and_is_dragged_above() {
        let below = AnchorFriction::new(100.0, 0.5, 0.004);
        assert_eq!((below.force, below.tangent), (-0.4, 100.0));
        let above = AnchorFriction::new(100.0, 0.5, -0.02);
        assert_eq!((above.force, above.tangent), (0.5, 0.0));
        assert_eq!(dragged(100.0, 0.5, 1.004, 1.0), 1.0);
        assert!((dragged(100.0, 0.5, 1.02, 1.0) - 1.015).abs() < 1e-15);
        // Where the limit falls, the anchor comes at once.
        assert_eq!(dragged(100.0, 0.0, 1.02, 1.0), 1.02);
    }
}
