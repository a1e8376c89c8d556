//! The fabric that an experiment was made with, made anew from what its file says.

use super::Experiment;
use crate::spline::{SplineCell, SplineSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::{Error, Result};

impl Experiment {
    /// The fabric at rest; `origin` names the experiment in messages.
    pub fn remade_pattern(&self, origin: &str) -> Result<Pattern> {
        let text = self.fabric.as_deref().ok_or_else(|| {
            let problem =
                "does not hold the fabric at rest (its field fabric): repeat the experiment with this program";
            Error::invalid(origin, problem)
        })?;
        pyp::parse(text.as_bytes(), &format!("{origin} (its fabric)"))
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

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;
    use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};

    fn experiment() -> Experiment {
        let pattern = weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap();
        let woven = YarnMaterial::preset("woven").unwrap();
        let cell = SplineCell::with_free_period(&pattern, &woven, &SplineSettings::default()).unwrap();
        let mut experiment = Experiment::new(Kind::Biaxial, "spline", "plain", 1e-3, cell.period);
        experiment.fabric = Some(pyp::to_text(&cell.pattern().unwrap()));
        experiment.material = Some(woven);
        experiment
    }

    #[test]
    fn the_cell_that_is_made_anew_is_at_rest() {
        let cell = experiment().remade_cell("a.json", None).unwrap();
        let stress = cell.stress(&cell.solve(yarnwise_shared::table::strain::Strain::new(0.0, 0.0, 0.0)));
        let unit = cell.yarns.stiffness.stretch / 1e-3;
        assert!(stress.iter().all(|s| s.abs() < 1e-6 * unit), "{stress:?}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = |change: fn(&mut Experiment)| {
            let mut experiment = experiment();
            change(&mut experiment);
            experiment.remade_cell("a.json", None).unwrap_err().to_string()
        };
        assert!(refused(|e| e.fabric = None).starts_with("a.json: does not hold the fabric"));
        assert!(refused(|e| e.fabric = Some("*pattern\n1".into())).starts_with("a.json (its fabric)"));
        assert!(refused(|e| e.material = None).contains("choose a --material"));
    }
}
