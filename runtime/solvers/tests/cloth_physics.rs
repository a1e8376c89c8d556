//! What holds for every cloth, whatever its material: momentum, energy, the same result by every road.

use nalgebra::Vector3;
use rayon::ThreadPoolBuilder;
use yarnwise_solvers::cloth::model::{ClothMaterial, ClothModel, Damping, Grid};
use yarnwise_solvers::cloth::{ClothOptions, Environment, Integrator, Pin, SelfContact, Simulation};
use yarnwise_solvers::contact::{Body, Friction, Shape};
use yarnwise_solvers::linear::PreconditionerKind;

fn sheet(size: usize, material: &ClothMaterial, options: ClothOptions) -> Simulation {
    Simulation::new(ClothModel::from_grid(&Grid::horizontal(size, 0.05), material), options)
}

fn pinned(size: usize, material: &ClothMaterial, options: ClothOptions) -> Simulation {
    let mut cloth = sheet(size, material, options);
    cloth.pins.push(Pin { particles: vec![0, size as u32 - 1], motion: Default::default(), until: None });
    cloth
}

/// A free sheet that is stretched, spinning and rippled.
fn stirred(material: &ClothMaterial, options: ClothOptions) -> Simulation {
    let mut cloth = sheet(8, material, options);
    cloth.environment = Environment { gravity: [0.0; 3], ..Environment::default() };
    let spin = Vector3::new(0.5, 2.0, -1.0);
    let positions: Vec<_> = cloth
        .positions()
        .iter()
        .map(|p| Vector3::new(1.05 * p.x, 0.02 * (20.0 * p.x).sin(), 1.02 * p.z + 0.1 * p.x))
        .collect();
    let velocities: Vec<_> = positions.iter().map(|p| spin.cross(p) + Vector3::new(0.3, 0.1, 0.0)).collect();
    cloth.set_state(&positions, &velocities);
    cloth
}

fn momentum(cloth: &Simulation) -> (Vector3<f64>, Vector3<f64>) {
    let particles = cloth.positions().iter().zip(cloth.velocities()).zip(&cloth.model().masses);
    particles.fold((Vector3::zeros(), Vector3::zeros()), |(p, l), ((x, v), m)| (p + v * *m, l + x.cross(v) * *m))
}

fn tight(integrator: Integrator) -> ClothOptions {
    ClothOptions {
        integrator,
        step: 0.0002,
        smallest_step: 0.0002,
        tolerance: 1e-14,
        largest_strain_change: None,
        ..ClothOptions::default()
    }
}

const INTEGRATORS: [Integrator; 4] = [
    Integrator::ForwardBackwardEuler,
    Integrator::BackwardEuler,
    Integrator::Imex { stretch: true, shear: false, bend: false },
    // All stretch and shear springs are above this at the step below, all bend springs under it.
    Integrator::AdaptiveImex { safety: 0.01 },
];

#[test]
fn inner_forces_keep_linear_momentum_with_every_integrator() {
    for integrator in INTEGRATORS {
        let mut cloth = stirred(&ClothMaterial::default(), tight(integrator));
        let before = momentum(&cloth).0;
        assert!(before.norm() > 1e-3);
        cloth.advance(0.1).unwrap();
        let change = (momentum(&cloth).0 - before).norm();
        assert!(change < 1e-8 * before.norm(), "{integrator:?}: changed by {change}");
    }
}

#[test]
fn projected_damping_keeps_angular_momentum_and_plain_damping_does_not() {
    // Explicit steps: each pair of forces acts along its spring, so that nothing turns the whole.
    let left = |damping| {
        let material = ClothMaterial { damping, stretch_damping: 0.2, shear_damping: 0.2, ..ClothMaterial::default() };
        let mut cloth = stirred(&material, tight(Integrator::ForwardBackwardEuler));
        let before = momentum(&cloth).1;
        cloth.advance(0.1).unwrap();
        momentum(&cloth).1.dot(&before) / before.norm_squared()
    };
    let (projected, plain) = (left(Damping::Projected), left(Damping::Plain));
    assert!((projected - 1.0).abs() < 1e-3, "projected damping left {projected} of the angular momentum");
    assert!(plain < 0.9, "plain damping left {plain}");
}

#[test]
fn small_symplectic_steps_keep_energy_and_backward_euler_loses_it() {
    let material = ClothMaterial { stretch_damping: 0.0, shear_damping: 0.0, ..ClothMaterial::default() };
    let change = |integrator, step: f64| {
        let options = ClothOptions { step, smallest_step: step, ..tight(integrator) };
        let mut cloth = pinned(10, &material, options);
        let before = cloth.energies().total();
        cloth.advance(0.4).unwrap();
        let after = cloth.energies();
        (after.total() - before) / after.kinetic
    };
    let explicit = change(Integrator::ForwardBackwardEuler, 0.0002);
    assert!(explicit.abs() < 0.01, "forward-backward Euler changed the energy by {explicit}");
    let implicit = change(Integrator::BackwardEuler, 0.01);
    assert!(implicit < -0.05, "backward Euler changed the energy by {implicit}");
}

#[test]
fn a_free_sheet_falls_like_a_stone() {
    for integrator in INTEGRATORS {
        let mut cloth = sheet(8, &ClothMaterial::default(), tight(integrator));
        cloth.advance(0.5).unwrap();
        // First order: the mean of the velocities at the ends of n steps, ½ g t² (1 + 1/n).
        let fall = -0.5 * 9.81 * 0.25 * (1.0 + 1.0 / 2500.0);
        assert!(cloth.positions().iter().all(|p| (p.y - fall).abs() < 1e-6), "{integrator:?}");
    }
}

/// Largest difference of two runs that take each step from the same state, so that buckling does not amplify it.
fn largest_step_difference(size: usize, first: ClothOptions, second: ClothOptions) -> (f64, usize) {
    let mut cloth = pinned(size, &ClothMaterial { shear_stiffness: 1.0, ..ClothMaterial::default() }, first);
    let (mut difference, mut components): (f64, usize) = (0.0, 0);
    for _ in 0..20 {
        let mut other = cloth.clone();
        other.options = second;
        let report = cloth.step(1.0 / 60.0).unwrap();
        other.step(1.0 / 60.0).unwrap();
        components = components.max(report.solve.components);
        let pairs = cloth.positions().iter().zip(other.positions());
        difference = pairs.map(|(a, b)| (a - b).norm()).fold(difference, f64::max);
    }
    (difference, components)
}

#[test]
fn components_solved_apart_give_the_whole_solution() {
    let apart = ClothOptions { tolerance: 1e-20, ..ClothOptions::default() };
    let whole = ClothOptions { decompose: false, ..apart };
    let (difference, components) = largest_step_difference(16, apart, whole);
    assert!(components > 1, "nothing was decomposed");
    assert!(difference < 1e-9, "differ by {difference} m");
    // Negative control: a loose tolerance is seen by this measure.
    let (rough, _) = largest_step_difference(16, ClothOptions { tolerance: 1.0, ..apart }, whole);
    assert!(rough > 1e-6, "{rough}");
}

#[test]
fn preconditioners_change_the_work_and_not_the_motion() {
    let constrained = ClothOptions { tolerance: 1e-20, ..ClothOptions::default() };
    for preconditioner in [PreconditionerKind::None, PreconditionerKind::BlockDiagonal] {
        let other = ClothOptions { preconditioner, ..constrained };
        let (difference, _) = largest_step_difference(12, constrained, other);
        assert!(difference < 1e-9, "{preconditioner:?} differs by {difference} m");
    }
    let work = |preconditioner| {
        let mut cloth = pinned(12, &ClothMaterial::default(), ClothOptions { preconditioner, ..constrained });
        cloth.advance(0.3).unwrap().iter().map(|r| r.solve.row_products).sum::<u64>()
    };
    assert!(work(PreconditionerKind::Constrained) < work(PreconditionerKind::None));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    // The larger sheet is above the size from which vectors are worked on in parallel.
    for (size, duration) in [(40, 0.3), (76, 0.05)] {
        let one = draped(1, size, duration);
        assert_eq!(one, draped(2, size, duration));
        assert_eq!(one, draped(5, size, duration));
    }
}

/// Positions of a sheet over a ball in the wind, on some threads.
fn draped(threads: usize, size: usize, duration: f64) -> Vec<Vector3<f64>> {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
        let mut cloth = sheet(size, &ClothMaterial::default(), ClothOptions::default());
        let ball = Shape::Sphere { radius: 0.4 };
        cloth.bodies.push(Body::at(ball, Vector3::new(0.1, -0.45, 0.0), Friction::default()));
        cloth.self_contact = Some(SelfContact::default());
        cloth.environment.air_resistance = 1.0;
        cloth.environment.wind = [1.0, 0.0, 0.5];
        cloth.environment.gusts = 0.5;
        cloth.advance(duration).unwrap();
        cloth.positions().to_vec()
    })
}

#[test]
fn a_dragged_particle_follows_and_is_let_go() {
    let mut cloth = pinned(10, &ClothMaterial::default(), ClothOptions::default());
    let target = Vector3::new(0.0, 0.1, 0.1);
    for _ in 0..30 {
        cloth.drag(95, target);
        cloth.advance(1.0 / 60.0).unwrap();
    }
    assert!((cloth.positions()[95] - target).norm() < 1e-9);
    cloth.let_go();
    cloth.advance(0.2).unwrap();
    assert!(cloth.positions()[95].y < target.y - 0.05);
    cloth.drag(100, target);
    cloth.advance(1.0 / 60.0).unwrap();
}

#[test]
fn picking_takes_the_nearest_particle_on_the_ray() {
    let cloth = sheet(5, &ClothMaterial::default(), ClothOptions::default());
    let above = cloth.positions()[7] + Vector3::new(0.001, 1.0, 0.0);
    assert_eq!(cloth.pick(&above, &-Vector3::y(), 0.01), Some(7));
    assert_eq!(cloth.pick(&above, &Vector3::y(), 0.01), None);
}

#[test]
fn an_explosion_is_one_clear_error() {
    let options = ClothOptions {
        integrator: Integrator::ForwardBackwardEuler,
        step: 0.05,
        smallest_step: 0.05,
        largest_strain_change: None,
        ..ClothOptions::default()
    };
    let error = pinned(10, &ClothMaterial::default(), options).advance(50.0).unwrap_err().to_string();
    assert!(error.contains("left the range of numbers") && error.contains("implicit integrator"), "{error}");
}

#[test]
fn a_tilted_sheet_falls_straight_down() {
    let aside = |plain_residual| {
        let mut cloth =
            sheet(12, &ClothMaterial::default(), ClothOptions { plain_residual, ..ClothOptions::default() });
        // Stretched by a hair, so that every spring is taut.
        let tilted =
            |p: &Vector3<f64>| Vector3::new(0.94, -0.342, 0.0) * (1.000_01 * p.x) + Vector3::z() * (1.000_01 * p.z);
        let start: Vec<_> = cloth.positions().iter().map(tilted).collect();
        cloth.set_state(&start, &vec![Vector3::zeros(); start.len()]);
        cloth.advance(0.4).unwrap();
        let moved = cloth.positions().iter().zip(&start).map(|(p, q)| p - q).sum::<Vector3<f64>>() / start.len() as f64;
        (moved.x / moved.y).abs()
    };
    assert!(aside(true) < 0.03, "drifts by {} of its fall", aside(true));
    assert!(aside(false) > aside(true), "the thesis's rule is expected to drift more");
}

#[test]
fn steps_that_strain_too_much_are_taken_back() {
    let run = |largest_strain_change| {
        let options = ClothOptions { step: 0.04, largest_strain_change, ..ClothOptions::default() };
        let mut cloth = pinned(12, &ClothMaterial { stretch_stiffness: 100.0, ..ClothMaterial::default() }, options);
        let keys = vec![
            Default::default(),
            yarnwise_solvers::motion::Key { time: 0.1, shift: [0.0, 0.4, 0.0], ..Default::default() },
        ];
        cloth.pins[0].motion.keys = keys;
        cloth.advance(0.3).unwrap()
    };
    let careful = run(Some(0.1));
    assert!(careful.iter().map(|r| r.rejected).sum::<usize>() > 0);
    assert!(careful.iter().any(|r| r.step < 0.02));
    assert!(run(None).iter().all(|r| r.rejected == 0 && r.step > 0.03));
}

#[test]
fn changing_between_explicit_and_implicit_springs_stays_stable() {
    // [Boxerman03, §4.4.3]: the step alternates between one where every spring is explicit and one where none is.
    let options = ClothOptions { largest_strain_change: None, ..ClothOptions::default() };
    let mut cloth = pinned(12, &ClothMaterial::default(), options);
    let start = cloth.energies().total();
    let mut seen = [false; 2];
    for i in 0..600 {
        let report = cloth.step(if i % 2 == 0 { 0.0001 } else { 0.01 }).unwrap();
        seen[i % 2] |= report.implicit[0] > 0;
        assert!(cloth.energies().total() < start + 1e-3, "energy grew at step {i}");
    }
    assert_eq!(seen, [false, true]);
}

#[test]
fn friction_holds_a_sheet_on_a_slope_up_to_its_coefficient() {
    // The ground stays level and gravity leans: a slope of that tangent.
    let slid = |tangent: f64| {
        let mut cloth = sheet(12, &ClothMaterial::default(), ClothOptions::default());
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        cloth.environment.gravity = [9.81 * tangent * cosine, -9.81 * cosine, 0.0];
        let ground = Body::at(Shape::Plane, Vector3::zeros(), Friction { at_rest: 0.5, kinetic: 0.4 });
        cloth.bodies.push(ground);
        let lifted: Vec<_> = cloth.positions().iter().map(|p| p + Vector3::y() * (cloth.thickness + 1e-4)).collect();
        cloth.set_state(&lifted, &vec![Vector3::zeros(); lifted.len()]);
        cloth.advance(0.3).unwrap();
        let mean = |cloth: &Simulation| cloth.positions().iter().map(|p| p.x).sum::<f64>() / 144.0;
        let settled = mean(&cloth);
        cloth.advance(1.0).unwrap();
        mean(&cloth) - settled
    };
    // Spacing is 5 cm.
    for tangent in [0.1, 0.25, 0.4] {
        assert!(slid(tangent).abs() < 0.002, "creeps by {} m a second on a slope of {tangent}", slid(tangent));
    }
    // Steeper than friction at rest: g (sin - 0.4 cos) t^2 / 2 from a start at some speed, more than half of it in any case.
    assert!(slid(0.7) > 0.5 * 0.5 * 9.81 * (0.7 - 0.4) / 1.22, "{}", slid(0.7));
}
