//! Whether lengths look like meters.

use super::{Finding, FindingKind, Island, Severity, whole};
use crate::mesh::Mesh;
use crate::mesh::measure::first_form;

/// The typical stretch of the mesh itself may be off by this factor before its UVs are doubted.
///
/// Knitwear on a body is stretched by up to 1.5; units that are wrong are usually off by far more.
const DOUBTFUL_STRETCH: f64 = 2.0;

/// The same for UVs that fill the unit square, which is what programs make of UVs that are meant for textures.
const DOUBTFUL_STRETCH_IN_UNIT_SQUARE: f64 = 1.1;

/// The typical stretches along u and v, or of two islands, may differ by this factor.
const DOUBTFUL_RATIO: f64 = 1.6;

/// Sizes of a mesh between which it can be cloth in meters.
const SIZES: [f64; 2] = [0.01, 20.0];

pub(super) fn check(mesh: &Mesh, islands: &[Island]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let uvs = uv_units(mesh);
    // Islands of unequal scale are the finer diagnosis: one factor would not cure them.
    findings.extend(unequal_islands(islands).or(uvs));
    findings.extend(world_units(mesh));
    findings
}

/// The median stretches of the faces along u and v.
fn typical_stretch(mesh: &Mesh) -> Option<[f64; 2]> {
    let forms = (0..mesh.faces().len()).filter_map(|f| first_form(mesh.uv_corners(f), mesh.corners(f)));
    let (mut along_u, mut along_v): (Vec<f64>, Vec<f64>) = forms.map(|i| (i.xx.sqrt(), i.yy.sqrt())).unzip();
    Some([median(&mut along_u)?, median(&mut along_v)?])
}

fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// How far two lengths are apart, as a factor from 1.
fn misfit(a: f64, b: f64) -> f64 {
    (a / b).max(b / a)
}

fn uv_units(mesh: &Mesh) -> Option<Finding> {
    let [u, v] = typical_stretch(mesh)?;
    let allowed = if fills_unit_square(mesh) { DOUBTFUL_STRETCH_IN_UNIT_SQUARE } else { DOUBTFUL_STRETCH };
    if misfit(u, 1.0) <= allowed && misfit(v, 1.0) <= allowed {
        return None;
    }
    let square = if fills_unit_square(mesh) { " and fill the unit square, as for a texture" } else { "" };
    let message = format!(
        "UVs are probably not in meters: one UV unit is {u:.3} m of cloth along u and {v:.3} m along v{square}"
    );
    let cure = if misfit(u, v) < 1.05 {
        let both = factor((u * v).sqrt());
        format!("multiply the UVs by {both} (--uv-scale {both})")
    } else {
        let [u, v] = [u, v].map(factor);
        format!("multiply u by {u} and v by {v} (--uv-scale {u},{v})")
    };
    Some(whole(FindingKind::UvUnits, Severity::Warning, message, cure))
}

/// A factor with at least four digits that count, however small it is.
fn factor(value: f64) -> String {
    if value >= 0.1 {
        return format!("{value:.4}");
    }
    // Beyond this many zeros an exponent is easier to read.
    let zeros = -value.log10().floor();
    if zeros <= 6.0 { format!("{value:.*}", zeros as usize + 3) } else { format!("{value:.3e}") }
}

/// Whether the UVs lie in the unit square and reach close to its border.
fn fills_unit_square(mesh: &Mesh) -> bool {
    let used = || mesh.uv_faces().as_flattened().iter().map(|i| mesh.uvs()[*i as usize]);
    let inside = used().all(|uv| uv.iter().all(|c| (-0.001..=1.001).contains(c)));
    let reach = |k: usize| {
        let [low, high] = used().fold([f32::MAX, f32::MIN], |r, uv| [r[0].min(uv[k]), r[1].max(uv[k])]);
        high - low
    };
    inside && reach(0).max(reach(1)) > 0.9
}

fn unequal_islands(islands: &[Island]) -> Option<Finding> {
    let stretch = |(i, island): (usize, &Island)| (i, island.stretch());
    let measured = || islands.iter().enumerate().map(stretch).filter(|(_, s)| s.is_finite() && *s > 0.0);
    let (low, least) = measured().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (high, most) = measured().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most / least > DOUBTFUL_RATIO).then(|| {
        let message = format!(
            "one UV unit is {least:.3} m of cloth on island {low} and {most:.3} m on island {high}: their UVs have different scales, or they are stretched differently to begin with"
        );
        let cure = "unwrap all panels at one scale, in meters (in Blender: UV > Average Islands Scale)".to_owned();
        whole(FindingKind::UnequalIslands, Severity::Warning, message, cure)
    })
}

fn world_units(mesh: &Mesh) -> Option<Finding> {
    let used = || mesh.faces().as_flattened().iter().map(|i| mesh.positions()[*i as usize]);
    let extent = |k: usize| {
        let [low, high] = used().fold([f32::MAX, f32::MIN], |r, x| [r[0].min(x[k]), r[1].max(x[k])]);
        f64::from(high) - f64::from(low)
    };
    let size = (0..3).map(extent).fold(0.0, f64::max);
    let (doubt, cure) = match size {
        s if s > 1000.0 => ("large: is it in millimeters?", "export in meters, or scale it (--scale 0.001)"),
        s if s > SIZES[1] => ("large: is it in centimeters?", "export in meters, or scale it (--scale 0.01)"),
        s if s < SIZES[0] => ("small, less than a piece of cloth", "export in meters, or scale it (--scale)"),
        _ => return None,
    };
    let message = format!("the mesh is {size:.4} m {doubt}");
    let cure = cure.to_owned();
    Some(whole(FindingKind::WorldUnits, Severity::Warning, message, cure))
}
