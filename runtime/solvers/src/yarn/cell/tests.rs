//! Differences, closed forms and symmetries of a period.

use super::*;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::table::strain::Strain;

/// In units of R and k_s: fitted to explicit yarns in plain weave.
fn crimped(draft: &str) -> FabricCell {
    let model = CellModel { shear: 1e-3, ..CellModel::flat(0.8165, 0.1112, 1.0, [4.159; 2]) };
    FabricCell::new(&Draft::preset(draft).unwrap(), model.with_crimp([4.5569; 2], 0.531, 1.969)).unwrap()
}

fn flat(draft: &str) -> FabricCell {
    let model = CellModel { shear: 1e-3, ..CellModel::flat(1.0, 0.025, 1.0, [4.159, 4.3]) };
    FabricCell::new(&Draft::preset(draft).unwrap(), model).unwrap()
}

const PARAMETERS: [CellParameter; 7] = [
    CellParameter::Stretch,
    CellParameter::Bend,
    CellParameter::Contact,
    CellParameter::Exponent,
    CellParameter::Shear,
    CellParameter::RestLength(0),
    CellParameter::RestLength(1),
];

fn scaled(model: &CellModel, parameter: CellParameter, by: f64) -> CellModel {
    let mut out = *model;
    let value = match parameter {
        CellParameter::Stretch => &mut out.stretch,
        CellParameter::Bend => &mut out.bend,
        CellParameter::Contact => &mut out.contact,
        CellParameter::Exponent => &mut out.exponent,
        CellParameter::Shear => &mut out.shear,
        CellParameter::RestLength(family) => &mut out.rest_length[family],
    };
    *value *= by.exp();
    out
}

fn respond(cell: &FabricCell, s: [f64; 3]) -> CellResponse {
    let out = cell.respond(&Strain::new(s[0], s[1], s[2])).unwrap();
    assert!(out.converged && out.stable, "{s:?}: {} {}", out.converged, out.stable);
    out
}

const STATES: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.03], [0.05, 0.3, 0.15], [-0.02, -0.1, 0.02]];

#[test]
fn stress_is_the_derivative_of_the_energy() {
    for cell in [crimped("plain"), crimped("twill"), crimped("satin"), crimped("basket"), flat("plain"), flat("twill")]
    {
        for s in &STATES[..3] {
            let here = respond(&cell, *s);
            for k in 0..3 {
                let e = 1e-4;
                let psi = |by: f64| {
                    let mut s = *s;
                    s[k] += by;
                    respond(&cell, s).energies.total()
                };
                let difference = (8.0 * (psi(e) - psi(-e)) - (psi(2.0 * e) - psi(-2.0 * e))) / (12.0 * e);
                let error = (difference - here.stress[k]).abs() / here.stress.iter().fold(1e-3, |m, v| v.abs().max(m));
                assert!(error < 1e-8, "{s:?} {k}: {difference} {}", here.stress[k]);
            }
        }
    }
}

#[test]
fn sensitivities_are_those_of_differences() {
    for cell in [crimped("plain"), crimped("twill"), flat("plain")] {
        for s in STATES {
            let strain = Strain::new(s[0], s[1], s[2]);
            let (_, by) = cell.respond_with_sensitivity(&strain, &PARAMETERS).unwrap();
            for (parameter, by) in PARAMETERS.into_iter().zip(by) {
                let e = 1e-5;
                let [plus, minus] = [e, -e].map(|e| {
                    let other = cell.with_model(scaled(cell.model(), parameter, e)).unwrap();
                    respond(&other, s)
                });
                let change = |f: &dyn Fn(&CellResponse) -> f64| (f(&plus) - f(&minus)) / (2.0 * e);
                let near = |a: f64, b: f64, unit: f64| (a - b).abs() < 1e-7 * unit;
                let psi = change(&|r| r.energies.total());
                assert!(near(psi, by.energy_density, 0.1), "{parameter:?} {s:?}: psi {psi} {}", by.energy_density);
                for k in 0..3 {
                    let stress = change(&|r| r.stress[k]);
                    assert!(near(stress, by.stress[k], 1.0), "{parameter:?} {s:?}: {k} {stress} {}", by.stress[k]);
                }
                for k in 0..2 {
                    let height = change(&|r| r.amplitudes.map_or(0.0, |a| a[k]));
                    assert!(near(height, by.amplitudes[k], 10.0), "{parameter:?} {s:?}: height {k} {height}");
                }
            }
        }
    }
}

#[test]
fn flat_cloth_pulls_like_its_yarns_alone() {
    let cell = flat("plain");
    let here = respond(&cell, [0.1, 0.0, 0.02]);
    assert!((here.stress[0] - 0.1 / 4.3).abs() < 1e-12 && (here.stress[2] - 0.02 / 4.159).abs() < 1e-12);
    assert!(here.amplitudes.is_none() && here.energies.bend == 0.0);
    // At rest the closed form of [Cirio14, Eq. 9] in flat plain weave.
    let square = FabricCell::new(&Draft::preset("plain").unwrap(), CellModel::flat(1.0, 0.025, 1.0, [4.159; 2]));
    let rest = respond(&square.unwrap(), [0.0; 3]);
    let a = (2.0_f64 / 4.159).atan();
    let expected = 8.0 * 0.025 * a * a.cos() / (4.159 * 4.159_f64.hypot(2.0));
    assert!(rest.normal_forces.iter().all(|f| (f / expected - 1.0).abs() < 1e-9), "{:?}", rest.normal_forces);
}

#[test]
fn plain_cloth_is_symmetric_and_crimp_goes_from_yarn_to_yarn() {
    let cell = crimped("plain");
    let (a, b) = (respond(&cell, [0.1, 0.0, 0.02]), respond(&cell, [0.02, 0.0, 0.1]));
    assert!((a.stress[0] - b.stress[2]).abs() < 1e-12 && (a.stress[2] - b.stress[0]).abs() < 1e-12);
    let [x, y] = a.amplitudes.unwrap();
    assert!(x < y, "the pulled wefts are flatter: {x} {y}");
    assert!(a.stress[2] > 2.0 * respond(&cell, [0.0, 0.0, 0.02]).stress[2], "pulling along x pulls along y");
    let (left, right) = (respond(&cell, [0.05, 0.2, 0.0]), respond(&cell, [0.05, -0.2, 0.0]));
    assert!((left.energies.total() - right.energies.total()).abs() < 1e-14);
    assert!(left.stress[1] > 0.0 && (left.stress[1] + right.stress[1]).abs() < 1e-14);
}

#[test]
fn floats_press_less_and_are_stiffer_along_the_yarns() {
    let stiffness = |draft: &str| {
        let (a, b) = (respond(&crimped(draft), [0.002, 0.0, 0.0]), respond(&crimped(draft), [-0.002, 0.0, 0.0]));
        (a.stress[0] - b.stress[0]) / 0.004
    };
    assert!(stiffness("plain") < stiffness("twill"), "{} {}", stiffness("plain"), stiffness("twill"));
    let mean = |draft: &str| {
        let forces = respond(&crimped(draft), [0.05, 0.0, 0.05]).normal_forces;
        assert!(forces.iter().all(|f| *f >= 0.0));
        forces.iter().sum::<f64>() / forces.len() as f64
    };
    let forces = ["plain", "twill", "basket", "satin"].map(mean);
    assert!(forces[1..].iter().all(|f| *f < 0.7 * forces[0] && *f > 0.0), "{forces:?}");
}

#[test]
fn faults_are_named() {
    let plain = Draft::preset("plain").unwrap();
    let good = *crimped("plain").model();
    let fault = |model: CellModel| FabricCell::new(&plain, model).unwrap_err().to_string();
    assert!(fault(CellModel { exponent: 1.0, ..good }).contains("exponent"));
    assert!(fault(CellModel { stretch: f64::NAN, ..good }).contains("stretch"));
    assert!(fault(CellModel { rest_length: [1.0, -1.0], ..good }).contains("rest_length along y"));
    let error = crimped("plain").respond(&Strain::new(f64::NAN, 0.0, 0.0)).unwrap_err().to_string();
    assert!(error.contains("strain"), "{error}");
}
