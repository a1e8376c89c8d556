//! The fast CPU path gives what the plain stages give, on made-up cloth and on the published clips, whatever the switches.

#![allow(clippy::print_stdout, reason = "the largest differences are of interest")]

use yarnwise_runtime::{Bending, CpuYarns, FrameOptions, FrameParams, LayoutOptions, YarnLayout, compat};
use yarnwise_shaders::gpu::YarnVertex;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::pattern::Pattern;
use yarnwise_tests::parity::raise;
use yarnwise_tests::{golden, sheet};

/// A way to lay a pattern.
type Lay = fn(&Mesh, &Pattern, &LayoutOptions) -> yarnwise_runtime::Result<YarnLayout>;

/// Largest differences of position and radius in yarn radii, of twist and director in radians; NaN counts as infinite.
fn differences(fast: &[YarnVertex], plain: &[YarnVertex], radius: f32) -> f32 {
    assert_eq!(fast.len(), plain.len());
    let mut worst = 0.0f32;
    for (a, b) in fast.iter().zip(plain) {
        let (d, e) = (a.unpack_director(), b.unpack_director());
        for k in 0..3 {
            raise(&mut worst, (a.position[k] - b.position[k]).abs() / radius);
            raise(&mut worst, (d[k] - e[k]).abs());
        }
        raise(&mut worst, (a.twist - b.twist).abs());
        raise(&mut worst, (a.radius - b.radius).abs() / radius);
        assert!(a.position.iter().chain(&[a.twist, a.radius]).all(|c| c.is_finite()), "{a:?}");
    }
    worst
}

/// The largest difference between the fast and the plain way, with and without special instructions.
///
/// Each way starts from yarns that have computed nothing yet, whose vertices are NaN: what a way does not write is seen.
fn compare(fresh: &CpuYarns, frame: &FrameParams) -> f32 {
    let run = |way: fn(&mut CpuYarns, &FrameParams) -> yarnwise_runtime::Result<()>, portable: bool| {
        let mut yarns = fresh.clone();
        assert!(yarns.vertices().iter().all(|v| v.position.iter().chain(&[v.twist, v.radius]).all(|c| c.is_nan())));
        yarns.set_portable(portable);
        yarns.update_mesh(frame).unwrap();
        way(&mut yarns, frame).unwrap();
        yarns.vertices().to_vec()
    };
    let plain = run(CpuYarns::update_yarns_plainly, false);
    let mut worst = 0.0;
    for portable in [false, true] {
        let fast = run(CpuYarns::update_yarns, portable);
        raise(&mut worst, differences(&fast, &plain, fresh.layout().radius()));
    }
    worst
}

fn switches(base: FrameParams) -> Vec<FrameParams> {
    vec![
        base,
        FrameParams { options: FrameOptions { displacement: 0.0, ..base.options }, ..base },
        FrameParams { options: FrameOptions { displacement: 0.5, ..base.options }, ..base },
        FrameParams { options: FrameOptions { bending: Bending::None, ..base.options }, ..base },
        FrameParams { options: FrameOptions { bending: Bending::Quadratic, ..base.options }, ..base },
        FrameParams { options: FrameOptions { min_eigenvalue: 0.0, ..base.options }, ..base },
        FrameParams {
            options: FrameOptions { min_eigenvalue: 0.0, bending: Bending::Quadratic, ..base.options },
            ..base
        },
        FrameParams { options: FrameOptions { phong: 0.0, ..base.options }, ..base },
        FrameParams { options: FrameOptions { follow_triangle: false, ..base.options }, ..base },
        FrameParams { options: FrameOptions { volume_preservation: false, ..base.options }, ..base },
        FrameParams { options: FrameOptions { radius_factor: 0.7, ..base.options }, ..base },
    ]
}

#[test]
fn the_fast_path_is_the_plain_path_for_every_switch() {
    let mesh = sheet::sheet(24, 20, [0.25, 0.2]);
    let positions = sheet::waves(&mesh);
    let database = sheet::database();
    for (lay, options) in [
        (YarnLayout::new as Lay, LayoutOptions::default()),
        (YarnLayout::new, LayoutOptions { angle: 0.4, scale: 1.3, offset: [0.01, 0.02], ..Default::default() }),
        (compat::layout, LayoutOptions::default()),
    ] {
        let layout = lay(&mesh, database.pattern(), &options).unwrap();
        assert!(layout.vertex_count() > 20_000);
        let yarns = CpuYarns::new(layout, &database).unwrap();
        for frame in switches(FrameParams { positions: &positions, ..Default::default() }) {
            let worst = compare(&yarns, &frame);
            assert!(worst < 5e-4, "{worst} with {options:?}, {frame:?}");
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
        let yarns = CpuYarns::new(layout, &database).unwrap();
        let positions = sheet::waves(&mesh);
        let frame = FrameParams { positions: &positions, ..Default::default() };
        assert!(compare(&yarns, &frame) < 5e-4);
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

/// A NaN on either side, or on both, is a difference.
#[test]
fn a_nan_is_seen() {
    let good = YarnVertex { radius: 1e-3, ..Default::default() };
    for field in 0..5 {
        let mut bad = good;
        match field {
            0..3 => bad.position[field] = f32::NAN,
            3 => bad.twist = f32::NAN,
            _ => bad.radius = f32::NAN,
        }
        assert_eq!(differences(&[good], &[bad], 1e-3), f32::INFINITY);
    }
    assert_eq!(differences(&[good], &[good], 1e-3), 0.0);
}

#[test]
fn the_fast_path_is_the_plain_path_on_the_published_clips() {
    let Some(folder) = yarnwise_tests::reference("the_fast_path_is_the_plain_path_on_the_published_clips") else {
        return;
    };
    for case in golden::Case::all(&folder) {
        let (clip, database) = (case.clip(), case.database());
        for reference in [true, false] {
            let lay = if reference { compat::layout } else { YarnLayout::new };
            let layout = lay(clip.mesh(), database.pattern(), &case.layout_options()).unwrap();
            let yarns = CpuYarns::new(layout, &database).unwrap();
            for frame in &case.frames {
                let worst = compare(&yarns, &case.frame_params(clip.positions(*frame)));
                println!("{} f{frame} compat {reference}: {worst:e}", case.name);
                assert!(worst < 1e-3, "{} f{frame} compat {reference}: {worst}", case.name);
            }
        }
    }
}
