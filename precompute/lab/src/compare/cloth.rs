//! Sets against each other on a moving mesh: distances, a picture of them, and the time a frame takes.

use super::CompareOptions;
use super::distance::{ByRegion, RegionDistances};
use super::set::Set;
use crate::Result;
use crate::draw::{self, Curves, Picture};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;
use yarnwise_runtime::{CpuYarns, FrameOptions, FrameParams, LayoutOptions, YarnLayout};
use yarnwise_shared::Error;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::strain::{Strain, Sym2};
use yarnwise_shared::words::{count, vertices};

/// The distance in radii that is brightest in pictures.
pub(super) const BRIGHTEST: f64 = 0.5;

/// Pixels of a picture's longer side.
const PIXELS: u32 = 900;

/// Frames are timed again until this many are.
const TIMED: usize = 10;

/// A set on a clip.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ClothFigures {
    /// Yarn vertices on the mesh.
    pub yarn_vertices: usize,
    /// Distances from the reference set over the frames; nothing for the reference set itself.
    pub distances: Option<ByRegion>,
    /// The frame with the largest root of mean squares.
    pub worst_frame: usize,
    /// Seconds that looking up, displacing and mapping all yarns takes in a frame (median), on all threads.
    pub seconds: f64,
    /// Seconds that the strains of the mesh take in a frame (median).
    pub mesh_seconds: f64,
    /// The worst frame, colored by distance: half a radius and more is brightest.
    #[serde(skip)]
    pub picture: Option<Picture>,
}

/// The figures of all sets on `clip`.
pub(super) fn figures(
    sets: &[Set],
    reference: usize,
    clip: &Clip,
    options: &CompareOptions,
    report: &mut dyn FnMut(&str),
) -> Result<Vec<ClothFigures>> {
    report("laying the yarns on the clip");
    let layout = YarnLayout::new(clip.mesh(), sets[reference].database.pattern(), &LayoutOptions::default())?;
    if layout.vertex_count() == 0 {
        let problem = "is too small for a single yarn of this pattern: UVs must be in meters (scale the clip)";
        return Err(Error::invalid("clip", problem).into());
    }
    let layout = Arc::new(layout);
    let mut dense = CpuYarns::new(layout.clone(), &sets[reference].database)?;
    let frames = spread(clip.frame_count(), options.frames);
    let mut out = Vec::with_capacity(sets.len());
    for (i, set) in sets.iter().enumerate() {
        let (frames_in_words, vertices) = (count(frames.len(), "frame", None), vertices(layout.vertex_count()));
        report(&format!("{}: {frames_in_words} with {vertices} of yarns", set.name));
        // One set beside the reference at a time: memory stays that of two tables.
        let mut other = match i == reference {
            true => None,
            false => Some(CpuYarns::new(layout.clone(), &set.database)?),
        };
        let (mesh_seconds, seconds) = time(other.as_mut().unwrap_or(&mut dense), clip, &frames, options)?;
        let mut figures = ClothFigures {
            yarn_vertices: layout.vertex_count(),
            distances: None,
            worst_frame: frames[0],
            seconds,
            mesh_seconds,
            picture: None,
        };
        if let Some(yarns) = &mut other {
            compare(yarns, &mut dense, clip, &frames, options, &mut figures)?;
        }
        out.push(figures);
    }
    Ok(out)
}

/// Up to `most` frames, evenly spread from the first to the last.
pub(super) fn spread(count: usize, most: usize) -> Vec<usize> {
    let n = most.clamp(1, count);
    (0..n).map(|i| if n == 1 { count / 2 } else { i * (count - 1) / (n - 1) }).collect()
}

fn params<'a>(positions: &'a [[f32; 3]], options: &CompareOptions) -> FrameParams<'a> {
    FrameParams {
        positions,
        options: FrameOptions { min_eigenvalue: options.min_eigenvalue as f32, ..Default::default() },
    }
}

/// Median seconds of the mesh stage and of the yarn stage.
fn time(yarns: &mut CpuYarns, clip: &Clip, frames: &[usize], options: &CompareOptions) -> Result<(f64, f64)> {
    let mut seconds = [Vec::new(), Vec::new()];
    for frame in frames.iter().cycle().take(TIMED.max(frames.len())) {
        let params = params(clip.positions(*frame), options);
        let start = Instant::now();
        yarns.update_mesh(&params)?;
        let middle = Instant::now();
        yarns.update_yarns(&params)?;
        seconds[0].push((middle - start).as_secs_f64());
        seconds[1].push(middle.elapsed().as_secs_f64());
    }
    let [mesh, yarn] = seconds.map(median);
    Ok((mesh, yarn))
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn compare(
    ours: &mut CpuYarns,
    theirs: &mut CpuYarns,
    clip: &Clip,
    frames: &[usize],
    options: &CompareOptions,
    figures: &mut ClothFigures,
) -> Result<()> {
    let mut at = |frame: usize| -> Result<(RegionDistances, Vec<f32>)> {
        let params = params(clip.positions(frame), options);
        ours.update(&params)?;
        theirs.update(&params)?;
        Ok(distances(ours, theirs))
    };
    let mut all = RegionDistances::default();
    let mut worst = -1.0;
    for frame in frames {
        let (by_region, distances) = at(*frame)?;
        let squares = distances.iter().map(|d| f64::from(*d).powi(2)).sum::<f64>();
        if squares > worst {
            worst = squares;
            figures.worst_frame = *frame;
        }
        all = all.merge(&by_region);
    }
    let (_, distances) = at(figures.worst_frame)?;
    figures.picture = Some(picture(ours, &distances));
    figures.distances = Some(all.summary());
    Ok(())
}

/// Distances of all yarn vertices in radii, by the region of the strain of the face they lie on, and one by one.
pub(super) fn distances(a: &CpuYarns, b: &CpuYarns) -> (RegionDistances, Vec<f32>) {
    let radius = f64::from(a.layout().radius());
    let regions: Vec<Region> = a.face_forms().iter().map(|forms| region(forms.first)).collect();
    let distance = |i: usize| {
        let (p, q) = (a.vertices()[i].position, b.vertices()[i].position);
        (0..3).map(|k| f64::from(p[k] - q[k]).powi(2)).sum::<f64>().sqrt() / radius
    };
    let all: Vec<f32> = (0..a.vertices().len()).into_par_iter().map(|i| distance(i) as f32).collect();
    let mut sum = RegionDistances::default();
    for (site, distance) in a.layout().sites().iter().zip(&all) {
        sum.add(regions[site.face as usize], f64::from(*distance));
    }
    (sum, all)
}

fn region([xx, xy, yy, _]: [f32; 4]) -> Region {
    let strain = Strain::from_first_form(Sym2::new(xx, xy, yy).clamp_eigenvalues(1e-6));
    Region::of(Strain::new(f64::from(strain.sx), f64::from(strain.sa), f64::from(strain.sy)))
}

/// The yarns colored by distance in radii.
pub(super) fn picture(yarns: &CpuYarns, distances: &[f32]) -> Picture {
    let colors: Vec<[u8; 3]> = distances.iter().map(|d| draw::heat(f64::from(*d) / BRIGHTEST)).collect();
    let positions: Vec<[f32; 3]> = yarns.vertices().iter().map(|v| v.position).collect();
    draw::curves(
        &Curves {
            positions: &positions,
            starts: yarns.layout().yarn_starts(),
            colors: &colors,
            radius: f64::from(yarns.layout().radius()),
            toward: None,
        },
        PIXELS,
    )
}
