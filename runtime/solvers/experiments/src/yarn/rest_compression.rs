//! Compression of crossings at rest.
//!
//! Crimp turns a yarn by multiples of a = atan(2 R / L) at its crossings. With slopes φ_k of its segments (0 in a float, ±a
//! between the sides), turns τ_k = φ_k − φ_{k−1} and levers λ_k = cos² φ_k / L the bends press a yarn at crossing 0 with
//!
//!   −σ_0 F = σ_0 (k_b / L) (τ_{−1} λ_{−1} − τ_0 (λ_{−1} + λ_0) + τ_1 λ_0),    F_n = max(0, mean of both yarns)
//!
//! which for plain weave is F_0 = 8 k_b a cos² a / L².

use super::options::{DraftArgs, MaterialArgs, NamedDraft, file_part};
use crate::options::Output;
use crate::report::Outcome;
use anyhow::{Result, ensure};
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnSimulation};

/// Crossings between the ends of yarns and what is measured: ends reach two crossings far.
const MARGIN: usize = 4;
/// Values of F_n / F_0 nearer than this are one.
const SAME: f64 = 1e-9;
/// The most crossings of a draft.
const MOST: usize = 1_000_000;

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// F_n of the crossings of one period.
#[derive(Serialize)]
pub(super) struct RestCompression {
    /// F_0, N.
    plain_compression: f64,
    weaves: Vec<Weave>,
}

#[derive(Serialize)]
struct Weave {
    draft: String,
    /// Wefts and warps of a period.
    period: [usize; 2],
    values: Vec<Value>,
    /// Mean of F_n / F_0 over the period.
    mean: f64,
    /// Largest difference from the closed form, in F_0.
    largest_error: f64,
}

/// Crossings with the same F_n.
#[derive(Serialize)]
struct Value {
    /// In F_0.
    compression: f64,
    closed_form: f64,
    crossings: usize,
}

pub(super) fn run(args: &Args) -> Result<RestCompression> {
    let material = args.material.apply(YarnMaterial::default())?;
    ensure!(material.bending > 0.0, "--bending 0: without bending nothing presses the yarns together");
    let weaves = args.draft.read()?.iter().map(|d| Weave::measure(d, &material)).collect::<Result<_>>()?;
    Ok(RestCompression { plain_compression: material.stiffness().rest_compression, weaves })
}

impl Weave {
    fn measure(NamedDraft { name, draft }: &NamedDraft, material: &YarnMaterial) -> Result<Self> {
        let (warps, wefts) = (draft.warps(), draft.wefts());
        ensure!(warps * wefts <= MOST, "--draft {name}: {warps} x {wefts} crossings, at most {MOST} are measured");
        let sheet = Sheet::new(warps + 2 * MARGIN, wefts + 2 * MARGIN, draft.clone(), *material);
        let simulation = YarnSimulation::new(sheet.weave()?, YarnOptions::default());
        let unit = material.stiffness().rest_compression;
        let places = (MARGIN..MARGIN + warps).flat_map(|i| (MARGIN..MARGIN + wefts).map(move |j| (i, j)));
        let found: Vec<[f64; 2]> = places
            .map(|(i, j)| {
                let measured = simulation.state().compression[sheet.crossing(i, j)] / unit;
                [measured, closed_form(draft, material, i, j) / unit]
            })
            .collect();
        let error = |[measured, expected]: &[f64; 2]| (measured - expected).abs();
        Ok(Weave {
            draft: name.clone(),
            period: [wefts, warps],
            mean: found.iter().map(|f| f[0]).sum::<f64>() / found.len() as f64,
            largest_error: found.iter().map(error).fold(0.0, f64::max),
            values: distinct(found),
        })
    }
}

/// Groups of equal values, smallest first.
fn distinct(mut found: Vec<[f64; 2]>) -> Vec<Value> {
    found.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let same = |a: &[f64; 2], b: &[f64; 2]| b[0] - a[0] < SAME;
    let value =
        |group: &[[f64; 2]]| Value { compression: group[0][0], closed_form: group[0][1], crossings: group.len() };
    found.chunk_by(same).map(value).collect()
}

/// F_n of a crossing far from ends, N.
fn closed_form(draft: &Draft, material: &YarnMaterial, warp: usize, weft: usize) -> f64 {
    // A warp that is over is on side +1, and the weft there on side −1.
    let side = |weft: usize, warp: usize| if draft.warp_over(weft, warp) { 1.0 } else { -1.0 };
    let along_warp = std::array::from_fn(|k| side(weft + k - 2, warp));
    let along_weft = std::array::from_fn(|k| -side(weft, warp + k - 2));
    (0.5 * (push(material, along_warp) + push(material, along_weft))).max(0.0)
}

/// With what force a yarn presses on the other at the middle of five crossings, from the sides on which it lies, N.
fn push(material: &YarnMaterial, sides: [f64; 5]) -> f64 {
    let (l, k) = (material.spacing, material.stiffness().bend);
    let slope: [f64; 4] = std::array::from_fn(|k| 0.5 * (sides[k + 1] - sides[k]) * material.crimp_angle());
    let lever = |k: usize| slope[k].cos().powi(2) / l;
    let turn = |k: usize| slope[k + 1] - slope[k];
    let gradient = turn(0) * lever(1) - turn(1) * (lever(1) + lever(2)) + turn(2) * lever(2);
    sides[2] * gradient * k / l
}

impl Outcome for RestCompression {
    fn table(&self) -> String {
        let mut text = format!("F_0 = {:.4e} N, closed form of flat plain weave\n", self.plain_compression);
        for w in &self.weaves {
            let [wefts, warps] = w.period;
            text += &format!(
                "{}, period {warps} x {wefts}: mean F_n / F_0 {:.6}, largest error {:.1e}\n",
                w.draft, w.mean, w.largest_error
            );
            text += &format!("  {:>12}{:>14}{:>12}\n", "F_n / F_0", "closed form", "crossings");
            for v in &w.values {
                text += &format!("  {:>12.6}{:>14.6}{:>12}\n", v.compression, v.closed_form, v.crossings);
            }
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let plot = |w: &Weave| {
            let part = |v: &Value| v.crossings as f64 / (w.period[0] * w.period[1]) as f64;
            let points: Vec<[f64; 2]> = w.values.iter().map(|v| [v.compression, part(v)]).collect();
            let title = format!("Compression at rest, {}", w.draft);
            let plot = Plot::new(&title, "F_n / F_0", "part of the crossings").points("", &points);
            (format!("rest-compression-{}", file_part(&w.draft)), plot)
        };
        self.weaves.iter().map(plot).collect()
    }
}
