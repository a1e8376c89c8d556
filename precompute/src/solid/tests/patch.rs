//! The patch test: elements of any shape carry a uniform strain exactly.

use super::super::Brick;
use super::*;
use crate::newton::Hold;
use nalgebra::Matrix3;

/// A cube of 3x3x3 distorted elements.
fn patch(brick: Brick) -> (Mesh, Vec<Vector3<f64>>) {
    let levels = [0.0, 1.0, 2.0, 3.0];
    block(brick, [&levels; 3], |at, x| {
        let inside = at.iter().all(|i| (1..3).contains(i));
        let k = (at[0] + 5 * at[1] + 11 * at[2]) as f64;
        let wave = 0.25 * Vector3::new((3.7 * k).sin(), (5.1 * k).cos(), (2.3 * k).sin());
        if inside { x + wave } else { x }
    })
}

#[test]
fn a_distorted_patch_carries_an_affine_motion_exactly() {
    let f = Matrix3::new(1.08, 0.05, -0.03, 0.02, 0.93, 0.04, -0.06, 0.01, 1.11);
    for brick in [Brick::Hex8, Brick::Hex20] {
        let (mesh, points) = patch(brick);
        let mut holds = Holds::default();
        let on_border = |x: &Vector3<f64>| x.iter().any(|c| *c == 0.0 || *c == 3.0);
        points.iter().enumerate().filter(|(_, x)| on_border(x)).for_each(|(p, _)| holds.set(p, Hold::fixed()));
        let free = points.len() - holds.iter().count();
        assert!(free >= 8, "{free}");
        let material = SolidMaterial { fiber: 2.0, ..material() };
        // The start is wrong inside.
        let start = |x: &Vector3<f64>| if on_border(x) { f * x } else { f * x + Vector3::new(0.03, -0.05, 0.04) };
        let mut assembly = SolidBody::new(mesh, &material, 1.0);
        let (minimum, x) = solve(&mut assembly, points.iter().map(start).collect(), holds, 1e-14);
        let error = points.iter().zip(&x).map(|(p, x)| (f * p - x).norm()).fold(0.0, f64::max);
        assert!(error < 1e-12, "{brick:?} {error:e} {minimum:?}");
        let energy: f64 = super::super::law::Law::new(&material).value(&f).iter().sum();
        assert!((minimum.value / (27.0 * energy) - 1.0).abs() < 1e-12);
        let stress = assembly.von_mises(&x);
        let uniform = super::super::law::von_mises(&super::super::law::Law::new(&material).stress(&f), &f);
        assert!(stress.iter().all(|s| (s / uniform - 1.0).abs() < 1e-11), "{stress:?}");
    }
}

#[test]
fn elements_derivatives_agree_with_differences() {
    for brick in [Brick::Hex8, Brick::Hex20] {
        let levels = [0.0, 1.0, 2.0];
        let (mesh, points) = block(brick, [&levels[..2], &levels[..2], &levels], |_, x| x);
        let mut assembly = SolidBody::new(mesh, &SolidMaterial { fiber: 2.0, ..material() }, 1.0);
        let bend = |x: &Vector3<f64>| x + 0.1 * Vector3::new((2.0 * x.z).sin(), x.x * x.y, x.x * x.z - 0.3 * x.y * x.y);
        let x: Vec<Vector3<f64>> = points.iter().map(bend).collect();
        super::check_differences(&mut assembly, &x, 0..x.len());
    }
}
