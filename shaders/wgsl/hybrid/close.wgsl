// Stage `close`: time, and the length of the next step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;

const GOOD_STEPS: u32 = 20u;

@compute @workgroup_size(1)
fn main() {
    if scalars.phase == PHASE_ACCEPTED {
        scalars.taken += 1u;
        let left = scalars.left - scalars.h;
        scalars.left = select(0.0, left, left > params.smallest_step * 0.5);
        scalars.phase = select(PHASE_DONE, PHASE_STEP, scalars.left > 0.0);
        scalars.steady += 1u;
        if scalars.current < params.step && scalars.steady >= GOOD_STEPS {
            scalars.current = min(2.0 * scalars.current, params.step);
            scalars.steady = 0u;
        }
    } else if scalars.phase == PHASE_STEP {
        scalars.rejected += 1u;
        scalars.steady = 0u;
        scalars.current = 0.5 * scalars.h;
        if scalars.current < params.smallest_step {
            scalars.phase = PHASE_FAILED;
        }
    }
}
