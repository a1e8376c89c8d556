//! The rest state of a pattern as a step of a campaign.
//!
//! Beside the relaxed pattern a file says what it was made from, so that a later run recognizes it, and never takes the pattern of
//! another job for its own. It is written first: a pattern that is there is whole and known.

use super::found::OutputState;
use super::planned::PlannedRest;
use crate::bake::METHOD_HASH;
use crate::relax::{Ended, Period, Watch, relax_watched};
use crate::{Error, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use yarnwise_shared::pattern::{self, pyp, yarn};
use yarnwise_shared::{Error as DataError, file};

/// Largest stamp that is read.
const MAX_STAMP_BYTES: u64 = 1 << 16;

/// What a relaxed pattern was made from, and which file it is.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamp {
    tool: String,
    method: String,
    /// CRC-32 of the pattern as it was given.
    pattern: u32,
    material: [f64; 4],
    period: String,
    max_steps: usize,
    settings: String,
    /// CRC-32 of the file of the relaxed pattern.
    relaxed: u32,
}

/// Where it is said what the relaxed pattern in `output` was made from.
fn stamp_path(output: &Path) -> PathBuf {
    let mut name: OsString = output.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

impl PlannedRest {
    /// How it stands; `tool` is the name and version of the program.
    pub fn found(&self, tool: &str) -> Result<OutputState> {
        let bytes = match std::fs::read(&self.output) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(OutputState::Nothing),
            read => read.map_err(|e| Error::io(&self.output, e))?,
        };
        let in_the_way = |what: &str| {
            let file = self.output.display();
            Ok(OutputState::Other(format!("{file}: {what}; move it away, or choose another output folder")))
        };
        let Ok(stamp) = read_stamp(&stamp_path(&self.output)) else {
            return in_the_way("is a pattern that this campaign did not make");
        };
        if stamp.relaxed != crc32fast::hash(bytes.as_slice()) {
            return in_the_way("was changed after this campaign made it");
        }
        let expected = self.stamp(tool, stamp.relaxed)?;
        let differs = [
            ("tool", stamp.tool == expected.tool),
            ("method", stamp.method == expected.method),
            ("pattern", stamp.pattern == expected.pattern),
            ("material", stamp.material == expected.material),
            ("period", stamp.period == expected.period),
            ("max_steps", stamp.max_steps == expected.max_steps),
            ("residual", stamp.settings == expected.settings),
        ];
        match differs.iter().find(|(_, same)| !same) {
            Some((what, _)) => in_the_way(&format!("was relaxed with another {what}")),
            None => Ok(OutputState::Done),
        }
    }

    /// Relaxes the pattern; each step is reported. `Ok(false)` when it was stopped before it came to rest.
    pub fn run(&self, tool: &str, watch: &Watch) -> Result<bool> {
        let given = pattern::read(&self.input)?;
        let relaxed = relax_watched(&given, &self.material, self.period, &self.settings, watch)?;
        let fail = |problem: String| Err(DataError::invalid(file::origin(&self.input), problem).into());
        let unbalanced = relaxed.residual;
        match relaxed.ended {
            Ended::Stopped => return Ok(false),
            Ended::AtRest if relaxed.is_sound() => {}
            _ if relaxed.passed_through => {
                return fail(
                    "yarns pass through each other on the way to rest; move them apart, or relax with period \"fixed\""
                        .to_owned(),
                );
            }
            Ended::OutOfSteps => {
                return fail(format!(
                    "is not at rest after {} steps (unbalanced force {unbalanced:.1e}); raise max_steps or the residual of [relax]",
                    self.max_steps
                ));
            }
            _ => {
                return fail(format!(
                    "does not come to rest (unbalanced force {unbalanced:.1e}); make it with more room between its yarns or with more \
                 vertices, or raise the residual of [relax]"
                ));
            }
        }
        // Written as any pattern, but with the stamp before it.
        let text = yarn::to_text(&relaxed.pattern);
        let stamp = serde_json::to_vec_pretty(&self.stamp(tool, crc32fast::hash(text.as_bytes()))?)
            .map_err(|e| Error::from(DataError::invalid(file::origin(&stamp_path(&self.output)), e.to_string())))?;
        file::write_atomically(&stamp_path(&self.output), |w| w.write_all(&stamp))?;
        file::write_atomically(&self.output, |w| w.write_all(text.as_bytes()))?;
        Ok(true)
    }

    fn stamp(&self, tool: &str, relaxed: u32) -> Result<Stamp> {
        let m = &self.material;
        Ok(Stamp {
            tool: tool.to_owned(),
            method: METHOD_HASH.to_owned(),
            pattern: crc32fast::hash(pyp::to_text(&pattern::read(&self.input)?).as_bytes()),
            material: [m.young, m.shear, m.gamma, m.contact],
            period: match self.period {
                Period::Free => "free",
                Period::Fixed => "fixed",
            }
            .to_owned(),
            max_steps: self.max_steps,
            settings: serde_json::to_string(&self.settings).unwrap_or_default(),
            relaxed,
        })
    }
}

fn read_stamp(path: &Path) -> Result<Stamp> {
    let bytes = file::read(path, MAX_STAMP_BYTES, file::json)?;
    serde_json::from_slice(&bytes).map_err(|e| DataError::invalid(file::origin(path), e.to_string()).into())
}
