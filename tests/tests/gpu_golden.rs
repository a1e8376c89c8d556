//! The GPU path against the CPU path on all golden cases: every stage and the whole, 1e-3 yarn radii at the largest.

#![allow(clippy::print_stdout, reason = "the largest differences are worth seeing")]

use std::collections::BTreeMap;
use yarnwise_runtime::gpu::{STAGES, StateOptions, TablePrecision};
use yarnwise_runtime::{Bending, FrameOptions, FrameParams, LayoutOptions, YarnLayout, compat};
use yarnwise_tests::golden::Case;
use yarnwise_tests::parity::{Difference, Results, Twins, forms_off, patches_off};

/// Positions and radii in yarn radii, angles in radians.
const TOLERANCE: f32 = 1e-3;

fn within(d: Difference) -> bool {
    [d.position, d.twist, d.director, d.radius].iter().all(|v| *v < TOLERANCE)
}

/// Whether all stages agree; the last entry is of the yarns.
fn agree(a: &Results, b: &Results, radius: f32) -> [bool; 4] {
    [
        forms_off(&a.faces, &b.faces) < 1.0,
        forms_off(&a.vertices, &b.vertices) < 1.0,
        patches_off(&a.patches, &b.patches) < 1.0,
        within(Difference::of(&a.yarns, &b.yarns, radius)),
    ]
}

/// The frame with a vertex in the middle of the mesh moved by 0.1 mm.
fn nudged(positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut moved = positions.to_vec();
    let middle = moved.len() / 2;
    moved[middle] = moved[middle].map(|c| c + 1e-4);
    moved
}

#[test]
fn golden_cases_agree_on_both_paths_in_every_stage() {
    let Some(reference) = yarnwise_tests::reference("golden_cases_agree_on_both_paths_in_every_stage") else { return };
    let mut worst = Difference::default();
    for case in Case::all(&reference) {
        let (clip, database) = (case.clip(), case.database());
        let layout = compat::layout(clip.mesh(), database.pattern(), &case.layout_options()).unwrap();
        let radius = layout.radius();
        let mut twins = Twins::new(layout, &database, &StateOptions::default());
        for frame in &case.frames {
            let params = case.frame_params(clip.positions(*frame));
            let cpu = twins.run_cpu(&params);
            let whole = twins.run_gpu(&params, 0);
            assert_eq!(agree(&cpu, &whole, radius), [true; 4], "{} frame {frame}, whole", case.name);
            worst = worst.or(Difference::of(&cpu.yarns, &whole.yarns, radius));
            let positions = nudged(params.positions);
            let control = twins.run_cpu(&FrameParams { positions: &positions, ..params });
            assert_eq!(agree(&control, &whole, radius), [false; 4], "{} frame {frame}, control", case.name);
        }
        // Stage by stage on the last frame: fed by the CPU's results, so that an error cannot hide in an earlier stage.
        let params = case.frame_params(clip.positions(case.frames[case.frames.len() - 1]));
        let cpu = twins.run_cpu(&params);
        for stage in 0..STAGES.len() {
            let alone = twins.run_gpu(&params, stage);
            assert!(agree(&cpu, &alone, radius)[stage], "{} stage {}", case.name, STAGES[stage]);
        }
    }
    println!("largest differences on the golden cases: {worst:?}");
}

/// The product's own mode on the bending clips: follows triangles, all bending models, clamp on and off, 16 bit tables.
///
/// Directors take the gradient of the one triangle that a displaced vertex lies on. A 16 bit table moves a few vertices
/// over a border where that gradient jumps, so their directors are only compared where triangles are kept.
#[test]
fn golden_clips_agree_in_the_default_mode() {
    let Some(reference) = yarnwise_tests::reference("golden_clips_agree_in_the_default_mode") else { return };
    let mut worst = BTreeMap::new();
    for case in Case::all(&reference).into_iter().filter(|c| c.name.ends_with("_stretchX")) {
        let (clip, database) = (case.clip(), case.database());
        let layout = YarnLayout::new(clip.mesh(), database.pattern(), &LayoutOptions::default()).unwrap();
        let radius = layout.radius();
        for (table, follow_triangle) in [
            (TablePrecision::Float, true),
            (TablePrecision::Float, false),
            (TablePrecision::Snorm16, true),
            (TablePrecision::Snorm16, false),
        ] {
            let options = StateOptions { table, ..Default::default() };
            let mut twins = Twins::new(layout.clone(), &database, &options);
            let so_far: &mut Difference = worst.entry((format!("{table:?}"), follow_triangle)).or_default();
            for bending in [Bending::None, Bending::Linearized, Bending::Quadratic] {
                for min_eigenvalue in [0.0, 0.8] {
                    let positions = clip.positions(40);
                    let params = FrameParams {
                        positions,
                        options: FrameOptions { bending, min_eigenvalue, follow_triangle, ..Default::default() },
                    };
                    let (cpu, gpu) = (twins.run_cpu(&params), twins.run_gpu(&params, 0));
                    *so_far = so_far.or(Difference::of(&cpu.yarns, &gpu.yarns, radius));
                }
            }
        }
    }
    println!("largest differences in the default mode, by table and whether triangles are followed: {worst:#?}");
    for ((table, follow), d) in worst {
        let borders = table == "Snorm16" && follow;
        let compared = if borders { Difference { director: 0.0, ..d } } else { d };
        assert!(within(compared), "{table}, follow {follow}: {d:?}");
    }
}
