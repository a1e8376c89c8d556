//! `yarnwise-bake pattern check`: what is in a pattern file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use yarnwise_precompute::bake::check_pattern;
use yarnwise_shared::pattern::{Pattern, clearance, crossings};

/// A report on each file; an error when one is bad.
pub(crate) fn run(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut bad = Vec::new();
    for file in files {
        match report(file) {
            Ok(report) => println!("{report}"),
            Err(error) => bad.push(error),
        }
    }
    match bad.len() {
        0 => Ok(()),
        1 => Err(bad.remove(0)),
        n => {
            bad.iter().for_each(|error| eprintln!("error: {error:#}"));
            anyhow::bail!("{n} of {} patterns are bad", files.len())
        }
    }
}

fn report(path: &Path) -> anyhow::Result<String> {
    let pattern = crate::options::read_pattern(path)?;
    check_pattern(&pattern, &path.display().to_string())?;
    let r = pattern.radius();
    let mut out = format!("{}: a valid pattern\n", path.display());
    let [px, py] = pattern.period().map(|p| 1e3 * p);
    let _ = writeln!(out, "  period         {px:.4} x {py:.4} mm");
    let _ = writeln!(out, "  radius         {:.4} mm", 1e3 * r);
    let _ = writeln!(out, "  vertices       {}", pattern.vertices().len());
    write_yarns(&mut out, &pattern);
    let lengths: Vec<f64> = (0..pattern.vertices().len()).map(|i| length(&pattern, i) / r).collect();
    let (shortest, longest) = lengths.iter().fold((f64::MAX, 0.0f64), |(a, b), l| (a.min(*l), b.max(*l)));
    let _ = writeln!(out, "  segments       {shortest:.3} to {longest:.3} radii");
    let (bend, vertex) = clearance::tightest_bend(&pattern);
    let _ = writeln!(out, "  tightest bend  {:.3} radii, at vertex {vertex}", bend / r);
    write_clearance(&mut out, &pattern)?;
    let _ = write!(out, "  crossings      {} seen from the front", crossings::crossings(&pattern)?.len());
    Ok(out)
}

fn write_yarns(out: &mut String, pattern: &Pattern) {
    /// More yarns than this are not listed one by one.
    const LISTED: usize = 12;
    let yarns = pattern.yarns();
    let _ = writeln!(out, "  yarns          {}", yarns.len());
    for (i, yarn) in yarns.iter().take(LISTED).enumerate() {
        let total: f64 = yarn.vertices.iter().map(|v| length(pattern, *v as usize)).sum();
        let [x, y] = yarn.shift;
        let vertices = count(yarn.vertices.len(), "vertex", "vertices");
        let _ =
            writeln!(out, "    yarn {i:<3}     {vertices}, {:.3} mm long, shifted by ({x}, {y}) periods", 1e3 * total);
    }
    if yarns.len() > LISTED {
        let _ = writeln!(out, "    ... and {} more", yarns.len() - LISTED);
    }
}

fn write_clearance(out: &mut String, pattern: &Pattern) -> anyhow::Result<()> {
    let r = pattern.radius();
    let Some(approach) = clearance::closest_approach(pattern, 4.0 * r)? else {
        let _ = writeln!(out, "  clearance      more than 4 radii between center lines");
        return Ok(());
    };
    let (distance, [a, b]) = (approach.distance / r, approach.edges);
    let _ = write!(out, "  clearance      {distance:.3} radii between center lines, edges {a} and {b}");
    let overlap = 100.0 * (1.0 - distance / 2.0);
    let _ = if overlap > 1.0 { writeln!(out, " (they overlap by {overlap:.0} %)") } else { writeln!(out) };
    Ok(())
}

fn length(pattern: &Pattern, edge: usize) -> f64 {
    pattern.edge_vector(edge).iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A number of things in words.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
