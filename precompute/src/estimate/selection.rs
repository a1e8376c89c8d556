//! Which samples of a database are data.

use crate::Result;
use crate::fabric::Response;
use serde::{Deserialize, Serialize};
use yarnwise_shared::Error;

/// Which samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// Smallest and largest sx and sy. Mild compression determines how hard contacts are; deeper, fabric buckles in many ways.
    pub stretch: [f64; 2],
    /// Largest |sa|.
    pub shear: f64,
    /// The most samples, spread over the range.
    pub most: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Selection { stretch: [-0.05, 0.7], shear: 0.3, most: 24 }
    }
}

impl Selection {
    /// Those of the `samples` of a database that are wanted; `origin` names the database in messages.
    pub fn choose(&self, origin: &str, samples: &[Response]) -> Result<Vec<Response>> {
        self.check()?;
        let wanted: Vec<&Response> = samples.iter().filter(|s| s.is_sound() && self.has(s.strain)).collect();
        if wanted.is_empty() {
            let [low, high] = self.stretch;
            let problem = format!(
                "none of its equilibria has sx and sy from {low} to {high} and sa from 0 to {}: widen the range",
                self.shear
            );
            return Err(Error::invalid(origin, problem).into());
        }
        let kept = spread(&wanted.iter().map(|s| s.strain).collect::<Vec<_>>(), self.most);
        Ok(kept.into_iter().map(|k| wanted[k].clone()).collect())
    }

    fn has(&self, [sx, sa, sy]: [f64; 3]) -> bool {
        let [low, high] = self.stretch;
        // Grids are made of rounded numbers.
        let within = |s: f64| s >= low - 1e-9 && s <= high + 1e-9;
        // Sheared the other way, fabrics answer alike or nearly so: half the work.
        within(sx) && within(sy) && sa >= 0.0 && sa <= self.shear + 1e-9
    }

    fn check(&self) -> Result<()> {
        let [low, high] = self.stretch;
        if !(low < high && low > -1.0 && high.is_finite()) {
            let problem = format!("from {low} to {high}: two ascending numbers above -1 are expected");
            return Err(Error::invalid("strains", problem).into());
        }
        if !(self.shear >= 0.0 && self.shear < 1.0) {
            return Err(Error::invalid("shear", format!("{}: a number from 0 to 1 is expected", self.shear)).into());
        }
        if self.most == 0 {
            return Err(Error::invalid("states", "0: at least 1 is needed").into());
        }
        Ok(())
    }
}

/// At most `most` of these strains, in their order: from the one nearest to rest on, always the one furthest from all before.
fn spread(strains: &[[f64; 3]], most: usize) -> Vec<usize> {
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
    let mut nearest: Vec<f64> = strains.iter().map(|s| -distance(*s, [0.0; 3])).collect();
    let mut kept = Vec::new();
    while kept.len() < most.min(strains.len()) {
        // The first of equals, so that nothing depends on rounding of the order.
        let next = (0..strains.len()).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        if kept.is_empty() {
            nearest = vec![f64::INFINITY; strains.len()];
        }
        kept.push(next);
        for (i, near) in nearest.iter_mut().enumerate() {
            *near = near.min(distance(strains[i], strains[next]));
        }
        nearest[next] = f64::NEG_INFINITY;
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baked::BakedFabric;
    use std::path::Path;
    use yarnwise_shared::table::database;

    fn plain() -> Vec<Response> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/databases/plain.ydb");
        BakedFabric::new(database::read(Path::new(path)).unwrap(), "plain.ydb").unwrap().samples()
    }

    #[test]
    fn samples_in_range_are_taken_and_spread() {
        let all = Selection::default().choose("plain.ydb", &plain()).unwrap();
        assert_eq!(all.len(), 18, "sx, sy in 0, 1/3, 2/3 and sa in 0, 1/4");
        assert!(all.iter().all(|r| r.strain[1] >= 0.0 && r.strain[0] >= 0.0 && r.energy_density > 0.0));
        let few = Selection { most: 5, ..Selection::default() }.choose("plain.ydb", &plain()).unwrap();
        let strains: Vec<[f64; 3]> = few.iter().map(|r| r.strain).collect();
        assert_eq!(strains.len(), 5);
        assert!(strains.contains(&[0.0; 3]) && strains.iter().any(|s| s[0] > 0.6 && s[2] > 0.6), "{strains:?}");
    }

    #[test]
    fn what_no_sample_can_be_in_is_refused() {
        let refused = |selection: Selection| selection.choose("plain.ydb", &plain()).unwrap_err().to_string();
        let with = |stretch: [f64; 2]| Selection { stretch, ..Selection::default() };
        assert!(refused(with([0.4, 0.5])).starts_with("plain.ydb: none of its equilibria has sx and sy from 0.4"));
        assert!(refused(with([0.5, 0.4])).contains("two ascending numbers"));
        assert!(refused(Selection { shear: f64::NAN, ..Selection::default() }).contains("from 0 to 1"));
        assert!(refused(Selection { most: 0, ..Selection::default() }).contains("at least 1"));
    }
}
