// Stage `step_length`: the length of an iteration's step. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_all

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let sum = total(local);
    if local > 0u {
        return;
    }
    if scalars.phase != PHASE_SOLVE {
        return;
    }
    if sum.x > 0.0 && is_finite(sum.x) {
        scalars.alpha = scalars.delta / sum.x;
    } else {
        // The residual has reached rounding: x must not follow.
        scalars.alpha = 0.0;
        scalars.phase = PHASE_STEP;
        scalars.newton += 1u;
    }
}
