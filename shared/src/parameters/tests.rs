//! Files are read back as they were written, and what cannot be used is refused by name.

use super::*;
use crate::pattern::material::YarnMaterial;

fn family() -> Family {
    Family { stretch: 2.0.into(), bend: 2e-9.into(), rest_length: 1.1e-3.into(), spacing: 1e-3.into() }
}

fn persistent() -> PersistentParameters {
    PersistentParameters {
        weft: family(),
        warp: family(),
        crimp: true,
        contact: Some(CrossingContact { stiffness: 0.3.into(), exponent: 2.5.into() }),
        shear: ShearStiffness::Table(ShearTable { normal_force: vec![0.0, 1.5e-3], stiffness: vec![1e-4, 3e-4] }),
        friction: None,
        radius: 2.5e-4.into(),
        density: Some(500.0.into()),
    }
}

fn constants() -> MembraneParameters {
    let in_plane =
        InPlane::Constants(SheetConstants { c11: 20.0.into(), c22: 15.0.into(), c12: 12.0.into(), c66: 1.5.into() });
    MembraneParameters {
        in_plane,
        bending: Some(SheetBending { d11: 1e-6.into(), d22: 1e-6.into(), d_mixed: 0.0.into() }),
    }
}

/// Of a quadratic energy, which splines repeat.
fn spline() -> TensorSpline {
    let (sx, sy) = (vec![-0.1, 0.0, 0.15, 0.4], vec![-0.2, 0.0, 0.3]);
    let count = TensorSpline::count(&sx) * TensorSpline::count(&sy);
    let coefficients = (0..3).map(|p| (0..count).map(|k| 0.1 / 3.0 * ((k * k + p) % 7) as f64).collect()).collect();
    TensorSpline { sx, sy, sa: [-0.5, 0.5], powers: vec![0, 2, 4], coefficients }
}

fn file_of(model: Model) -> Parameters {
    let data = vec![DataSource { name: "plain.ydb".into(), states: 84 }];
    let estimated = vec![Estimated::new("c11", "N/m", 20.0, 0.013), Estimated::new("c12", "N/m", 5.0, f64::INFINITY)];
    Parameters::new("test", data, estimated, model)
}

fn models() -> Vec<Model> {
    let yarn = YarnParameters { radius: Some(2e-4.into()), ..YarnMaterial::preset("woven").unwrap().into() };
    let in_plane = InPlane::Spline(spline());
    vec![
        Model::Yarn(yarn),
        Model::Persistent(persistent()),
        Model::Persistent(PersistentParameters {
            crimp: false,
            contact: None,
            shear: ShearStiffness::Constant(1e-4.into()),
            ..persistent()
        }),
        Model::Membrane(constants()),
        Model::Membrane(MembraneParameters { in_plane, bending: None }),
    ]
}

#[test]
fn files_are_read_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    for model in models() {
        let written = file_of(model);
        let path = folder.path().join("p.json");
        written.write(&path).unwrap();
        assert_eq!(Parameters::read(&path).unwrap(), written);
    }
}

#[test]
fn each_kind_is_given_to_those_who_ask_for_it_only() {
    let all = models();
    let (yarn, persistent, membrane) = (file_of(all[0].clone()), file_of(all[1].clone()), file_of(all[3].clone()));
    assert_eq!(yarn.yarn("p").unwrap().material(), YarnMaterial::preset("woven").unwrap());
    assert_eq!(persistent.persistent("p").unwrap().warp.rest_length, 1.1e-3);
    assert_eq!(membrane.membrane("p").unwrap().in_plane.at_rest().c12, 12.0);
    let message = yarn.membrane("p.json").unwrap_err().to_string();
    assert_eq!(
        message,
        "p.json: has parameters of the kind 'yarn', 'membrane' is needed here: estimate it with --for membrane"
    );
}

#[test]
fn what_is_not_determined_is_read_but_not_used() {
    let mut sheet = constants();
    let InPlane::Constants(c) = &mut sheet.in_plane else { panic!() };
    c.c12 = Value(None);
    let text = file_of(Model::Membrane(sheet)).to_json("p.json").unwrap();
    assert!(text.contains("\"c12\": null"));
    let read = Parameters::parse(text.as_bytes(), "p.json").unwrap();
    let message = read.membrane("p.json").unwrap_err().to_string();
    assert!(message.starts_with("p.json: model.membrane.in_plane.constants.c12 is null, not determined"), "{message}");
    assert!(message.contains("more states") && message.contains("a number of your own"), "{message}");
    // The cure: a number by hand. A field that is not there at all is no such thing.
    let mended = text.replace("\"c12\": null", "\"c12\": 3.5");
    assert_eq!(Parameters::parse(mended.as_bytes(), "p").unwrap().membrane("p").unwrap().in_plane.at_rest().c12, 3.5);
    let left_out = text.replace("\"c12\": null,", "");
    let message = Parameters::parse(left_out.as_bytes(), "p").unwrap_err().to_string();
    assert!(message.contains("missing field `c12`"), "{message}");
}

#[test]
fn errors_above_a_fifth_leave_no_value() {
    assert_eq!(Estimated::new("a", "N", 3.0, 0.2).value, Value(Some(3.0)));
    for error in [0.2001, f64::INFINITY, f64::NAN] {
        let e = Estimated::new("a", "N", 3.0, error);
        assert!(e.value.0.is_none() && !e.determined, "{error}");
    }
    let mut odd = file_of(models().swap_remove(0));
    odd.estimated[1].value = 1.0.into();
    let message = odd.to_json("p").unwrap_err().to_string();
    assert!(message.contains("estimated[1] (c12): determined is false, so that value must be null"), "{message}");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let [yarn, persistent, _, sheet, spline] = &models()[..] else { panic!() };
    let text = |model: &Model| file_of(model.clone()).to_json("p").unwrap();
    let cases = [
        (text(yarn), "\"version\": 1", "\"version\": 2", "version is 2"),
        (text(yarn), "yarnwise-parameters", "other", "another kind"),
        (text(yarn), "\"gamma\": 0.1", "\"gamma\": -1", "model.yarn.gamma is -1, it must be from 1e-9 to 10"),
        (text(yarn), "\"gamma\": 0.1", "\"gamma\": 1e400", "number out of range"),
        (text(yarn), "\"gamma\"", "\"gama\"", "unknown field `gama`"),
        (text(yarn), "\"yarn\"", "\"cotton\"", "unknown variant `cotton`"),
        (text(persistent), "\"exponent\": 2.5", "\"exponent\": 0.5", "contact.exponent is 0.5"),
        (text(persistent), "0.0015\n", "0.0\n", "normal_force must ascend strictly"),
        (text(sheet), "\"c12\": 12.0", "\"c12\": -30", "c12 is -30 N/m: beyond 17.3205 N/m"),
        (text(sheet), "\"d_mixed\": 0.0", "\"d_mixed\": -1e-5", "bending.d_mixed is -0.00001 N m"),
        (text(sheet), "\"standard_error\": 0.013", "\"standard_error\": -1", "standard_error must be"),
        (text(spline), "-0.5", "0.1", "spline.sa is [0.1, 0.5]"),
        (text(spline), "0.15", "-0.05", "spline.sx must ascend"),
        (text(spline), "\"powers\": [\n            0", "\"powers\": [\n            1", "powers must ascend from 0"),
    ];
    for (good, from, to, expected) in cases {
        let bad = good.replace(from, to);
        assert_ne!(bad, good, "{from}");
        Parameters::parse(good.as_bytes(), "p").unwrap();
        let message = Parameters::parse(bad.as_bytes(), "p").unwrap_err().to_string();
        assert!(message.starts_with("p") && message.contains(expected), "{to}: {message}");
    }
    let mut crimped = self::persistent();
    crimped.contact = None;
    let message = file_of(Model::Persistent(crimped)).to_json("p").unwrap_err().to_string();
    assert!(message.contains("contact is missing"), "{message}");
}

#[test]
fn tables_of_shear_are_piecewise_linear_and_constant_beyond() {
    let table = ShearTable { normal_force: vec![0.1, 0.2, 0.4], stiffness: vec![1.0, 2.0, 6.0] };
    let shear = ShearStiffness::<f64>::Table(table);
    let at = [0.0, 0.1, 0.15, 0.2, 0.3, 0.4, 9.0].map(|f| shear.at(f));
    for (found, expected) in at.into_iter().zip([1.0, 1.0, 1.5, 2.0, 4.0, 6.0, 6.0]) {
        assert!((found - expected).abs() < 1e-12, "{at:?}");
    }
}

#[test]
fn derivatives_of_splines_agree_with_differences_inside_and_beyond() {
    let energy = SheetEnergy::new(&spline());
    assert_eq!(energy.at([0.0; 3]).value, 0.0);
    let h = 1e-6;
    for s in [[0.05, 0.1, 0.02], [0.3, -0.4, -0.1], [0.6, 0.2, 0.1], [-0.4, 0.7, 0.5], [0.1, -0.8, -0.9]] {
        let exact = energy.at(s);
        for axis in 0..3 {
            let at = |offset: f64| {
                let mut s = s;
                s[axis] += offset;
                energy.at(s)
            };
            let (plus, minus) = (at(h), at(-h));
            let slope = (plus.value - minus.value) / (2.0 * h);
            assert!((slope - exact.slope[axis]).abs() < 1e-7 * (1.0 + exact.slope.amax()), "{s:?} {axis}");
            let curvature = (plus.slope - minus.slope) / (2.0 * h);
            let error = (exact.curvature.column(axis) - curvature).amax();
            assert!(error < 1e-6 * (1.0 + exact.curvature.amax()), "{s:?} {axis}: {error}");
        }
    }
}
