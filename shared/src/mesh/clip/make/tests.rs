use super::*;
use crate::mesh::clip::Clip;
use crate::mesh::measure::first_form;
use crate::mesh::topology::Topology;
use crate::table::strain::Strain;

/// The largest difference of a strain of any face in `frame` from `expected`.
fn off(clip: &Clip, frame: usize, expected: Strain<f64>) -> f64 {
    let mesh = clip.mesh();
    let strain = |f: usize| {
        let x = mesh.faces()[f].map(|i| clip.positions(frame)[i as usize]);
        Strain::from_first_form(first_form(mesh.uv_corners(f), x).unwrap())
    };
    (0..mesh.faces().len())
        .map(strain)
        .map(|s| (s.sx - expected.sx).abs().max((s.sa - expected.sa).abs()).max((s.sy - expected.sy).abs()))
        .fold(0.0, f64::max)
}

fn animated(mesh: Mesh, motion: Motion, amount: f64) -> Clip {
    Animation { motion, amount, frames: 5, ..Default::default() }.clip(mesh).unwrap()
}

const REST: Strain<f64> = Strain { sx: 0.0, sa: 0.0, sy: 0.0 };
/// Coordinates are rounded to 24 bits, cells are a thirtieth of the size.
const ROUNDING: f64 = 1e-5;

#[test]
fn sheets_and_tubes_are_at_rest_and_sound() {
    let sheet = Sheet { size: [0.4, 0.2], cells: [8, 3] }.mesh().unwrap();
    assert_eq!((sheet.positions().len(), sheet.faces().len()), (36, 48));
    let tube = Tube { cells: [7, 4], ..Default::default() }.mesh().unwrap();
    assert_eq!((tube.positions().len(), tube.uvs().len(), tube.faces().len()), (35, 40, 56));
    for mesh in [sheet, tube, Tube::default().mesh().unwrap()] {
        let clip = Clip::still(mesh);
        assert!(off(&clip, 0, REST) < ROUNDING, "{}", off(&clip, 0, REST));
        assert_eq!(clip.report().findings, []);
    }
}

#[test]
fn a_tube_has_one_seam_and_a_skirt_two() {
    let tube = Topology::new(&Tube { cells: [7, 4], ..Default::default() }.mesh().unwrap());
    assert_eq!((tube.islands.count(), tube.seams.len()), (1, 4));
    let mesh = Skirt { cells: [6, 5], ..Default::default() }.mesh().unwrap();
    assert_eq!(mesh.positions().len(), 12 * 6);
    let skirt = Topology::new(&mesh);
    assert_eq!((skirt.islands.count(), skirt.seams.len()), (2, 10));
    let clip = Clip::still(Skirt::default().mesh().unwrap());
    assert_eq!(clip.report().findings, []);
    let range = clip.strain_range().unwrap();
    assert!(range.sx[0] > -0.05 && range.sx[1] < 0.05 && range.sy[1] < 0.05, "{range:?}");
}

#[test]
fn the_front_faces_outwards() {
    for mesh in [Tube::default().mesh().unwrap(), Skirt::default().mesh().unwrap()] {
        for f in 0..mesh.faces().len() {
            let [a, b, c] = mesh.corners(f).map(nalgebra::Vector3::from);
            let normal = (b - a).cross(&(c - a));
            assert!(normal.x * a.x + normal.z * a.z > 0.0, "face {f}");
        }
    }
}

#[test]
fn motions_reach_their_strain_half_way_and_rest_at_the_ends() {
    let sheet = || Sheet::default().mesh().unwrap();
    for (motion, amount, expected) in [
        (Motion::StretchX, 0.5, Strain::new(0.5, 0.0, 0.0)),
        (Motion::StretchY, 0.25, Strain::new(0.0, 0.0, 0.25)),
        (Motion::Shear, 0.75, Strain::new(0.0, 0.6, 0.25)),
        (Motion::Still, 1.0, REST),
    ] {
        let clip = animated(sheet(), motion, amount);
        assert!(off(&clip, 2, expected) < 2.0 * ROUNDING, "{motion:?}");
        assert!(off(&clip, 0, REST) < ROUNDING && off(&clip, 4, REST) < ROUNDING, "{motion:?}");
    }
    assert!(off(&animated(sheet(), Motion::StretchX, 0.5), 2, REST) > 0.4, "the measure sees a stretch");
}

#[test]
fn a_bent_sheet_keeps_its_lengths_and_lies_on_a_cylinder() {
    let clip = animated(Sheet { cells: [200, 2], ..Default::default() }.mesh().unwrap(), Motion::Bend, PI);
    // A chord is shorter than its arc by angle^2 / 24.
    assert!(off(&clip, 2, REST) < 1e-4, "{}", off(&clip, 2, REST));
    let radius = 0.3 / PI;
    for [x, _, z] in clip.positions(2).iter().map(|p| p.map(f64::from)) {
        assert!(((x * x + (z + radius).powi(2)).sqrt() - radius).abs() < 1e-6);
    }
}

#[test]
fn a_twisted_tube_keeps_its_radius() {
    let clip = animated(Tube::default().mesh().unwrap(), Motion::Twist, 2.0);
    for ([x, _, z], [x0, y0, z0]) in clip.positions(2).iter().zip(clip.positions(0)) {
        assert!((x.hypot(*z) - 0.05).abs() < 1e-6);
        let turned = (x * x0 + z * z0) / (0.05 * 0.05);
        // One radian against the middle at both ends.
        assert!((f64::from(turned) - (2.0 * f64::from(*y0) / 0.3).cos()).abs() < 1e-4);
    }
    let wave = animated(Tube::default().mesh().unwrap(), Motion::Wave, 0.02);
    let top = wave.positions(0).iter().position(|p| p[1] > 0.149).unwrap();
    assert_eq!(wave.positions(2)[top], wave.positions(0)[top], "it hangs from its upper border");
    assert_ne!(wave.positions(2)[0], wave.positions(0)[0]);
}

#[test]
fn senseless_options_are_refused() {
    assert!(Sheet { size: [0.0, 1.0], ..Default::default() }.mesh().is_err());
    assert!(Sheet { cells: [0, 1], ..Default::default() }.mesh().is_err());
    assert!(Sheet { cells: [usize::MAX, 2], ..Default::default() }.mesh().is_err());
    assert!(Tube { cells: [2, 1], ..Default::default() }.mesh().is_err());
    assert!(Tube { radius: f64::NAN, ..Default::default() }.mesh().is_err());
    assert!(Skirt { length: 0.01, ..Default::default() }.mesh().is_err());
    let sheet = || Sheet::default().mesh().unwrap();
    assert!(Animation { frames: 0, ..Default::default() }.clip(sheet()).is_err());
    assert!(Animation { frames: usize::MAX, ..Default::default() }.clip(sheet()).is_err());
    assert!(Animation { amount: f64::INFINITY, ..Default::default() }.clip(sheet()).is_err());
    assert!(Animation { frames: 1, ..Default::default() }.clip(sheet()).is_ok());
}
