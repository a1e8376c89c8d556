//! The trace of a search for an equilibrium: a line for each step, as a text file and as a plot.

use super::plots::NamedPlot;
use crate::plot::{Plot, Scale, panels};
use std::fmt::Write;
use std::path::Path;
use yarnwise_precompute::equilibrium::Seen;
use yarnwise_shared::{Error, Result, file};

/// How a trace begins, before the name of what was solved.
pub const MAGIC: &str = "# yarnwise trace 1: ";

/// Names of the columns.
const COLUMNS: &str = "step\tenergy\tresidual\trho\tcontacts\tfactorizations";

/// Largest file that is read: a line has less than 100 bytes.
const MAX_BYTES: u64 = 1 << 26;

/// The steps of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    name: String,
    steps: Vec<Seen>,
}

impl Trace {
    /// An empty trace of the solve of `name`.
    pub fn new(name: &str) -> Self {
        // The name is a part of a line.
        Trace { name: name.replace(char::is_control, " "), steps: Vec::new() }
    }

    /// Adds a step.
    pub fn add(&mut self, seen: &Seen) {
        self.steps.push(*seen);
    }

    /// What was solved.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The steps.
    pub fn steps(&self) -> &[Seen] {
        &self.steps
    }

    /// The trace as text: the energy of a cell in J, the residual and rho as in the solver's settings.
    pub fn text(&self) -> String {
        let mut out = format!("{MAGIC}{}\n{COLUMNS}\n", self.name);
        for s in &self.steps {
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "{}\t{:e}\t{:e}\t{:e}\t{}\t{}",
                s.step, s.energy, s.residual, s.rho, s.contacts, s.factorizations
            );
        }
        out
    }

    /// Writes it to a file.
    pub fn write(&self, path: &Path) -> Result<()> {
        file::write_atomically(path, |w| w.write_all(self.text().as_bytes()))
    }

    /// Whether a file begins like a trace.
    pub fn is_in(path: &Path) -> bool {
        let mut head = [0; MAGIC.len()];
        let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
        read.is_ok() && head == *MAGIC.as_bytes()
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        Trace::parse(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path))
    }

    /// Reads what [`Trace::text`] wrote.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let fail = |line: usize, problem: &str| Error::invalid(format!("{origin}, line {line}"), problem);
        let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid(origin, "is not text (UTF-8)"))?;
        let mut lines = text.lines().zip(1..);
        let name = lines.next().and_then(|(line, _)| line.strip_prefix(MAGIC));
        let name = name.ok_or_else(|| fail(1, "is not the beginning of a trace"))?;
        if lines.next().is_none_or(|(line, _)| line != COLUMNS) {
            return Err(fail(2, "does not name the columns of a trace"));
        }
        let steps = lines.map(|(line, number)| {
            parse_step(line)
                .ok_or_else(|| fail(number, "is not a step: six numbers with tabs between them are expected"))
        });
        Ok(Trace { name: name.to_owned(), steps: steps.collect::<Result<_>>()? })
    }

    /// `trace.svg`: energy above the last, residual, regularization and contacts over the steps.
    pub fn plot(&self) -> NamedPlot {
        let last = self.steps.last().map_or(0.0, |s| s.energy);
        let panel = |label: &str, scale: Scale, value: &dyn Fn(&Seen) -> f64| {
            let points: Vec<[f64; 2]> = self.steps.iter().map(|s| [s.step as f64, value(s)]).collect();
            Plot::new("", "step", label).scales(Scale::Linear, scale).line("", &points)
        };
        let plots = [
            panel("energy above the last, J", Scale::Logarithmic, &|s| s.energy - last),
            panel("unbalanced force, relative", Scale::Logarithmic, &|s| s.residual),
            panel("regularization, ks / mean rest length", Scale::Logarithmic, &|s| s.rho),
            panel("pairs of segments in touch", Scale::Linear, &|s| s.contacts as f64),
        ];
        let rows: Vec<Plot> = plots.into();
        NamedPlot { name: FILE_NAME, svg: panels(&format!("{}: the way to equilibrium", self.name), &rows, 1) }
    }
}

/// The file name of the plot.
pub const FILE_NAME: &str = "trace.svg";

fn parse_step(line: &str) -> Option<Seen> {
    let words: Vec<&str> = line.split('\t').collect();
    let [step, energy, residual, rho, contacts, factorizations] = words.as_slice() else { return None };
    Some(Seen {
        step: step.parse().ok()?,
        energy: energy.parse().ok()?,
        residual: residual.parse().ok()?,
        rho: rho.parse().ok()?,
        contacts: contacts.parse().ok()?,
        factorizations: factorizations.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        let mut trace = Trace::new("a\nb");
        for step in 0..3 {
            let x = 10f64.powi(-(step as i32));
            trace.add(&Seen {
                step,
                energy: 1e-6 + x,
                residual: x,
                rho: 10.0 * x,
                contacts: 7 + step,
                factorizations: 2 * step,
            });
        }
        trace
    }

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let read = Trace::parse(trace().text().as_bytes(), "test").unwrap();
        assert_eq!(read, trace());
        assert_eq!(read.name(), "a b");
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        let error = |text: &str| Trace::parse(text.as_bytes(), "t.tsv").unwrap_err().to_string();
        assert!(error("").contains("t.tsv, line 1"));
        assert!(error(&format!("{MAGIC}x\nstep\n")).contains("line 2"));
        let text = trace().text().replace("\t7\t", "\t-7\t");
        assert!(error(&text).contains("line 3") && error(&text).contains("six numbers"), "{}", error(&text));
        assert!(Trace::parse(b"\xff\xfe", "t").is_err());
    }

    #[test]
    fn the_plot_has_a_panel_for_each_quantity() {
        let svg = trace().plot().svg;
        for label in ["energy above", "unbalanced force", "regularization", "in touch"] {
            assert!(svg.contains(label), "{label}");
        }
        assert!(!svg.contains("NaN") && Trace::new("").plot().svg.ends_with("</svg>\n"));
    }
}
