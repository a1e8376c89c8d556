//! What a woven pattern says of persistent contacts.

use super::fabric::ORIGIN;
use std::collections::BTreeMap;
use yarnwise_precompute::Result;
use yarnwise_precompute::cell::Stiffness;
use yarnwise_shared::Error;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::crossings::crossings;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::cell::CellModel;

/// A weave as persistent contacts see it. Entries of pairs are for the wefts (along x) and the warps (along y).
#[derive(Clone, Debug, PartialEq)]
pub struct Woven {
    /// Which yarn is on top.
    pub draft: Draft,
    /// Distances of crossings along the yarns, m.
    pub spacing: [f64; 2],
    /// Length of unstretched yarn from crossing to crossing, the mean, m.
    pub yarn_length: [f64; 2],
    /// Part of the segments whose yarn changes sides.
    pub interlaced: [f64; 2],
    /// ks, N.
    pub stretch: f64,
    /// B, N m^2.
    pub bend: f64,
    /// Radius of the yarns, m.
    pub radius: f64,
}

/// Where estimates of crimp begin: a truss is shorter than the arcs of the yarns, and turns at once; with yarns' own bending
/// stiffness and the contact law of straight yarns it would be slack at rest [MartinGarrido18].
const SHORTER: f64 = 0.985;
const BEND: f64 = 2.0;
const CONTACT: f64 = 0.5;
const EXPONENT: f64 = 2.0;
/// Where estimates of the shear stiffness begin, in ks.
const SHEAR: f64 = 1e-3;

impl Woven {
    /// Yarns that lie flat at the distance that they have, without stress, with the stiffness of the yarns.
    pub fn flat(&self) -> CellModel {
        let flat = CellModel::flat(self.stretch, self.bend, self.radius, self.spacing);
        CellModel { shear: SHEAR * self.stretch, ..flat }
    }

    /// Crossings with crimp: a place where estimates can begin.
    pub fn crimped(&self) -> CellModel {
        let rest = |k: usize| {
            let Woven { spacing, yarn_length, interlaced, .. } = self;
            // Floats are as long as the spacing; what is left is for segments that change sides.
            let flat = (1.0 - interlaced[k]) * spacing[k];
            SHORTER * ((yarn_length[k] - flat) / interlaced[k].max(1e-3)).max(spacing[k])
        };
        let flat = self.flat();
        CellModel { bend: BEND * self.bend, ..flat }.with_crimp([rest(0), rest(1)], CONTACT, EXPONENT)
    }
}

fn refuse<T>(problem: impl Into<String>) -> Result<T> {
    Err(Error::invalid(ORIGIN, problem.into()).into())
}

/// Along which axis a yarn runs once a period, if it does.
fn axis(shift: [i32; 2]) -> Option<usize> {
    match shift {
        [1 | -1, 0] => Some(0),
        [0, 1 | -1] => Some(1),
        _ => None,
    }
}

/// Whether the yarns of a pattern run as those of weaves do: each once along x or once along y, some along either.
pub fn is_woven(pattern: &Pattern) -> bool {
    let axes: Vec<_> = pattern.yarns().iter().map(|yarn| axis(yarn.shift)).collect();
    axes.iter().all(Option::is_some) && [0, 1].iter().all(|k| axes.contains(&Some(*k)))
}

/// Reads the weave off a pattern: yarns once along x or once along y, each pair crossing once.
pub fn woven(pattern: &Pattern, material: &YarnMaterial) -> Result<Woven> {
    let mut families: [Vec<(f64, usize)>; 2] = [Vec::new(), Vec::new()];
    for (k, yarn) in pattern.yarns().iter().enumerate() {
        let family = match axis(yarn.shift) {
            Some(axis) => axis,
            None => {
                let [x, y] = yarn.shift;
                return refuse(format!(
                    "need a woven pattern: yarn {} runs {x} periods along x and {y} along y, not once along one of them",
                    k + 1
                ));
            }
        };
        // Yarns lie beside each other: copies go into one period.
        let first = pattern.vertices()[yarn.vertices[0] as usize].position[1 - family];
        families[family].push((first.rem_euclid(pattern.period()[1 - family]), k));
    }
    families.iter_mut().for_each(|f| f.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let [wefts, warps] = families.map(|f| f.into_iter().map(|(_, k)| k).collect::<Vec<_>>());
    if wefts.is_empty() || warps.is_empty() {
        return refuse("need a woven pattern: all of its yarns run the same way");
    }
    let over = sides(pattern, &wefts, &warps)?;
    let row = |j: usize| over[j].iter().map(|o| if *o { '1' } else { '0' }).collect::<String>();
    let rows: Vec<String> = (0..wefts.len()).rev().map(row).collect();
    let draft = Draft::parse(&rows.join("/"))?;
    let counts = [warps.len(), wefts.len()];
    let length = |yarns: &[usize], crossings: usize| {
        let yarn = |k: usize| pattern.yarns()[k].vertices.iter().map(|v| pattern.vertices()[*v as usize].rest_length);
        let sum: f64 = yarns.iter().flat_map(|k| yarn(*k)).sum();
        sum / (yarns.len() * crossings) as f64
    };
    let changes = |other: &dyn Fn(usize, usize) -> bool| {
        let all = (0..wefts.len()).flat_map(|j| (0..warps.len()).map(move |i| (j, i)));
        let count = all.filter(|(j, i)| over[*j][*i] != other(*j, *i)).count();
        count as f64 / (wefts.len() * warps.len()) as f64
    };
    let k = Stiffness::new(material, pattern.radius());
    Ok(Woven {
        spacing: [0, 1].map(|axis| pattern.period()[axis] / counts[axis] as f64),
        yarn_length: [length(&wefts, counts[0]), length(&warps, counts[1])],
        interlaced: [changes(&|j, i| over[j][(i + 1) % warps.len()]), changes(&|j, i| over[(j + 1) % wefts.len()][i])],
        draft,
        stretch: k.stretch,
        bend: k.bend,
        radius: pattern.radius(),
    })
}

/// By weft and warp, whether the warp is over.
fn sides(pattern: &Pattern, wefts: &[usize], warps: &[usize]) -> Result<Vec<Vec<bool>>> {
    let mut yarn_of = vec![0; pattern.vertices().len()];
    for (k, yarn) in pattern.yarns().iter().enumerate() {
        yarn.vertices.iter().for_each(|v| yarn_of[*v as usize] = k);
    }
    let mut found: BTreeMap<[usize; 2], (usize, bool)> = BTreeMap::new();
    for crossing in crossings(pattern)? {
        let [above, below] = crossing.edges.map(|edge| yarn_of[edge]);
        let warp_above = warps.contains(&above);
        let pair = if warp_above { [below, above] } else { [above, below] };
        let entry = found.entry(pair).or_insert((0, warp_above));
        entry.0 += 1;
    }
    let side = |weft: usize, warp: usize| match found.get(&[weft, warp]) {
        Some((1, over)) => Ok(*over),
        other => refuse(format!(
            "need a woven pattern: yarns {} and {} cross {} times, not once",
            weft + 1,
            warp + 1,
            other.map_or(0, |o| o.0)
        )),
    };
    wefts.iter().map(|weft| warps.iter().map(|warp| side(*weft, *warp)).collect()).collect()
}
