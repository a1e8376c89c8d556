//! Finite fabric cut from a periodic cell.

use super::body::Body;
use crate::spline::{Curve, Place, SplineCell, SplineSettings, Yarns, interpolate_open};
use nalgebra::Vector3;
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// Along which period yarns run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Along x.
    Weft,
    /// Along y.
    Warp,
}

/// A yarn of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchYarn {
    /// Its family.
    pub family: Family,
    /// Its row among the yarns of the family, from 0.
    pub row: usize,
}

/// Finite fabric.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The yarns, on which nothing acts yet.
    pub body: Body,
    /// Control points, m.
    pub q: Vec<Vector3<f64>>,
    /// Which yarn each curve is.
    pub yarns: Vec<PatchYarn>,
}

/// A strand to cut: a curve of the cell, moved by whole periods, over a range of its spans.
struct Strand {
    curve: usize,
    shift: [i32; 2],
    from: f64,
    spans: usize,
    yarn: PatchYarn,
}

/// Cuts `periods` of a cell at rest, all yarns half a crossing beyond the outermost ones.
pub fn cut(cell: &SplineCell, periods: [usize; 2]) -> Result<Patch> {
    let families = families(cell)?;
    let mut strands = Vec::new();
    for (k, (family, across)) in [(Family::Weft, 1), (Family::Warp, 0)].into_iter().enumerate() {
        for copy in 0..periods[across] {
            for (place, curve) in families[k].iter().enumerate() {
                let mut shift = [0, 0];
                shift[across] = copy as i32;
                let half = 0.5 * spans_per_crossing(cell, &families, k, *curve);
                let spans = periods[1 - across] * cell.yarns.curves[*curve].count;
                let yarn = PatchYarn { family, row: copy * families[k].len() + place };
                strands.push(Strand { curve: *curve, shift, from: -half, spans, yarn });
            }
        }
    }
    Ok(assemble(cell, &strands))
}

/// One yarn of the cell that runs through `crossings` others and `tail` crossings further on both sides, and pieces of these others,
/// one crossing long on both sides. The first curve is the yarn.
pub fn single(cell: &SplineCell, family: Family, crossings: usize, tail: usize) -> Result<Patch> {
    let families = families(cell)?;
    let k = usize::from(family == Family::Warp);
    let curve = families[k][0];
    let per_crossing = spans_per_crossing(cell, &families, k, curve);
    let spans = (per_crossing * (crossings + 2 * tail) as f64).round() as usize;
    let from = -(0.5 + tail as f64) * per_crossing;
    let mut strands = vec![Strand { curve, shift: [0, 0], from, spans, yarn: PatchYarn { family, row: 0 } }];
    let other = if family == Family::Weft { Family::Warp } else { Family::Weft };
    for row in 0..crossings {
        let curve = families[1 - k][row % families[1 - k].len()];
        let mut shift = [0, 0];
        shift[k] = (row / families[1 - k].len()) as i32;
        let one = spans_per_crossing(cell, &families, 1 - k, curve);
        strands.push(Strand {
            curve,
            shift,
            from: -one,
            spans: (2.0 * one).round() as usize,
            yarn: PatchYarn { family: other, row },
        });
    }
    Ok(assemble(cell, &strands))
}

/// The curves along x and along y, by their place across.
fn families(cell: &SplineCell) -> Result<[Vec<usize>; 2]> {
    let mut out = [Vec::new(), Vec::new()];
    for (c, curve) in cell.yarns.curves.iter().enumerate() {
        match curve.shift {
            [1, 0] => out[0].push(c),
            [0, 1] => out[1].push(c),
            shift => {
                let problem = format!(
                    "yarn {} advances by {shift:?} periods: patches are cut from fabric whose yarns run along +x and +y, one period at a turn",
                    c + 1
                );
                return Err(Error::invalid("patch", problem));
            }
        }
    }
    if out.iter().any(Vec::is_empty) {
        return Err(Error::invalid(
            "patch",
            "the pattern has no yarns along x or none along y: patches are cut from weaves",
        ));
    }
    for (axis, family) in [(1, 0), (0, 1)] {
        let across = |c: &usize| cell.rest[cell.yarns.curves[*c].first][axis];
        out[family].sort_by(|a, b| across(a).total_cmp(&across(b)));
    }
    Ok(out)
}

fn spans_per_crossing(cell: &SplineCell, families: &[Vec<usize>; 2], family: usize, curve: usize) -> f64 {
    cell.yarns.curves[curve].count as f64 / families[1 - family].len() as f64
}

fn assemble(cell: &SplineCell, strands: &[Strand]) -> Patch {
    let place = cell.place(Strain::new(0.0, 0.0, 0.0));
    let (mut curves, mut q) = (Vec::new(), Vec::new());
    for strand in strands {
        let curve = &cell.yarns.curves[strand.curve];
        let (turn, moved) = (place.turn(curve), place.translation(strand.shift));
        let at = |t: f64| {
            let along = strand.from + t;
            let turns = (along / curve.count as f64).floor();
            let station = curve.station(along - turns * curve.count as f64);
            station.value(&turn, &cell.rest) + turn * turns + moved
        };
        let count = strand.spans + 3;
        curves.push(Curve { first: q.len(), count, closed: false, shift: [0, 0], rest_speed: curve.rest_speed });
        q.extend(interpolate_open(count, at));
    }
    let settings: &SplineSettings = &cell.settings;
    let yarns = Yarns::new(curves, cell.yarns.radius, cell.yarns.stiffness, settings);
    Patch { body: Body::new(yarns, Place::ALONE), q, yarns: strands.iter().map(|s| s.yarn).collect() }
}
