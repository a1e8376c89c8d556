//! The example without a GPU runs.

#[path = "../../runtime/examples/cpu_only.rs"]
mod cpu_only;

#[test]
fn the_example_without_a_gpu_runs() {
    cpu_only::main().unwrap();
}
