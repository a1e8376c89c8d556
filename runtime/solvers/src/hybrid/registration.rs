//! Yarns laid over the mesh: which nodes there are, and in which triangle each of them is at rest.
//!
//! Yarns lie on a lattice of the material plane: warps at u = (i + ½) L, wefts at v = (j + ½) L, arc coordinates are those of the plane. All
//! of the cloth has yarns. Nodes in triangles of yarns and in hybrid ones are simulated; yarns end where triangles are alone, and what
//! continues from there is only drawn [Casafranca20, §6.1].

use super::build::HybridBuild;
use super::locate::{Locator, Place};
use super::region::{Class, Region};
use crate::error::{Error, Result};
use crate::yarn::model::{Family, NodeKind, Slot, Weave, WeaveBuilder};
use nalgebra::Vector3;
use yarnwise_shared::mesh::Mesh;

/// The shortest loose end of a yarn, as a part of the spacing; a shorter one is only mass.
pub(super) const SHORTEST_END: f64 = 0.3;

/// The most crossings of a lattice.
const MAX_POINTS: f64 = 2e7;

/// Steps of the lattice through the ports u−, u+, v−, v+: warps, in slot U, run along v.
const STEPS: [[i64; 2]; 4] = [[0, -1], [0, 1], [-1, 0], [1, 0]];

/// A crossing of the lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) uv: [f64; 2],
    pub(super) place: Place,
    pub(super) class: Class,
    pub(super) island: u32,
    /// Whether the warp is over the weft.
    pub(super) warp_over: bool,
    /// Its number among the simulated nodes.
    pub(super) node: Option<u32>,
    /// The points behind the ports.
    pub(super) neighbors: [Option<u32>; 4],
    /// Yarn beyond the last crossing behind each port, meters.
    pub(super) tails: [f64; 4],
    /// The node at the end of each of them.
    pub(super) ends: [Option<u32>; 4],
    pub(super) cell: [i64; 2],
}

/// All yarns of the cloth and where they are in its mesh.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    pub(super) points: Vec<Point>,
    /// Yarns that are simulated, in the mesh's start position.
    pub(super) weave: Weave,
    /// Of the simulated nodes: place in the mesh, in the material plane, class and island.
    pub(super) places: Vec<Place>,
    pub(super) uvs: Vec<[f64; 2]>,
    pub(super) classes: Vec<Class>,
    pub(super) islands: Vec<u32>,
    /// Crossings near the place where yarns are cut at the triangles, each with one of the same kind that knows how hard it is pressed.
    pub(super) donors: Vec<(u32, u32)>,
    /// Whether a node is a crossing with crossings on all four sides, simulated or not.
    pub(super) inner: Vec<bool>,
    pub(super) locator: Locator,
}

impl Registration {
    pub(super) fn new(mesh: &Mesh, region: &Region, build: &HybridBuild, origin: &str) -> Result<Self> {
        let HybridBuild { material, draft, loose_ends, .. } = build;
        let locator = Locator::new(mesh);
        let mut points = lattice(&locator, region, material.spacing, origin)?;
        drop_lonely(&mut points);
        let world = |place: &Place| {
            let face = mesh.faces()[place.triangle as usize];
            let corner = |k: usize| Vector3::from(mesh.positions()[face[k] as usize].map(f64::from)) * place.beta[k];
            corner(0) + corner(1) + corner(2)
        };
        let mut out = Registration {
            weave: WeaveBuilder::new(*material).into_unfinished(),
            places: Vec::new(),
            uvs: Vec::new(),
            classes: Vec::new(),
            islands: Vec::new(),
            inner: Vec::new(),
            donors: Vec::new(),
            points: Vec::new(),
            locator,
        };
        let mut builder = WeaveBuilder::new(*material);
        for p in &mut points {
            let repeat = |cell: i64, count: usize| cell.rem_euclid(count as i64) as usize;
            p.warp_over = draft.warp_over(repeat(p.cell[1], draft.wefts()), repeat(p.cell[0], draft.warps()));
        }
        for p in points.iter_mut().filter(|p| p.class != Class::Triangles) {
            let kind = NodeKind::Crossing { warp_over: p.warp_over };
            p.node = Some(builder.node(world(&p.place), kind) as u32);
            out.keep(p.place, p.uv, p.class, p.island);
        }
        for k in 0..points.len() {
            for port in 0..4 {
                let p = &points[k];
                if !loose_ends || p.node.is_none() || p.tails[port] < SHORTEST_END * material.spacing {
                    continue;
                }
                let uv = along(p.uv, port, p.tails[port]);
                let found = out.locator.find(p.island as usize, uv, &region.triangles);
                let place = found.unwrap_or(Place { beta: out.locator.beta(p.place.triangle, uv), ..p.place });
                let class = region.triangles[place.triangle as usize];
                if class == Class::Triangles {
                    continue;
                }
                let island = p.island;
                points[k].ends[port] = Some(builder.node(world(&place), NodeKind::End) as u32);
                out.keep(place, uv, class, island);
            }
        }
        lay_yarns(&mut builder, &points, &out.uvs);
        out.weave = if out.places.is_empty() { builder.into_unfinished() } else { builder.finish(origin)? };
        out.inner = vec![false; out.places.len()];
        for p in &points {
            if let Some(node) = p.node {
                out.inner[node as usize] = p.neighbors.iter().all(|n| n.is_some());
            }
        }
        out.donors = donors(&points, [draft.warps() as i64, draft.wefts() as i64]);
        out.points = points;
        Ok(out)
    }

    fn keep(&mut self, place: Place, uv: [f64; 2], class: Class, island: u32) {
        self.places.push(place);
        self.uvs.push(uv);
        self.classes.push(class);
        self.islands.push(island);
    }

    /// The triangle of an island that a point is in, or the given one where it is in none.
    pub(super) fn place_near(&self, island: u32, uv: [f64; 2], own: &Place, region: &Region) -> Place {
        let found = self.locator.find(island as usize, uv, &region.triangles);
        found.unwrap_or_else(|| Place { triangle: own.triangle, beta: inside(self.locator.beta(own.triangle, uv)) })
    }
}

/// The nearest barycentric coordinates that are not negative.
fn inside(beta: [f64; 3]) -> [f64; 3] {
    let positive = beta.map(|b| b.max(0.0));
    let sum: f64 = positive.iter().sum();
    positive.map(|b| b / sum)
}

pub(super) fn along(uv: [f64; 2], port: usize, length: f64) -> [f64; 2] {
    [uv[0] + STEPS[port][0] as f64 * length, uv[1] + STEPS[port][1] as f64 * length]
}

/// The crossings that are inside the cloth, island after island, warp after warp.
fn lattice(locator: &Locator, region: &Region, spacing: f64, origin: &str) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for island in 0..locator.island_count() {
        let [low, high] = locator.bounds(island);
        let counted = (high[0] - low[0]) * (high[1] - low[1]) / (spacing * spacing);
        if counted > MAX_POINTS {
            return Err(Error::invalid(
                origin,
                format!(
                    "the cloth has about {counted:.1e} crossings, at most {MAX_POINTS:.0e} are possible: are the UVs in meters? Use a \
                     larger 'spacing'"
                ),
            ));
        }
        let range = |k: usize| {
            let cell = |x: f64| (x / spacing - 0.5).floor() as i64;
            (cell(low[k]), (cell(high[k]) - cell(low[k]) + 2) as usize)
        };
        let ((first_i, columns), (first_j, rows)) = (range(0), range(1));
        let mut index = vec![None; columns * rows];
        let begin = points.len();
        for i in 0..columns {
            for j in 0..rows {
                let cell = [first_i + i as i64, first_j + j as i64];
                let uv = cell.map(|c| (c as f64 + 0.5) * spacing);
                let Some(place) = locator.find(island, uv, &region.triangles) else { continue };
                index[i * rows + j] = Some(points.len() as u32);
                points.push(Point {
                    uv,
                    place,
                    class: region.triangles[place.triangle as usize],
                    island: island as u32,
                    warp_over: false,
                    node: None,
                    neighbors: [None; 4],
                    tails: [0.0; 4],
                    ends: [None; 4],
                    cell,
                });
            }
        }
        for p in &mut points[begin..] {
            for (port, step) in STEPS.iter().enumerate() {
                let [i, j] = [p.cell[0] + step[0] - first_i, p.cell[1] + step[1] - first_j];
                let there = (0..columns as i64).contains(&i) && (0..rows as i64).contains(&j);
                p.neighbors[port] = if there { index[i as usize * rows + j as usize] } else { None };
                if p.neighbors[port].is_none() {
                    p.tails[port] = tail(locator, region, p, port, spacing);
                }
            }
        }
    }
    Ok(points)
}

/// How far the cloth continues beyond a crossing, meters, at most one spacing.
fn tail(locator: &Locator, region: &Region, p: &Point, port: usize, spacing: f64) -> f64 {
    let inside = |length: f64| locator.find(p.island as usize, along(p.uv, port, length), &region.triangles).is_some();
    let (mut low, mut high) = (0.0, spacing);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if inside(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Crossings without a simulated neighbor would hang on nothing: triangles carry them.
fn drop_lonely(points: &mut [Point]) {
    let lonely: Vec<bool> = points
        .iter()
        .map(|p| {
            let beside = p.neighbors.iter().flatten().any(|n| points[*n as usize].class != Class::Triangles);
            p.class != Class::Triangles && !beside
        })
        .collect();
    for (p, _) in points.iter_mut().zip(lonely).filter(|(_, lonely)| *lonely) {
        p.class = Class::Triangles;
    }
}

/// How far compression reaches along yarns, crossings: it comes from bends, each of three nodes, at both neighbors.
const REACH: usize = 2;

/// How far a donor is looked for, crossings.
const FARTHEST: usize = 24;

/// For each crossing within reach of a cut the nearest crossing at the same place of the draft's repeat that is not; none where there is none near.
fn donors(points: &[Point], repeat: [i64; 2]) -> Vec<(u32, u32)> {
    let simulated = |k: u32| points[k as usize].node.is_some();
    // Crossings of the cloth beyond the cut are there, but not simulated.
    let mut distance = vec![usize::MAX; points.len()];
    let mut front: Vec<u32> = (0..points.len() as u32).filter(|k| !simulated(*k)).collect();
    front.iter().for_each(|k| distance[*k as usize] = 0);
    for d in 1..=REACH {
        let mut next = Vec::new();
        for k in front {
            for n in points[k as usize].neighbors.iter().flatten() {
                if distance[*n as usize] == usize::MAX {
                    distance[*n as usize] = d;
                    next.push(*n);
                }
            }
        }
        front = next;
    }
    let cut = |k: u32| distance[k as usize] <= REACH;
    let same = |a: &Point, b: &Point| (0..2).all(|k| (a.cell[k] - b.cell[k]).rem_euclid(repeat[k]) == 0);
    let donor = |k: u32| {
        let mut seen = vec![k];
        let mut from = 0;
        for _ in 0..FARTHEST {
            let to = seen.len();
            for at in from..to {
                for n in points[seen[at] as usize].neighbors.iter().flatten().filter(|n| simulated(**n)) {
                    if !seen.contains(n) {
                        seen.push(*n);
                    }
                }
            }
            from = to;
            let found = seen[to..].iter().find(|n| !cut(**n) && same(&points[k as usize], &points[**n as usize]));
            if let Some(found) = found {
                return points[*found as usize].node;
            }
        }
        None
    };
    let near = (0..points.len() as u32).filter(|k| simulated(*k) && cut(*k));
    near.filter_map(|k| Some((points[k as usize].node?, donor(k)?))).collect()
}

/// Yarns through consecutive nodes, with their loose ends.
fn lay_yarns(builder: &mut WeaveBuilder, points: &[Point], uvs: &[[f64; 2]]) {
    for slot in Slot::BOTH {
        // Warps run along v, wefts along u.
        let (family, axis) = if slot == Slot::U { (Family::Warp, 1) } else { (Family::Weft, 0) };
        let simulated = |k: Option<u32>| k.filter(|k| points[*k as usize].node.is_some());
        for first in points.iter().filter(|p| p.node.is_some() && simulated(p.neighbors[slot.minus()]).is_none()) {
            let mut nodes = Vec::new();
            let mut add = |node: Option<u32>| {
                if let Some(node) = node {
                    nodes.push((node as usize, slot, uvs[node as usize][axis]));
                }
            };
            add(first.ends[slot.minus()]);
            let mut last = first;
            add(first.node);
            while let Some(next) = simulated(last.neighbors[slot.plus()]) {
                last = &points[next as usize];
                add(last.node);
            }
            add(last.ends[slot.plus()]);
            if nodes.len() > 1 {
                builder.yarn(family, &nodes);
            }
        }
    }
}
