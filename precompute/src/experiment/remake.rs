//! The fabric that an experiment was made with, made anew from what its file says.

use super::Experiment;
use crate::spline::{SplineCell, SplineSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::{Error, Result};

impl Experiment {
    /// The pattern; `origin` names the experiment in messages. Only weaves can be made anew.
    pub fn remade_pattern(&self, origin: &str) -> Result<Pattern> {
        let missing = |what: &str| {
            let problem =
                format!("has no {what}, so its cell cannot be made anew: only experiments on weaves have one");
            Error::invalid(origin, problem)
        };
        let text = self.draft.as_deref().ok_or_else(|| missing("draft"))?;
        let lengths = self.crossing_length.ok_or_else(|| missing("crossing_length"))?;
        if let Some(bad) = lengths.iter().find(|l| !(l.is_finite() && **l > 0.0)) {
            return Err(Error::invalid(origin, format!("crossing_length has {bad} m, it must be positive")));
        }
        let draft = Draft::parse(&digits(text)).map_err(|e| Error::invalid(origin, e.to_string()))?;
        let per_meter = [draft.warps() as f64 / self.period[0], draft.wefts() as f64 / self.period[1]];
        let options = WeaveOptions {
            radius: self.radius,
            warps_per_meter: Some(per_meter[0]),
            wefts_per_meter: Some(per_meter[1]),
            ..WeaveOptions::default()
        };
        let pattern = weave(&draft, &options).map_err(|e| Error::invalid(origin, e.to_string()))?;
        let mut data: PatternData = pattern.data().clone();
        data.period = self.period;
        for (i, yarn) in pattern.yarns().iter().enumerate() {
            let length = lengths[usize::from(i >= draft.wefts())] / options.vertices_per_crossing as f64;
            yarn.vertices.iter().for_each(|v| data.vertices[*v as usize].rest_length = length);
        }
        Pattern::new(data).map_err(|e| Error::invalid(origin, e.to_string()))
    }

    /// Its cell of yarns as splines; of the material of the file, or of `material` where that says nothing.
    pub fn remade_cell(&self, origin: &str, material: Option<YarnMaterial>) -> Result<SplineCell> {
        let unknown = || {
            let problem = "does not say what its yarns are made of: choose a --material where the search begins";
            Error::invalid(origin, problem)
        };
        let material = material.or(self.material).ok_or_else(unknown)?;
        let pattern = self.remade_pattern(origin)?;
        SplineCell::new(&pattern, &material, &SplineSettings::default())
            .map_err(|e| Error::invalid(origin, e.to_string()))
    }
}

/// A draft as [`Draft::parse`] reads it: `X` where the warp is above becomes `1`, other marks `0`.
fn digits(text: &str) -> String {
    let digit = |c: char| match c {
        'X' | 'x' | '1' => '1',
        '/' | '\n' => '/',
        c if c.is_whitespace() => ' ',
        _ => '0',
    };
    text.trim().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;
    use crate::fabric::Fabric;
    use yarnwise_shared::table::strain::Strain;

    fn experiment() -> Experiment {
        let mut experiment = Experiment::new(Kind::Biaxial, "spline", "plain", 1e-3, [8.318e-3; 2]);
        experiment.draft = Some("X.\n.X".to_owned());
        experiment.crossing_length = Some([4.665e-3, 4.665e-3]);
        experiment.material = Some(YarnMaterial::preset("woven").unwrap());
        experiment
    }

    #[test]
    fn a_weave_is_made_anew_with_its_period_and_the_length_of_its_yarns() {
        let mut experiment = experiment();
        experiment.crossing_length = Some([4.665e-3, 4.7e-3]);
        let pattern = experiment.remade_pattern("a.json").unwrap();
        assert_eq!(pattern.period(), [8.318e-3; 2]);
        let lengths: Vec<f64> = pattern
            .yarns()
            .iter()
            .map(|y| y.vertices.iter().map(|v| pattern.vertices()[*v as usize].rest_length).sum::<f64>())
            .collect();
        let expected = [9.33e-3, 9.33e-3, 9.4e-3, 9.4e-3];
        assert!(lengths.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{lengths:?}");
    }

    /// The specification's plain cell: nothing pulls at this period.
    #[test]
    fn the_cell_is_at_rest_where_the_specification_says() {
        let cell = experiment().remade_cell("a.json", None).unwrap();
        let rest = cell.respond(Strain::new(0.0, 0.0, 0.0)).unwrap();
        let unit = cell.yarns.stiffness.stretch / 1e-3;
        assert!(rest.is_sound() && rest.stress.unwrap().iter().all(|s| s.abs() < 1e-4 * unit), "{rest:?}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = |change: fn(&mut Experiment)| {
            let mut experiment = experiment();
            change(&mut experiment);
            experiment.remade_cell("a.json", None).unwrap_err().to_string()
        };
        assert!(refused(|e| e.draft = None).starts_with("a.json: has no draft"));
        assert!(refused(|e| e.crossing_length = None).starts_with("a.json: has no crossing_length"));
        assert!(refused(|e| e.crossing_length = Some([0.0, 1.0])).contains("must be positive"));
        assert!(refused(|e| e.material = None).contains("choose a --material"));
        assert!(refused(|e| e.draft = Some("X./X".into())).starts_with("a.json: "));
    }
}
