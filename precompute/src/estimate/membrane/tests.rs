//! Sheets are found again from their energies, and what their states do not say is reported.

use super::test_sheets::{grid, quadratic, response, stiffening};
use super::*;
use yarnwise_shared::parameters::SheetEnergy;
use yarnwise_shared::random::Random;

const C: [f64; 4] = [20.0, 15.0, 9.0, 1.2];

fn states(strains: Vec<[f64; 3]>, psi: impl Fn([f64; 3]) -> f64, stress: bool) -> Vec<Response> {
    strains.into_iter().map(|s| response(s, &psi, stress)).collect()
}

fn constants(states: &[Response]) -> ConstantsFit {
    fit_constants("data", states, &ConstantsOptions::default()).unwrap()
}

#[test]
fn constants_are_found_again_from_energies_and_from_stresses() {
    let strains = || grid(&[0.0, 0.01, 0.02, 0.3], &[-0.2, 0.0, 0.2], &[0.0, 0.01, 0.2]);
    for stress in [false, true] {
        let fit = constants(&states(strains(), quadratic(C), stress));
        for (found, expected) in fit.best.iter().zip(C) {
            assert!((found / expected - 1.0).abs() < 1e-6, "{stress}: {:?}", fit.best);
        }
        assert!(fit.estimated.iter().all(|e| e.determined) && fit.rms < 0.01, "{:?}", fit.estimated);
        assert_eq!((fit.states, fit.residuals.len()), (36, if stress { 144 } else { 36 }));
        assert!(fit.shear_at_rest.unwrap().abs() < 1e-6);
        assert_eq!(fit.parameters("test", "data", None).membrane("p").unwrap().in_plane.at_rest().c12, fit.best[2]);
    }
    // Negative control: another sheet has others.
    assert!((constants(&states(strains(), quadratic([20.0, 15.0, 8.0, 1.2]), false)).best[2] - 8.0).abs() < 1e-6);
}

#[test]
fn a_twills_shear_at_rest_is_no_stiffness() {
    let with_shear = |s: [f64; 3]| quadratic(C)(s) - 0.3 * 0.5 * (1.0 + s[0]) * (1.0 + s[2]) * s[1];
    let fit = constants(&states(grid(&[0.0, 0.1], &[-0.2, 0.0, 0.2], &[0.0, 0.1]), with_shear, false));
    assert!((fit.shear_at_rest.unwrap() + 0.3).abs() < 1e-6 && (fit.best[3] / C[3] - 1.0).abs() < 1e-6, "{fit:?}");
}

#[test]
fn what_states_do_not_say_is_not_determined() {
    let determined = |strains: &[[f64; 3]]| {
        let fit = constants(&states(strains.to_vec(), quadratic(C), false));
        let text = fit.parameters("test", "data", None).to_json("p").unwrap();
        fit.estimated.each_ref().map(|e| {
            assert_eq!(text.contains(&format!("\"{}\": null", e.name)), !e.determined);
            e.determined
        })
    };
    let rest = [0.0; 3];
    assert_eq!(determined(&[[0.01, 0.0, 0.01]]), [false; 4], "a single state");
    assert_eq!(determined(&[rest, [0.01, 0.0, 0.0], [0.005, 0.0, 0.0]]), [true, false, false, false]);
    let biaxial = [rest, [0.01, 0.0, 0.0], [0.0, 0.0, 0.01], [0.01, 0.0, 0.01], [0.005, 0.0, 0.002]];
    assert_eq!(determined(&biaxial), [true, true, true, false]);
    assert_eq!(determined(&[&biaxial[..], &[[0.0, 0.1, 0.0]]].concat()), [true; 4]);
}

#[test]
fn many_states_of_one_large_strain_determine_nothing() {
    // Stiffness that grows with strain: all that is known is the energy at 0.3.
    let hard = |s: [f64; 3]| quadratic(C)(s) + 25.0 * (s[0].powi(3) + s[2].powi(3));
    let fit = constants(&states(grid(&[0.0, 0.3], &[-0.1, 0.0, 0.1], &[0.0, 0.3]), hard, false));
    assert!(fit.best[0] > 1.4 * C[0] && fit.noise[0] < 0.05, "no residual shows it: {:?}", fit.noise);
    assert!(fit.estimated[..3].iter().all(|e| !e.determined), "{:?}", fit.estimated);
    // With small strains among them they do.
    let fine = grid(&[0.0, 0.005, 0.3], &[-0.1, 0.0, 0.1], &[0.0, 0.005, 0.3]);
    let fit = constants(&states(fine, hard, false));
    for k in 0..4 {
        let e = &fit.estimated[k];
        let off = (fit.best[k] / C[k] - 1.0).abs();
        assert!(e.determined && off < e.standard_error.0.unwrap(), "{off} {e:?}");
    }
}

#[test]
fn a_fabric_without_coupling_has_none_and_that_is_known() {
    let fit = constants(&states(
        grid(&[0.0, 0.002, 0.005], &[0.0, 0.02], &[0.0, 0.002, 0.005]),
        quadratic([20.0, 15.0, 0.0, 1.0]),
        false,
    ));
    assert!(fit.estimated[2].determined && fit.best[2].abs() < 1e-6, "{:?}", fit.estimated);
}

#[test]
fn small_strains_decide() {
    // Energies with a cubic term: from strains up to 0.3 alone c11 is far off, with small ones among them it is not.
    let cubic = |s: [f64; 3]| quadratic(C)(s) + 30.0 * s[0].powi(3);
    let fit = |x: &[f64]| constants(&states(grid(x, &[0.0, 0.2], &[0.0, 0.1]), cubic, false)).best[0] / C[0] - 1.0;
    assert!(fit(&[0.0, 0.15, 0.3]) > 0.3, "{}", fit(&[0.0, 0.15, 0.3]));
    let all = [0.0, 0.002, 0.005, 0.01, 0.15, 0.3];
    assert!(fit(&all) < 0.05, "{}", fit(&all));
}

#[test]
fn errors_of_noisy_data_are_as_large_as_predicted() {
    let strains = grid(&[0.0, 0.05, 0.1, 0.2], &[0.0, 0.1, 0.2], &[0.0, 0.05, 0.1, 0.2]);
    let (mut square, mut predicted) = ([0.0; 4], [0.0; 4]);
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let mut data = states(strains.clone(), quadratic(C), false);
        // Noise as the weights suppose: by strain.
        for s in data.iter_mut() {
            let [x, a, y] = s.strain;
            s.energy_density += 0.1 * x.max(y).max(a) * (s.energy_density - 0.7) * normal();
        }
        let fit = constants(&data);
        for k in 0..4 {
            square[k] += (fit.best[k] / C[k] - 1.0).powi(2);
            predicted[k] += fit.noise[k].powi(2);
        }
    }
    for k in 0..4 {
        let ratio = (square[k] / predicted[k]).sqrt();
        assert!((0.5..2.0).contains(&ratio), "{k}: {ratio}");
    }
}

#[test]
fn data_that_cannot_serve_are_one_clear_error() {
    let message =
        |data: &[Response]| fit_constants("d.json", data, &ConstantsOptions::default()).unwrap_err().to_string();
    assert!(message(&[]).contains("d.json: none of its 0 states"), "{}", message(&[]));
    let rest = states(vec![[0.0; 3]], quadratic(C), false);
    assert!(message(&rest).contains("no state is strained by at most 0.35"), "{}", message(&rest));
    let mut lost = states(vec![[0.1, 0.0, 0.0]], quadratic(C), false);
    lost[0].converged = false;
    assert!(message(&lost).contains("none of its 1 states is a stable equilibrium"), "{}", message(&lost));

    let message = |data: &[Response]| fit_spline("d.json", data, &SplineOptions::default()).unwrap_err().to_string();
    let few = states(grid(&[0.0, 0.1], &[0.0, 0.2], &[0.0, 0.1, 0.2]), quadratic(C), false);
    assert!(message(&few).contains("the states have 2 different sx, a spline needs 3 or more"), "{}", message(&few));
    let flat = states(grid(&[0.0, 0.1, 0.2], &[0.0], &[0.0, 0.1, 0.2]), quadratic(C), false);
    assert!(message(&flat).contains("no state is sheared"), "{}", message(&flat));
    let off = states(grid(&[0.1, 0.2, 0.3], &[0.0, 0.2], &[0.0, 0.1, 0.2]), quadratic(C), false);
    assert!(message(&off).contains("around rest"), "{}", message(&off));
}

const X: [f64; 6] = [-0.2, -0.05, 0.0, 0.1, 0.3, 0.6];
const A: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];
const Y: [f64; 5] = [-0.2, 0.0, 0.15, 0.4, 0.8];

#[test]
fn splines_meet_convex_data_and_predict_between_them() {
    for stress in [false, true] {
        let fit = fit_spline("data", &states(grid(&X, &A, &Y), stiffening, stress), &SplineOptions::default()).unwrap();
        assert_eq!(fit.spline.powers, [0, 2, 4]);
        let energies = fit.residuals.iter().filter(|r| r.of == SheetDatum::Energy && r.measured > 1e-3);
        let worst = energies.map(SheetResidual::relative).fold(0.0, f64::max);
        assert!(worst < if stress { 0.05 } else { 0.01 }, "{stress}: {worst}");
        let energy = SheetEnergy::new(&fit.spline);
        let between = [[0.05, 0.1, 0.05], [0.2, -0.3, 0.25], [0.45, 0.4, 0.6], [-0.1, 0.2, -0.1]];
        for s in between {
            let (found, expected) = (energy.at(s).value, stiffening(s));
            // Energies alone leave more open between them than energies and slopes do.
            let allowed = if stress { 0.04 * expected } else { 0.08 * expected + 0.02 };
            assert!((found - expected).abs() < allowed, "{stress} {s:?}: {found} {expected}");
        }
    }
}

#[test]
fn splines_are_convex_along_their_axes_whatever_the_data() {
    let bumpy = |s: [f64; 3]| stiffening(s) + 0.4 * (9.0 * s[0]).sin() * (8.0 * s[2]).cos() - 0.8 * s[1] * s[1];
    let fit = fit_spline("data", &states(grid(&X, &A, &Y), bumpy, false), &SplineOptions::default()).unwrap();
    let energy = SheetEnergy::new(&fit.spline);
    let mut flattest = f64::INFINITY;
    for x in X {
        for y in Y {
            for a in A {
                for step in [0.0, 0.013, -0.017] {
                    let s = [(x + step).clamp(-0.2, 0.6), a, (y - step).clamp(-0.2, 0.8)];
                    let c = energy.at(s).curvature;
                    flattest = (0..3).map(|k| c[(k, k)] / c.amax()).fold(flattest, f64::min);
                }
            }
        }
    }
    assert!(flattest > -1e-6, "{flattest}");
    assert!(fit.rms > 0.01, "bumps cannot be met: {}", fit.rms);
}

/// A weave: stiff in stretch, soft in shear, which stiffens from rest on where yarns are pulled, with a kink.
fn kinked([x, a, y]: [f64; 3]) -> f64 {
    1000.0 * (x * x + y * y) + a * a * (2.5 + 200.0 * (x.max(0.0) + y.max(0.0)))
}

#[test]
fn a_kink_of_shear_at_rest_is_not_felt_in_stretch() {
    const SHEARS: [f64; 5] = [-0.3, -0.15, 0.0, 0.15, 0.3];
    let coarse = [-0.1, -0.05, 0.0, 0.05, 0.1, 0.2];
    // More than there may be breaks.
    let many = [-0.1, -0.05, -0.02, -0.01, 0.0, 0.01, 0.02, 0.05, 0.1, 0.2];
    for strains in [&coarse[..], &many[..]] {
        let fit = |shears: &[f64]| {
            let data = states(grid(strains, shears, strains), kinked, false);
            fit_spline("data", &data, &SplineOptions::default()).unwrap()
        };
        let all = fit(&SHEARS);
        assert!(all.spline.sx.contains(&0.0) && all.rms > 1e-4, "splines have no kinks: {}", all.rms);
        let energy = SheetEnergy::new(&all.spline);
        for x in [-0.07, 0.001, 0.01, 0.03, 0.08, 0.15] {
            let slope = energy.at([x, 0.0, 0.0]).slope;
            assert!((slope.x / (2000.0 * x) - 1.0).abs() < 1e-3 && slope.z.abs() < 0.02, "{x}: {slope}");
        }
        // In shear too it is near.
        let (found, expected) = (energy.at([0.08, 0.2, 0.0]).value, kinked([0.08, 0.2, 0.0]));
        assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    }
}

#[test]
fn sheared_states_say_what_stretch_is_where_there_are_no_others() {
    let mut data = states(grid(&X, &A, &Y), stiffening, false);
    data.retain(|s| s.strain[1] != 0.0 || s.strain[0] < 0.5);
    let fit = fit_spline("data", &data, &SplineOptions::default()).unwrap();
    let energy = SheetEnergy::new(&fit.spline);
    for s in [[0.6, 0.25, 0.15], [0.6, 0.0, 0.15], [0.3, 0.25, 0.4]] {
        let (found, expected) = (energy.at(s).value, stiffening(s));
        assert!((found / expected - 1.0).abs() < 0.05, "{s:?}: {found} {expected}");
    }
}

#[test]
fn failed_states_and_holes_are_filled() {
    let mut data = states(grid(&X, &A, &Y), stiffening, false);
    for (k, s) in data.iter_mut().enumerate() {
        (s.converged, s.energy_density) = if k % 7 == 3 { (false, 1e9) } else { (true, s.energy_density) };
    }
    data.retain(|s| s.strain != [0.6, 0.5, 0.8]);
    let fit = fit_spline("data", &data, &SplineOptions::default()).unwrap();
    assert_eq!(fit.states, data.iter().filter(|s| s.converged).count());
    let energy = SheetEnergy::new(&fit.spline);
    for s in grid(&X, &A, &Y).into_iter().filter(|s| s[0] > 0.0 && s[2] > 0.0) {
        let (found, expected) = (energy.at(s).value, stiffening(s));
        assert!((found / expected - 1.0).abs() < 0.05, "{s:?}: {found} {expected}");
    }
}

#[test]
fn shear_to_one_side_takes_odd_powers() {
    let lopsided = |s: [f64; 3]| stiffening(s) + 0.05 * s[1];
    let fit = fit_spline("data", &states(grid(&X, &A, &Y), lopsided, false), &SplineOptions::default()).unwrap();
    assert!(fit.asymmetry.unwrap() > 0.1 && fit.spline.powers == [0, 1, 2, 3, 4], "{:?}", fit.asymmetry);
    let text = fit.parameters("test", "data", None).to_json("p").unwrap();
    let read = yarnwise_shared::parameters::Parameters::parse(text.as_bytes(), "p").unwrap();
    assert!(read.membrane("p").is_ok());
}

#[test]
fn more_strains_than_splines_are_smoothed() {
    let x: Vec<f64> = (0..15).map(|k| -0.1 + 0.05 * f64::from(k)).collect();
    let x: Vec<f64> = x.into_iter().map(|v| if v.abs() < 1e-9 { 0.0 } else { v }).collect();
    let fit =
        fit_spline("data", &states(grid(&x, &[0.0, 0.3], &Y), stiffening, false), &SplineOptions::default()).unwrap();
    assert_eq!((fit.spline.sx.len(), fit.spline.sy.len(), fit.spline.powers.len()), (9, 9, 2));
    assert!(fit.rms < 0.02, "{}", fit.rms);
}
