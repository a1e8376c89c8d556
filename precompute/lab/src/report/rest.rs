//! Random charts and drafts at rest and under strain: does every one come to rest, as the fabric that it was?

use crate::Result;
use std::time::Instant;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::relax::{Ended, Period, Watch, relax_watched};
use yarnwise_precompute::sampling::{Continuation, SamplingSettings};
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
use yarnwise_shared::pattern::linking::linking_numbers;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::random::Random;
use yarnwise_shared::table::grid::StrainGrid;

/// Knitted or woven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fabric {
    /// A chart of knit and purl stitches.
    Chart,
    /// A draft of warps over and under wefts.
    Draft,
}

impl Fabric {
    /// The name of its material.
    pub fn material(self) -> &'static str {
        match self {
            Fabric::Chart => "knit",
            Fabric::Draft => "woven",
        }
    }

    /// The two letters that it is written with.
    fn letters(self) -> [char; 2] {
        match self {
            Fabric::Chart => ['K', 'P'],
            Fabric::Draft => ['1', '0'],
        }
    }

    /// A random one with 1 to `largest` rows and columns, the same for the same seed. Threads of a draft that lie on one side of all
    /// others would slide out of any fabric, so it is drawn again until there are none.
    pub fn random(self, seed: u64, largest: usize) -> String {
        let mut random = Random::new(seed);
        loop {
            let text = self.any(&mut random, largest);
            let is_held = self == Fabric::Chart || Draft::parse(&text).is_ok_and(|d| d.loose_threads().is_empty());
            if is_held {
                return text;
            }
        }
    }

    fn any(self, random: &mut Random, largest: usize) -> String {
        let [rows, columns] = [0; 2].map(|_| 1 + random.below(largest));
        let row = |random: &mut Random| (0..columns).map(|_| self.letters()[random.below(2)]).collect::<String>();
        (0..rows).map(|_| row(random)).collect::<Vec<_>>().join("/")
    }

    /// The pattern of a chart or draft, with the default options but for the vertices of a loop or crossing.
    pub fn pattern(self, text: &str, vertices: Option<usize>) -> Result<Pattern> {
        Ok(match self {
            Fabric::Chart => {
                let mut options = KnitOptions::default();
                options.vertices_per_loop = vertices.unwrap_or(options.vertices_per_loop);
                knit(&KnitChart::parse(text)?, &options)?
            }
            Fabric::Draft => {
                let mut options = WeaveOptions::default();
                options.vertices_per_crossing = vertices.unwrap_or(options.vertices_per_crossing);
                weave(&Draft::parse(text)?, &options)?
            }
        })
    }
}

/// How a pattern came to rest.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Rest {
    /// How the search ended.
    pub ended: Ended,
    /// Steps that were tried, taken or not.
    pub steps: usize,
    /// Unbalanced force over the forces that balance.
    pub residual: f64,
    /// Linking numbers are what they were, and no step took yarns through each other.
    pub topology_kept: bool,
    /// Energy after over energy before.
    pub energy: f64,
    /// Period after over period before, along x and y.
    pub period: [f64; 2],
    /// Time, s.
    pub seconds: f64,
}

impl Rest {
    /// At rest as the fabric that it was.
    pub fn is_sound(&self) -> bool {
        self.ended == Ended::AtRest && self.topology_kept
    }
}

/// Relaxes `given` with its period free. The pattern at rest, and how it came about.
pub fn rest(given: &Pattern, material: &YarnMaterial, watch: &Watch) -> Result<(Pattern, Rest)> {
    let begin = Instant::now();
    let relaxed = relax_watched(given, material, Period::Free, &SamplingSettings::default().solver, watch)?;
    let kept = linking_numbers(given)? == linking_numbers(&relaxed.pattern)?;
    let ([ax, ay], [bx, by]) = (given.period(), relaxed.pattern.period());
    let rest = Rest {
        ended: relaxed.ended,
        steps: relaxed.work.factorizations,
        residual: relaxed.residual,
        topology_kept: kept && !relaxed.passed_through,
        energy: relaxed.energy_after.total() / relaxed.energy_before.total(),
        period: [bx / ax, by / ay],
        seconds: begin.elapsed().as_secs_f64(),
    };
    Ok((relaxed.pattern, rest))
}

/// The samples of a bake.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Baked {
    /// How many there are.
    pub samples: usize,
    /// Equilibria of the fabric.
    pub converged: usize,
    /// In which yarns passed through each other.
    pub passed_through: usize,
    /// The most factorizations of the solve of a sample that was chosen.
    pub most_steps: usize,
    /// Time, s.
    pub seconds: f64,
}

/// Samples a relaxed pattern over a grid of strains.
pub fn baked(pattern: &Pattern, material: &YarnMaterial, grid: &StrainGrid, rounds: usize) -> Result<Baked> {
    let begin = Instant::now();
    let cell = Cell::new(pattern, material)?;
    let settings = SamplingSettings { rounds, ..SamplingSettings::default() };
    let all = Continuation::new(&cell, grid, &settings)?.complete(|_| ());
    Ok(Baked {
        samples: all.len(),
        converged: all.iter().filter(|c| c.solved.is_sound()).count(),
        passed_through: all.iter().filter(|c| c.solved.passed_through).count(),
        most_steps: all.iter().map(|c| c.solved.work.factorizations).max().unwrap_or(0),
        seconds: begin.elapsed().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::table::grid::{Axis, Grid};

    /// `yarnwise-bake study charts` does the same with 150, on the 5 x 5 x 5 grid.
    #[test]
    fn random_charts_and_drafts_come_to_rest_and_bake() {
        let axis = |name: &str, values: &[f64]| Axis::new(name, values.to_vec()).unwrap();
        let stretch = [-0.1, 0.0, 0.3];
        let grid = Grid([axis("sx", &stretch), axis("sa", &[0.0, 0.2]), axis("sy", &stretch)]);
        for (fabric, vertices, seeds) in [(Fabric::Chart, Some(24), 1..9), (Fabric::Draft, None, 1..7)] {
            let material = YarnMaterial::preset(fabric.material()).unwrap();
            for seed in seeds {
                let text = fabric.random(seed, 3);
                let what = format!("{fabric:?}, seed {seed}: {text}");
                let given = fabric.pattern(&text, vertices).unwrap();
                let watch = Watch { max_steps: 2000, ..Watch::default() };
                let (relaxed, rest) = rest(&given, &material, &watch).unwrap();
                assert!(rest.is_sound(), "{what}: {rest:?}");
                let baked = baked(&relaxed, &material, &grid, 0).unwrap();
                assert!(baked.converged * 10 >= baked.samples * 9, "{what}: {baked:?}");
            }
        }
    }

    #[test]
    fn a_search_without_steps_does_not_come_to_rest() {
        let given = Fabric::Chart.pattern("K", Some(24)).unwrap();
        let watch = Watch { max_steps: 3, ..Watch::default() };
        let (_, rest) = rest(&given, &YarnMaterial::preset("knit").unwrap(), &watch).unwrap();
        assert!(rest.ended == Ended::OutOfSteps && rest.steps == 3 && !rest.is_sound(), "{rest:?}");
    }

    #[test]
    fn seeds_give_charts_and_no_loose_threads() {
        assert_eq!(Fabric::Chart.random(5, 6), Fabric::Chart.random(5, 6));
        let texts: std::collections::BTreeSet<String> = (0..50).map(|s| Fabric::Draft.random(s, 8)).collect();
        assert!(texts.len() > 40, "{texts:?}");
        assert!(texts.iter().all(|t| Draft::parse(t).unwrap().loose_threads().is_empty()));
    }
}
