//! `yarnwise-bake mesh check`.

use super::Input;
use super::coverage::{Coverage, Uncovered};
use std::fmt;
use std::path::Path;
use yarnwise_program::number::count;
use yarnwise_program::print_report;
use yarnwise_shared::mesh::clip::{Clip, StrainRange};
use yarnwise_shared::mesh::report::{self, Island, Severity};

/// How many islands are listed.
const LISTED_ISLANDS: usize = 12;

/// What is known about a mesh or clip; lengths in meters.
#[derive(serde::Serialize)]
struct Report {
    file: String,
    frames: usize,
    /// Seconds between frames.
    frame_time: f64,
    vertices: usize,
    uv_vertices: usize,
    faces: usize,
    /// In the first frame.
    size: [f32; 3],
    obstacles: Vec<[usize; 2]>,
    #[serde(flatten)]
    mesh: report::Report,
    strains: Option<StrainRange>,
    uncovered: Vec<Uncovered>,
    errors: usize,
    warnings: usize,
}

pub(super) fn run(input: &Input, database: Option<&Path>, json: bool) -> anyhow::Result<()> {
    let coverage = Coverage::new(database)?;
    let report = Report::new(input.file.display().to_string(), &input.open()?, &coverage);
    print_report(&report, json)?;
    anyhow::ensure!(report.errors == 0, "{}: {}", report.file, report.verdict());
    Ok(())
}

impl Report {
    fn new(file: String, clip: &Clip, coverage: &Coverage) -> Self {
        let mesh = clip.mesh();
        let strains = clip.strain_range();
        let uncovered = strains.map_or(Vec::new(), |range| coverage.uncovered(&range));
        let report = clip.report();
        let number = |severity: Severity| report.findings.iter().filter(|f| f.severity == severity).count();
        let (errors, warnings) = (number(Severity::Error), number(Severity::Warning) + uncovered.len());
        Report {
            file,
            frames: clip.frame_count(),
            frame_time: clip.frame_time(),
            vertices: mesh.positions().len(),
            uv_vertices: mesh.uvs().len(),
            faces: mesh.faces().len(),
            size: size(clip.positions(0)),
            obstacles: clip.obstacles().iter().map(|o| [o.shape(0).len(), o.faces().len()]).collect(),
            mesh: report,
            strains,
            uncovered,
            errors,
            warnings,
        }
    }

    fn verdict(&self) -> String {
        match (self.errors, self.warnings) {
            (0, 0) => "nothing is wrong".to_owned(),
            (errors, warnings) => format!("{}, {}", count(errors, "error", None), count(warnings, "warning", None)),
        }
    }

    fn fmt_counts(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.frames {
            1 => writeln!(f, "  frames    1")?,
            n => writeln!(f, "  frames    {n}, one every {:.2} ms", 1e3 * self.frame_time)?,
        }
        writeln!(f, "  vertices  {} in the world, {} in the UV plane", self.vertices, self.uv_vertices)?;
        writeln!(f, "  faces     {}", self.faces)?;
        let [x, y, z] = self.size;
        writeln!(f, "  size      {x:.3} x {y:.3} x {z:.3} m in the first frame")?;
        for (i, [vertices, faces]) in self.obstacles.iter().enumerate() {
            let (vertices, faces) = (count(*vertices, "vertex", Some("vertices")), count(*faces, "face", None));
            writeln!(f, "  obstacle  {i}: {vertices}, {faces}")?;
        }
        Ok(())
    }

    fn fmt_islands(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let islands = self.mesh.island_count;
        writeln!(f, "  islands   {islands} in the UV plane")?;
        for (i, island) in self.mesh.islands.iter().take(LISTED_ISLANDS).enumerate() {
            fmt_island(f, i, island)?;
        }
        if islands > LISTED_ISLANDS {
            writeln!(f, "     ...    {} more", islands - LISTED_ISLANDS)?;
        }
        let (borders, seams) = (self.mesh.border_edges, self.mesh.seam_edges);
        writeln!(f, "  edges     {borders} at borders, {seams} at seams that are closed in the world")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}", self.file)?;
        self.fmt_counts(f)?;
        self.fmt_islands(f)?;
        if let Some(range) = &self.strains {
            fmt_strains(f, range)?;
        }
        for finding in &self.mesh.findings {
            writeln!(f, "{finding}")?;
        }
        for uncovered in &self.uncovered {
            writeln!(f, "{uncovered}")?;
        }
        // With errors the verdict is the program's last line, on standard error.
        if self.errors == 0 { writeln!(f, "{}", self.verdict()) } else { Ok(()) }
    }
}

fn size(positions: &[[f32; 3]]) -> [f32; 3] {
    std::array::from_fn(|k| {
        let range = positions.iter().fold([f32::MAX, f32::MIN], |r, p| [r[0].min(p[k]), r[1].max(p[k])]);
        range[1] - range[0]
    })
}

fn fmt_island(f: &mut fmt::Formatter, i: usize, island: &Island) -> fmt::Result {
    let [[x, y], high] = island.bounds;
    let (faces, mirrored) = (count(island.faces, "face", None), if island.mirrored { ", mirrored" } else { "" });
    let (width, height) = (high[0] - x, high[1] - y);
    write!(f, "    {i:>4}    {faces}, {width:.3} x {height:.3} m from ({x:.3}, {y:.3}), ")?;
    writeln!(f, "{:.4} m2, in the world {:.4} m2{mirrored}", island.uv_area, island.area)
}

fn fmt_strains(f: &mut fmt::Formatter, range: &StrainRange) -> fmt::Result {
    writeln!(f, "  strains   over all faces and frames:")?;
    for (name, [low, high], what) in [
        ("sx", range.sx, "stretch along u - 1"),
        ("sa", range.sa, "shear: cosine of the angle between u and v"),
        ("sy", range.sy, "stretch along v - 1"),
    ] {
        // A collapsed face has no angle: then no value was seen at all.
        if low <= high {
            // No "-0.000".
            let [low, high] = [low, high].map(|x| if x.abs() < 5e-4 { 0.0 } else { x });
            writeln!(f, "      {name}    {low:>7.3} .. {high:<7.3} {what}")?;
        }
    }
    let [low, high] = range.eigenvalues;
    writeln!(f, "      I     {low:>7.2e} .. {high:<7.3} eigenvalues of the first fundamental form")
}
