//! The example without a GPU lays yarns on its cloth, and they swing with it.

#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../runtime/examples/cpu_only.rs"]
mod cpu_only;

#[test]
fn the_yarns_of_the_example_without_a_gpu_swing_with_the_cloth() {
    let mut middles = Vec::new();
    cpu_only::run(|frame, yarns| {
        assert_eq!(frame, middles.len(), "frames in their order");
        assert!(yarns.layout().yarn_count() > 50, "a yarn each way every 4 mm of 200 mm");
        for vertex in yarns.vertices() {
            let [x, y, z] = vertex.position;
            // The cloth is a sheet of 200 mm that moves by 20 mm; yarns lie half a millimeter off it.
            let on_cloth = (-2e-3..0.202).contains(&x) && (-2e-3..0.202).contains(&y) && z.abs() < 21e-3;
            assert!(on_cloth && vertex.radius > 0.0, "frame {frame}: {vertex:?}");
        }
        let near = |v: &&yarnwise_shaders::gpu::YarnVertex| (v.position[0] - 0.1).abs() < 5e-3;
        let heights: Vec<f32> = yarns.vertices().iter().filter(near).map(|v| v.position[2]).collect();
        middles.push(heights.iter().sum::<f32>() / heights.len() as f32);
    })
    .unwrap();
    // sin(2 pi (1/2 + t)) for t = 0, 1/4, 1/2, 3/4, times 20 mm.
    let expected = [0.0, -0.02, 0.0, 0.02];
    let close = middles.iter().zip(expected).all(|(m, e)| (m - e).abs() < 1e-3);
    assert!(middles.len() == 4 && close, "{middles:?}");
}
