// Stage `close_solve`: ends the solve, also one that the recorded iterations did not. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use hybrid/_params

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;

const FAULT_NOT_CONVERGED: u32 = 2u;

@compute @workgroup_size(1)
fn main() {
    if scalars.phase == PHASE_SOLVE && all_points() > 0u {
        scalars.capped += 1u;
        scalars.fault = max(scalars.fault, FAULT_NOT_CONVERGED);
        scalars.phase = PHASE_CHECK;
    } else if scalars.phase == PHASE_SOLVED {
        scalars.phase = PHASE_CHECK;
    }
}
