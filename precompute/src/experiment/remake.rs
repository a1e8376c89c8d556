//! The fabric that an experiment was made with, made anew from what its file says.

use super::Experiment;
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::{Error, Result};

impl Experiment {
    /// The fabric at rest; `origin` names the experiment in messages.
    pub fn pattern(&self, origin: &str) -> Result<Pattern> {
        let Some(text) = &self.fabric else {
            let problem =
                "does not hold its fabric, so no model can be made of it: repeat the experiment with this program";
            return Err(Error::invalid(origin, problem));
        };
        pyp::parse(text.as_bytes(), &format!("{origin}, fabric"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;
    use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};

    #[test]
    fn the_pattern_comes_back_and_what_is_missing_or_wrong_is_named() {
        let pattern = weave(&Draft::preset("twill").unwrap(), &WeaveOptions::default()).unwrap();
        let mut experiment = Experiment::new(Kind::Biaxial, "spline", "twill", pattern.radius(), pattern.period());
        assert!(experiment.pattern("a.json").unwrap_err().to_string().starts_with("a.json: does not hold its fabric"));
        experiment.fabric = Some(pyp::to_text(&pattern));
        let again = experiment.pattern("a.json").unwrap();
        assert_eq!((again.period(), again.vertices().len()), (pattern.period(), pattern.vertices().len()));
        experiment.fabric = Some("X.\n.X".to_owned());
        assert!(experiment.pattern("a.json").unwrap_err().to_string().starts_with("a.json, fabric"));
    }
}
