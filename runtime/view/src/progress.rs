//! Progress of long work, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that counts `what` from 1 to `total`; hidden where there is one, or no terminal.
pub(crate) fn bar(total: usize, what: &str) -> ProgressBar {
    if total < 2 {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:40}} {what} {{pos}}/{{len}}{{msg}}, {{eta}} left");
    // The template is ours: where it is wrong, a test of this module says so.
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total as u64).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_one() {
        assert!(ProgressStyle::with_template("{bar:40} frame {pos}/{len}{msg}, {eta} left").is_ok());
        assert_eq!(bar(1, "frame").length(), None);
        assert_eq!(bar(3, "frame").length(), Some(3));
    }
}
