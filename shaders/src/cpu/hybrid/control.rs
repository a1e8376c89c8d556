//! Stages of one workgroup that move the scalars on.

use crate::gpu::constants::{GOOD_STEPS, WHOLE_STEPS};
use crate::gpu::{YarnSolverParams, YarnSolverScalars, fault, phase};

/// Opens a frame, which the host marks by a negative length, or an attempt at a step. How long steps are continues from the last frame, unless that
/// failed.
pub fn open(params: &YarnSolverParams, s: &mut YarnSolverScalars) {
    if s.h < 0.0 {
        if s.phase == phase::FAILED {
            (s.current, s.steady) = (params.step, 0);
        }
        s.phase = phase::STEP;
        (s.taken, s.rejected, s.capped, s.all_iterations) = (0, 0, 0, 0);
    }
    if s.phase == phase::DONE || s.phase == phase::FAILED {
        return;
    }
    s.current = s.current.min(params.step);
    s.h = s.left / (s.left / s.current * WHOLE_STEPS).ceil().max(1.0);
    (s.newton, s.fault, s.iterations, s.phase) = (0, fault::NONE, 0, phase::STEP);
}

/// Opens the solve with rᵀP⁻¹r and rᵀr.
pub fn open_solve(params: &YarnSolverParams, s: &mut YarnSolverScalars, [delta, plain]: [f32; 2]) {
    if s.phase != phase::STEP {
        return;
    }
    (s.first, s.residual, s.delta, s.goal) = (plain, plain, delta, params.tolerance * params.tolerance * delta);
    (s.beta, s.iterations) = (0.0, 0);
    if !delta.is_finite() || !plain.is_finite() {
        (s.fault, s.phase) = (fault::NOT_FINITE, phase::SOLVED);
    } else {
        s.phase = if delta <= 0.0 { phase::SOLVED } else { phase::SOLVE };
    }
}

/// α = δ / dᵀA d.
pub fn step_length(s: &mut YarnSolverScalars, curvature: f32) {
    if s.phase != phase::SOLVE {
        return;
    }
    if curvature > 0.0 && curvature.is_finite() {
        s.alpha = s.delta / curvature;
        return;
    }
    // The residual has reached rounding: x must not follow.
    (s.alpha, s.phase) = (0.0, phase::SOLVED);
    if !curvature.is_finite() {
        s.fault = fault::NOT_FINITE;
    }
}

/// β, and whether the solve is done.
pub fn ratio(params: &YarnSolverParams, s: &mut YarnSolverScalars, [delta, plain]: [f32; 2]) {
    if s.phase != phase::SOLVE {
        return;
    }
    s.iterations += 1;
    s.all_iterations += 1;
    s.beta = delta / s.delta;
    (s.delta, s.residual) = (delta, plain);
    if !delta.is_finite() {
        (s.fault, s.phase) = (fault::NOT_FINITE, phase::SOLVED);
    } else if delta <= s.goal {
        s.phase = phase::SOLVED;
    } else if s.iterations >= params.max_iterations {
        s.capped += 1;
        (s.fault, s.phase) = (fault::NOT_CONVERGED, phase::SOLVED);
    }
}

/// Ends the solve, also one that the recorded iterations did not.
pub fn close_solve(s: &mut YarnSolverScalars) {
    if s.phase == phase::SOLVE {
        s.capped += 1;
        (s.fault, s.phase) = (s.fault.max(fault::NOT_CONVERGED), phase::CHECK);
    } else if s.phase == phase::SOLVED {
        s.phase = phase::CHECK;
    }
}

/// Whether the step is taken, from the worst fault of all points.
pub fn judge(s: &mut YarnSolverScalars, worst: u32) {
    if s.phase != phase::CHECK {
        return;
    }
    s.fault = s.fault.max(worst);
    s.phase = if s.fault == fault::NONE { phase::ACCEPTED } else { phase::STEP };
}

/// Time, and the length of the next step.
pub fn close(params: &YarnSolverParams, s: &mut YarnSolverScalars) {
    if s.phase == phase::ACCEPTED {
        s.taken += 1;
        let left = s.left - s.h;
        s.left = if left > params.smallest_step * 0.5 { left } else { 0.0 };
        s.phase = if s.left > 0.0 { phase::STEP } else { phase::DONE };
        s.steady += 1;
        if s.current < params.step && s.steady >= GOOD_STEPS {
            s.current = (2.0 * s.current).min(params.step);
            s.steady = 0;
        }
    } else if s.phase == phase::STEP {
        s.rejected += 1;
        s.steady = 0;
        s.current = 0.5 * s.h;
        if s.current < params.smallest_step {
            s.phase = phase::FAILED;
        }
    }
}
