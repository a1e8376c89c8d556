//! Random materials from the lists of the thesis: positions and velocities stay finite.

use nalgebra::Vector3;
use yarnwise_solvers::cloth::model::{ClothMaterial, ClothModel, Grid};
use yarnwise_solvers::cloth::{ClothOptions, Integrator, Pin, SelfContact, Simulation};
use yarnwise_solvers::contact::{Body, Friction, Shape};

/// Of the sets below: fixed, because they are a sample of the thesis's lists and not a search for faults.
const SEED: u64 = 2003;

struct Random(u64);

impl Random {
    fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list[(self.0 >> 33) as usize % list.len()]
    }
}

/// A set of [Boxerman03, §4.4.3], on the smallest sheet.
fn draw(random: &mut Random) -> (Simulation, String) {
    let material = ClothMaterial {
        density: random.choose(&[0.03, 0.1, 0.3, 1.0]),
        stretch_stiffness: random.choose(&[10.0, 100.0, 1000.0, 3000.0]),
        shear_stiffness: random.choose(&[10.0, 100.0, 1000.0, 3000.0]),
        bend_stiffness: random.choose(&[0.001, 0.01, 0.1]),
        stretch_damping: random.choose(&[0.0, 0.01, 0.1, 1.0, 10.0]),
        shear_damping: random.choose(&[0.0, 0.01, 0.1, 1.0, 10.0]),
        ..ClothMaterial::default()
    };
    let h = random.choose(&[0.001, 0.01, 0.05, 0.1]);
    let k = random.choose(&[0.001, 0.005, 0.01, 0.02]);
    let integrator = random.choose(&[Integrator::BackwardEuler, Integrator::AdaptiveImex { safety: 0.2 }]);
    let options =
        ClothOptions { integrator, step: k, smallest_step: k, largest_strain_change: None, ..ClothOptions::default() };
    let mut cloth = Simulation::new(ClothModel::from_grid(&Grid::horizontal(10, h), &material), options);
    cloth.environment.air_damping = random.choose(&[0.0, 0.001, 0.003, 0.01]);
    let scene = random.choose(&["pinned", "table", "sphere"]);
    match scene {
        "pinned" => cloth.pins.push(Pin { particles: vec![0, 9], motion: Default::default(), until: None }),
        "table" => {
            let table = Shape::Box { half: Vector3::new(3.0, 1.0, 3.0) * h, rounding: 0.2 * h };
            cloth.bodies.push(Body::at(table, Vector3::new(0.0, -1.5 * h, 0.0), Friction::default()));
        }
        _ => {
            let ball = Shape::Sphere { radius: 3.0 * h };
            cloth.bodies.push(Body::at(ball, Vector3::new(0.5 * h, -3.5 * h, 0.0), Friction::default()));
        }
    }
    cloth.self_contact = Some(SelfContact::default());
    (cloth, format!("{scene}, {material:?}, h {h}, k {k}, {integrator:?}"))
}

#[test]
fn a_hundred_random_sets_run_a_second_and_stay_finite() {
    let mut random = Random(SEED);
    for run in 0..100 {
        let (mut cloth, what) = draw(&mut random);
        cloth.advance(1.0).unwrap_or_else(|e| panic!("seed {SEED}, set {run}, {what}: {e}"));
        let fine = cloth.positions().iter().chain(cloth.velocities()).all(|p| p.iter().all(|c| c.is_finite()));
        assert!(fine, "seed {SEED}, set {run}, {what}");
    }
}
