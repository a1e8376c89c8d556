// Stage `step_length`: the length of an iteration's step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use hybrid/_params
//!use hybrid/_all

const FAULT_NOT_FINITE: u32 = 3u;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let sum = total(local, (params.nodes + 63u) / 64u + (active_count() + 63u) / 64u);
    if local > 0u {
        return;
    }
    if scalars.phase != PHASE_SOLVE {
        return;
    }
    if sum.x > 0.0 && is_finite(sum.x) {
        scalars.alpha = scalars.delta / sum.x;
        return;
    }
    // The residual has reached rounding: x must not follow.
    scalars.alpha = 0.0;
    scalars.phase = PHASE_SOLVED;
    if !is_finite(sum.x) {
        scalars.fault = FAULT_NOT_FINITE;
    }
}
