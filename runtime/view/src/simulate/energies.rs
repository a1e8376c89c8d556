//! The energies of a simulation of yarns, frame by frame: a table for people, a CSV file for long simulations.

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::path::{Path, PathBuf};
use yarnwise_program::say;
use yarnwise_shared::file;
use yarnwise_solvers::yarn::{YarnEnergies, YarnSimulation};

/// The first line of the file.
const HEADER: &str = "time_s,kinetic_J,stretch_J,bend_J,shear_J,parallel_contact_J,weight_J,total_J";

/// Energies in the table, as people call them.
const NAMES: [&str; 7] = ["kinetic", "stretch", "bend", "shear", "parallel contact", "weight", "all"];

/// Largest file that is read, bytes: ten million frames.
const MAX_BYTES: u64 = 2 << 30;

/// The energies of a frame, J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct FrameEnergies {
    /// Simulated seconds.
    time: f64,
    #[serde(flatten)]
    energies: YarnEnergies,
    total: f64,
}

impl FrameEnergies {
    fn of(simulation: &YarnSimulation) -> Self {
        let energies = simulation.energies();
        FrameEnergies { time: simulation.time(), energies, total: energies.total() }
    }

    /// In the order of the names.
    fn values(&self) -> [f64; 7] {
        let e = &self.energies;
        [e.kinetic, e.stretch, e.bend, e.shear, e.parallel, e.gravitational, self.total]
    }

    fn line(&self) -> String {
        let values = self.values().map(|v| format!("{v:e}"));
        format!("{:e},{}", self.time, values.join(","))
    }

    fn parse(line: &str) -> Option<Self> {
        let numbers: Vec<f64> = line.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
        let [time, kinetic, stretch, bend, shear, parallel, gravitational, total] = numbers[..] else { return None };
        let energies = YarnEnergies { kinetic, stretch, bend, shear, parallel, gravitational };
        Some(FrameEnergies { time, energies, total })
    }
}

/// The energies of all frames so far, and the file that they go to.
#[derive(Debug, Default)]
pub(super) struct EnergyLog {
    frames: Vec<FrameEnergies>,
    file: Option<PathBuf>,
}

impl EnergyLog {
    /// Begins with the present state of a simulation.
    pub(super) fn new(file: Option<&Path>, simulation: &YarnSimulation) -> Self {
        EnergyLog { frames: vec![FrameEnergies::of(simulation)], file: file.map(Path::to_owned) }
    }

    /// Continues after a frame in which a simulation is resumed; frames before it are those in the file, if there is one.
    pub(super) fn resume(file: Option<&Path>, simulation: &YarnSimulation, frame: usize) -> Result<Self> {
        let mut log = EnergyLog::new(file, simulation);
        if let Some(path) = file {
            log.frames = earlier(path, frame).with_context(|| {
                format!("--energies: {} lacks frames of the simulation that is resumed: leave it out", path.display())
            })?;
            let same = log.frames.last() == Some(&FrameEnergies::of(simulation));
            ensure!(same, "--energies: {} is of another simulation: choose another file", path.display());
        }
        Ok(log)
    }

    /// Adds a frame.
    pub(super) fn push(&mut self, simulation: &YarnSimulation) {
        self.frames.push(FrameEnergies::of(simulation));
    }

    /// Writes the file, if there is one.
    pub(super) fn write(&self) -> Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        let lines = std::iter::once(HEADER.to_owned()).chain(self.frames.iter().map(FrameEnergies::line));
        let text: String = lines.map(|line| line + "\n").collect();
        Ok(file::write_atomically(path, |w| w.write_all(text.as_bytes()))?)
    }

    /// All frames.
    pub(super) fn frames(self) -> Vec<FrameEnergies> {
        self.frames
    }
}

/// The frames up to `frame` in a file.
fn earlier(path: &Path, frame: usize) -> Result<Vec<FrameEnergies>> {
    let bytes = file::read(path, MAX_BYTES, |_, _| Ok(()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "{}: is no file of energies", path.display());
    let frames: Option<Vec<_>> = lines.take(frame + 1).map(FrameEnergies::parse).collect();
    let frames = frames.with_context(|| format!("{}: a line does not have 8 numbers", path.display()))?;
    ensure!(frames.len() == frame + 1, "{}: ends before frame {frame}", path.display());
    Ok(frames)
}

/// Prints what energies were at first, at most and at last.
pub(super) fn print_table(frames: &[FrameEnergies]) -> Result<()> {
    let [first, .., last] = frames else { return Ok(()) };
    let at = |e: &FrameEnergies| format!("at {:.3} s", e.time);
    say!("{:<16} {:>12} {:>12} {:>12}", "energies, J", at(first), "largest", at(last))?;
    for (i, name) in NAMES.iter().enumerate() {
        let value = |e: &FrameEnergies| e.values()[i];
        let most = frames.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        say!("  {name:<16} {:>10.3e} {most:>12.3e} {:>12.3e}", value(first), value(last))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_back_every_bit() {
        let energies = YarnEnergies { kinetic: 1.0 / 3.0, shear: 2e-301, gravitational: -0.1, ..Default::default() };
        let frame = FrameEnergies { time: 0.1 + 0.2, energies, total: energies.total() };
        assert_eq!(FrameEnergies::parse(&frame.line()), Some(frame));
        for bad in ["", "1,2", "1,2,3,4,5,6,7,x", "1,2,3,4,5,6,7,8,9"] {
            assert_eq!(FrameEnergies::parse(bad), None, "{bad}");
        }
        assert_eq!(HEADER.split(',').count(), frame.line().split(',').count());
    }
}
