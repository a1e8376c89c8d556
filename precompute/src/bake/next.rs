//! What comes next in a bake whose parts are solved by several processes.

use crate::sampling::BentAlong;
use std::fmt;

/// What all parts can solve now.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Next {
    /// What it is.
    pub stage: NextStage,
    /// The table: bent along a direction; none for that in the plane.
    #[serde(serialize_with = "name_of")]
    pub bent: Option<BentAlong>,
    /// How many solves, as far as it can be told.
    pub solves: usize,
    /// About how much processor time they take, s.
    pub seconds: f64,
}

/// A phase of a bake in which parts need not hear of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NextStage {
    /// Samples for the first time, along lines that need nothing of each other.
    Lines,
    /// A round of retries.
    Round(usize),
    /// The chosen states, to the solver's tolerance.
    Polish,
}

fn name_of<S: serde::Serializer>(bent: &Option<BentAlong>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&bent.map(BentAlong::name), serializer)
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.stage {
            NextStage::Lines => write!(f, "lines of samples")?,
            NextStage::Round(number) => write!(f, "round {number}")?,
            NextStage::Polish => write!(f, "polish")?,
        }
        if let Some(along) = self.bent {
            write!(f, " (bent along {})", along.name())?;
        }
        let solves = if self.solves == 1 { "solve" } else { "solves" };
        write!(f, ", {} {solves}, about {:.0} core-seconds", self.solves, self.seconds.ceil())
    }
}
