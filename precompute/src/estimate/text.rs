//! The report of an estimate as text.

use super::report::{Estimated, Found, Overall, Verdict};
use std::fmt;
use yarnwise_shared::parameters::LARGEST_ERROR;
use yarnwise_shared::words::count;

/// The number of data that are listed, those that are met worst.
const LISTED: usize = 12;

fn of_parameter(p: &Found) -> String {
    let value = p.value.map(|v| format!("{v:.4e} {}", p.unit)).unwrap_or_default();
    let error = p.standard_error.map(|e| format!("+- {:.2} %", 100.0 * e)).unwrap_or_default();
    match p.verdict {
        Verdict::Determined => format!("{value:<18} {error:<12} from {:.4e}", p.start),
        Verdict::Given => format!("{value:<18} given"),
        Verdict::AtBound => format!("{value:<18} at its bound: the data ask for more"),
        Verdict::NotDetermined => "not determined by these data".to_owned(),
    }
}

impl Estimated {
    fn remark(&self) -> Option<String> {
        let open = self.not_determined();
        if open.is_empty() {
            return None;
        }
        let why = if self.freedom <= 0 {
            "no more data than parameters, so there is nothing to tell their errors from".to_owned()
        } else {
            format!("standard errors above {:.0} %", 100.0 * LARGEST_ERROR)
        };
        Some(format!("{}: {why}; give more states, or values with --fix", open.join(", ")))
    }
}

impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for p in &self.parameters {
            writeln!(f, "{:<14}{}", p.name, of_parameter(p).trim_end())?;
        }
        if let Some(remark) = self.remark() {
            writeln!(f, "open          {remark}")?;
        }
        let states = self.steps.last().map_or(0, |s| s.states);
        let data =
            format!("{} of {}", count(self.residuals.len(), "datum", Some("data")), count(states, "state", None));
        writeln!(
            f,
            "residuals     {:.3} % root mean square, {:.3} % at most ({data})",
            100.0 * self.rms,
            100.0 * self.largest
        )?;
        writeln!(f, "overall       {}", self.overall_text())?;
        let steps = count(self.step_count(), "step", None);
        writeln!(
            f,
            "search        {steps}, {}: {}",
            count(self.evaluations as usize, "evaluation", None),
            self.end.text()
        )?;
        let values: Vec<String> = self.singular_values.iter().map(|v| format!("{v:.3}")).collect();
        let weakest: Vec<String> = self.weakest.iter().map(|s| format!("{} {:+.2}", s.name, s.share)).collect();
        writeln!(f, "singular      {}; weakest direction {}", values.join(", "), weakest.join(", "))?;
        for aside in &self.aside {
            let [sx, sa, sy] = aside.strain;
            writeln!(f, "left out      state {} ({sx}, {sa}, {sy}): {}", aside.state, aside.reason)?;
        }
        self.write_residuals(f)
    }
}

impl Estimated {
    fn overall_text(&self) -> String {
        let part = |o: &Overall| {
            let start = o.start.map_or(String::new(), |start| format!(" ({:.1} % at the start)", 100.0 * start));
            format!("{} {:.3} %{start}", o.quantity.name(), 100.0 * o.found)
        };
        let parts: Vec<String> = self.overall.iter().map(part).collect();
        format!("{}: root mean square of differences over that of the data", parts.join(", "))
    }

    fn write_residuals(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut worst: Vec<_> = self.residuals.iter().collect();
        worst.sort_by(|a, b| b.residual.abs().total_cmp(&a.residual.abs()));
        let of =
            if worst.len() > LISTED { format!(" (the {LISTED} met worst of {})", worst.len()) } else { String::new() };
        writeln!(f, "\n state  sx      sa      sy      datum            measured      found         residual{of}")?;
        for r in worst.into_iter().take(LISTED) {
            let [sx, sa, sy] = r.strain;
            writeln!(
                f,
                " {:<6} {sx:<7.4} {sa:<7.4} {sy:<7.4} {:<16} {:<13.5e} {:<13.5e} {:+.3} %",
                r.state,
                r.datum,
                r.measured,
                r.found,
                100.0 * r.residual
            )?;
        }
        Ok(())
    }
}
