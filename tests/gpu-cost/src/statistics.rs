//! The driver's statistics: a name and a number each. Names and their order differ between versions of Mesa.

use anyhow::{Context, Result};
use ash::vk;
use serde::Serialize;

/// One number that the driver gives.
#[derive(Clone, Debug)]
pub(crate) struct Statistic {
    /// As the driver spells it.
    pub(crate) name: String,
    pub(crate) value: Number,
}

/// As the driver counts it; hashes need all 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl Statistic {
    pub(crate) fn new(from: &vk::PipelineExecutableStatisticKHR<'_>) -> Self {
        let name = from.name_as_c_str().map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned());
        // SAFETY: the format says which member of the union the driver has written. There are four; a later one would be
        // read as a number without meaning, but all bits of the union are written.
        let value = unsafe {
            match from.format {
                vk::PipelineExecutableStatisticFormatKHR::BOOL32 => Number::Unsigned(from.value.b32.into()),
                vk::PipelineExecutableStatisticFormatKHR::INT64 => Number::Signed(from.value.i64),
                vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => Number::Float(from.value.f64),
                _ => Number::Unsigned(from.value.u64),
            }
        };
        Statistic { name, value }
    }
}

/// The whole number that has one of these names, however they are spelled: "LDS size", "LDSSize" and "lds_size" are the same.
pub(crate) fn find(statistics: &[Statistic], names: &[&str]) -> Result<u64> {
    let named = |s: &&Statistic| names.iter().any(|name| plain(name) == plain(&s.name));
    let found = statistics.iter().find(named).with_context(|| {
        let all: Vec<&str> = statistics.iter().map(|s| s.name.as_str()).collect();
        format!("the driver does not offer the statistic '{}', only: {}", names[0], all.join(", "))
    })?;
    Ok(match found.value {
        Number::Unsigned(value) => value,
        Number::Signed(value) => u64::try_from(value).with_context(|| format!("'{}' is {value}", found.name))?,
        // Estimates of cycles; fractions of one do not count.
        Number::Float(value) => value.round() as u64,
    })
}

/// Small letters and digits alone.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statistic_is_found_by_its_whole_name_in_any_spelling() {
        let list =
            [("Pre-Sched VGPRs", Number::Unsigned(60)), ("VGPRs", Number::Unsigned(64)), ("X", Number::Signed(-1))]
                .map(|(name, value)| Statistic { name: name.to_owned(), value });
        assert_eq!(find(&list, &["vgprs"]).unwrap(), 64);
        assert_eq!(find(&list, &["Latency", "pre_sched_vgprs"]).unwrap(), 60);
        let missing = find(&list, &["Latency"]).unwrap_err().to_string();
        assert!(missing.contains("'Latency'") && missing.contains("Pre-Sched VGPRs, VGPRs"), "{missing}");
        assert!(find(&list, &["X"]).is_err());
    }
}
