//! Random parameters from the lists of the thesis, and the scenes it runs them in.

use nalgebra::Vector3;
use serde::Serialize;
pub(super) use yarnwise_shared::random::Random;
use yarnwise_solvers::cloth::model::{ClothMaterial, ClothModel, Grid};
use yarnwise_solvers::cloth::{ClothOptions, Pin, Simulation};
use yarnwise_solvers::contact::{Body, Friction, Shape};

/// What happens to the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Configuration {
    /// Held by two corners, released from the horizontal.
    Pinned,
    /// Draped over a square table.
    Table,
    /// Draped over a sphere, off its middle by a part of the sheet.
    Sphere,
    /// Falls loosely to the floor.
    Floor,
}

/// One set of parameters.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Parameters {
    pub(super) configuration: Configuration,
    pub(super) size: usize,
    /// Mesh spacing, meters.
    pub(super) h: f64,
    pub(super) material: ClothMaterial,
    /// N s/m.
    pub(super) air_damping: f64,
    /// Step k, seconds.
    pub(super) k: f64,
    /// Friction at rest and sliding.
    pub(super) friction: f64,
}

impl Parameters {
    /// The lists of [Boxerman03, §4.4.3], for one of three configurations.
    pub(super) fn aimex(random: &mut Random, sizes: &[usize]) -> Self {
        let configuration = random.choose(&[Configuration::Pinned, Configuration::Table, Configuration::Sphere]);
        let material = ClothMaterial {
            density: random.choose(&[0.03, 0.1, 0.3, 1.0]),
            stretch_stiffness: random.choose(&[10.0, 100.0, 1000.0, 3000.0]),
            shear_stiffness: random.choose(&[10.0, 100.0, 1000.0, 3000.0]),
            bend_stiffness: random.choose(&[0.001, 0.01, 0.1]),
            stretch_damping: random.choose(&[0.0, 0.01, 0.1, 1.0, 10.0]),
            shear_damping: random.choose(&[0.0, 0.01, 0.1, 1.0, 10.0]),
            ..ClothMaterial::default()
        };
        Parameters {
            configuration,
            size: random.choose(sizes),
            h: random.choose(&[0.001, 0.01, 0.05, 0.1]),
            material,
            air_damping: random.choose(&[0.0, 0.001, 0.003, 0.01]),
            k: random.choose(&[0.0001, 0.001, 0.005, 0.01, 0.02]),
            friction: 0.3,
        }
    }

    /// The lists of [Boxerman03, §5.3.1], for a sheet of `width` meters.
    pub(super) fn sheet(random: &mut Random, configuration: Configuration, width: f64, sizes: &[usize]) -> Self {
        let size = random.choose(sizes);
        let material = ClothMaterial {
            density: random.choose(&[0.05, 0.1, 0.2, 0.5]),
            stretch_stiffness: random.choose(&[300.0, 600.0, 1000.0, 2000.0, 3000.0]),
            shear_stiffness: random.choose(&[300.0, 600.0, 1000.0, 2000.0, 3000.0]),
            bend_stiffness: random.choose(&[0.001, 0.01, 0.1]),
            stretch_damping: random.choose(&[0.0, 0.01, 0.1, 1.0, 10.0]),
            shear_damping: random.choose(&[0.0, 0.01, 0.1, 1.0, 10.0]),
            ..ClothMaterial::default()
        };
        Parameters {
            configuration,
            size,
            h: width / size as f64,
            material,
            air_damping: random.choose(&[0.0, 0.001, 0.003]),
            k: random.choose(&[0.005, 0.01, 0.015, 0.02]),
            friction: 0.3,
        }
    }

    /// The larger κ of stretch and shear springs [Boxerman03, Eq. 4.8].
    pub(super) fn kappa(&self) -> f64 {
        let m = &self.material;
        let mass = m.density * self.h * self.h;
        let kappa = |k_s: f64, k_d: f64| self.k / mass * (k_s * self.k + 2.0 * k_d);
        kappa(m.stretch_stiffness, m.stretch_damping).max(kappa(m.shear_stiffness, m.shear_damping))
    }

    /// The scene, with steps of exactly k, of which the thesis takes none back, and with its rule to end a solve.
    pub(super) fn simulation(&self, options: ClothOptions) -> Simulation {
        let grid = Grid::horizontal(self.size, self.h);
        let options = ClothOptions {
            step: self.k,
            smallest_step: self.k,
            largest_strain_change: None,
            plain_residual: false,
            ..options
        };
        let mut cloth = Simulation::new(ClothModel::from_grid(&grid, &self.material), options);
        cloth.environment.air_damping = self.air_damping;
        let width = self.h * (self.size as f64 - 1.0);
        let friction = Friction { at_rest: self.friction, kinetic: 0.8 * self.friction };
        let under = |shape, depth: f64, aside: f64| {
            let gap = cloth.thickness + 0.02 * width;
            Body::at(shape, Vector3::new(aside * width, -depth - gap, 0.6 * aside * width), friction)
        };
        match self.configuration {
            Configuration::Pinned => {
                let particles = vec![0, self.size as u32 - 1];
                cloth.pins.push(Pin { particles, motion: Default::default(), until: None });
            }
            Configuration::Table => {
                let half = Vector3::new(0.3, 0.1, 0.3) * width;
                let table = under(Shape::Box { half, rounding: 0.03 * width }, half.y, 0.0);
                cloth.bodies.push(table);
            }
            Configuration::Sphere => {
                let radius = 0.3 * width;
                let ball = under(Shape::Sphere { radius }, radius, 0.07);
                cloth.bodies.push(ball);
            }
            Configuration::Floor => {
                let floor = under(Shape::Plane, 0.25 * width, 0.0);
                cloth.bodies.push(floor);
                tilt(&mut cloth, width);
            }
        }
        cloth
    }
}

/// Tilts and ripples a sheet: one that lands flat has nothing to fold about.
fn tilt(cloth: &mut Simulation, width: f64) {
    let turned = |p: &Vector3<f64>| {
        let ripple = 0.01 * width * ((17.0 * p.x + 5.0 * p.z) / width).sin();
        Vector3::new(0.96 * p.x, 0.28 * p.x + ripple, p.z)
    };
    let positions: Vec<_> = cloth.positions().iter().map(turned).collect();
    let velocities = vec![Vector3::zeros(); positions.len()];
    cloth.set_state(&positions, &velocities);
}
