//! One period of fabric made of B-spline yarns, and its equilibria.

use super::contacts::Contacts;
use super::curve::{Curve, interpolate_closed};
use super::gauge;
use super::objective::CellObjective;
use super::place::{Place, rates, stretch_of};
use super::settings::SplineSettings;
use super::virial::{Virial, affine_change};
use super::yarns::{SplineEnergy, Yarns};
use crate::cell::Stiffness;
use crate::newton::{Holds, Minimum, Newton, NewtonOptions, NewtonWork};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, VertexLine, pattern_of_vertices};
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// Equilibria on the way need not be exact.
pub(super) const TOLERANCE_ON_THE_WAY: f64 = 1e-6;

/// The most saddles that are left on the way to a minimum.
const MAX_PUSHES: usize = 8;

/// The most changes of the period while it relaxes.
const MAX_PERIOD_STEPS: usize = 60;

/// The period changes by at most this fraction at once.
const PERIOD_STEP: f64 = 0.05;

/// The period is found when its next change is smaller than this fraction; what forces are balanced to moves it by a hundredth of it.
const PERIOD_TOLERANCE: f64 = 1e-6;

/// A period of fabric made of B-spline yarns.
#[derive(Clone, Debug)]
pub struct SplineCell {
    /// Its yarns.
    pub yarns: Yarns,
    /// Period (px, py), m.
    pub period: [f64; 2],
    /// Control points where searches begin, m: the equilibrium without strain.
    pub rest: Vec<Vector3<f64>>,
    /// Number of crossings of yarns in a cell.
    pub crossings: usize,
    /// Resolution and search.
    pub settings: SplineSettings,
    holds: Holds,
}

/// An equilibrium, or where the search for it was given up.
#[derive(Clone, Debug)]
pub struct SplineState {
    /// The strain.
    pub strain: Strain<f64>,
    /// Control points, m.
    pub q: Vec<Vector3<f64>>,
    /// What touches.
    pub contacts: Contacts,
    /// Energy of the cell by kind, J.
    pub energy: SplineEnergy,
    /// Norm of the unbalanced forces over ks.
    pub residual: f64,
    /// Whether forces balance and no yarn passed through another on the way.
    pub converged: bool,
    /// Whether yarns passed through each other: the state then belongs to another fabric.
    pub passed_through: bool,
    /// Work done on the way.
    pub work: NewtonWork,
}

/// How an equilibrium responds: derivatives at fixed parameters.
pub(super) struct Linearized {
    pub(super) stable: bool,
    /// -d(forces)/ds for each strain component, all points moving along with space, N.
    pub(super) by_strain: [Vec<Vector3<f64>>; 3],
}

impl SplineCell {
    /// The yarns of `pattern`, at rest in its period. Fails for a material that cannot be solved, a pattern whose yarns are curved
    /// at rest, and where no equilibrium is found.
    pub fn new(pattern: &Pattern, material: &YarnMaterial, settings: &SplineSettings) -> Result<Self> {
        let mut cell = Self::unrelaxed(pattern, material, settings)?;
        let state = cell.search(&cell.rest, &cell.yarns, Strain::new(0.0, 0.0, 0.0), &settings.newton);
        if state.passed_through || !state.energy.total().is_finite() {
            return Err(no_rest("yarns pass through each other; relax the pattern first"));
        }
        if !state.converged {
            return Err(no_rest(&format!(
                "its forces do not balance ({:.1e} of the stretch stiffness is left)",
                state.residual
            )));
        }
        cell.rest = state.q;
        Ok(cell)
    }

    /// The same with the period at which nothing pulls.
    pub fn with_free_period(pattern: &Pattern, material: &YarnMaterial, settings: &SplineSettings) -> Result<Self> {
        let mut cell = Self::new(pattern, material, settings)?;
        for _ in 0..MAX_PERIOD_STEPS {
            let step = cell.period_step();
            let from = cell.period;
            cell.period = [0, 1].map(|k| cell.period[k] * (1.0 + step[k]));
            let stretch = Matrix2::from_diagonal(&Vector2::new(1.0 + step.x, 1.0 + step.y));
            let start = moved(&cell.rest, &stretch);
            let state = cell.search(&start, &cell.yarns, Strain::new(0.0, 0.0, 0.0), &settings.newton);
            if !state.converged {
                return Err(no_rest(&format!("no equilibrium at a period of {} by {} m", from[0], from[1])));
            }
            cell.rest = state.q;
            if step.amax() < PERIOD_TOLERANCE {
                return Ok(cell);
            }
        }
        Err(no_rest(
            "it still pulls after 60 changes of its period: choose the material that the pattern is made for (--material), relax it first, \
             or keep its period (--period fixed)",
        ))
    }

    fn unrelaxed(pattern: &Pattern, material: &YarnMaterial, settings: &SplineSettings) -> Result<Self> {
        settings.check()?;
        material.check()?;
        if let Some(i) = pattern.vertices().iter().position(|v| v.rest_curvature != [0.0; 2]) {
            let problem = format!(
                "vertex {} is curved at rest; yarns as splines are straight at rest. Set its rest curvature to 0",
                i + 1
            );
            return Err(Error::invalid("pattern", problem));
        }
        let place = Place::strained(Strain::new(0.0, 0.0, 0.0), pattern.period());
        let (mut curves, mut rest) = (Vec::new(), Vec::new());
        for yarn in pattern.yarns() {
            let (curve, points) = curve_of(pattern, yarn, &place, rest.len(), settings);
            curves.push(curve);
            rest.extend(points);
        }
        let turns: Vec<Vector3<f64>> = curves.iter().map(|c| place.turn(c)).collect();
        let holds = gauge::holds(&curves, &rest, &turns);
        let stiffness = Stiffness::new(material, pattern.radius());
        let yarns = Yarns::new(curves, pattern.radius(), stiffness, settings);
        let crossings = crossings_of(&yarns, pattern);
        Ok(SplineCell { yarns, period: pattern.period(), rest, crossings, settings: *settings, holds })
    }

    /// The cell at rest as a pattern with a vertex at the end of each span: made into splines again, it is this cell.
    pub fn pattern(&self) -> Result<Pattern> {
        let place = self.place(Strain::new(0.0, 0.0, 0.0));
        let line = |curve: &Curve| VertexLine {
            positions: (0..curve.count)
                .map(|i| curve.station(i as f64).value(&place.turn(curve), &self.rest))
                .collect(),
            rest_lengths: vec![curve.rest_speed; curve.count],
            shift: curve.shift,
        };
        let lines: Vec<VertexLine> = self.yarns.curves.iter().map(line).collect();
        pattern_of_vertices(self.period, self.yarns.radius, &lines, "fabric at rest")
    }

    /// Area of a period, m^2.
    pub fn area(&self) -> f64 {
        self.period[0] * self.period[1]
    }

    /// The lattice under `strain`.
    pub fn place(&self, strain: Strain<f64>) -> Place {
        Place::strained(strain, self.period)
    }

    /// The equilibrium under `strain`, from rest by even increments.
    pub fn solve(&self, strain: Strain<f64>) -> SplineState {
        self.solve_with(strain, &self.yarns.stiffness)
    }

    /// The same, and a minimum where that is a saddle: compressed fabric stays as it is by symmetry alone until something pushes it.
    /// Whether it is a minimum comes with it.
    pub fn solve_stable(&self, strain: Strain<f64>) -> (SplineState, bool) {
        let mut state = self.solve(strain);
        let mut objective = CellObjective::new(&self.yarns, self.place(strain));
        let mut newton = Newton::new(&mut objective, state.q.clone(), self.holds.clone(), &self.settings.newton);
        let mut stable = newton.factorize();
        let mut minimum = newton.minimum();
        let mut pushes = 0;
        while state.converged && !stable && pushes < MAX_PUSHES && newton.leave_saddle() {
            minimum = newton.run();
            stable = newton.factorize();
            pushes += 1;
        }
        if pushes > 0 {
            let q = newton.into_x();
            let work = state.work + minimum.work;
            state = self.ended(&objective, strain, q, Minimum { work, ..minimum });
        }
        (state, stable)
    }

    /// The same for yarns of another stiffness.
    pub fn solve_with(&self, strain: Strain<f64>, stiffness: &Stiffness) -> SplineState {
        let yarns = Yarns { stiffness: *stiffness, ..self.yarns.clone() };
        let largest = strain.sx.abs().max(strain.sa.abs()).max(strain.sy.abs());
        let increments = ((largest / self.settings.increment).ceil() as usize).max(1);
        let at = |k: usize| {
            let part = k as f64 / increments as f64;
            Strain::new(part * strain.sx, part * strain.sa, part * strain.sy)
        };
        let mut q = self.rest.clone();
        let mut work = NewtonWork::default();
        let mut passed = false;
        for k in 1..increments {
            let options = NewtonOptions {
                tolerance: self.settings.newton.tolerance.max(TOLERANCE_ON_THE_WAY),
                ..self.settings.newton
            };
            let state = self.step_to(&q, &yarns, at(k - 1), at(k), &options);
            work += state.work;
            passed |= state.passed_through;
            q = state.q;
        }
        let mut state = self.step_to(&q, &yarns, at(increments - 1), strain, &self.settings.newton);
        state.work += work;
        state.passed_through |= passed;
        state.converged &= !passed;
        state
    }

    /// From an equilibrium under one strain to that under another one.
    fn step_to(
        &self,
        q: &[Vector3<f64>],
        yarns: &Yarns,
        from: Strain<f64>,
        to: Strain<f64>,
        options: &NewtonOptions,
    ) -> SplineState {
        let inverse = stretch_of(from).try_inverse().unwrap_or_else(Matrix2::identity);
        self.search(&moved(q, &(stretch_of(to) * inverse)), yarns, to, options)
    }

    fn search(
        &self,
        start: &[Vector3<f64>],
        yarns: &Yarns,
        strain: Strain<f64>,
        options: &NewtonOptions,
    ) -> SplineState {
        let mut objective = CellObjective::new(yarns, self.place(strain));
        let mut newton = Newton::new(&mut objective, start.to_vec(), self.holds.clone(), options);
        let minimum = newton.run();
        let q = newton.into_x();
        self.ended(&objective, strain, q, minimum)
    }

    /// Where a search ended.
    fn ended(
        &self,
        objective: &CellObjective,
        strain: Strain<f64>,
        q: Vec<Vector3<f64>>,
        minimum: Minimum,
    ) -> SplineState {
        let Minimum { residual, converged, work, .. } = minimum;
        let passed_through = objective.passed_through;
        let energy = objective.yarns.energy(&objective.place, &q, &objective.contacts);
        SplineState {
            strain,
            energy,
            residual,
            converged: converged && !passed_through && energy.total().is_finite(),
            passed_through,
            work,
            contacts: objective.contacts.clone(),
            q,
        }
    }

    /// d psi / d(sx, sa, sy) by kind (stretch, bending, contact), N/m, for yarns of this stiffness.
    pub(super) fn stresses(&self, yarns: &Yarns, state: &SplineState) -> [[f64; 3]; 3] {
        let virial = Virial::of(yarns, &self.place(state.strain), &state.q, &state.contacts);
        let rates = rates(state.strain);
        [virial.stretch, virial.bend, virial.contact].map(|v| rates.map(|d| d.dot(&v) / self.area()))
    }

    /// d psi / d(sx, sa, sy), N/m.
    pub fn stress(&self, state: &SplineState) -> [f64; 3] {
        let kinds = self.stresses(&self.yarns, state);
        [0, 1, 2].map(|k| kinds.iter().map(|s| s[k]).sum())
    }

    /// Forces and stiffness around an equilibrium, with the matrix factorized.
    pub(super) fn linearized<'o, 'y>(
        &self,
        objective: &'o mut CellObjective<'y>,
        state: &SplineState,
    ) -> (Newton<'o, CellObjective<'y>>, Linearized) {
        let (place, yarns) = (objective.place, objective.yarns);
        let mut newton = Newton::new(objective, state.q.clone(), self.holds.clone(), &self.settings.newton);
        let stable = newton.factorize();
        let by_strain =
            rates(state.strain).map(|rate| affine_change(yarns, &place, &state.q, &state.contacts, &rate).0);
        (newton, Linearized { stable, by_strain })
    }

    pub(super) fn objective<'y>(&self, yarns: &'y Yarns, strain: Strain<f64>) -> CellObjective<'y> {
        CellObjective::new(yarns, self.place(strain))
    }

    /// d stress / d(sx, sa, sy), N/m: exact where nothing pulls in the plane. None where something moves without resistance.
    pub fn tangent(&self, state: &SplineState) -> Option<Matrix3<f64>> {
        let mut objective = self.objective(&self.yarns, state.strain);
        let (newton, linear) = self.linearized(&mut objective, state);
        let response = [0, 1, 2].map(|j| newton.solve(&linear.by_strain[j]));
        let relaxed =
            |i: usize, j: usize| linear.by_strain[i].iter().zip(&response[j]).map(|(a, b)| a.dot(b)).sum::<f64>();
        linear.stable.then(|| self.affine_tangent(state) - Matrix3::from_fn(relaxed) / self.area())
    }

    /// The same when all points move along with space.
    fn affine_tangent(&self, state: &SplineState) -> Matrix3<f64> {
        let (place, rates) = (self.place(state.strain), rates(state.strain));
        let second = |d: Matrix2<f64>| affine_change(&self.yarns, &place, &state.q, &state.contacts, &d).1;
        let mixed = |i: usize, j: usize| 0.25 * (second(rates[i] + rates[j]) - second(rates[i] - rates[j]));
        Matrix3::from_fn(mixed) / self.area()
    }

    /// A Newton step of the energy as a function of both stretches, bounded. Where yarns do not hold each other yet, the stiffness of
    /// points that move along with space bounds it from above.
    fn period_step(&self) -> Vector2<f64> {
        let state = self.solve(Strain::new(0.0, 0.0, 0.0));
        let stress = self.stress(&state);
        let tangent = self.tangent(&state).unwrap_or_else(|| self.affine_tangent(&state));
        let stiffness = Matrix2::new(tangent[(0, 0)], tangent[(0, 2)], tangent[(2, 0)], tangent[(2, 2)]);
        let eigen = (stiffness + stiffness.transpose()).scale(0.5).symmetric_eigen();
        let floor = 1e-3 * eigen.eigenvalues.amax().max(f64::MIN_POSITIVE);
        let inverse = Matrix2::from_diagonal(&eigen.eigenvalues.map(|l| 1.0 / l.abs().max(floor)));
        let pull = Vector2::new(stress[0], stress[2]);
        let step = -(eigen.eigenvectors * inverse * eigen.eigenvectors.transpose() * pull);
        step * (PERIOD_STEP / step.amax().max(PERIOD_STEP))
    }
}

fn no_rest(problem: &str) -> Error {
    Error::invalid("rest state of yarns as splines", problem.to_owned())
}

/// Points moved along with space.
fn moved(q: &[Vector3<f64>], f: &Matrix2<f64>) -> Vec<Vector3<f64>> {
    let along = |p: &Vector3<f64>| {
        let xy = f * p.xy();
        Vector3::new(xy.x, xy.y, p.z)
    };
    q.iter().map(along).collect()
}

/// A yarn of a pattern as a curve: its vertices joined smoothly, then cut into spans of equal rest length.
fn curve_of(
    pattern: &Pattern,
    yarn: &yarnwise_shared::pattern::Yarn,
    place: &Place,
    first: usize,
    settings: &SplineSettings,
) -> (Curve, Vec<Vector3<f64>>) {
    let vertices = pattern.vertices();
    let turn = place.translation(yarn.shift);
    let (mut points, mut arcs) = (Vec::new(), vec![0.0]);
    let mut shift = [0, 0];
    for v in &yarn.vertices {
        let vertex = &vertices[*v as usize];
        points.push(Vector3::from(vertex.position) + place.translation(shift));
        shift = [0, 1].map(|k| shift[k] + vertex.edge.shift[k]);
        arcs.push(arcs[arcs.len() - 1] + vertex.rest_length);
    }
    let n = points.len();
    let length = arcs[n];
    let per_edge = (length / (n as f64 * settings.span * pattern.radius())).ceil().max(1.0) as usize;
    let count = (per_edge * n).max(4);
    let smooth = interpolate_closed(&points, &turn);
    let through = Curve { first: 0, count: n, closed: true, shift: yarn.shift, rest_speed: length / n as f64 };
    let sample = |i: usize| {
        let arc = length * i as f64 / count as f64;
        let edge = arcs[1..n].partition_point(|a| *a <= arc);
        let t = edge as f64 + (arc - arcs[edge]) / (arcs[edge + 1] - arcs[edge]);
        through.station(t).value(&turn, &smooth)
    };
    let samples: Vec<Vector3<f64>> = (0..count).map(sample).collect();
    let curve = Curve { first, count, closed: true, shift: yarn.shift, rest_speed: length / count as f64 };
    (curve, interpolate_closed(&samples, &turn))
}

/// Crossings of a cell: as the pattern is seen from above, or none.
fn crossings_of(_yarns: &Yarns, pattern: &Pattern) -> usize {
    yarnwise_shared::pattern::crossings::crossings(pattern).map_or(0, |c| c.len())
}
