//! The choice among the states found for each sample.
//!
//! A table is good when its energies are low and nothing pops. Each sample pays for the energy by which it exceeds its
//! lowest state, and for its second differences:
//!
//!   sum_samples price(E / E_lowest - 1 - tolerance)  +  sum_axes,samples weight pop(d) + slope d + tear(d),
//!   d = |second difference| / r.
//!
//! In tension the price makes energy decide. Compressed fabric has many states of nearly the same energy, and
//! smoothness decides. Branches live on lines along sa, the last direction of the tree: the choice on a whole line, its
//! neighbors held, is found exactly by dynamic programming over pairs of consecutive states. Passes over all lines until
//! nothing changes. Where a whole plane of samples is on another branch than the planes beside it, no single line can leave it;
//! so each plane is also tried with what its lines would choose if only the planes beside it mattered.

use super::compressed;
use super::continuation::{Candidate, lowest, sound};
use super::tree::beside;
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
    /// In tension the table is torn where a second difference along sx or sy is larger, in radii, ...
    pub tear: f64,
    /// ... and the square of what it is larger by has this price, in pops.
    pub tear_price: f64,
    /// A state that was found when the sample was tried again may have more energy than the first by this fraction.
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
            tear: 1.5,
            tear_price: 0.2,
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
pub fn choose(grid: &StrainGrid, candidates: &[Vec<Candidate>], radius: f64, settings: &ChoiceSettings) -> Vec<usize> {
    let lowest: Vec<usize> = candidates.iter().map(|c| lowest(c)).collect();
    let table = Table { grid, candidates, radius, lowest: &lowest, settings };
    // The tree's state, unless it is no equilibrium of this fabric.
    let start = |s: usize| if table.sound(s, 0) { 0 } else { lowest[s] };
    let mut chosen: Vec<usize> = (0..candidates.len()).map(start).collect();
    table.settle(0..candidates.len(), &mut chosen);
    if table.turn_planes(&mut chosen) {
        table.settle(0..candidates.len(), &mut chosen);
    }
    chosen
}

struct Table<'a> {
    grid: &'a StrainGrid,
    candidates: &'a [Vec<Candidate>],
    radius: f64,
    lowest: &'a [usize],
    settings: &'a ChoiceSettings,
}

/// The cheapest way to a pair of consecutive states.
#[derive(Clone, Copy)]
struct Way {
    cost: f64,
    /// The state before the pair.
    before: usize,
}

impl Table<'_> {
    fn sound(&self, sample: usize, candidate: usize) -> bool {
        sound(&self.candidates[sample][candidate].solved)
    }

    fn state(&self, sample: usize, candidate: usize) -> &[[f64; 4]] {
        &self.candidates[sample][candidate].solved.displacements
    }

    /// Candidates that may be chosen: the sound ones, or all where there is none. A state that was found when the sample was
    /// tried again must not have more energy than the tree's may rise to.
    fn options(&self, sample: usize) -> Vec<usize> {
        let all = 0..self.candidates[sample].len();
        let energy = |k: usize| self.candidates[sample][k].solved.energy.total();
        let most = if self.sound(sample, 0) { energy(0) * (1.0 + self.settings.rise) } else { f64::INFINITY };
        let sound: Vec<usize> = all.clone().filter(|k| self.sound(sample, *k) && energy(*k) <= most).collect();
        if sound.is_empty() { all.collect() } else { sound }
    }

    /// What the second difference of three states on a line of samples costs; the line goes along sa or `across`.
    fn bend(&self, line: [(usize, usize); 3], across: bool) -> f64 {
        let settings = self.settings;
        let difference =
            |line: [(usize, usize); 3]| second_difference(line.map(|(s, k)| self.state(s, k))) / self.radius;
        let own = difference(line);
        let pops = match own > settings.pop {
            false => 0.0,
            true if difference(line.map(|(s, _)| (s, 0))) > settings.pop => 1.0,
            true => settings.new_pop,
        };
        if !across {
            return pops + settings.slope * own;
        }
        let is_compressed = line.map(|(s, _)| compressed(self.grid.coordinates(s)));
        let slope = if is_compressed == [true; 3] { settings.across * settings.slope } else { settings.slope };
        let torn = if is_compressed == [false; 3] { (own - settings.tear).max(0.0) } else { 0.0 };
        settings.across * pops + slope * own + settings.tear_price * torn * torn
    }

    /// Passes over the lines that begin at `samples` until nothing changes.
    fn settle(&self, samples: impl Iterator<Item = usize> + Clone, chosen: &mut [usize]) {
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

    /// Tries for each plane across the lines what suits the planes beside it; whether that made the table better anywhere.
    fn turn_planes(&self, chosen: &mut [usize]) -> bool {
        let mut turned = false;
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
                self.settle(plane.iter().copied(), &mut other);
                if self.cost_around(axis, index, &other) < self.cost_around(axis, index, chosen) - SAVING {
                    chosen.copy_from_slice(&other);
                    turned = true;
                }
            }
        }
        turned
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
                let line = [-1, 0, 1].map(|offset| beside(self.grid, sample, k, offset).map(|s| (s, chosen[s])));
                if let [Some(a), Some(b), Some(c)] = line {
                    sum += self.bend([a, b, c], k != LINE);
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
        // ways[i][a][b]: the cheapest choice up to sample i + 1 that ends with its option b and option a before it.
        let pair = |a: usize, b: usize| Way { cost: own[0][a] + own[1][b], before: 0 };
        let mut ways = vec![grid_of(options[0].len(), options[1].len(), pair)];
        for i in 2..line.len() {
            let last = &ways[i - 2];
            let next = |b: usize, c: usize| {
                let way = |a: usize| {
                    let states = [(i - 2, a), (i - 1, b), (i, c)].map(|(n, o)| (line[n], options[n][o]));
                    last[a][b].cost + self.bend(states, false)
                };
                let best = (0..options[i - 2].len()).map(|a| (way(a), a)).min_by(|x, y| x.0.total_cmp(&y.0));
                let (cost, before) = best.unwrap_or((0.0, 0));
                Way { cost: cost + own[i][c], before }
            };
            let step = grid_of(options[i - 1].len(), options[i].len(), next);
            ways.push(step);
        }
        let mut changed = false;
        for (i, option) in trace(&ways).into_iter().enumerate() {
            changed |= std::mem::replace(&mut chosen[line[i]], options[i][option]) != options[i][option];
        }
        changed
    }

    /// What a sample costs by itself and along `axes`, if it takes `candidate`.
    fn own_price(&self, chosen: &[usize], sample: usize, candidate: usize, axes: &[usize]) -> f64 {
        let mut sum = self.energy_price(sample, candidate);
        for k in axes {
            let line = |offset: isize| -> Option<(usize, usize)> {
                let other = beside(self.grid, sample, *k, offset)?;
                Some((other, if offset == 0 { candidate } else { chosen[other] }))
            };
            for center in -1..=1 {
                if let (Some(a), Some(b), Some(c)) = (line(center - 1), line(center), line(center + 1)) {
                    sum += self.bend([a, b, c], true);
                }
            }
        }
        sum
    }

    fn energy_price(&self, sample: usize, candidate: usize) -> f64 {
        let energy = |k: usize| self.candidates[sample][k].solved.energy.total();
        let excess = (energy(candidate) / energy(self.lowest[sample]) - 1.0 - self.settings.tolerance).max(0.0);
        if compressed(self.grid.coordinates(sample)) {
            self.settings.compression_price * excess.sqrt()
        } else {
            self.settings.tension_price * excess
        }
    }
}

fn grid_of(rows: usize, columns: usize, f: impl Fn(usize, usize) -> Way) -> Vec<Vec<Way>> {
    (0..rows).map(|a| (0..columns).map(|b| f(a, b)).collect()).collect()
}

/// The options of the cheapest way, first to last.
fn trace(ways: &[Vec<Vec<Way>>]) -> Vec<usize> {
    let Some(end) = ways.last() else { return Vec::new() };
    let pairs = (0..end.len()).flat_map(|a| (0..end[a].len()).map(move |b| (a, b)));
    let cheapest = pairs.min_by(|x, y| end[x.0][x.1].cost.total_cmp(&end[y.0][y.1].cost));
    let (mut a, mut b) = cheapest.unwrap_or((0, 0));
    let mut path = vec![b];
    for way in ways.iter().rev() {
        path.push(a);
        (a, b) = (way[a][b].before, a);
    }
    path.reverse();
    path
}

/// The largest second difference of a vertex on a line of three states, m.
pub(super) fn second_difference([a, b, c]: [&[[f64; 4]]; 3]) -> f64 {
    let at = |v: usize| (0..3).map(|k| (a[v][k] - 2.0 * b[v][k] + c[v][k]).powi(2)).sum::<f64>();
    (0..a.len()).map(at).fold(0.0, f64::max).sqrt()
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
            displacements: vec![[place, 0.0, 0.0, 0.0]],
            energy: Energy { bend: energy, ..Energy::default() },
            energy_density: energy,
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

    /// What a kink of so many radii across the lines costs, pops aside, where sx begins at `first`.
    fn kink_across(first: f64, radii: f64) -> f64 {
        let axis = |from: f64| Axis::new("test", (0..3).map(|i| from + 0.1 * f64::from(i)).collect()).unwrap();
        let grid = Grid([axis(first), axis(0.0), axis(0.0)]);
        let place = |s: usize| if grid.indices(s)[0] == 1 { 0.5 * radii } else { 0.0 };
        let candidates: Vec<Vec<Candidate>> =
            (0..grid.sample_count()).map(|s| vec![candidate(place(s), 1.0)]).collect();
        let settings = ChoiceSettings { across: 0.05, pop: f64::INFINITY, ..ChoiceSettings::default() };
        let table = Table { grid: &grid, candidates: &candidates, radius: 1.0, lowest: &[], settings: &settings };
        table.bend([0, 1, 2].map(|x| (grid.sample([x, 1, 1]), 0)), true)
    }

    #[test]
    fn tears_are_dear_in_tension_and_kinks_cheap_amid_compression() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(kink_across(0.0, 1.0), 0.1);
        near(kink_across(0.0, 3.5), 0.35 + 0.2 * 4.0);
        near(kink_across(-0.1, 3.5), 0.35);
        near(kink_across(-0.5, 3.5), 0.05 * 0.35);
    }

    /// What the line by itself would not do, since each of its neighbors in the plane holds it.
    #[test]
    fn planes_turn_where_lines_cannot() {
        let axis = |n: usize| Axis::new("test", (0..n).map(|i| -0.5 + 0.1 * i as f64).collect()).unwrap();
        let grid = Grid([axis(3), axis(3), axis(5)]);
        let candidates: Vec<Vec<Candidate>> = (0..grid.sample_count())
            .map(|s| match grid.indices(s)[0] {
                // A line that leaves its plane saves one kink of twice this size and makes one of this size, where the tree has none.
                1 => vec![candidate(0.495, 1.0), candidate(0.0, 1.0)],
                _ => vec![candidate(0.0, 1.0)],
            })
            .collect();
        let settings = ChoiceSettings::default();
        let lowest: Vec<usize> = candidates.iter().map(|c| lowest(c)).collect();
        let table = Table { grid: &grid, candidates: &candidates, radius: 1.0, lowest: &lowest, settings: &settings };
        let start = vec![0; candidates.len()];
        let mut chosen = start.clone();
        table.settle(0..candidates.len(), &mut chosen);
        assert_eq!(chosen, start, "lines hold each other");
        assert!(table.turn_planes(&mut chosen));
        let middle = |s: usize| grid.indices(s)[0] == 1;
        assert!((0..candidates.len()).all(|s| chosen[s] == usize::from(middle(s))));
        assert!(!table.turn_planes(&mut chosen), "nothing is left to turn");
    }
}
