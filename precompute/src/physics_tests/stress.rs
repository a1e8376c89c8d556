//! The stress of an equilibrium is the derivative of the energies of equilibria.

use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Start, solve};
use crate::rod::bend::curvature;
use std::path::Path;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{self, Pattern};
use yarnwise_shared::table::strain::Strain;

fn preset(name: &str) -> Pattern {
    pattern::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/patterns/{name}.yarn"))).unwrap()
}

/// The stress of the equilibrium under `strain`, and the same by central differences of energies of equilibria at strains that are `h` apart from it. The
/// quadrature of contact is held: it depends on the strain by whole nodes.
fn by_differences(cell: &Cell, strain: [f64; 3], h: f64, tolerance: f64) -> ([f64; 3], [f64; 3]) {
    let settings = SolverSettings { tolerance, ..SolverSettings::default() };
    let at = Problem::planar(cell, strain.into());
    let solved = solve(&at, Start::Cold, &settings);
    let slope = |k: usize| {
        let energy = |step: f64| {
            let mut there = strain;
            there[k] += step;
            let mut near = Problem::planar(cell, Strain::from(there));
            near.contact.clone_from(&at.contact);
            let near = solve(&near, Start::From(&solved.displacements), &settings);
            assert!(near.is_sound(), "{strain:?} {k} {step}: {:e}", near.residual);
            near.energy_density
        };
        (energy(h) - energy(-h)) / (2.0 * h)
    };
    (solved.stress.unwrap(), std::array::from_fn(slope))
}

fn size(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// The pattern with rest curvatures that are this fraction of the curvatures it is drawn with.
fn with_rest_curvature(pattern: &Pattern, fraction: f64) -> Pattern {
    let cell = Cell::new(pattern, &YarnMaterial::preset("woven").unwrap()).unwrap();
    let problem = Problem::planar(&cell, [0.0; 3].into());
    let state = problem.affine_state();
    let edges = problem.links.edges(&cell, &state.position);
    let mut data = pattern.data().clone();
    for (i, vertex) in data.vertices.iter_mut().enumerate() {
        vertex.rest_curvature = curvature(&problem.joint(&state, &edges, i).0).map(|kappa| fraction * kappa);
    }
    Pattern::new(data).unwrap()
}

#[test]
fn stress_is_the_derivative_of_the_energies_of_equilibria() {
    let [plain, stockinette] = ["plain", "stockinette"].map(preset);
    let curved = with_rest_curvature(&plain, 0.5);
    let strains = [[0.0; 3], [0.1, 0.0, 0.0], [0.2, 0.3, 0.1], [-0.05, -0.2, 0.1]];
    // Tighter than bakes, so that differences see the energy and not what is left to descend; rest curvatures, which do not turn
    // with the yarn, do not let forces balance that far.
    for (pattern, material, tolerance) in [(plain, "woven", 1e-9), (stockinette, "knit", 1e-9), (curved, "woven", 1e-6)]
    {
        let cell = Cell::new(&pattern, &YarnMaterial::preset(material).unwrap()).unwrap();
        for strain in strains {
            let (stress, differences) = by_differences(&cell, strain, 1e-5, tolerance);
            let error = size(std::array::from_fn(|k| stress[k] - differences[k])) / size(stress);
            assert!(error < 1e-6, "{material} {strain:?}: {error:e}");
        }
        let (stress, elsewhere) = (by_differences(&cell, strains[1], 1e-5, tolerance).0, [0.101, 0.0, 0.0]);
        let other = by_differences(&cell, elsewhere, 1e-5, tolerance).0;
        assert!(
            (stress[0] - other[0]).abs() > 1e-3 * size(stress),
            "{material}: the stress must see a strain of 0.001"
        );
    }
}

#[test]
fn bent_fabric_has_no_stress() {
    let cell = Cell::new(&preset("plain"), &YarnMaterial::preset("woven").unwrap()).unwrap();
    let bent = Problem::bent(&cell, Strain::new(0.1, 0.0, 0.0), [1.0, 0.0], 20.0);
    assert_eq!(solve(&bent, Start::Cold, &SolverSettings::default()).stress, None);
}
