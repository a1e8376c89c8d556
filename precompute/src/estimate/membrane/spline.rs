//! The energy of a sheet at all strains: cubic splines in sx and sy, powers of sa.
//!
//!   min sum_k [(psi(s_k) - psi_k) / e_k]^2,   e_k = |psi_k - psi_0| + 1e-5 max |psi - psi_0|
//!
//! and the same of stresses where they are known, under second differences of the coefficients that are nowhere negative: along sx
//! and along sy at each shear of the data, and along sa. Then psi is convex along the axes: fabric that is pulled or sheared further
//! never pulls less. Energies of knits grow by five decades; each counts by its own size.
//!
//! **Stretch comes first.** A weave is hundreds of times stiffer in stretch than in shear, and its stiffness in shear has a kink at rest,
//! where tension begins, which splines round off. Sought together, convexity lets what is off in shear be made up for in stretch: 4 % of
//! the stress at a stretch of 1 %. But powers of sa above 0 are nothing where fabric is not sheared: states without shear say all of the
//! first splines, and sheared states the others beside them. Where a state without shear is missing, what all states say together stands in.
//!
//! The breaks are the strains of the data, at most nine along an axis, rest among them, and the places halfway between them where there
//! are five or fewer: without these, knits, which stiffen abruptly, are met thirty times worse. What data leave open is filled by small third
//! derivatives, beside data of the size that is usual there: the energy is a parabola.

use super::convex::{AtLeast, ConvexLeastSquares, SparseRow, dot};
use super::{SheetDatum, SheetResidual, rest_energy, sound};
use crate::Result;
use crate::fabric::Response;
use nalgebra::DVector;
use serde::{Deserialize, Serialize};
use yarnwise_shared::Error;
use yarnwise_shared::parameters::{
    DataSource, InPlane, MembraneParameters, Model, Parameters, SheetBending, SheetEnergy, TensorSpline, Value,
};
use yarnwise_shared::spline::{Basis, basis, greville, knots_of_breaks};

/// How many splines there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SplineOptions {
    /// Breaks of sx and of sy, with both ends; those of the data where not given.
    pub breaks: Option<[Vec<f64>; 2]>,
    /// Powers of sa, ascending from 0; where not given, even ones up to 4, as many as the data have shears, and odd ones too where
    /// shear to both sides differs by more than 1 %.
    pub powers: Option<Vec<u32>>,
}

/// A spline and how well it meets the data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplineFit {
    /// The energy, zero at rest.
    pub spline: TensorSpline,
    /// How many states count.
    pub states: usize,
    /// Root mean square of what is left of the weighted data.
    pub rms: f64,
    /// By how much shear to the other side differs, as a part of the energy of shear; none without states that mirror each other.
    pub asymmetry: Option<f64>,
    /// Every datum.
    pub residuals: Vec<SheetResidual>,
}

/// Energies below this part of the largest count by it.
const ENERGY_FLOOR: f64 = 1e-5;
/// The same of stresses.
const STRESS_FLOOR: f64 = 0.05;
/// The most breaks along an axis.
const MOST: usize = 9;
/// Weight of third derivatives beside the data around them.
const SMOOTH: f64 = 1e-3;
/// Weight of first differences: for what neither data nor third derivatives see.
const FLAT: f64 = 1e-5;
/// Shear to both sides is alike if it differs by no more than this part.
const ALIKE: f64 = 0.01;
/// Strains nearer to each other than this are one.
const SAME: f64 = 1e-6;

/// The energy of a sheet at all strains of the data, from their energies and, where they are known, stresses. `origin` names the data
/// in messages.
pub fn fit_spline(origin: &str, states: &[Response], options: &SplineOptions) -> Result<SplineFit> {
    let mut kept = sound(origin, states)?;
    if let Some(breaks) = &options.breaks {
        kept.retain(|(_, s)| inside(&breaks[0], s.strain[0]) && inside(&breaks[1], s.strain[2]));
        if kept.is_empty() {
            return Err(Error::invalid(origin, "no state lies between the breaks that were given").into());
        }
    }
    let different = [0, 1, 2].map(|axis| different(kept.iter().map(|(_, s)| s.strain[axis])));
    enough(origin, &different)?;
    let asymmetry = asymmetry(&kept);
    let breaks = options.breaks.clone().unwrap_or_else(|| [breaks_of(&different[0]), breaks_of(&different[2])]);
    let powers = options.powers.clone().unwrap_or_else(|| powers_of(&different[1], asymmetry));
    let [sx, sy] = breaks;
    let furthest = different[1].iter().fold(0.0, |m: f64, a| m.max(a.abs()));
    let odd = powers.iter().any(|p| p % 2 == 1);
    // What even powers say holds for shear to both sides.
    let sa = if odd {
        [different[1][0].min(0.0), different[1][different[1].len() - 1].max(0.0)]
    } else {
        [-furthest, furthest]
    };
    let empty = vec![vec![0.0; TensorSpline::count(&sx) * TensorSpline::count(&sy)]; powers.len()];
    let mut spline = TensorSpline { sx, sy, sa, powers, coefficients: empty };
    if let Some(fault) = spline.fault() {
        return Err(Error::invalid(origin, fault).into());
    }
    let shears = if odd { different[1].clone() } else { self::different(different[1].iter().map(|a| a.abs())) };
    let system = SplineSystem::new(&spline, &kept);
    let solution = system.solve(&shears).ok_or_else(|| {
        let problem =
            "the states do not determine the splines: add states between those that are there, or give fewer breaks";
        Error::invalid(origin, problem)
    })?;
    let each = spline.coefficients[0].len();
    for (list, found) in spline.coefficients.iter_mut().zip(solution.as_slice().chunks(each)) {
        list.iter_mut().zip(found).for_each(|(c, x)| *c = system.scale * x);
    }
    let zero = SheetEnergy::new(&spline).offset();
    spline.coefficients[0].iter_mut().for_each(|c| *c -= zero);
    let energy = SheetEnergy::new(&spline);
    let residuals: Vec<_> = system.rows.iter().map(|row| row.residual(&energy, zero)).collect();
    let square: f64 =
        residuals.iter().zip(&system.rows).map(|(r, row)| ((r.found - r.measured) / row.error).powi(2)).sum();
    let rms = (square / residuals.len() as f64).sqrt();
    Ok(SplineFit { spline, states: kept.len(), rms, asymmetry, residuals })
}

impl SplineFit {
    /// The parameters file: who made it, from which data, with which bending.
    pub fn parameters(&self, made_by: &str, data: &str, bending: Option<SheetBending<Value>>) -> Parameters {
        let source = DataSource { name: data.to_owned(), states: self.states };
        let in_plane = InPlane::Spline(self.spline.clone());
        Parameters::new(made_by, vec![source], Vec::new(), Model::Membrane(MembraneParameters { in_plane, bending }))
    }
}

/// Whether a strain lies between the ends of breaks.
fn inside(breaks: &[f64], strain: f64) -> bool {
    breaks.first().zip(breaks.last()).is_some_and(|(low, high)| (*low..=*high).contains(&strain))
}

/// Ascending, each once.
fn different(strains: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = strains.collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < SAME);
    all
}

/// Refuses data that say nothing of a direction.
fn enough(origin: &str, different: &[Vec<f64>; 3]) -> Result<()> {
    let missing = |axis: usize, name: &str, least: usize| {
        let strains = &different[axis];
        let around = strains[0] <= SAME && strains[strains.len() - 1] >= -SAME;
        let few = strains.len() < least;
        (few || !around).then(|| {
            let rest = if around { "" } else { ", around rest" };
            format!("the states have {} different {name}, a spline needs {least} or more{rest}", strains.len())
        })
    };
    let sheared = different[1].iter().any(|a| a.abs() > SAME);
    let shear = || (!sheared).then(|| "no state is sheared, a spline needs one or more sa beside 0".to_owned());
    match missing(0, "sx", 3).or_else(|| missing(2, "sy", 3)).or_else(shear) {
        Some(problem) => {
            Err(Error::invalid(origin, format!("{problem}: add such states, or estimate constants")).into())
        }
        None => Ok(()),
    }
}

/// All of them, with the middles between few; of many, some that are spread as they are.
fn breaks_of(different: &[f64]) -> Vec<f64> {
    if 2 * different.len() <= MOST + 1 {
        let middles = different.windows(2).flat_map(|w| [w[0], 0.5 * (w[0] + w[1])]);
        return middles.chain(different.last().copied()).collect();
    }
    let (last, breaks) = (different.len() - 1, different.len().min(MOST));
    let mut places: Vec<usize> = (0..breaks).map(|k| (k * last + (breaks - 1) / 2) / (breaks - 1)).collect();
    // Fabric is softer where it is not pulled: stiffness changes at rest.
    let rest = (0..=last).min_by(|a, b| different[*a].abs().total_cmp(&different[*b].abs())).unwrap_or(0);
    if !places.contains(&rest)
        && let Some(nearest) = places[1..breaks - 1].iter_mut().min_by_key(|place| place.abs_diff(rest))
    {
        *nearest = rest;
    }
    places.into_iter().map(|k| different[k]).collect()
}

fn powers_of(shears: &[f64], asymmetry: Option<f64>) -> Vec<u32> {
    let count = self::different(shears.iter().map(|a| a.abs()).filter(|a| *a > SAME)).len();
    let largest = if count > 1 { 4 } else { 2 };
    let odd = asymmetry.is_some_and(|a| a > ALIKE);
    (0..=largest).filter(|p| p % 2 == 0 || odd).collect()
}

/// Root mean square of the differences between states that mirror each other, over that of their energies of shear.
fn asymmetry(states: &[(usize, &Response)]) -> Option<f64> {
    let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < SAME);
    let energy = |at: [f64; 3]| states.iter().find(|(_, s)| near(s.strain, at)).map(|(_, s)| s.energy_density);
    let (mut apart, mut shear) = (0.0, 0.0);
    for (_, s) in states.iter().filter(|(_, s)| s.strain[1] > SAME) {
        let [x, a, y] = s.strain;
        let (Some(mirrored), Some(straight)) = (energy([x, -a, y]), energy([x, 0.0, y])) else { continue };
        apart += (s.energy_density - mirrored).powi(2);
        shear += (s.energy_density + mirrored - 2.0 * straight).powi(2);
    }
    (shear > 0.0).then(|| (apart / shear).sqrt())
}

/// One datum.
struct SplineRow {
    state: usize,
    strain: [f64; 3],
    of: SheetDatum,
    /// Order of the derivatives by sx, sa, sy.
    order: [usize; 3],
    /// Energies as differences to that of rest.
    value: f64,
    error: f64,
}

impl SplineRow {
    fn residual(&self, energy: &SheetEnergy, zero: f64) -> SheetResidual {
        let density = energy.at(self.strain);
        let (found, measured) = match self.order.iter().position(|o| *o == 1) {
            None => (density.value, self.value - zero),
            Some(axis) => (density.slope[axis], self.value),
        };
        SheetResidual { state: self.state, strain: self.strain, of: self.of, measured, found }
    }
}

/// The linear problem in coefficients over the largest energy.
struct SplineSystem {
    spline: TensorSpline,
    knots: [Vec<f64>; 2],
    count: [usize; 2],
    rows: Vec<SplineRow>,
    /// The largest energy, J/m^2.
    scale: f64,
}

impl SplineSystem {
    fn new(spline: &TensorSpline, states: &[(usize, &Response)]) -> Self {
        let rest = rest_energy(states);
        let rise = |s: &Response| s.energy_density - rest;
        let scale = states.iter().map(|(_, s)| rise(s).abs()).fold(f64::MIN_POSITIVE, f64::max);
        let stresses = states.iter().flat_map(|(_, s)| s.stress.into_iter().flatten());
        let stiffest = stresses.fold(f64::MIN_POSITIVE, |m: f64, v| m.max(v.abs()));
        let mut rows = Vec::new();
        for (state, s) in states {
            let one = |of, order, value, error| SplineRow { state: *state, strain: s.strain, of, order, value, error };
            rows.push(one(SheetDatum::Energy, [0; 3], rise(s), rise(s).abs() + ENERGY_FLOOR * scale));
            let kinds = [SheetDatum::StressX, SheetDatum::StressShear, SheetDatum::StressY];
            for (axis, stress) in s.stress.into_iter().flatten().enumerate() {
                let mut order = [0; 3];
                order[axis] = 1;
                rows.push(one(kinds[axis], order, stress, stress.abs().max(STRESS_FLOOR * stiffest)));
            }
        }
        let knots = [&spline.sx, &spline.sy].map(|breaks| knots_of_breaks(breaks));
        let count = [&spline.sx, &spline.sy].map(|breaks| TensorSpline::count(breaks));
        SplineSystem { spline: spline.clone(), knots, count, rows, scale }
    }

    fn unknowns(&self) -> usize {
        self.spline.powers.len() * self.count[0] * self.count[1]
    }

    fn place(&self, power: usize, i: usize, j: usize) -> usize {
        power * self.count[0] * self.count[1] + self.spline.place(i, j)
    }

    /// Coefficients over the largest energy; none where the data do not determine them.
    fn solve(&self, shears: &[f64]) -> Option<DVector<f64>> {
        let mut rows: Vec<SparseRow> = self.rows.iter().map(|row| self.data(row)).collect();
        let mut target: Vec<f64> = self.rows.iter().map(|row| row.value / row.error).collect();
        rows.extend(self.smoothness());
        target.resize(rows.len(), 0.0);
        let least = self.convexity(shears).into_iter().map(|row| AtLeast { row, bound: 0.0 }).collect();
        let all = ConvexLeastSquares { rows, target, least, columns: self.unknowns() };
        let mut straight = all.of_first(self.count[0] * self.count[1]);
        let missing = self.without_straight();
        if !missing.is_empty() {
            self.stand_in(&mut straight, &missing, &all.solve()?);
        }
        let stretch = straight.solve()?;
        let shear = all.given(&stretch).solve()?;
        Some(DVector::from_iterator(all.columns, stretch.iter().chain(shear.iter()).copied()))
    }

    /// (sx, sy) of sheared states that no state has without shear.
    fn without_straight(&self) -> Vec<[f64; 2]> {
        let near = |a: &[f64; 2], b: &[f64; 2]| (0..2).all(|k| (a[k] - b[k]).abs() < SAME);
        let place = |row: &SplineRow| [row.strain[0], row.strain[2]];
        let (straight, sheared): (Vec<_>, Vec<_>) = self.rows.iter().partition(|row| row.strain[1].abs() < SAME);
        let straight: Vec<_> = straight.into_iter().filter(|row| row.of == SheetDatum::Energy).map(place).collect();
        let mut missing: Vec<[f64; 2]> = Vec::new();
        for at in sheared.into_iter().map(place) {
            if !straight.iter().chain(&missing).any(|known| near(known, &at)) {
                missing.push(at);
            }
        }
        missing
    }

    /// Adds what a solution for all states says of these places without shear, weighted as data are.
    fn stand_in(&self, straight: &mut ConvexLeastSquares, places: &[[f64; 2]], all: &DVector<f64>) {
        for [x, y] in places {
            let row = self.terms([*x, 0.0, *y], [0; 3]);
            let energy = dot(&row, all);
            let weight = (energy.abs() + ENERGY_FLOOR).recip();
            let own = row.into_iter().filter(|(i, _)| *i < straight.columns);
            straight.rows.push(own.map(|(i, v)| (i, weight * v)).collect());
            straight.target.push(weight * energy);
        }
    }

    fn data(&self, row: &SplineRow) -> SparseRow {
        let weight = self.scale / row.error;
        self.terms(row.strain, row.order).into_iter().map(|(i, v)| (i, weight * v)).collect()
    }

    /// What coefficients are multiplied with in psi or in its derivative of this order.
    fn terms(&self, [x, a, y]: [f64; 3], order: [usize; 3]) -> SparseRow {
        let [bx, by] = [basis(&self.knots[0], x), basis(&self.knots[1], y)];
        let of = |b: &Basis, order: usize| if order == 0 { b.value } else { b.slope };
        let (wx, wy) = (of(&bx, order[0]), of(&by, order[2]));
        let mut entries = Vec::new();
        for (p, power) in self.spline.powers.iter().enumerate() {
            let along = power_at(*power, a, order[1]);
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                entries.push((self.place(p, bx.first + i, by.first + j), along * wx[i] * wy[j]));
            }
        }
        entries
    }

    /// Differences of coefficients along an axis (0 for sx, 1 for sy): lists of places and weights.
    fn differences(&self, axis: usize, order: usize) -> Vec<Vec<(usize, usize, f64)>> {
        let points = greville(&self.knots[axis]);
        self.across(axis, points.windows(order + 1).map(difference).enumerate())
    }

    /// Third derivatives along an axis between two breaks, times their distance cubed.
    fn thirds(&self, axis: usize) -> Vec<Vec<(usize, usize, f64)>> {
        let (knots, breaks) = (&self.knots[axis], [&self.spline.sx, &self.spline.sy][axis]);
        let third = |w: &[f64]| {
            let step = w[1] - w[0];
            let [begin, middle] = [w[0], 0.5 * (w[0] + w[1])].map(|t| basis(knots, t));
            // Second derivatives are linear in between.
            let weights = (0..4).map(|k| (middle.curvature[k] - begin.curvature[k]) * 2.0 * step * step);
            (begin.first, weights.collect())
        };
        self.across(axis, breaks.windows(2).map(third))
    }

    /// Weights of some coefficients along an axis, for every place across.
    fn across(&self, axis: usize, along: impl Iterator<Item = (usize, Vec<f64>)>) -> Vec<Vec<(usize, usize, f64)>> {
        let mut all = Vec::new();
        for (first, weights) in along {
            for across in 0..self.count[1 - axis] {
                let place = |k: usize| if axis == 0 { (first + k, across) } else { (across, first + k) };
                all.push(weights.iter().enumerate().map(|(k, w)| (place(k).0, place(k).1, *w)).collect());
            }
        }
        all
    }

    /// Rows that are small where the energy is a parabola, or nothing.
    fn smoothness(&self) -> Vec<SparseRow> {
        let weights = self.weights();
        let mut rows = Vec::new();
        for axis in [0, 1] {
            let thirds = self.thirds(axis).into_iter().map(|entries| (entries, SMOOTH));
            let firsts = self.differences(axis, 1).into_iter().map(|entries| (entries, FLAT));
            for (entries, weight) in thirds.chain(firsts) {
                let around = entries.iter().map(|(i, j, _)| weights[self.spline.place(*i, *j)]);
                let weight = weight * around.fold(f64::INFINITY, f64::min);
                let of = |p: usize| entries.iter().map(|(i, j, w)| (self.place(p, *i, *j), weight * w)).collect();
                rows.extend((0..self.spline.powers.len()).map(of));
            }
        }
        rows
    }

    /// For each coefficient the least weight of the energies that it adds to: an energy near 0, as that of rest, is no measure of what
    /// is usual around it.
    fn weights(&self) -> Vec<f64> {
        let supports = [0, 1].map(|axis| self.knots[axis].windows(5).map(|k| [k[0], k[4]]).collect::<Vec<_>>());
        let places = supports[1].iter().flat_map(|y| supports[0].iter().map(move |x| [*x, *y]));
        let inside = |s: f64, [low, high]: [f64; 2]| (low..=high).contains(&s);
        let least = |[x, y]: [[f64; 2]; 2]| {
            let energies = self.rows.iter().filter(|row| row.of == SheetDatum::Energy);
            let near = energies.filter(|row| inside(row.strain[0], x) && inside(row.strain[2], y));
            near.map(|row| self.scale / row.error).fold(ENERGY_FLOOR.recip(), f64::min)
        };
        places.map(least).collect()
    }

    /// What must not be negative: second differences along sx and sy at these shears, and second derivatives along sa.
    fn convexity(&self, shears: &[f64]) -> Vec<SparseRow> {
        let mut rows = Vec::new();
        for a in shears {
            let powers: Vec<[f64; 2]> =
                self.spline.powers.iter().map(|p| [0, 2].map(|order| power_at(*p, *a, order))).collect();
            for entries in [0, 1].into_iter().flat_map(|axis| self.differences(axis, 2)) {
                let of = |(p, f): (usize, &[f64; 2])| {
                    entries.iter().map(|(i, j, w)| (self.place(p, *i, *j), f[0] * w)).collect::<SparseRow>()
                };
                rows.push(powers.iter().enumerate().flat_map(of).collect());
            }
            let places = (0..self.count[0]).flat_map(|i| (0..self.count[1]).map(move |j| (i, j)));
            let bend = |(i, j): (usize, usize)| {
                powers.iter().enumerate().map(|(p, f)| (self.place(p, i, j), f[1])).collect::<SparseRow>()
            };
            rows.extend(places.map(bend));
        }
        rows
    }
}

/// a^p, its first or its second derivative.
fn power_at(power: u32, a: f64, order: usize) -> f64 {
    let factor: f64 = (0..order).map(|i| f64::from(power) - i as f64).product();
    if (power as usize) < order { 0.0 } else { factor * a.powi(power as i32 - order as i32) }
}

/// Weights of the divided difference over these points, times their mean distance to the power of its order. Over the means of three knots
/// second differences have the sign of second derivatives.
fn difference(points: &[f64]) -> Vec<f64> {
    let order = points.len() - 1;
    let step = (points[order] - points[0]) / order as f64;
    let weight = |k: usize| {
        let others = (0..=order).filter(|m| *m != k).map(|m| step / (points[k] - points[m]));
        others.product()
    };
    (0..=order).map(weight).collect()
}
