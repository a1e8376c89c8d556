//! The figures of all stages: a table, JSON, and what is worse than it was.

use crate::device::Compiled;
use crate::statistics::{Number, Statistic, find};
use crate::translate::Program;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The figures of the stage `yarns` in docs/results/gpu-cost.md, from Mesa 22.3.6: more is worse.
const RECORDED: Recorded = Recorded { stage: "yarns", cycles: 1225, vgprs: 64 };
/// The chip that they are for.
pub(crate) const RECORDED_FAMILY: &str = "navi21";

struct Recorded {
    stage: &'static str,
    /// Inverse throughput, cycles a wave of 64.
    cycles: u64,
    vgprs: u64,
}

/// The figures of all stages on one chip.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) family: String,
    pub(crate) device: String,
    pub(crate) driver: String,
    pub(crate) stages: Vec<Row>,
}

/// The figures of a stage.
#[derive(Serialize)]
pub(crate) struct Row {
    stage: String,
    instructions: u64,
    vgprs: u64,
    sgprs: u64,
    /// As the driver counts them; on RDNA a wave of 64 counts twice.
    waves_per_simd: u64,
    spilled_sgprs: u64,
    spilled_vgprs: u64,
    lds_bytes: u64,
    /// Cycles from the first instruction of a wave to its last.
    latency: u64,
    /// Cycles that each 64 invocations cost when the card is full of them.
    inverse_throughput: u64,
    wave_size: u32,
    /// Everything that the driver says, with its names.
    statistics: BTreeMap<String, Number>,
}

impl Row {
    pub(crate) fn new(program: &Program, compiled: Compiled) -> Result<Self> {
        let Compiled { wave, statistics } = compiled;
        Row::read(&program.name, wave, &statistics).with_context(|| format!("stage {}", program.name))
    }

    /// The first of several names is that of Mesa 22; the others are short ones that Mesa prints elsewhere.
    fn read(stage: &str, wave_size: u32, statistics: &[Statistic]) -> Result<Self> {
        let one = |names: &[&str]| find(statistics, names);
        Ok(Row {
            stage: stage.to_owned(),
            instructions: one(&["Instructions", "Instrs"])?,
            vgprs: one(&["VGPRs"])?,
            sgprs: one(&["SGPRs"])?,
            waves_per_simd: one(&["Subgroups per SIMD", "MaxWaves"])?,
            spilled_sgprs: one(&["Spilled SGPRs", "SpillSGPRs"])?,
            spilled_vgprs: one(&["Spilled VGPRs", "SpillVGPRs"])?,
            lds_bytes: one(&["LDS size", "LDS"])?,
            latency: one(&["Latency"])?,
            inverse_throughput: one(&["Inverse Throughput", "InvThroughput"])?,
            wave_size,
            statistics: statistics.iter().map(|s| (s.name.clone(), s.value)).collect(),
        })
    }

    fn spills(&self) -> u64 {
        self.spilled_sgprs + self.spilled_vgprs
    }

    fn cells(&self) -> [String; 9] {
        let figures = [
            self.instructions,
            self.vgprs,
            self.sgprs,
            self.waves_per_simd,
            self.spills(),
            self.lds_bytes,
            self.latency,
            self.inverse_throughput,
        ];
        let mut figures = figures.into_iter().map(thousands);
        std::array::from_fn(|i| if i == 0 { self.stage.clone() } else { figures.next().unwrap_or_default() })
    }
}

impl Report {
    /// What is worse than it should be, one line each. Figures are recorded for one chip only.
    pub(crate) fn findings(&self) -> Result<Vec<String>> {
        let spilling = self.stages.iter().filter(|row| row.spills() > 0);
        let mut found: Vec<String> =
            spilling.map(|row| format!("stage {} spills {} registers", row.stage, row.spills())).collect();
        if self.family == RECORDED_FAMILY {
            let row = self.stages.iter().find(|row| row.stage == RECORDED.stage);
            let row = row.with_context(|| format!("there is no stage {} to compare", RECORDED.stage))?;
            let compared =
                [("cycles a wave", row.inverse_throughput, RECORDED.cycles), ("VGPRs", row.vgprs, RECORDED.vgprs)];
            for (what, now, recorded) in compared.into_iter().filter(|(_, now, recorded)| now > recorded) {
                let (now, recorded) = (thousands(now), thousands(recorded));
                found.push(format!("stage {}: {now} {what}, recorded are {recorded}", row.stage));
            }
        }
        Ok(found)
    }
}

const HEADINGS: [&str; 9] = [
    "stage",
    "instructions",
    "VGPRs",
    "SGPRs",
    "waves a SIMD",
    "spills",
    "LDS, bytes",
    "latency, cycles",
    "inverse throughput, cycles a wave",
];

/// A table that can be read as it is and pasted into a page.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}, {}\n", self.family, self.device, self.driver)?;
        let rows: Vec<_> = self.stages.iter().map(Row::cells).collect();
        let widths: [usize; 9] =
            std::array::from_fn(|i| rows.iter().map(|row| row[i].len()).chain([HEADINGS[i].len()]).max().unwrap_or(0));
        line(f, &HEADINGS, &widths)?;
        writeln!(f, "|{}|", widths.map(|width| "-".repeat(width + 2)).join("|"))?;
        rows.iter().try_for_each(|row| line(f, row, &widths))
    }
}

fn line(f: &mut fmt::Formatter<'_>, cells: &[impl AsRef<str>; 9], widths: &[usize; 9]) -> fmt::Result {
    for (i, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let cell = cell.as_ref();
        if i == 0 { write!(f, "| {cell:width$} |")? } else { write!(f, " {cell:>width$} |")? }
    }
    writeln!(f)
}

/// 1225 as "1,225".
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report of the stage `yarns` as recorded, with some statistics changed.
    fn report(family: &str, changes: &[(&str, u64)]) -> Report {
        let recorded = [
            ("Instructions", 1059),
            ("VGPRs", RECORDED.vgprs),
            ("SGPRs", 128),
            ("Subgroups per SIMD", 16),
            ("Spilled SGPRs", 0),
            ("Spilled VGPRs", 0),
            ("LDS size", 2048),
            ("Latency", 9799),
            ("Inverse Throughput", RECORDED.cycles),
        ];
        let changed = |name: &str| changes.iter().find(|(changed, _)| *changed == name).map(|(_, value)| *value);
        let statistics = recorded.map(|(name, value)| Statistic {
            name: name.to_owned(),
            value: Number::Unsigned(changed(name).unwrap_or(value)),
        });
        let row = Row::read("yarns", 64, &statistics).unwrap();
        Report { family: family.to_owned(), device: String::new(), driver: String::new(), stages: vec![row] }
    }

    #[test]
    fn what_is_as_recorded_passes_and_what_is_worse_does_not() {
        assert!(report("navi21", &[]).findings().unwrap().is_empty());
        for (change, finding) in [
            (("Inverse Throughput", 1226), "stage yarns: 1,226 cycles a wave, recorded are 1,225"),
            (("VGPRs", 65), "stage yarns: 65 VGPRs, recorded are 64"),
            (("Spilled VGPRs", 3), "stage yarns spills 3 registers"),
            (("Spilled SGPRs", 2), "stage yarns spills 2 registers"),
        ] {
            assert_eq!(report("navi21", &[change]).findings().unwrap(), [finding]);
        }
    }

    #[test]
    fn on_other_chips_only_spills_are_found() {
        assert!(report("vega10", &[("Inverse Throughput", 2645)]).findings().unwrap().is_empty());
        assert_eq!(report("vega10", &[("Spilled VGPRs", 1)]).findings().unwrap().len(), 1);
    }

    #[test]
    fn a_check_without_the_recorded_stage_is_an_error() {
        let mut report = report("navi21", &[]);
        report.stages.clear();
        assert!(report.findings().is_err());
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1225, 1_234_567].map(thousands), ["0", "999", "1,225", "1,234,567"]);
    }
}
