// Stage `open_solve`: opens a solve, or ends Newton's method. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_all

const ACCEPTABLE: f32 = 0.02;
const FAULT_NOT_CONVERGED: u32 = 2u;
const FAULT_NOT_FINITE: u32 = 3u;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let sum = total(local);
    if local > 0u {
        return;
    }
    if scalars.phase != PHASE_STEP {
        return;
    }
    let delta = sum.x;
    let plain = sum.y;
    if scalars.newton == 0u {
        scalars.first = plain;
    }
    scalars.residual = plain;
    let tolerance = params.newton_tolerance * params.newton_tolerance;
    let noise = params.noise * scalars.h;
    let goal = max(tolerance * scalars.first, noise * noise * f32(params.nodes));
    if !is_finite(delta) || !is_finite(plain) {
        scalars.fault = FAULT_NOT_FINITE;
        scalars.phase = PHASE_SOLVED;
    } else if delta <= 0.0 || (scalars.newton > 0u && plain <= goal) {
        scalars.phase = PHASE_SOLVED;
    } else if scalars.newton >= params.newton_iterations {
        if plain > ACCEPTABLE * ACCEPTABLE * scalars.first {
            scalars.fault = FAULT_NOT_CONVERGED;
        }
        scalars.phase = PHASE_SOLVED;
    } else {
        scalars.delta = delta;
        scalars.goal = params.tolerance * params.tolerance * delta;
        scalars.iterations = 0u;
        scalars.phase = PHASE_SOLVE;
    }
}
