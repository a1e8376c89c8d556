// Stage `close_solve`: ends a solve that the recorded iterations did not. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;

@compute @workgroup_size(1)
fn main() {
    if scalars.phase == PHASE_SOLVE && params.nodes > 0u {
        scalars.capped += 1u;
        scalars.newton += 1u;
        scalars.phase = PHASE_STEP;
    }
}
