//! Straight bars of the section: stretch and pure bending against EA and EI of a round bar.

use super::super::Brick;
use super::super::yarn::{Bar, SolidMesh};
use super::*;
use crate::newton::Hold;
use std::f64::consts::PI;

const LENGTH: f64 = 8.0;

fn bar(brick: Brick, rings: usize, element_length: f64) -> Bar {
    Bar::new(&SolidMesh { brick, rings, element_length, ..SolidMesh::default() }, 1.0, LENGTH)
}

/// The energy of a bar whose end sections are moved along the axis by `end(place at rest)`, sides free, over that of `expected` (J).
fn ratio(bar: &Bar, material: &SolidMaterial, end: impl Fn(&Vector3<f64>) -> f64, expected: f64) -> f64 {
    let mut holds = Holds::default();
    let mut start = bar.at_rest.clone();
    for (p, x) in bar.at_rest.iter().enumerate() {
        start[p].z += end(x);
        if x.z == 0.0 || x.z == LENGTH {
            // The axis stays on the z axis; one more point holds the turn about it.
            let on_axis = x.x == 0.0 && x.y == 0.0;
            let beside = x.z == 0.0 && x.y == 0.0 && x.x > 1.0;
            holds.set(p, Hold::along_axes([on_axis, on_axis || beside, true]));
        }
    }
    let mut assembly = SolidBody::new(bar.mesh.clone(), material, 1.0);
    let (minimum, _) = solve(&mut assembly, start, holds, 1e-11);
    assert!(minimum.converged, "{minimum:?}");
    minimum.value / expected
}

fn stretch_ratio(bar: &Bar, material: &SolidMaterial) -> f64 {
    let e = 1e-4;
    // The law is not linear: what is of third order in the strain drops out of the mean.
    let energy = 0.5 * material.axial() * PI * e * e * LENGTH;
    let one = |e: f64| ratio(bar, material, |x| e * (x.z - 0.5 * LENGTH), energy);
    0.5 * (one(e) + one(-e))
}

fn bending_ratio(bar: &Bar, material: &SolidMaterial) -> f64 {
    let kappa = 1e-3;
    let energy = 0.5 * material.axial() * (PI / 4.0) * kappa * kappa * LENGTH;
    ratio(bar, material, |x| kappa * x.x * (x.z - 0.5 * LENGTH), energy)
}

#[test]
fn a_bar_has_the_stretch_stiffness_of_its_section() {
    let fibers = SolidMaterial { fiber: 99.0, ..material() };
    for (brick, rings) in [(Brick::Hex8, 1), (Brick::Hex8, 2), (Brick::Hex20, 1)] {
        for material in [material(), fibers] {
            let ratio = stretch_ratio(&bar(brick, rings, 2.0), &material);
            assert!((ratio - 1.0).abs() < 1e-4, "{brick:?} {rings}: {ratio}");
        }
    }
}

#[test]
fn twenty_nodes_bend_as_the_section_does_and_eight_lock() {
    let found = |brick, length| bending_ratio(&bar(brick, 1, length), &material());
    for length in [2.0, 1.0] {
        let ratio = found(Brick::Hex20, length);
        assert!((ratio - 1.0023).abs() < 5e-4, "20 nodes, {length} r: {ratio}");
    }
    for (length, expected) in [(2.0, 1.53), (1.0, 1.15), (0.5, 1.05)] {
        let ratio = found(Brick::Hex8, length);
        assert!((ratio - expected).abs() < 0.01, "8 nodes, {length} r: {ratio}");
    }
    let fibers = SolidMaterial { fiber: 99.0, ..material() };
    let ratio = bending_ratio(&bar(Brick::Hex8, 1, 2.0), &fibers);
    assert!((ratio - 1.0076).abs() < 1e-3, "stiff fibers hide it: {ratio}");
}
