// Stage `judge`: whether the step is taken. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use hybrid/_params
//!use hybrid/_all

const FAULT_CROWDED: u32 = 1u;
const FAULT_NOT_FINITE: u32 = 3u;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let sum = total(local, (all_points() + 63u) / 64u);
    if local > 0u {
        return;
    }
    if scalars.phase != PHASE_CHECK {
        return;
    }
    let crowded = select(0u, FAULT_CROWDED, sum.x > 0.0);
    let worst = select(crowded, FAULT_NOT_FINITE, sum.y > 0.0);
    scalars.fault = max(scalars.fault, worst);
    scalars.phase = select(PHASE_STEP, PHASE_ACCEPTED, scalars.fault == 0u);
}
