//! The fast CPU path gives what the plain stages give, on made-up cloth and on the published clips, whatever the switches.

#![allow(clippy::print_stdout, reason = "the largest differences are of interest")]

use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, Placement, YarnLayout};
use yarnwise_shaders::gpu::YarnVertex;
use yarnwise_shared::table::strain::BendingModel;
use yarnwise_tests::{golden, sheet};

/// Largest differences of position and radius in yarn radii, of twist and director in radians.
fn differences(fast: &[YarnVertex], plain: &[YarnVertex], radius: f32) -> f32 {
    assert_eq!(fast.len(), plain.len());
    let mut worst = 0.0f32;
    for (a, b) in fast.iter().zip(plain) {
        let (d, e) = (a.unpack_director(), b.unpack_director());
        for k in 0..3 {
            worst = worst.max((a.position[k] - b.position[k]).abs() / radius).max((d[k] - e[k]).abs());
        }
        worst = worst.max((a.twist - b.twist).abs()).max((a.radius - b.radius).abs() / radius);
        assert!(a.position.iter().chain(&[a.twist, a.radius]).all(|c| c.is_finite()), "{a:?}");
    }
    worst
}

/// The largest difference between the fast and the plain way, with and without special instructions.
fn compare(yarns: &mut CpuYarns, frame: &FrameParams) -> f32 {
    yarns.update_mesh(frame).unwrap();
    yarns.update_yarns_plainly(frame).unwrap();
    let plain = yarns.vertices().to_vec();
    let radius = yarns.layout().radius();
    let mut worst = 0.0f32;
    for portable in [false, true] {
        yarns.set_portable(portable);
        yarns.update_yarns(frame).unwrap();
        worst = worst.max(differences(yarns.vertices(), &plain, radius));
    }
    worst
}

fn switches(base: FrameParams) -> Vec<FrameParams> {
    vec![
        base,
        FrameParams { displacement: 0.0, ..base },
        FrameParams { displacement: 0.5, ..base },
        FrameParams { bending: BendingModel::None, ..base },
        FrameParams { bending: BendingModel::Quadratic, ..base },
        FrameParams { min_eigenvalue: 0.0, ..base },
        FrameParams { min_eigenvalue: 0.0, bending: BendingModel::Quadratic, ..base },
        FrameParams { phong: 0.0, ..base },
        FrameParams { follow_triangle: false, ..base },
        FrameParams { volume_preservation: false, ..base },
        FrameParams { radius_factor: 0.7, ..base },
    ]
}

#[test]
fn the_fast_path_is_the_plain_path_for_every_switch() {
    let mesh = sheet::sheet(24, 20, [0.25, 0.2]);
    let positions = sheet::waves(&mesh);
    let database = sheet::database();
    let placement = Placement { angle: 0.4, scale: 1.3, offset: [0.01, 0.02] };
    for options in [
        LayoutOptions::default(),
        LayoutOptions { placement, ..Default::default() },
        LayoutOptions { compat: true, ..Default::default() },
    ] {
        let layout = YarnLayout::new(&mesh, database.pattern(), &options).unwrap();
        assert!(layout.vertex_count() > 20_000);
        let mut yarns = CpuYarns::new(layout, &database).unwrap();
        for frame in switches(FrameParams { positions: &positions, ..Default::default() }) {
            let worst = compare(&mut yarns, &frame);
            assert!(worst < 5e-4, "{worst} with compat {}, {frame:?}", options.compat);
        }
    }
}

/// Few vertices: chunks and blocks that are not full, yarns that end within a block.
#[test]
fn the_fast_path_is_the_plain_path_for_small_pieces() {
    let database = sheet::database();
    let mut counts = std::collections::BTreeSet::new();
    for i in 0..24 {
        let mesh = sheet::sheet(2, 2, [0.01 + 0.0007 * i as f32, 0.004 + 0.0005 * i as f32]);
        let options = LayoutOptions { min_yarn_length: 0.0, ..Default::default() };
        let layout = YarnLayout::new(&mesh, database.pattern(), &options).unwrap();
        counts.insert(layout.vertex_count() % 8);
        let mut yarns = CpuYarns::new(layout, &database).unwrap();
        let positions = sheet::waves(&mesh);
        let frame = FrameParams { positions: &positions, ..Default::default() };
        assert!(compare(&mut yarns, &frame) < 5e-4);
    }
    assert!(counts.len() >= 4, "{counts:?}");
}

/// The comparison can fail: one moved mesh vertex is seen.
#[test]
fn a_difference_is_seen() {
    let mesh = sheet::sheet(24, 20, [0.25, 0.2]);
    let database = sheet::database();
    let layout = YarnLayout::new(&mesh, database.pattern(), &LayoutOptions::default()).unwrap();
    let mut yarns = CpuYarns::new(layout, &database).unwrap();
    let mut positions = sheet::waves(&mesh);
    yarns.update(&FrameParams { positions: &positions, ..Default::default() }).unwrap();
    let before = yarns.vertices().to_vec();
    positions[200][2] += 2e-6;
    yarns.update(&FrameParams { positions: &positions, ..Default::default() }).unwrap();
    assert!(differences(yarns.vertices(), &before, yarns.layout().radius()) > 5e-4);
}

#[test]
fn the_fast_path_is_the_plain_path_on_the_published_clips() {
    let Some(reference) = yarnwise_tests::reference("the_fast_path_is_the_plain_path_on_the_published_clips") else {
        return;
    };
    for case in golden::Case::all(&reference) {
        let (clip, database) = (case.clip(), case.database());
        for compat in [true, false] {
            let options = LayoutOptions { compat, ..case.layout_options() };
            let layout = YarnLayout::new(clip.mesh(), database.pattern(), &options).unwrap();
            let mut yarns = CpuYarns::new(layout, &database).unwrap();
            for frame in &case.frames {
                let worst = compare(&mut yarns, &case.frame_params(clip.positions(*frame)));
                println!("{} f{frame} compat {compat}: {worst:e}", case.name);
                assert!(worst < 1e-3, "{} f{frame} compat {compat}: {worst}", case.name);
            }
        }
    }
}
