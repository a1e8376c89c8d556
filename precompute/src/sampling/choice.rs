//! The choice among the states found for each sample.
//!
//! A table is good when its energies are low and nothing pops. Each sample pays for the energy by which it exceeds its
//! lowest state, and for its second differences:
//!
//!   sum_samples price(E / E_lowest - 1 - tolerance)  +  sum_axes,samples weight pop(d) + slope d + discontinuity(d),
//!   d = |second difference| / r.
//!
//! In tension the price makes energy decide. Compressed fabric has many states of nearly the same energy, and
//! smoothness decides. Branches live on lines along sa, the last direction of the tree: the choice on a whole line, its
//! neighbors held, is found exactly by dynamic programming over pairs of consecutive states. Passes over all lines until
//! nothing changes. Where a whole plane of samples is on another branch than the planes beside it, no single line can leave it;
//! so each plane is also given what its lines would choose if only the planes beside it mattered.

use super::candidate::{Candidate, lowest};
use super::compressed;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::grid::StrainGrid;

/// What the choice among states weighs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChoiceSettings {
    /// Energies are the same up to this fraction.
    pub tolerance: f64,
    /// Price of an excess of 1 in energy where neither sx nor sy is negative, in pops.
    pub tension_price: f64,
    /// Price of the root of the excess where one is negative, in pops.
    pub compression_price: f64,
    /// A second difference of this many radii is a pop.
    pub pop: f64,
    /// What a pop costs where the tree has none, in pops.
    pub new_pop: f64,
    /// What a second difference of one radius costs besides, in pops.
    pub slope: f64,
    /// Weight of pops along sx and sy, and of all second differences along them amid compressed fabric.
    pub across: f64,
    /// In tension the table is discontinuous where a second difference along sx or sy is larger than this, in radii. Databases
    /// keep this and the next setting by their old names.
    #[serde(rename = "tear")]
    pub discontinuity: f64,
    /// Price of the square of what a second difference exceeds [`ChoiceSettings::discontinuity`] by, in pops.
    #[serde(rename = "tear_price")]
    pub discontinuity_price: f64,
    /// A state that was found when the sample was retried may have more energy than the first by this fraction.
    pub rise: f64,
}

impl Default for ChoiceSettings {
    fn default() -> Self {
        // In tension 0.1 % of energy cost one pop. In compression 1 % cost 0.3 pops, and ten times more only one.
        let (tension_price, compression_price) = (1e3, 3.0);
        ChoiceSettings {
            tolerance: 8e-4,
            tension_price,
            compression_price,
            pop: 0.49,
            new_pop: 2.0,
            slope: 0.1,
            across: 0.05,
            discontinuity: 1.5,
            discontinuity_price: 0.2,
            rise: 1e-3,
        }
    }
}

/// The axis of the lines.
const LINE: usize = 1;

/// The other axes.
const ACROSS: [usize; 2] = [0, 2];

/// The most passes over all lines.
const MAX_PASSES: usize = 20;

/// A change of a plane must save this much, in pops: less is rounding.
const SAVING: f64 = 1e-9;

/// The number of the chosen candidate of each sample.
pub(super) fn choose(
    grid: &StrainGrid,
    candidates: &[Vec<Candidate>],
    radius: f64,
    settings: &ChoiceSettings,
) -> Vec<usize> {
    let lowest: Vec<usize> = candidates.iter().map(|c| lowest(c)).collect();
    let choice = Choice { grid, candidates, radius, lowest: &lowest, settings };
    // The tree's state, unless it is no equilibrium of this fabric.
    let start = |s: usize| if choice.is_sound(s, 0) { 0 } else { lowest[s] };
    let mut chosen: Vec<usize> = (0..candidates.len()).map(start).collect();
    choice.optimize_lines(0..candidates.len(), &mut chosen);
    if choice.optimize_planes(&mut chosen) {
        choice.optimize_lines(0..candidates.len(), &mut chosen);
    }
    chosen
}

/// What is chosen from, and what the choice weighs.
struct Choice<'a> {
    grid: &'a StrainGrid,
    candidates: &'a [Vec<Candidate>],
    radius: f64,
    lowest: &'a [usize],
    settings: &'a ChoiceSettings,
}

/// The cheapest choice for the beginning of a line that ends with a given pair of consecutive states.
#[derive(Clone, Copy)]
struct Beginning {
    cost: f64,
    /// The state before the pair.
    before: usize,
}

impl Choice<'_> {
    fn is_sound(&self, sample: usize, candidate: usize) -> bool {
        self.candidates[sample][candidate].solved.is_sound()
    }

    fn state(&self, sample: usize, candidate: usize) -> &Displacements {
        &self.candidates[sample][candidate].solved.displacements
    }

    /// Candidates that may be chosen: the sound ones, or all where there is none. A state that was found when the sample was
    /// retried must not have more energy than the tree's may rise to.
    fn options(&self, sample: usize) -> Vec<usize> {
        let all = 0..self.candidates[sample].len();
        let energy = |k: usize| self.candidates[sample][k].solved.energy.total();
        let most = if self.is_sound(sample, 0) { energy(0) * (1.0 + self.settings.rise) } else { f64::INFINITY };
        let sound: Vec<usize> = all.clone().filter(|k| self.is_sound(sample, *k) && energy(*k) <= most).collect();
        if sound.is_empty() { all.collect() } else { sound }
    }

    /// What the second difference of three states on a line of samples costs; the line goes along sa or `across`.
    fn difference_price(&self, line: [(usize, usize); 3], across: bool) -> f64 {
        let settings = self.settings;
        let difference = |line: [(usize, usize); 3]| {
            Displacements::second_difference(line.map(|(s, k)| self.state(s, k))) / self.radius
        };
        let own = difference(line);
        let pops = match own > settings.pop {
            false => 0.0,
            true if difference(line.map(|(s, _)| (s, 0))) > settings.pop => 1.0,
            true => settings.new_pop,
        };
        if !across {
            return pops + settings.slope * own;
        }
        let is_compressed = line.map(|(s, _)| compressed(self.grid.strain(s)));
        let slope = if is_compressed == [true; 3] { settings.across * settings.slope } else { settings.slope };
        let beyond = if is_compressed == [false; 3] { (own - settings.discontinuity).max(0.0) } else { 0.0 };
        settings.across * pops + slope * own + settings.discontinuity_price * beyond * beyond
    }

    /// Passes over the lines that begin at `samples` until nothing changes.
    fn optimize_lines(&self, samples: impl Iterator<Item = usize> + Clone, chosen: &mut [usize]) {
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            for sample in samples.clone().filter(|s| self.grid.indices(*s)[LINE] == 0) {
                changed |= self.choose_line(sample, &ACROSS, chosen);
            }
            if !changed {
                break;
            }
        }
    }

    /// Gives each plane across the lines what suits the planes beside it, where that costs less; whether anything changed.
    fn optimize_planes(&self, chosen: &mut [usize]) -> bool {
        let mut changed = false;
        for axis in ACROSS {
            for index in 0..self.grid.0[axis].len() {
                let plane: Vec<usize> =
                    (0..self.candidates.len()).filter(|s| self.grid.indices(*s)[axis] == index).collect();
                let mut other = chosen.to_vec();
                for sample in plane.iter().filter(|s| self.grid.indices(**s)[LINE] == 0) {
                    self.choose_line(*sample, &[axis], &mut other);
                }
                if other == chosen {
                    continue;
                }
                self.optimize_lines(plane.iter().copied(), &mut other);
                if self.cost_around(axis, index, &other) < self.cost_around(axis, index, chosen) - SAVING {
                    chosen.copy_from_slice(&other);
                    changed = true;
                }
            }
        }
        changed
    }

    /// What a choice costs, as far as it depends on the samples of a plane.
    fn cost_around(&self, axis: usize, index: usize, chosen: &[usize]) -> f64 {
        let mut sum = 0.0;
        for sample in 0..self.candidates.len() {
            let at = self.grid.indices(sample)[axis];
            if at.abs_diff(index) > 1 {
                continue;
            }
            sum += if at == index { self.energy_price(sample, chosen[sample]) } else { 0.0 };
            for k in 0..3 {
                let line = [-1, 0, 1].map(|offset| self.grid.beside(sample, k, offset).map(|s| (s, chosen[s])));
                if let [Some(a), Some(b), Some(c)] = line {
                    sum += self.difference_price([a, b, c], k != LINE);
                }
            }
        }
        sum
    }

    /// Makes the best choice on the line that begins at `first`, seen from its neighbors along `axes`; whether it is a new one.
    fn choose_line(&self, first: usize, axes: &[usize], chosen: &mut [usize]) -> bool {
        let at = self.grid.indices(first);
        let line: Vec<usize> = (0..self.grid.0[LINE].len())
            .map(|i| {
                let mut to = at;
                to[LINE] = i;
                self.grid.sample(to)
            })
            .collect();
        let options: Vec<Vec<usize>> = line.iter().map(|s| self.options(*s)).collect();
        let own: Vec<Vec<f64>> = line
            .iter()
            .zip(&options)
            .map(|(s, o)| o.iter().map(|k| self.own_price(chosen, *s, *k, axes)).collect())
            .collect();
        // beginnings[i][a][b]: the cheapest choice up to sample i + 1 that ends with its option b and option a before it.
        let pair = |a: usize, b: usize| Beginning { cost: own[0][a] + own[1][b], before: 0 };
        let mut beginnings = vec![grid_of(options[0].len(), options[1].len(), pair)];
        for i in 2..line.len() {
            let last = &beginnings[i - 2];
            let next = |b: usize, c: usize| {
                let cost = |a: usize| {
                    let states = [(i - 2, a), (i - 1, b), (i, c)].map(|(n, o)| (line[n], options[n][o]));
                    last[a][b].cost + self.difference_price(states, false)
                };
                let best = (0..options[i - 2].len()).map(|a| (cost(a), a)).min_by(|x, y| x.0.total_cmp(&y.0));
                let (cost, before) = best.unwrap_or((0.0, 0));
                Beginning { cost: cost + own[i][c], before }
            };
            let step = grid_of(options[i - 1].len(), options[i].len(), next);
            beginnings.push(step);
        }
        let mut changed = false;
        for (i, option) in trace(&beginnings).into_iter().enumerate() {
            changed |= std::mem::replace(&mut chosen[line[i]], options[i][option]) != options[i][option];
        }
        changed
    }

    /// What a sample alone costs, and with its neighbors along `axes`, if it takes `candidate`.
    fn own_price(&self, chosen: &[usize], sample: usize, candidate: usize, axes: &[usize]) -> f64 {
        let mut sum = self.energy_price(sample, candidate);
        for k in axes {
            let line = |offset: isize| -> Option<(usize, usize)> {
                let other = self.grid.beside(sample, *k, offset)?;
                Some((other, if offset == 0 { candidate } else { chosen[other] }))
            };
            for center in -1..=1 {
                if let (Some(a), Some(b), Some(c)) = (line(center - 1), line(center), line(center + 1)) {
                    sum += self.difference_price([a, b, c], true);
                }
            }
        }
        sum
    }

    fn energy_price(&self, sample: usize, candidate: usize) -> f64 {
        let energy = |k: usize| self.candidates[sample][k].solved.energy.total();
        let excess = (energy(candidate) / energy(self.lowest[sample]) - 1.0 - self.settings.tolerance).max(0.0);
        if compressed(self.grid.strain(sample)) {
            self.settings.compression_price * excess.sqrt()
        } else {
            self.settings.tension_price * excess
        }
    }
}

fn grid_of(rows: usize, columns: usize, f: impl Fn(usize, usize) -> Beginning) -> Vec<Vec<Beginning>> {
    (0..rows).map(|a| (0..columns).map(|b| f(a, b)).collect()).collect()
}

/// The options of the cheapest choice, first to last.
fn trace(beginnings: &[Vec<Vec<Beginning>>]) -> Vec<usize> {
    let Some(end) = beginnings.last() else { return Vec::new() };
    let pairs = (0..end.len()).flat_map(|a| (0..end[a].len()).map(move |b| (a, b)));
    let cheapest = pairs.min_by(|x, y| end[x.0][x.1].cost.total_cmp(&end[y.0][y.1].cost));
    let (mut a, mut b) = cheapest.unwrap_or((0, 0));
    let mut path = vec![b];
    for beginning in beginnings.iter().rev() {
        path.push(a);
        (a, b) = (beginning[a][b].before, a);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::energy::Energy;
    use crate::equilibrium::Solved;
    use yarnwise_shared::table::grid::{Axis, Grid};

    /// A state of one vertex at `place` radii, with this energy.
    fn candidate(place: f64, energy: f64) -> Candidate {
        let solved = Solved {
            displacements: vec![[place, 0.0, 0.0, 0.0]].into(),
            energy: Energy { bend: energy, ..Energy::default() },
            energy_density: energy,
            stress: None,
            residual: 0.0,
            converged: true,
            passed_through: false,
            pullback_residual: 0.0,
            work: crate::equilibrium::descent::Work::default(),
        };
        Candidate { solved, started_from: None }
    }

    /// Stretched fabric, 5 x 3 x 5 samples. In the middle plane of sx the tree is on another branch, three radii away, for sy from
    /// `from` on; the branch of all others is known there too, with energy 1 + `above`. Whether it is chosen, by sy.
    fn returns_to_the_branch(from: usize, above: f64) -> Vec<bool> {
        let axis = |n: usize| Axis::new("test", (0..n).map(|i| 0.1 * i as f64).collect()).unwrap();
        let grid = Grid([axis(5), axis(3), axis(5)]);
        let other = |[x, _, y]: [usize; 3]| x == 2 && y >= from;
        let candidates: Vec<Vec<Candidate>> = (0..grid.sample_count())
            .map(|s| match other(grid.indices(s)) {
                true => vec![candidate(3.0, 1.0), candidate(0.0, 1.0 + above)],
                false => vec![candidate(0.0, 1.0)],
            })
            .collect();
        let chosen = choose(&grid, &candidates, 1.0, &ChoiceSettings::default());
        (from..5).map(|y| (0..3).all(|a| chosen[grid.sample([2, a, y])] == 1)).collect()
    }

    #[test]
    fn a_plane_on_another_branch_returns_if_that_costs_no_energy() {
        assert_eq!(returns_to_the_branch(0, 5e-4), [true; 5]);
        assert_eq!(returns_to_the_branch(1, 5e-4), [true; 4]);
        assert_eq!(returns_to_the_branch(0, 2e-3), [false; 5], "more energy than the first state may have");
    }

    /// What a second difference of `radii` radii across the lines costs, pops aside, where sx begins at `first`.
    fn difference_across(first: f64, radii: f64) -> f64 {
        let axis = |from: f64| Axis::new("test", (0..3).map(|i| from + 0.1 * f64::from(i)).collect()).unwrap();
        let grid = Grid([axis(first), axis(0.0), axis(0.0)]);
        let place = |s: usize| if grid.indices(s)[0] == 1 { 0.5 * radii } else { 0.0 };
        let candidates: Vec<Vec<Candidate>> =
            (0..grid.sample_count()).map(|s| vec![candidate(place(s), 1.0)]).collect();
        let settings = ChoiceSettings { across: 0.05, pop: f64::INFINITY, ..ChoiceSettings::default() };
        let choice = Choice { grid: &grid, candidates: &candidates, radius: 1.0, lowest: &[], settings: &settings };
        choice.difference_price([0, 1, 2].map(|x| (grid.sample([x, 1, 1]), 0)), true)
    }

    #[test]
    fn discontinuities_cost_much_in_tension_and_little_amid_compression() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(difference_across(0.0, 1.0), 0.1);
        near(difference_across(0.0, 3.5), 0.35 + 0.2 * 4.0);
        near(difference_across(-0.1, 3.5), 0.35);
        near(difference_across(-0.5, 3.5), 0.05 * 0.35);
    }

    /// What a line alone would not do, since each of its neighbors in the plane holds it.
    #[test]
    fn planes_change_where_lines_cannot() {
        let axis = |n: usize| Axis::new("test", (0..n).map(|i| -0.5 + 0.1 * i as f64).collect()).unwrap();
        let grid = Grid([axis(3), axis(3), axis(5)]);
        let candidates: Vec<Vec<Candidate>> = (0..grid.sample_count())
            .map(|s| match grid.indices(s)[0] {
                // A line that leaves its plane saves one second difference of twice this size and makes one of this size, where the tree has none.
                1 => vec![candidate(0.495, 1.0), candidate(0.0, 1.0)],
                _ => vec![candidate(0.0, 1.0)],
            })
            .collect();
        let settings = ChoiceSettings::default();
        let lowest: Vec<usize> = candidates.iter().map(|c| lowest(c)).collect();
        let choice = Choice { grid: &grid, candidates: &candidates, radius: 1.0, lowest: &lowest, settings: &settings };
        let start = vec![0; candidates.len()];
        let mut chosen = start.clone();
        choice.optimize_lines(0..candidates.len(), &mut chosen);
        assert_eq!(chosen, start, "lines hold each other");
        assert!(choice.optimize_planes(&mut chosen));
        let middle = |s: usize| grid.indices(s)[0] == 1;
        assert!((0..candidates.len()).all(|s| chosen[s] == usize::from(middle(s))));
        assert!(!choice.optimize_planes(&mut chosen), "nothing is left to change");
    }
}
