// Stage `ratio`: the ratio of residuals, and whether the solve is done. CPU twin: cpu/yarn_solver/.
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
    let delta = sum.x;
    scalars.iterations += 1u;
    scalars.all_iterations += 1u;
    let square = params.tolerance * params.tolerance;
    let done = delta <= scalars.goal && sum.y <= square * scalars.residual;
    scalars.beta = delta / scalars.delta;
    scalars.delta = delta;
    if done || !is_finite(delta) || scalars.iterations >= params.max_iterations {
        scalars.capped += select(1u, 0u, done);
        scalars.phase = PHASE_STEP;
        scalars.newton += 1u;
    }
}
