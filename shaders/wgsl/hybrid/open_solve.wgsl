// Stage `open_solve`: opens the solve of a step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use hybrid/_params
//!use hybrid/_all
//!use hybrid/_reduced

const FAULT_NOT_FINITE: u32 = 3u;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let sum = reduced(local);
    if local > 0u {
        return;
    }
    if scalars.phase != PHASE_STEP {
        return;
    }
    scalars.first = sum.y;
    scalars.residual = sum.y;
    scalars.delta = sum.x;
    scalars.goal = params.tolerance * params.tolerance * sum.x;
    scalars.beta = 0.0;
    scalars.iterations = 0u;
    if !is_finite(sum.x) || !is_finite(sum.y) {
        scalars.fault = FAULT_NOT_FINITE;
        scalars.phase = PHASE_SOLVED;
    } else if sum.x <= 0.0 {
        scalars.phase = PHASE_SOLVED;
    } else {
        scalars.phase = PHASE_SOLVE;
    }
}
