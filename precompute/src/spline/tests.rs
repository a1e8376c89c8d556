//! Yarns as splines against differences, closed forms and the bake.

use super::*;
use crate::cell::Stiffness;
use crate::fabric::Fabric;
use crate::newton::PointMatrix;
use nalgebra::{DVector, Vector3};
use std::sync::OnceLock;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::random::Random;
use yarnwise_shared::table::strain::Strain;

/// A weave with this length of straight yarn a crossing, in radii.
fn weave_of(name: &str, radii_per_crossing: f64) -> Pattern {
    let pattern = weave(&Draft::preset(name).unwrap(), &WeaveOptions::default()).unwrap();
    let mut data: PatternData = pattern.data().clone();
    for yarn in pattern.yarns() {
        let across = usize::from(yarn.shift[0] != 0);
        let crossings = pattern.yarns().iter().filter(|y| y.shift[across] != 0).count();
        let length = radii_per_crossing * data.radius * crossings as f64 / yarn.vertices.len() as f64;
        yarn.vertices.iter().for_each(|v| data.vertices[*v as usize].rest_length = length);
    }
    Pattern::new(data).unwrap()
}

fn woven() -> YarnMaterial {
    YarnMaterial::preset("woven").unwrap()
}

/// Plain weave with 4.665 radii a crossing, its period free: the cell of the specification.
fn plain() -> &'static SplineCell {
    static CELL: OnceLock<SplineCell> = OnceLock::new();
    CELL.get_or_init(|| {
        SplineCell::with_free_period(&weave_of("plain", 4.665), &woven(), &SplineSettings::default()).unwrap()
    })
}

fn stiffness(stretch: f64, bend: f64, contact: f64) -> Stiffness {
    Stiffness { stretch, bend, twist: 0.0, contact }
}

/// One straight yarn along x, open or closed.
fn straight(spans: usize, closed: bool, length: f64, radius: f64, k: Stiffness) -> (Yarns, Vec<Vector3<f64>>, Place) {
    let count = if closed { spans } else { spans + 3 };
    let speed = length / spans as f64;
    let curve = Curve { first: 0, count, closed, shift: [i32::from(closed), 0], rest_speed: speed };
    let at = |t: f64| Vector3::new(t * speed, 0.0, 0.0);
    let q = if closed { (0..count).map(|i| at(i as f64)).collect() } else { interpolate_open(count, at) };
    let lattice = [Vector3::new(length, 0.0, 0.0), Vector3::new(0.0, 10.0 * radius, 0.0)];
    let place = Place { lattice: closed.then_some(lattice) };
    (Yarns::new(vec![curve], radius, k, &SplineSettings::default()), q, place)
}

fn shaken(q: &[Vector3<f64>], size: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut random = Random::new(seed);
    q.iter().map(|p| p + Vector3::from_fn(|_, _| random.between([-size, size]))).collect()
}

fn gradient(yarns: &Yarns, place: &Place, q: &[Vector3<f64>], contacts: &Contacts) -> Vec<Vector3<f64>> {
    let mut out = vec![Vector3::zeros(); q.len()];
    yarns.add_gradient(place, q, contacts, &yarns.stiffness, &mut out);
    out
}

fn matrix(yarns: &Yarns, place: &Place, q: &[Vector3<f64>], contacts: &Contacts) -> PointMatrix {
    let mut pairs = Vec::new();
    yarns.couplings(contacts, &mut |a, b| pairs.push((a, b)));
    let mut matrix = PointMatrix::new(q, pairs.into_iter());
    yarns.add_derivatives(place, q, contacts, &mut vec![Vector3::zeros(); q.len()], &mut matrix);
    matrix
}

fn flat(v: &[Vector3<f64>]) -> DVector<f64> {
    DVector::from_iterator(3 * v.len(), v.iter().flat_map(|p| p.iter().copied()))
}

/// Relative errors of gradient and second derivatives along a random direction, against central differences.
fn errors(k: Stiffness, change: f64) -> [f64; 2] {
    let cell = plain();
    let strain = Strain::new(0.08, 0.1, 0.03);
    let state = cell.solve(strain);
    let place = cell.place(strain);
    let r = cell.yarns.radius;
    let yarns = Yarns { stiffness: k, ..cell.yarns.clone() };
    let q = shaken(&state.q, 0.05 * r, 3);
    let contacts = Contacts::find(&yarns, &place, yarns.contact_places(&place, &q), 0.5 * r);
    let d = shaken(&vec![Vector3::zeros(); q.len()], 1.0, 4);
    let h = 1e-5 * r;
    let at = |s: f64| -> Vec<Vector3<f64>> { q.iter().zip(&d).map(|(q, d)| q + d * (s * h)).collect() };
    let energy = |s: f64| yarns.energy(&place, &at(s), &contacts).total();
    let along = flat(&gradient(&yarns, &place, &q, &contacts)).dot(&flat(&d)) * (1.0 + change);
    let slope = (energy(1.0) - energy(-1.0)) / (2.0 * h);
    let forces = |s: f64| flat(&gradient(&yarns, &place, &at(s), &contacts));
    let product = matrix(&yarns, &place, &q, &contacts).dense() * flat(&d) * (1.0 + change);
    let difference = (forces(1.0) - forces(-1.0)) / (2.0 * h);
    assert!(along.abs() > 0.0 && product.norm() > 0.0, "a gradient of zero proves nothing");
    [(slope - along).abs() / along.abs(), (&difference - &product).norm() / product.norm()]
}

#[test]
fn gradient_and_second_derivatives_of_each_energy_agree_with_differences() {
    let k = plain().yarns.stiffness;
    let kinds = [stiffness(k.stretch, 0.0, 0.0), stiffness(0.0, k.bend, 0.0), stiffness(0.0, 0.0, k.contact)];
    for kind in kinds {
        let [first, second] = errors(kind, 0.0);
        assert!(first < 1e-8 && second < 1e-8, "{kind:?}: {first:e} {second:e}");
        let [first, second] = errors(kind, 1e-6);
        assert!(first > 1e-8 && second > 1e-8, "a wrong formula is noticed");
    }
}

#[test]
fn a_free_straight_yarn_has_five_motions_without_energy_and_a_closed_one_three() {
    let count = |yarns: &Yarns, q: &[Vector3<f64>], place: &Place| {
        let eigenvalues = matrix(yarns, place, q, &Contacts::default()).dense().symmetric_eigenvalues();
        eigenvalues.iter().filter(|l| l.abs() < 1e-8).count()
    };
    let k = stiffness(1e3, 1.0, 0.0);
    let (mut yarns, q, place) = straight(9, false, 9.0, 0.5, k);
    assert_eq!(count(&yarns, &q, &place), 5);
    // One point in the middle of each span, as a paper may be read.
    let curve = yarns.curves[0];
    let middle = |s: usize| ElasticPoint { station: curve.station(s as f64 + 0.5), curve: 0, weight: 1.0 };
    yarns.elastic = (0..9).map(middle).collect();
    assert_eq!(count(&yarns, &q, &place), 9);
    let (yarns, q, place) = straight(9, true, 9.0, 0.5, k);
    assert_eq!(count(&yarns, &q, &place), 3);
}

#[test]
fn a_stretched_yarn_pulls_as_its_stiffness_says() {
    let (yarns, q, _) = straight(6, false, 3.0, 0.2, stiffness(2.0, 0.1, 0.0));
    let q: Vec<Vector3<f64>> = q.iter().map(|p| p * 1.1).collect();
    let energy = yarns.elastic_energy(&Place::ALONE, &q);
    assert!((energy.stretch - 0.5 * 2.0 * 0.01 * 3.0).abs() < 1e-14 && energy.bend < 1e-20);
    let force = gradient(&yarns, &Place::ALONE, &q, &Contacts::default());
    assert!((force[force.len() - 1] - Vector3::new(0.2, 0.0, 0.0)).norm() < 1e-12);
    assert!(force[1..force.len() - 1].iter().all(|f| f.norm() < 1e-12));
}

/// How hard straight yarns of radius 1 press on each other that cross at `angle` and are `delta` diameters apart; what they pull along
/// the first one is false friction. `shift` is where the points of the second one begin.
fn pressed(delta: f64, angle: f64, shift: f64, spacing: f64) -> (Vector3<f64>, f64) {
    let settings = SplineSettings { contact_spacing: spacing, ..SplineSettings::default() };
    let (spans, speed) = (40, 0.5);
    let curve = |first| Curve { first, count: spans + 3, closed: false, shift: [0, 0], rest_speed: speed };
    let line = |direction: Vector3<f64>, middle: Vector3<f64>| {
        interpolate_open(spans + 3, |t| middle + direction * ((t - 0.5 * spans as f64) * speed))
    };
    let mut q = line(Vector3::x(), Vector3::x() * (0.6 * shift));
    let across = Vector3::new(angle.cos(), angle.sin(), 0.0);
    q.extend(line(across, across * shift - Vector3::z() * (2.0 * delta)));
    let yarns = Yarns::new(vec![curve(0), curve(spans + 3)], 1.0, stiffness(1.0, 1.0, 1.0), &settings);
    let contacts = Contacts::find(&yarns, &Place::ALONE, yarns.contact_places(&Place::ALONE, &q), 0.5);
    let force: Vector3<f64> = gradient(&yarns, &Place::ALONE, &q, &contacts)[..spans + 3].iter().sum();
    (-force, yarns.energy(&Place::ALONE, &q, &contacts).contact)
}

#[test]
fn pressed_yarns_follow_the_closed_form() {
    use std::f64::consts::{FRAC_PI_2, PI};
    for (delta, expected, tolerance) in
        [(0.95, 0.1257, 1e-2), (0.9, 0.5041, 5e-3), (0.8, 2.0358, 2e-3), (0.7, 4.6693, 2e-3)]
    {
        for shift in [0.0, 0.03, 0.08, 0.11] {
            let (force, energy) = pressed(delta, FRAC_PI_2, shift, 0.125);
            assert!((force.z / expected - 1.0).abs() < tolerance, "{delta} {shift}: {force}");
            assert!(force.x.abs() < 3e-3 * expected, "false friction {} of {expected}", force.x);
            let closed = 8.0 * PI * (-0.75 - f64::ln(delta) - 0.25 * delta.powi(4) + delta * delta);
            assert!((energy / closed - 1.0).abs() < 1e-2, "{delta}: {energy} {closed}");
        }
        for degrees in [60.0_f64, 45.0, 30.0] {
            let (force, _) = pressed(delta, degrees.to_radians(), 0.04, 0.125);
            let ratio = force.z / expected * degrees.to_radians().sin();
            assert!((ratio - 1.0).abs() < tolerance.max(5e-3), "{delta} {degrees}: {ratio}");
        }
    }
    let ripple = (0..8).map(|k| pressed(0.95, FRAC_PI_2, 0.1 * k as f64, 0.75).0);
    let largest = ripple.map(|f| (f.x.abs() / 0.1257).max((f.z / 0.1257 - 1.0).abs())).fold(0.0, f64::max);
    assert!(largest > 0.05, "the spacing of the bake would be felt: {largest}");
}

#[test]
fn a_yarn_does_not_touch_its_own_continuation() {
    let (yarns, q, place) = straight(16, true, 8.0, 1.0, stiffness(1.0, 0.1, 1.0));
    let contacts = Contacts::find(&yarns, &place, yarns.contact_places(&place, &q), 0.5);
    assert_eq!(yarns.energy(&place, &q, &contacts).contact, 0.0);
    // The next row is another yarn.
    let near = Place { lattice: place.lattice.map(|[a, b]| [a, b.normalize() * 1.8]) };
    let contacts = Contacts::find(&yarns, &near, yarns.contact_places(&near, &q), 0.5);
    assert!(yarns.energy(&near, &q, &contacts).contact > 0.0);
}

/// The figures of the specification, in units of radius and stretch stiffness.
#[test]
fn the_plain_cell_has_the_published_period_heights_forces_and_normal_forces() {
    let cell = plain();
    let r = cell.yarns.radius;
    let (unit, force) = (cell.yarns.stiffness.stretch / r, cell.yarns.stiffness.stretch);
    let near = |value: f64, expected: f64, tolerance: f64, what: &str| {
        assert!((value / expected - 1.0).abs() < tolerance, "{what}: {value} instead of {expected}");
    };
    cell.period.iter().for_each(|p| near(p / r, 8.318, 1e-3, "period"));
    let rest = cell.respond(Strain::new(0.0, 0.0, 0.0)).unwrap();
    assert!(rest.is_sound());
    rest.heights.unwrap().iter().for_each(|h| near(h / r, 0.966, 1e-2, "height"));
    let tangent = cell.tangent(&cell.solve(rest.strain())).unwrap() / unit;
    near(tangent[(0, 0)], 0.0658, 1e-2, "C11");
    near(tangent[(0, 2)], 0.0461, 1e-2, "C12");
    // 0.00063 with contact points 0.19 radii apart, 0.000648 with ever more of them.
    near(tangent[(1, 1)], 0.000648, 1e-2, "shear");
    near(rest.normal_force.unwrap() / force, 0.0156, 3e-2, "N");
    let table = [(0.05, 0.00404, 0.00221), (0.1, 0.00956, 0.00412), (0.2, 0.02433, 0.00685), (0.3, 0.04233, 0.00843)];
    for (sx, along, across) in table {
        let response = cell.respond(Strain::new(sx, 0.0, 0.0)).unwrap();
        assert!(response.is_sound());
        let stress = response.stress.unwrap();
        near(stress[0] / unit, along, 1e-2, "sigma x");
        near(stress[2] / unit, across, 3e-2, "sigma y");
        assert!(stress[1].abs() < 1e-9 * unit);
        let turned = cell.respond(Strain::new(0.0, 0.0, sx)).unwrap().stress.unwrap();
        assert!((turned[2] - stress[0]).abs() + (turned[0] - stress[2]).abs() < 1e-8 * unit, "warp and weft are alike");
    }
    let figures = [([0.1, 0.0], 0.0451, [0.775, 1.066]), ([0.2, 0.0], 0.0706, [0.625, 1.136])];
    for ([sx, sy], normal, heights) in figures {
        let response = cell.respond(Strain::new(sx, 0.0, sy)).unwrap();
        near(response.normal_force.unwrap() / force, normal, 3e-2, "N");
        for (h, expected) in response.heights.unwrap().iter().zip(heights) {
            near(h / r, expected, 1e-2, "height");
        }
    }
    let both = cell.respond(Strain::new(0.2, 0.0, 0.2)).unwrap();
    near(both.normal_force.unwrap() / force, 0.1098, 3e-2, "N");
    let mirrored = [0.3, -0.3].map(|sa| cell.respond(Strain::new(0.05, sa, 0.0)).unwrap());
    assert!((mirrored[0].energy_density - mirrored[1].energy_density).abs() < 1e-8 * mirrored[0].energy_density);
}

#[test]
fn stress_and_tangent_agree_with_differences_of_equilibria() {
    let cell = plain();
    let at = [0.06, 0.15, 0.02];
    let strain = |s: [f64; 3]| Strain::new(s[0], s[1], s[2]);
    let unit = cell.yarns.stiffness.stretch / cell.yarns.radius;
    let stress = cell.respond(strain(at)).unwrap().stress.unwrap();
    for k in 0..3 {
        let energy = |d: f64| {
            let mut s = at;
            s[k] += d;
            cell.respond(strain(s)).unwrap().energy_density
        };
        let slope = (energy(1e-4) - energy(-1e-4)) / 2e-4;
        assert!((slope - stress[k]).abs() < 1e-6 * unit, "{k}: {slope} {}", stress[k]);
    }
    let tangent = cell.tangent(&cell.solve(strain([0.0; 3]))).unwrap();
    for k in 0..3 {
        let pull = |d: f64| {
            let mut s = [0.0; 3];
            s[k] += d;
            cell.respond(strain(s)).unwrap().stress.unwrap()
        };
        // A short way: at every touch that begins or ends the stiffness jumps.
        let (plus, minus) = (pull(1e-5), pull(-1e-5));
        for i in 0..3 {
            let slope = (plus[i] - minus[i]) / 2e-5;
            assert!((slope - tangent[(i, k)]).abs() < 1e-4 * unit * 0.07, "{i} {k}: {slope} {}", tangent[(i, k)]);
        }
    }
}

#[test]
fn sensitivities_agree_with_differences_sum_to_the_stress_and_are_energies_by_kind() {
    let cell = plain();
    let strain = Strain::new(0.1, 0.05, 0.02);
    let (response, sensitivity) = cell.respond_with_sensitivity(strain).unwrap();
    let values: Vec<f64> = cell.parameters().iter().map(|p| p.value).collect();
    let stress = response.stress.unwrap();
    let size = stress.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    for k in 0..3 {
        let sum: f64 = sensitivity.stress.iter().map(|s| s[k]).sum();
        assert!((sum - stress[k]).abs() < 1e-8 * size, "the energy is linear in the parameters: {sum} {}", stress[k]);
    }
    let sum: f64 = sensitivity.energy_density.iter().sum();
    assert!((sum - response.energy_density).abs() < 1e-12 * sum);
    for p in 0..3 {
        let at = |z: f64| {
            let mut values = values.clone();
            values[p] *= z.exp();
            cell.with_values(&values).unwrap().respond(strain).unwrap()
        };
        let (plus, minus) = (at(1e-4), at(-1e-4));
        let energy = (plus.energy_density - minus.energy_density) / 2e-4;
        assert!((energy - sensitivity.energy_density[p]).abs() < 1e-6 * response.energy_density);
        for k in 0..3 {
            let slope = (plus.stress.unwrap()[k] - minus.stress.unwrap()[k]) / 2e-4;
            let error = (slope - sensitivity.stress[p][k]).abs();
            assert!(error < 1e-4 * size, "parameter {p}, stress {k}: {slope} {}", sensitivity.stress[p][k]);
        }
        for f in 0..2 {
            let slope = (plus.heights.unwrap()[f] - minus.heights.unwrap()[f]) / 2e-4;
            let error = (slope - sensitivity.heights[p][f]).abs();
            assert!(error < 1e-3 * cell.yarns.radius * 0.1, "height {f}: {slope} {}", sensitivity.heights[p][f]);
        }
    }
}

#[test]
fn yarns_that_are_curved_at_rest_are_refused() {
    let mut data = weave_of("plain", 4.665).data().clone();
    data.vertices[4].rest_curvature = [0.1, 0.0];
    let error = SplineCell::new(&Pattern::new(data).unwrap(), &woven(), &SplineSettings::default()).unwrap_err();
    assert!(error.to_string().contains("vertex 5 is curved at rest"), "{error}");
}

#[test]
fn all_weaves_come_to_rest_with_a_free_period() {
    for name in ["twill", "satin", "basket"] {
        let pattern = weave(&Draft::preset(name).unwrap(), &WeaveOptions::default()).unwrap();
        let settings = SplineSettings { contact_spacing: 0.25, ..SplineSettings::default() };
        let cell = SplineCell::with_free_period(&pattern, &woven(), &settings).unwrap();
        let stress = cell.stress(&cell.solve(Strain::new(0.0, 0.0, 0.0)));
        let unit = cell.yarns.stiffness.stretch / cell.yarns.radius;
        assert!(stress[0].abs() < 1e-6 * unit && stress[2].abs() < 1e-6 * unit, "{name}: {stress:?}");
    }
}

/// With the same pattern, period and material the two discretizations agree: chords, which the bake's yarns are made of, stand a little
/// higher at crossings.
#[test]
fn energies_are_those_of_the_baked_plain_weave() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/databases/plain.ydb");
    let database = yarnwise_shared::table::database::read(&path).unwrap();
    let material = *database.material().unwrap();
    let cell = SplineCell::new(database.pattern(), &material, &SplineSettings::default()).unwrap();
    let baked = crate::baked::BakedFabric::new(database, "plain.ydb").unwrap();
    let mut compared = 0;
    for sample in baked.samples() {
        let [sx, sa, sy] = sample.strain;
        // In compression there are several states, and the two searches find others.
        if sx.min(sy) < 0.0 || sa.abs() > 0.5 {
            continue;
        }
        let tolerance = if sa == 0.0 && sx.max(sy) > 0.0 { 0.04 } else { 0.05 };
        let response = cell.respond(sample.strain()).unwrap();
        let ratio = response.energy_density / sample.energy_density;
        assert!(response.converged && (ratio - 1.0).abs() < tolerance, "{:?}: {ratio}", sample.strain);
        compared += 1;
    }
    assert!(compared > 40, "only {compared} samples were compared");
}
