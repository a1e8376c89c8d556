// Stage `open`: opens an attempt at a step. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;

const WHOLE_STEPS: f32 = 0.999999;

@compute @workgroup_size(1)
fn main() {
    if scalars.phase == PHASE_DONE || scalars.phase == PHASE_FAILED {
        return;
    }
    let steps = max(ceil(scalars.left / scalars.current * WHOLE_STEPS), 1.0);
    scalars.h = scalars.left / steps;
    scalars.newton = 0u;
    scalars.fault = 0u;
    scalars.iterations = 0u;
    scalars.phase = PHASE_STEP;
}
