//! Cloth of yarns and triangles: what must hold whatever the scene.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use yarnwise_solvers::hybrid::{
    Class, HybridModel, HybridOptions, HybridPin, HybridPreconditioner, HybridSheet, HybridSimulation, Region,
};
use yarnwise_solvers::yarn::{Blend, YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

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
        // UVs have 32 bits.
        assert!((inner / (100.0 * 2e-3 * plain().stiffness().density) - 1.0).abs() < 1e-6, "{inner}");
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
    for preconditioner in
        [HybridPreconditioner::BlendedMass, HybridPreconditioner::Lines, HybridPreconditioner::LinesCoarse]
    {
        let options = HybridOptions { preconditioner, ..Default::default() };
        let mut simulation = HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), options);
        simulation.gravity = Vector3::new(0.0, 0.0, -9.81);
        let pin = simulation.points_in(|[u, _]| u > 0.0399);
        assert_eq!((pin.nodes.len(), pin.vertices.len()), (0, 5));
        simulation.pin(pin).unwrap();
        simulation.advance(0.01).unwrap();
        assert!(simulation.state().is_sound());
        let low = simulation.state().yarns.positions.iter().fold(0.0_f64, |m, p| m.min(p.z));
        assert!(low < -1e-4 && low > -1e-3, "{low}");
    }
}

/// Solved until rounding.
fn exact(preconditioner: HybridPreconditioner) -> HybridOptions {
    HybridOptions {
        preconditioner,
        newton_iterations: 20,
        newton_tolerance: 1e-11,
        tolerance: 1e-13,
        max_iterations: 20_000,
        ..Default::default()
    }
}

fn farthest(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Falls for some steps, held at the side with large u.
fn fall(mut simulation: HybridSimulation, steps: usize) -> HybridSimulation {
    simulation.gravity = Vector3::new(0.0, 0.0, -9.81);
    let l = simulation.model().weave().material.spacing;
    let end = simulation.model().mesh().uvs().iter().fold(0.0_f32, |m, uv| m.max(uv[0]));
    let pin = simulation.points_in(|[u, _]| u > f64::from(end) - l);
    simulation.pin(pin).unwrap();
    for _ in 0..steps {
        simulation.step(1e-3).unwrap();
    }
    simulation
}

#[test]
fn all_yarns_solved_as_a_hybrid_are_the_yarn_solver() {
    let mut sheet = HybridSheet::new([3, 3], 6, YarnMaterial { stiffness_damping: 0.0, ..Default::default() }).unwrap();
    sheet.build.loose_ends = true;
    let model = sheet.model(|_, _| true).unwrap();
    assert_eq!(model.coupling().vertex_count(), 0);
    let options = YarnOptions {
        newton_iterations: 20,
        newton_tolerance: 1e-11,
        tolerance: 1e-13,
        max_iterations: 20_000,
        changes: false,
        ..Default::default()
    };
    let weave = model.weave().clone();
    let hybrid = fall(HybridSimulation::new(model, exact(HybridPreconditioner::LinesCoarse)), 20);
    let run = |gravity: f64| {
        let mut yarns = YarnSimulation::new(weave.clone(), options);
        yarns.gravity = Vector3::new(0.0, 0.0, gravity);
        yarns.pins.push(YarnPin::still(hybrid.pins()[0].nodes.clone()));
        for _ in 0..20 {
            yarns.step(1e-3).unwrap();
        }
        farthest(&yarns.state().positions, &hybrid.state().yarns.positions)
    };
    let (same, other) = (run(-9.81), run(-9.82));
    assert!(same < 1e-13 && other > 1e-7, "{same:.1e} m, with another gravity {other:.1e} m");
}

#[test]
fn enriched_yarns_are_yarns() {
    let sheet = sheet([3, 3], 6);
    let mesh = sheet.mesh().unwrap();
    let region = Region::enriched(mesh.faces(), mesh.positions().len());
    let model = HybridModel::new(mesh, region, &sheet.build, "sheet").unwrap();
    assert_eq!(model.coupling().vertex_count(), 16);
    let options = YarnOptions {
        newton_iterations: 20,
        newton_tolerance: 1e-11,
        tolerance: 1e-13,
        max_iterations: 20_000,
        ..Default::default()
    };
    let mut yarns = YarnSimulation::new(model.weave().clone(), options);
    yarns.set_blend(Blend::stuck(model.blend().mass.clone()));
    yarns.gravity = Vector3::new(0.0, 0.0, -9.81);
    let hybrid = fall(HybridSimulation::new(model, exact(HybridPreconditioner::BlendedMass)), 20);
    yarns.pins.push(YarnPin::still(hybrid.pins()[0].nodes.clone()));
    for _ in 0..20 {
        yarns.step(1e-3).unwrap();
    }
    let distance = farthest(&yarns.state().positions, &hybrid.state().yarns.positions);
    let motion = farthest(&yarns.state().positions, &yarns.weave().positions);
    assert!(distance < 1e-13 && motion > 1e-4, "{distance:.1e} of {motion:.1e} m");
}

#[test]
fn preconditioners_change_nothing_but_the_way() {
    let sheet = sheet([4, 3], 6);
    let run = |p| fall(HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), exact(p)), 5);
    let all = [HybridPreconditioner::Mass, HybridPreconditioner::Lines, HybridPreconditioner::LinesCoarse];
    let reference = run(HybridPreconditioner::BlendedMass);
    for p in all {
        let distance = farthest(&run(p).state().yarns.positions, &reference.state().yarns.positions);
        assert!(distance < 1e-12, "{p:?}: {distance}");
    }
}

#[test]
fn threads_change_no_bit() {
    let sheet = sheet([4, 4], 10);
    let run = |threads: usize| {
        let pool = rayon_pool(threads);
        pool.install(|| fall(HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), HybridOptions::default()), 4))
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one.state().yarns.positions, three.state().yarns.positions);
    assert_eq!(one.state().vertices, three.state().vertices);
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn energy_is_never_gained_and_momentum_is_kept() {
    let sheet = sheet([4, 3], 6);
    let options =
        HybridOptions { newton_iterations: 20, newton_tolerance: 1e-9, tolerance: 1e-10, ..Default::default() };
    let mut simulation = fall(HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), options), 0);
    let mut before = simulation.energies().total();
    for _ in 0..60 {
        simulation.step(1e-3).unwrap();
        let now = simulation.energies().total();
        assert!(now <= before + 1e-15, "{now} after {before}");
        before = now;
    }
    assert!(simulation.energies().kinetic() > 1e-9);
    let mut free = HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), HybridOptions::default());
    let mut state = free.state().clone();
    for (v, x) in state.yarns.velocities.iter_mut().zip(&state.yarns.positions) {
        v[..3].copy_from_slice((Vector3::new(0.2, -0.1, 0.4) + Vector3::new(3.0, 1.0, -2.0).cross(x)).as_slice());
    }
    for (v, x) in state.vertex_velocities.iter_mut().zip(&state.vertices) {
        *v = Vector3::new(0.2, -0.1, 0.4) + Vector3::new(3.0, 1.0, -2.0).cross(x);
    }
    free.set_state(state);
    let first = free.momentum();
    for _ in 0..10 {
        free.step(1e-3).unwrap();
    }
    let expected = first + free.gravity * (free.mass() * free.time());
    assert!((free.momentum() - expected).norm() < 1e-12 * expected.norm());
}

#[test]
fn uniform_strain_is_an_equilibrium_with_the_dead_load_and_not_without() {
    let sheet = sheet([8, 8], 6);
    let moved = |dead_load: bool| {
        let options = HybridOptions { dead_load, step: 0.5, ..exact(HybridPreconditioner::LinesCoarse) };
        let model = sheet.model(|x, y| (x - 4.0).abs() < 1.0 && (y - 4.0).abs() < 1.0).unwrap();
        let mut simulation = HybridSimulation::new(model, options);
        simulation.gravity = Vector3::zeros();
        let mut state = simulation.state().clone();
        let strained = |x: &mut Vector3<f64>| x.x *= 1.05;
        state.yarns.positions.iter_mut().for_each(strained);
        state.vertices.iter_mut().for_each(strained);
        simulation.set_state(state.clone());
        let vertices = simulation.points_in(|uv| uv.iter().any(|c| *c < 1e-6 || *c > 0.048 - 1e-6)).vertices;
        let place = |v: &u32| simulation.model().active_vertices().iter().position(|a| a == v).unwrap();
        let held = vertices.iter().map(place).map(|p| (p as u32, state.vertices[p])).collect();
        simulation.hold_at(Vec::new(), held);
        for _ in 0..3 {
            simulation.step(0.5).unwrap();
        }
        farthest(&simulation.state().yarns.positions, &state.yarns.positions) / 1e-3
    };
    let (with, without) = (moved(true), moved(false));
    assert!(with < 1e-9 && without > 1e-3, "moved by {with:.1e} L with, {without:.1e} L without");
}

#[test]
fn what_cannot_work_is_refused_by_name() {
    let refusal = |sheet: &HybridSheet| sheet.model(|x, _| x < 2.0).unwrap_err().to_string();
    // Squares of two crossings: two nodes a triangle.
    let sparse = refusal(&sheet([4, 4], 2));
    assert!(sparse.contains("face ") && sparse.contains("at least 6") && sparse.contains("coarsen"), "{sparse}");
    let mut simulation =
        HybridSimulation::new(sheet([4, 4], 6).model(|x, _| x < 2.0).unwrap(), HybridOptions::default());
    let pin = |simulation: &mut HybridSimulation, vertex: u32| {
        simulation.pin(HybridPin { vertices: vec![vertex], ..Default::default() }).unwrap_err().to_string()
    };
    let hybrid = pin(&mut simulation, 2 * 5);
    assert!(
        hybrid.contains("vertex 11 of face") && hybrid.contains("hybrid ring") && hybrid.contains("pin the yarn nodes"),
        "{hybrid}"
    );
    assert!(pin(&mut simulation, 0).contains("under yarns"));
    assert!(pin(&mut simulation, 999).contains("no vertex 1000"));
    let mut bad = sheet([4, 4], 6);
    bad.build.material.spacing = f64::NAN;
    assert!(bad.model(|x, _| x < 2.0).is_err());
}

#[test]
fn bodies_stop_nodes_and_vertices() {
    use yarnwise_solvers::contact::{Body, Friction, Shape};
    let mut sheet = HybridSheet::new([4, 4], 6, YarnMaterial::default()).unwrap();
    (sheet.across, sheet.up) = (Vector3::x(), Vector3::z());
    let mut simulation = HybridSimulation::new(sheet.model(|x, _| x < 2.0).unwrap(), HybridOptions::default());
    simulation.bodies.push(Body::at(Shape::Plane, Vector3::new(0.0, -2e-3, 0.0), Friction::default()));
    simulation.advance(0.05).unwrap();
    let lowest = |points: &[Vector3<f64>]| points.iter().fold(f64::INFINITY, |m, p| m.min(p.y));
    let (nodes, vertices) = (lowest(&simulation.state().yarns.positions), lowest(&simulation.state().vertices));
    assert!(nodes > -2e-3 && nodes < -1e-3, "{nodes}");
    assert!(vertices > -2.2e-3 && vertices < -1e-3, "{vertices}");
}
