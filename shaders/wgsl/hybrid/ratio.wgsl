// Stage `ratio`: the ratio of residuals, and whether the solve is done. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use hybrid/_params
//!use hybrid/_all
//!use hybrid/_reduced

const FAULT_NOT_CONVERGED: u32 = 2u;
const FAULT_NOT_FINITE: u32 = 3u;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let sum = reduced(local);
    if local > 0u {
        return;
    }
    if scalars.phase != PHASE_SOLVE {
        return;
    }
    scalars.iterations += 1u;
    scalars.all_iterations += 1u;
    scalars.beta = sum.x / scalars.delta;
    scalars.delta = sum.x;
    scalars.residual = sum.y;
    if !is_finite(sum.x) {
        scalars.fault = FAULT_NOT_FINITE;
        scalars.phase = PHASE_SOLVED;
    } else if sum.x <= scalars.goal {
        scalars.phase = PHASE_SOLVED;
    } else if scalars.iterations >= params.max_iterations {
        scalars.capped += 1u;
        scalars.fault = FAULT_NOT_CONVERGED;
        scalars.phase = PHASE_SOLVED;
    }
}
