//! Stages of one workgroup that move the scalars on.

use crate::gpu::constants::{ACCEPTABLE, STEADY_STEPS, WHOLE_STEPS};
use crate::gpu::{YarnSolverParams, YarnSolverScalars, fault, phase};

/// Opens an attempt at a step: its length is a whole part of what is left of the frame.
pub fn open(params: &YarnSolverParams, s: &mut YarnSolverScalars) {
    if s.phase == phase::DONE || s.phase == phase::FAILED {
        return;
    }
    let steps = (s.left / s.current * WHOLE_STEPS).ceil().max(1.0);
    s.h = s.left / steps;
    s.current = s.current.min(params.step);
    (s.newton, s.fault, s.iterations) = (0, fault::NONE, 0);
    s.phase = phase::STEP;
}

/// Opens a solve with rᵀP⁻¹r and rᵀr of all nodes, or ends Newton's method.
pub fn open_solve(params: &YarnSolverParams, s: &mut YarnSolverScalars, [delta, plain]: [f32; 2]) {
    if s.phase != phase::STEP {
        return;
    }
    if s.newton == 0 {
        s.first = plain;
    }
    s.residual = plain;
    let finite = delta.is_finite() && plain.is_finite();
    let tolerance = params.newton_tolerance * params.newton_tolerance;
    let noise = params.noise * s.h;
    let goal = (tolerance * s.first).max(noise * noise * params.nodes as f32);
    if !finite {
        s.fault = fault::NOT_FINITE;
        s.phase = phase::SOLVED;
    } else if delta <= 0.0 || (s.newton > 0 && plain <= goal) {
        s.phase = phase::SOLVED;
    } else if s.newton >= params.newton_iterations {
        // Looked at once more, to know whether the step can be taken.
        if plain > ACCEPTABLE * ACCEPTABLE * s.first {
            s.fault = fault::NOT_CONVERGED;
        }
        s.phase = phase::SOLVED;
    } else {
        let square = params.tolerance * params.tolerance;
        (s.delta, s.goal, s.iterations) = (delta, square * delta, 0);
        s.phase = phase::SOLVE;
    }
}

/// α = δ / dᵀA d.
pub fn step_length(s: &mut YarnSolverScalars, curvature: f32) {
    if s.phase != phase::SOLVE {
        return;
    }
    if curvature > 0.0 && curvature.is_finite() {
        s.alpha = s.delta / curvature;
    } else {
        // The residual has reached rounding: x must not follow.
        s.alpha = 0.0;
        s.phase = phase::STEP;
        s.newton += 1;
    }
}

/// β, and whether the solve is done.
pub fn ratio(params: &YarnSolverParams, s: &mut YarnSolverScalars, [delta, plain]: [f32; 2]) {
    if s.phase != phase::SOLVE {
        return;
    }
    s.iterations += 1;
    s.all_iterations += 1;
    let square = params.tolerance * params.tolerance;
    let done = delta <= s.goal && plain <= square * s.residual;
    s.beta = delta / s.delta;
    s.delta = delta;
    if done || !delta.is_finite() || s.iterations >= params.max_iterations {
        s.capped += u32::from(!done);
        s.phase = phase::STEP;
        s.newton += 1;
    }
}

/// Ends a solve that the recorded iterations did not.
pub fn close_solve(s: &mut YarnSolverScalars) {
    if s.phase == phase::SOLVE {
        s.capped += 1;
        s.newton += 1;
        s.phase = phase::STEP;
    }
}

/// Whether the step is taken, from the worst fault of all nodes.
pub fn judge(s: &mut YarnSolverScalars, worst: u32) {
    if s.phase == phase::DONE || s.phase == phase::FAILED {
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
        if s.current < params.step {
            s.steady += 1;
            if s.steady >= STEADY_STEPS {
                s.current = (2.0 * s.current).min(params.step);
                s.steady = 0;
            }
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
