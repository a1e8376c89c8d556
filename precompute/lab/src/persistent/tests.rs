//! Patterns read as weaves; fits to explicit yarns.

use super::*;
use nalgebra::{DMatrix, DVector};
use yarnwise_precompute::fabric::{Fabric, Response};
use yarnwise_precompute::spline::{SplineCell, SplineSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, PRESETS, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::table::strain::Strain;

fn material() -> YarnMaterial {
    YarnMaterial::preset("woven").unwrap()
}

#[test]
fn presets_are_read_off_their_patterns() {
    for preset in PRESETS {
        let draft = Draft::parse(preset.draft).unwrap();
        let pattern = weave(&draft, &WeaveOptions::default()).unwrap();
        let woven = woven(&pattern, &material()).unwrap();
        assert_eq!(woven.draft, draft, "{}", preset.name);
        let spacing = pattern.period()[0] / draft.warps() as f64;
        assert!((woven.spacing[0] - spacing).abs() < 1e-12 && (woven.radius - 1e-3).abs() < 1e-15);
        let expected = match preset.name {
            "plain" => 1.0,
            "satin" => 0.4,
            _ => 0.5,
        };
        assert_eq!(woven.interlaced, [expected; 2], "{}", preset.name);
        let fabric = Persistent::new(&draft, woven.crimped()).unwrap();
        let rest = fabric.respond(Strain::new(0.05, 0.0, 0.05)).unwrap();
        assert!(rest.is_sound() && rest.heights.is_some_and(|h| h.iter().all(|h| *h > 0.3e-3)), "{rest:?}");
    }
}

#[test]
fn what_is_not_woven_is_refused() {
    let knit = yarnwise_shared::pattern::knit::knit(
        &yarnwise_shared::pattern::knit::KnitChart::preset("stockinette").unwrap(),
        &Default::default(),
    )
    .unwrap();
    let problem = woven(&knit, &material()).unwrap_err().to_string();
    assert!(problem.contains("woven pattern"), "{problem}");
    assert!(!is_woven(&knit));
    assert!(PRESETS.iter().all(|preset| {
        let draft = Draft::parse(preset.draft).unwrap();
        is_woven(&weave(&draft, &WeaveOptions::default()).unwrap())
    }));
}

#[test]
fn parameters_go_to_files_and_come_back() {
    let draft = Draft::preset("plain").unwrap();
    let weave = woven(&weave(&draft, &WeaveOptions::default()).unwrap(), &material()).unwrap();
    for model in [weave.flat(), weave.crimped()] {
        let fabric = Persistent::new(&draft, model).unwrap();
        let file = yarnwise_shared::parameters::Parameters::new(
            "test",
            Vec::new(),
            Vec::new(),
            yarnwise_shared::parameters::Model::Persistent(fabric.to_parameters(&[])),
        );
        let text = file.to_json("test").unwrap();
        let read = yarnwise_shared::parameters::Parameters::parse(text.as_bytes(), "test").unwrap();
        let back = Persistent::from_parameters(&draft, &read.persistent("test").unwrap()).unwrap();
        assert_eq!(back.cell_model(), fabric.cell_model());
    }
    let fabric = Persistent::new(&draft, weave.crimped()).unwrap();
    assert!(fabric.to_parameters(&["bend"]).weft.bend.0.is_none());
    assert!(fabric.only(&["glue"]).unwrap_err().to_string().contains("stretch, bend"));
    assert!(fabric.with_values(&[1.0]).is_err() && fabric.with_values(&[-1.0; 7]).is_err());
}

/// Explicit yarns in plain weave, 4.665 radii of yarn a crossing, at the period where nothing pulls.
fn explicit() -> SplineCell {
    let pattern = weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap();
    let mut data: PatternData = pattern.data().clone();
    let per_crossing = WeaveOptions::default().vertices_per_crossing as f64;
    data.vertices.iter_mut().for_each(|v| v.rest_length = 4.665e-3 / per_crossing);
    let settings = SplineSettings { span: 1.2, contact_spacing: 0.25, ..SplineSettings::default() };
    SplineCell::with_free_period(&Pattern::new(data).unwrap(), &material(), &settings).unwrap()
}

struct Fit {
    /// rms of the errors of forces over rms of forces.
    forces: f64,
    /// rms, in radii.
    heights: f64,
    fabric: Box<dyn Fabric>,
}

/// Levenberg-Marquardt on forces, and on heights with this weight over r.
fn fit(start: &Persistent, data: &[Response], height_weight: f64) -> Fit {
    let radius = start.cell_model().radius;
    let forces = |r: &Response| r.stress.map(|s| [s[0], s[2]]).unwrap();
    let most = data.iter().flat_map(forces).fold(0.0_f64, |m, f| m.max(f.abs()));
    let evaluate = |fabric: &dyn Fabric| {
        let n = fabric.parameters().len();
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        let (mut error, mut norm, mut height) = (0.0, 0.0, 0.0);
        for datum in data {
            let (r, s) = fabric.respond_with_sensitivity(datum.strain()).unwrap();
            assert!(r.is_sound());
            for (k, target) in forces(datum).into_iter().enumerate() {
                let (w, miss) = (1.0 / target.abs().max(0.1 * most), forces(&r)[k] - target);
                (error, norm) = (error + miss * miss, norm + target * target);
                residuals.push(w * miss);
                rows.push((0..n).map(|p| w * s.stress[p][2 * k]).collect::<Vec<_>>());
                if let (Some(h), Some(wanted)) = (r.heights, datum.heights) {
                    let (w, miss) = (height_weight / radius, h[k] - wanted[k]);
                    height += (miss / radius).powi(2);
                    residuals.push(w * miss);
                    rows.push((0..n).map(|p| w * s.heights[p][k]).collect());
                }
            }
        }
        let jacobian = DMatrix::from_fn(rows.len(), n, |i, j| rows[i][j]);
        let count = 2.0 * data.len() as f64;
        (DVector::from_vec(residuals), jacobian, (error / norm).sqrt(), (height / count).sqrt())
    };
    let mut fabric: Box<dyn Fabric> = Box::new(start.clone());
    let mut now = evaluate(fabric.as_ref());
    let mut damping = 1e-2;
    // Nothing to fit is nothing to solve.
    let steps = if start.parameters().is_empty() { 0 } else { 60 };
    for _ in 0..steps {
        let normal = now.1.tr_mul(&now.1);
        let damped = &normal + DMatrix::from_diagonal(&normal.diagonal()) * damping;
        let Some(mut step) = damped.lu().solve(&-now.1.tr_mul(&now.0)) else { break };
        if step.amax() > 1.0 {
            step /= step.amax();
        }
        let values: Vec<f64> = fabric.parameters().iter().zip(step.iter()).map(|(p, dz)| p.value * dz.exp()).collect();
        let next = fabric.with_values(&values).unwrap();
        let there = evaluate(next.as_ref());
        if there.0.norm_squared() < now.0.norm_squared() {
            (fabric, now, damping) = (next, there, damping / 5.0);
        } else {
            damping *= 5.0;
        }
        if step.amax() < 1e-6 || damping > 1e6 {
            break;
        }
    }
    Fit { forces: now.2, heights: now.3, fabric }
}

/// C11 and C12 at rest, N/m.
fn constants(fabric: &dyn Fabric) -> [f64; 2] {
    let stress = |sx: f64| fabric.respond(Strain::new(sx, 0.0, 0.0)).unwrap().stress.unwrap();
    let (plus, minus) = (stress(2e-3), stress(-2e-3));
    [0, 2].map(|k| (plus[k] - minus[k]) / 4e-3)
}

#[test]
fn fitted_to_explicit_yarns_crimp_is_what_flat_yarns_lack() {
    let explicit = explicit();
    let grid = [0.0, 0.03, 0.06, 0.1, 0.15, 0.2];
    let states = grid.into_iter().flat_map(|x| grid.map(|y| Strain::new(x, 0.0, y)));
    let data: Vec<Response> = states.map(|s| explicit.respond(s).unwrap()).collect();
    assert!(data.iter().all(Response::is_sound));
    let draft = Draft::preset("plain").unwrap();
    let pattern = weave(&draft, &WeaveOptions::default()).unwrap();
    let mut weave = woven(&pattern, &material()).unwrap();
    weave.spacing = explicit.period.map(|p| 0.5 * p);
    weave.yarn_length = [4.665e-3; 2];
    let flat = Persistent::new(&draft, weave.flat()).unwrap();
    let own = fit(&flat.only(&[]).unwrap(), &data, 0.0);
    assert!((own.forces - 0.86).abs() < 0.02, "flat, the yarns' own stiffness: {}", own.forces);
    let stretch = fit(&flat.only(&["stretch"]).unwrap(), &data, 0.0);
    assert!((stretch.forces - 0.185).abs() < 0.01, "flat, fitted: {}", stretch.forces);
    assert!(constants(stretch.fabric.as_ref())[1].abs() < 1e-9 * weave.stretch, "no interchange");
    let names = ["stretch", "bend", "contact", "exponent", "rest_length_x", "rest_length_y"];
    let crimped = Persistent::new(&draft, weave.crimped()).unwrap().only(&names).unwrap();
    let crimped = fit(&crimped, &data, 2.0);
    assert!(crimped.forces < 0.03, "crimped: {}", crimped.forces);
    assert!(crimped.heights < 0.03, "heights: {} r", crimped.heights);
    let [c11, c12] = constants(crimped.fabric.as_ref());
    let [e11, e12] = constants(&explicit);
    assert!((c12 / e12 - 1.0).abs() < 0.15, "C12 {c12} and {e12}, C11 {c11} and {e11}");
}
