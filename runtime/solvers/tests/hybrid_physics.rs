//! Cloth of yarns and triangles: what must hold whatever the scene.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use yarnwise_solvers::hybrid::{Class, HybridOptions, HybridPreconditioner, HybridSheet, HybridSimulation};
use yarnwise_solvers::yarn::YarnMaterial;

/// Yarns without damping and friction.
fn plain() -> YarnMaterial {
    YarnMaterial {
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        friction: 0.0,
        shear_friction: 0.0,
        sliding_damping: 0.0,
        ..YarnMaterial::default()
    }
}

fn sheet(cells: [usize; 2], cell: usize) -> HybridSheet {
    let mut sheet = HybridSheet::new(cells, cell, plain()).unwrap();
    (sheet.build.sliding, sheet.build.lumped) = (false, true);
    sheet
}

#[test]
fn mass_is_split_exactly() {
    for (sliding, lumped) in [(false, true), (true, false)] {
        let mut sheet = sheet([6, 4], 10);
        (sheet.build.sliding, sheet.build.lumped) = (sliding, lumped);
        let model = sheet.model(|x, _| x < 2.0).unwrap();
        let m = model.masses();
        let sum: f64 = m.vertices.iter().sum::<f64>() + m.nodes.iter().sum::<f64>() + m.segments;
        assert!((sum / m.total - 1.0).abs() < 1e-12, "{sum} of {}", m.total);
        // 2,400 crossings, each with 2 L of yarn.
        let expected = 4800.0 * 1e-3 * plain().stiffness().density;
        assert!((m.total / expected - 1.0).abs() < 1e-5, "{} of {expected}", m.total);
        // An inner vertex of triangles alone has the mass of a square.
        let inner = model.masses().vertices[4 * 5 + 2];
        assert!((inner / (100.0 * 2e-3 * plain().stiffness().density) - 1.0).abs() < 1e-12, "{inner}");
    }
}

#[test]
fn classes_and_coupling_of_the_half_sheet() {
    let model = sheet([4, 4], 10).model(|x, _| x < 2.0).unwrap();
    let count = |class: Class| model.node_classes().iter().filter(|c| **c == class).count();
    assert_eq!((count(Class::Yarns), count(Class::Hybrid)), (800, 400));
    assert_eq!(model.coupling().vertex_count(), 10);
    assert_eq!(model.free_vertices(), 5);
}

#[test]
fn a_hanging_sheet_moves_and_stays_sound() {
    let sheet = sheet([4, 4], 10);
    for preconditioner in [HybridPreconditioner::BlendedMass, HybridPreconditioner::Lines, HybridPreconditioner::LinesCoarse] {
        let options = HybridOptions { preconditioner, ..Default::default() };
        let mut simulation = HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), options);
        simulation.gravity = Vector3::new(0.0, 0.0, -9.81);
        let pin = simulation.points_in(|[u, _]| u > 0.0399);
        assert_eq!((pin.nodes.len(), pin.vertices.len()), (0, 5));
        simulation.pin(pin).unwrap();
        let mut iterations = 0;
        for report in simulation.advance(0.01).unwrap() {
            iterations += report.iterations;
            println!("{report:?}");
        }
        assert!(simulation.state().is_sound());
        let low = simulation.state().yarns.positions.iter().fold(0.0_f64, |m, p| m.min(p.z));
        println!("{preconditioner:?}: lowest {low}, {iterations} iterations");
        assert!(low < -1e-4 && low > -1e-3, "{low}");
    }
}
