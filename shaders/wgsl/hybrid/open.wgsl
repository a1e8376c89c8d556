// Stage `open`: opens a frame, or an attempt at a step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;

const WHOLE_STEPS: f32 = 0.999999;

// The host marks a new frame by a negative length; how long steps are continues from the last frame, unless that failed.
fn open_frame() {
    if scalars.phase == PHASE_FAILED {
        scalars.current = params.step;
        scalars.steady = 0u;
    }
    scalars.phase = PHASE_STEP;
    scalars.taken = 0u;
    scalars.rejected = 0u;
    scalars.capped = 0u;
    scalars.all_iterations = 0u;
}

@compute @workgroup_size(1)
fn main() {
    if scalars.h < 0.0 {
        open_frame();
    }
    if scalars.phase == PHASE_DONE || scalars.phase == PHASE_FAILED {
        return;
    }
    scalars.current = min(scalars.current, params.step);
    let steps = max(ceil(scalars.left / scalars.current * WHOLE_STEPS), 1.0);
    scalars.h = scalars.left / steps;
    scalars.newton = 0u;
    scalars.fault = 0u;
    scalars.iterations = 0u;
    scalars.phase = PHASE_STEP;
}
