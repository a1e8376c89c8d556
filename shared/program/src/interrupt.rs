//! Ctrl-C that lets work come to a good end.

use crate::note;
use anyhow::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What shells report for a program that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

/// A flag that the first Ctrl-C (or SIGTERM, as schedulers send it) raises; a second one ends the program at once. `message` tells the
/// user what the program finishes before it stops.
pub fn stop_on_interrupt(message: &'static str) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        if let Some(first) = first {
            // `timeout` and schedulers signal a process twice at once, alone and with its group.
            if first.elapsed() > Duration::from_secs(1) {
                std::process::exit(INTERRUPTED.into());
            }
            return;
        }
        first = Some(Instant::now());
        note!("\n{message}");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}
