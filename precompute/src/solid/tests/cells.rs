//! Periodic cells of solid yarns against splines.

use super::super::{Brick, SolidCell, SolidMesh, SolidSettings};
use super::*;
use crate::fabric::Fabric;
use crate::spline::{SplineCell, SplineSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::table::strain::Strain;

/// The plain weave with so many radii of straight yarn a crossing.
fn plain(radii_per_crossing: f64) -> Pattern {
    let pattern = weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap();
    let mut data: PatternData = pattern.data().clone();
    let yarn = pattern.yarns()[0].vertices.len() as f64;
    let crossings = data.period[0] / (4.0 * data.radius);
    for v in &mut data.vertices {
        v.rest_length = radii_per_crossing * data.radius * crossings / yarn;
    }
    Pattern::new(data).unwrap()
}

/// Splines that are as stiff in bending as a solid of the same fibers: gamma = 1.
fn splines() -> SplineCell {
    let material = YarnMaterial { gamma: 1.0, ..YarnMaterial::preset("woven").unwrap() };
    SplineCell::with_free_period(&plain(4.665), &material, &SplineSettings::default()).unwrap()
}

#[test]
#[ignore]
fn spike() {
    let t = std::time::Instant::now();
    let spline = splines();
    let young = YarnMaterial::preset("woven").unwrap().young;
    let zero = Strain::new(0.0, 0.0, 0.0);
    let r = spline.yarns.radius;
    let unit = young * std::f64::consts::PI * r;
    eprintln!("spline {:?} period {:?} L {:?}", t.elapsed(), spline.period.map(|p| p / r), spline.yarns.curves[0].rest_length() / r);
    for s in [0.0, 0.05, 0.1] {
        let a = spline.respond(Strain::new(s, 0.0, 0.0)).unwrap();
        eprintln!("A {s} psi {:.6e} stress {:?} heights {:?} N {:?} {:?}", a.energy_density / unit, a.stress.unwrap().map(|v| v / unit), a.heights.unwrap().map(|v| v / r), a.normal_force.unwrap() / unit / r, a.kinds.unwrap());
    }
    let k = &spline.yarns.stiffness;
    let (area, _) = (spline.area(), 0);
    let wave = 2.0 * std::f64::consts::PI * r / spline.period[0];
    let soft = spline.with_values(&[k.stretch, k.bend / (1.0 + wave * wave * 2.6 / 3.6), k.contact]).unwrap();
    for kc in [1.0, 3.0, 10.0, 100.0] {
        let hard = spline.with_values(&[k.stretch, k.bend, kc * k.contact]).unwrap().respond(zero).unwrap();
        let soft = spline.with_values(&[k.stretch, k.bend / (1.0 + wave * wave * 2.6 / 3.6), kc * k.contact]).unwrap().respond(zero).unwrap();
        eprintln!("A with kc x {kc}: {:.4e} {:?}; with B for shear: {:.4e} {:?}", hard.energy_density / unit, hard.heights.unwrap().map(|v| v / r), soft.energy_density / unit, soft.heights.unwrap().map(|v| v / r));
    }
    let _ = (soft, area);
    for (brick, rings, element_length, skin_spacing, penalty) in [(Brick::Hex8, 1, 1.0, 0.4, 10.0), (Brick::Hex8, 2, 1.0, 0.4, 10.0), (Brick::Hex8, 1, 0.5, 0.4, 10.0), (Brick::Hex8, 1, 0.5, 0.25, 100.0)] {
        let t = std::time::Instant::now();
        let settings = SolidSettings { penalty, mesh: SolidMesh { brick, rings, element_length, skin_spacing }, ..SolidSettings::default() };
        let cell = SolidCell::new(&super::super::cell::lines_of(&spline), r, spline.period, &SolidMaterial::isotropic(young), &settings).unwrap();
        for s in [0.0, 0.05, 0.1] {
        let state = cell.solve(Strain::new(s, 0.0, 0.0));
        eprintln!("{brick:?} {rings} {element_length} {penalty} s {s} elements {} points {} {:?} residual {:e} {} {} {:?}", cell.mesh().elements(), cell.mesh().points(), t.elapsed(), state.residual, state.converged, state.stable, state.work);
        eprintln!("   psi {:.6e} stress {:?} heights {:?} N {:?}", state.energy.total() / cell.area() / unit, cell.stress(&state).map(|v| v / unit), cell.heights(&state).unwrap().map(|v| v / r), cell.normal_force(&state).map(|n| n / unit / r));
        }
    }
}
