//! How several machines share a bake.

use anyhow::bail;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use yarnwise_precompute::bake::Shard;
use yarnwise_precompute::vector::VectorLevel;

/// What of a bake is done here.
#[derive(clap::Args)]
#[command(next_help_heading = "Several machines")]
pub(crate) struct Sharing {
    /// Solve part I of N of what can be solved now, into a journal of its own beside the output; --merge comes before and after
    #[arg(long, value_name = "I/N", conflicts_with_all = ["merge", "from"])]
    shard: Option<Shard>,
    /// Unite the journals of shards, those beside the output and these, and print what comes next ('next: ...'): run all shards
    /// again, then merge again. Where nothing is left, write the database
    #[arg(long, value_name = "JOURNAL", num_args = 0.., conflicts_with = "from")]
    merge: Option<Vec<PathBuf>>,
    /// With --merge: solve here what these threads solve in about this many seconds, instead of leaving it to shards
    #[arg(long, value_name = "SECONDS", default_value_t = Little::default(), requires = "merge")]
    little: Little,
    /// The vector instructions to use; none of them changes a result
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Level::Processor)]
    vector_level: Level,
}

/// What a merge solves itself, s of all its threads.
#[derive(Clone, Copy)]
pub(crate) struct Little(pub(crate) f64);

impl Default for Little {
    /// A round trip through a scheduler takes about a minute.
    fn default() -> Self {
        Little(60.0)
    }
}

impl FromStr for Little {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
        seconds.map(Little).ok_or("must be a number of seconds, not below 0; inf for everything")
    }
}

impl fmt::Display for Little {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Level {
    /// The best that the processor has
    Processor,
    /// None beyond those of every processor
    Scalar,
    /// AVX2 and FMA (x86-64-v3)
    V3,
    /// Those of 64-bit ARM
    Neon,
}

/// What of a bake is done.
pub(crate) enum Part<'a> {
    Whole,
    Shard(Shard),
    Merge { journals: &'a [PathBuf], seconds: f64 },
}

impl Sharing {
    /// The journals that are named.
    pub(crate) fn journals(&self) -> &[PathBuf] {
        self.merge.as_deref().unwrap_or_default()
    }

    pub(crate) fn part(&self) -> Part<'_> {
        match (self.shard, &self.merge) {
            (Some(shard), _) => Part::Shard(shard),
            (None, Some(journals)) => Part::Merge { journals, seconds: self.little.0 },
            (None, None) => Part::Whole,
        }
    }

    /// Uses the vector instructions that are asked for.
    pub(crate) fn pin(&self) -> anyhow::Result<()> {
        let level = match self.vector_level {
            Level::Processor => return Ok(()),
            Level::Scalar => VectorLevel::Scalar,
            Level::V3 => VectorLevel::V3,
            Level::Neon => VectorLevel::Neon,
        };
        if !level.pin() {
            bail!(
                "--vector-level {}: this processor has no such instructions, or this program does not know them; it would use {}",
                level.name(),
                VectorLevel::in_use().name()
            );
        }
        Ok(())
    }
}
