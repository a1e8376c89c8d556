//! A campaign at a glance: figures and pictures of all its databases in one page.

mod html;

use super::pictures::{bent_picture_with, picture_with};
use super::plots::energy_plot;
use crate::Result;
use crate::draw::{DrawOptions, Picture};
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use yarnwise_precompute::bake::{Logged, log_path, read_log};
use yarnwise_precompute::campaign::{BakeStatus, Campaign, PlannedBake, RestStatus, Standing, Status};
use yarnwise_precompute::sampling::BentAlong;
use yarnwise_shared::table::database::{self, Database, SampleStatus};
use yarnwise_shared::table::smoothness::Smoothness;

/// Fabric is shown stretched by this much, or as far as the database goes.
const SHOWN_STRETCH: f64 = 0.5;

/// Everything that a report shows.
#[derive(Debug, Serialize)]
pub struct CampaignReport {
    /// The campaign's name.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// The databases that are there, in the order of the campaign.
    pub databases: Vec<DatabaseFigures>,
    /// Bakes without a database, and why.
    pub missing: Vec<BakeStatus>,
    /// Patterns that were to be relaxed and are not at rest.
    pub unrested: Vec<RestStatus>,
}

/// Figures of one database.
#[derive(Debug, Serialize)]
pub struct DatabaseFigures {
    /// The bake's name.
    pub name: String,
    /// The names of its pattern, material, grid and bending.
    pub parts: [String; 4],
    /// Vertices of its pattern.
    pub vertices: usize,
    /// Yarn radius, m.
    pub radius: f64,
    /// Period, m.
    pub period: [f64; 2],
    /// Samples of all tables.
    pub samples: usize,
    /// Samples that were solved: bending tables take those without curvature over from the plane.
    pub solved_samples: usize,
    /// Of all samples, equilibria.
    pub converged: usize,
    /// Of which yarns passed through each other.
    pub passed_through: usize,
    /// Size of the file, bytes.
    pub file_bytes: u64,
    /// What the log says; none where there is none.
    pub logged: Option<Logged>,
    /// How much neighboring samples differ.
    pub smoothness: Smoothness,
    /// Energy density at rest and the largest one, J/m^2.
    pub energy: Option<[f64; 2]>,
    /// Shares of stretch, bend, twist and contact in the energy of the stretched fabric that is shown.
    pub kinds: Option<[f64; 4]>,
    /// The strain of that fabric along x.
    pub shown_stretch: f64,
    /// Pictures with their captions: at rest, stretched, bent.
    #[serde(skip)]
    pictures: Vec<(Picture, String)>,
    /// Energy and stress along the axes, as SVG.
    #[serde(skip)]
    plot: Option<String>,
}

/// The report of what is there of a campaign; pictures have this many pixels along their longer side.
pub fn campaign_report(campaign: &Campaign, status: Status, pixels: u32) -> Result<CampaignReport> {
    let is_done = |bake: &BakeStatus| bake.standing == Standing::Done;
    let done: Vec<&PlannedBake> =
        campaign.bakes.iter().zip(&status.bakes).filter(|(_, s)| is_done(s)).map(|(bake, _)| bake).collect();
    let figures = |bake: &&PlannedBake| DatabaseFigures::read(bake, pixels);
    Ok(CampaignReport {
        name: campaign.name.clone(),
        file: campaign.file.clone(),
        databases: done.par_iter().map(figures).collect::<Result<_>>()?,
        missing: status.bakes.into_iter().filter(|bake| !is_done(bake)).collect(),
        unrested: status.rests.into_iter().filter(|rest| rest.standing != Standing::Done).collect(),
    })
}

impl CampaignReport {
    /// The page.
    pub fn html(&self) -> Result<String> {
        html::page(self)
    }
}

impl DatabaseFigures {
    fn read(bake: &PlannedBake, pixels: u32) -> Result<Self> {
        let database = database::read(&bake.output)?;
        let bytes = std::fs::metadata(&bake.output).map_or(0, |meta| meta.len());
        DatabaseFigures::new(bake, &database, bytes, read_log(&log_path(&bake.output)).ok(), pixels)
    }

    fn new(
        bake: &PlannedBake,
        database: &Database,
        file_bytes: u64,
        logged: Option<Logged>,
        pixels: u32,
    ) -> Result<Self> {
        let (pattern, table) = (database.pattern(), database.table());
        let bent = database.bending().map(|b| [&b.x_samples, &b.y_samples]);
        let records: Vec<_> = database.samples().iter().chain(bent.into_iter().flatten().flatten()).collect();
        let count = |status| records.iter().filter(|record| record.status == status).count();
        let at_rest = table.rest_sample().and_then(|sample| database.samples()[sample].energy_density);
        let largest = records.iter().filter_map(|record| record.energy_density).reduce(f64::max);
        let sx = table.grid().0[0].values();
        // The largest sample that is not stretched more than is shown.
        let shown = sx.iter().rposition(|s| *s <= SHOWN_STRETCH).unwrap_or(0);
        Ok(DatabaseFigures {
            name: bake.name.clone(),
            parts: bake.parts.clone(),
            vertices: pattern.vertices().len(),
            radius: pattern.radius(),
            period: pattern.period(),
            samples: records.len(),
            solved_samples: records.len() - bent.map_or(0, |tables| tables.len() * database.samples().len()),
            converged: count(SampleStatus::Converged),
            passed_through: count(SampleStatus::PassedThrough),
            file_bytes,
            logged,
            smoothness: Smoothness::new(table, pattern.radius()),
            energy: at_rest.zip(largest).map(|(rest, largest)| [rest, largest]),
            kinds: shares(database, shown),
            shown_stretch: sx[shown],
            pictures: pictures(database, sx[shown], pixels)?,
            plot: energy_plot(database),
        })
    }

    /// The share of samples that are equilibria.
    fn share(&self) -> f64 {
        self.converged as f64 / self.samples as f64
    }
}

/// Shares of the kinds of energy in the sample at place `x` of the first axis, else without strain.
fn shares(database: &Database, x: usize) -> Option<[f64; 4]> {
    let grid = database.table().grid();
    let [_, sa, sy] = grid.0.each_ref().map(|axis| axis.zero());
    let kinds = database.samples()[grid.sample([x, sa?, sy?])].kinds?.values();
    let sum: f64 = kinds.iter().sum();
    (sum > 0.0).then(|| kinds.map(|kind| kind / sum))
}

fn pictures(database: &Database, stretch: f64, pixels: u32) -> Result<Vec<(Picture, String)>> {
    let options = DrawOptions { pixels, period_box: false, ..DrawOptions::default() };
    let mut out = vec![(picture_with(database, [0.0; 3], &options)?, "at rest".to_owned())];
    if stretch > 0.0 {
        let caption = format!("sx = {}", short(stretch));
        out.push((picture_with(database, [stretch, 0.0, 0.0], &options)?, caption));
    }
    if let Some(bending) = database.bending() {
        let curvatures = bending.x.grid().0[3].values();
        let lambda = curvatures[curvatures.len() - 1];
        let caption = format!("bent along x, {} per m", short(lambda));
        out.push((bent_picture_with(database, BentAlong::X, [0.0, 0.0, 0.0, lambda], pixels)?, caption));
    }
    Ok(out)
}

/// A number with at most four digits.
fn short(value: f64) -> String {
    let digits = (3 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The file's name without its folders.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_at_most_and_no_zeros_at_their_end() {
        let cases = [
            (0.0, "0"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.3333"),
            (12.3456, "12.35"),
            (-20.0, "-20"),
            (123456.0, "123456"),
            (1.5e-5, "0.000015"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }
}
