//! The choice among the states found for each sample.
//!
//! A table is good when its energies are low and nothing pops. Each sample pays for the energy by which it exceeds its
//! lowest state, and for its second differences:
//!
//!   sum_samples price(E / E_lowest - 1 - tolerance)  +  sum_axes,samples weight pop(|second difference| / r)
//!
//! In tension the price makes energy decide. Compressed fabric has many states of nearly the same energy, and
//! smoothness decides. Branches live on lines along sa, the last direction of the tree: the choice on a whole line, its
//! neighbours held, is found exactly by dynamic programming over pairs of consecutive states. Passes over all lines until
//! nothing changes.

use super::continuation::{Candidate, lowest, sound};
use yarnwise_shared::grid::StrainGrid;

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
    /// Weight of second differences along sx and sy.
    pub across: f64,
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
        }
    }
}

/// The axis of the lines.
const LINE: usize = 1;

/// The most passes over all lines.
const MAX_PASSES: usize = 20;

/// The number of the chosen candidate of each sample.
pub fn choose(grid: &StrainGrid, candidates: &[Vec<Candidate>], radius: f64, settings: &ChoiceSettings) -> Vec<usize> {
    let lowest: Vec<usize> = candidates.iter().map(|c| lowest(c)).collect();
    let table = Table { grid, candidates, radius, lowest: &lowest, settings };
    // The tree's state, unless it is no equilibrium of this fabric.
    let start = |s: usize| if table.sound(s, 0) { 0 } else { lowest[s] };
    let mut chosen: Vec<usize> = (0..candidates.len()).map(start).collect();
    for _ in 0..MAX_PASSES {
        let before = chosen.clone();
        for sample in (0..candidates.len()).filter(|s| grid.indices(*s)[LINE] == 0) {
            table.choose_line(sample, &mut chosen);
        }
        if chosen == before {
            break;
        }
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
    /// tried again must not cost more energy than the tree's.
    fn options(&self, sample: usize) -> Vec<usize> {
        let all = 0..self.candidates[sample].len();
        let energy = |k: usize| self.candidates[sample][k].solved.energy.total();
        let most = if self.sound(sample, 0) { energy(0) * (1.0 + self.settings.tolerance) } else { f64::INFINITY };
        let sound: Vec<usize> = all.clone().filter(|k| self.sound(sample, *k) && energy(*k) <= most).collect();
        if sound.is_empty() { all.collect() } else { sound }
    }

    /// What the second difference of three states on a line of samples costs.
    fn pop(&self, line: [(usize, usize); 3]) -> f64 {
        let difference =
            |line: [(usize, usize); 3]| second_difference(line.map(|(s, k)| self.state(s, k))) / self.radius;
        let own = difference(line);
        let pops = match own > self.settings.pop {
            false => 0.0,
            true if difference(line.map(|(s, _)| (s, 0))) > self.settings.pop => 1.0,
            true => self.settings.new_pop,
        };
        pops + self.settings.slope * own
    }

    /// Makes the best choice on the line that begins at `first`.
    fn choose_line(&self, first: usize, chosen: &mut [usize]) {
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
            .map(|(s, o)| o.iter().map(|k| self.own_price(chosen, *s, *k)).collect())
            .collect();
        // ways[i][a][b]: the cheapest choice up to sample i + 1 that ends with its option b and option a before it.
        let pair = |a: usize, b: usize| Way { cost: own[0][a] + own[1][b], before: 0 };
        let mut ways = vec![grid_of(options[0].len(), options[1].len(), pair)];
        for i in 2..line.len() {
            let last = &ways[i - 2];
            let next = |b: usize, c: usize| {
                let way = |a: usize| {
                    let states = [(i - 2, a), (i - 1, b), (i, c)].map(|(n, o)| (line[n], options[n][o]));
                    last[a][b].cost + self.pop(states)
                };
                let best = (0..options[i - 2].len()).map(|a| (way(a), a)).min_by(|x, y| x.0.total_cmp(&y.0));
                let (cost, before) = best.unwrap_or((0.0, 0));
                Way { cost: cost + own[i][c], before }
            };
            let step = grid_of(options[i - 1].len(), options[i].len(), next);
            ways.push(step);
        }
        for (i, option) in trace(&ways).into_iter().enumerate() {
            chosen[line[i]] = options[i][option];
        }
    }

    /// What a sample costs by itself and across the line, if it takes `candidate`.
    fn own_price(&self, chosen: &[usize], sample: usize, candidate: usize) -> f64 {
        let energy = |k: usize| self.candidates[sample][k].solved.energy.total();
        let excess = (energy(candidate) / energy(self.lowest[sample]) - 1.0 - self.settings.tolerance).max(0.0);
        let [sx, _, sy] = self.grid.coordinates(sample);
        let price = if sx.min(sy) < 0.0 {
            self.settings.compression_price * excess.sqrt()
        } else {
            self.settings.tension_price * excess
        };
        price + self.settings.across * self.pops_across(chosen, sample, candidate)
    }

    fn pops_across(&self, chosen: &[usize], sample: usize, candidate: usize) -> f64 {
        let at = self.grid.indices(sample);
        let mut sum = 0.0;
        for k in [0, 2] {
            let line = |offset: i64| -> Option<(usize, usize)> {
                let mut to = at;
                to[k] = usize::try_from(at[k] as i64 + offset).ok().filter(|i| *i < self.grid.0[k].len())?;
                let other = self.grid.sample(to);
                Some((other, if offset == 0 { candidate } else { chosen[other] }))
            };
            for centre in -1..=1 {
                if let (Some(a), Some(b), Some(c)) = (line(centre - 1), line(centre), line(centre + 1)) {
                    sum += self.pop([a, b, c]);
                }
            }
        }
        sum
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
