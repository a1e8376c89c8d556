//! Numbers for single stages: a lattice of nodes, triangles and hinges apart from each other, rows of B, random vectors.

use bytemuck::{Pod, Zeroable, cast_slice};
use nalgebra::Vector3;
use yarnwise_shaders::cpu::hybrid as twin;
use yarnwise_shaders::cpu::yarn_solver::Value;
use yarnwise_shaders::cpu::yarn_solver::elements::{self, ElementInput};
use yarnwise_shaders::gpu::{
    HingeElement, HingeRow, HybridParams, HybridRow, MembraneTangent, MembraneTriangle, NONE, NodeAnchors, NodeArcs,
    NodeDiagonal, NodeLinks, NodePosition, NodeRows, NodeVector, PinTarget, RowChunk, WeaveCrossing, YarnSolverParams,
    YarnSolverScalars, node_flags,
};
use yarnwise_shared::random::Random;
use yarnwise_solvers::hybrid::device::{FixedPoint, PackedHybrid};

/// Spacing of the lattice, meters.
const L: f64 = 1e-3;

/// Side of triangles, meters.
const SIDE: f64 = 0.01;

/// Everything that stages read.
#[derive(Clone)]
pub(crate) struct World {
    /// Nodes, triangles, hinges, rows, hybrid vertices; three times as many vertices of triangles alone.
    pub(crate) n: usize,
    pub(crate) params: YarnSolverParams,
    pub(crate) hybrid: HybridParams,
    pub(crate) scalars: YarnSolverScalars,
    pub(crate) positions: Vec<NodePosition>,
    pub(crate) arcs: Vec<NodeArcs>,
    pub(crate) links: Vec<NodeLinks>,
    pub(crate) velocity: Vec<NodeVector>,
    pub(crate) momentum: Vec<NodeVector>,
    pub(crate) anchors: Vec<NodeAnchors>,
    pub(crate) compression: Vec<f32>,
    pub(crate) corners: Vec<[f32; 4]>,
    pub(crate) diagonal: Vec<NodeDiagonal>,
    pub(crate) weights: Vec<[u32; 4]>,
    pub(crate) rows: Vec<HybridRow>,
    pub(crate) chunks: Vec<RowChunk>,
    pub(crate) chunk_sums: Vec<[f32; 3]>,
    pub(crate) gather_list: Vec<u32>,
    pub(crate) hybrid_triangles: Vec<[u32; 3]>,
    pub(crate) matrix: Vec<f32>,
    /// By hybrid vertex.
    pub(crate) source: Vec<[f32; 3]>,
    pub(crate) carried: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<MembraneTriangle>,
    pub(crate) tangents: Vec<MembraneTangent>,
    pub(crate) hinges: Vec<HingeElement>,
    pub(crate) hinge_rows: Vec<HingeRow>,
    pub(crate) crossings: Vec<WeaveCrossing>,
    pub(crate) slots: Vec<[f32; 4]>,
    pub(crate) vertex_list: Vec<u32>,
    pub(crate) vertex_mass: Vec<f32>,
    pub(crate) pins: Vec<PinTarget>,
    pub(crate) x: Vec<NodeVector>,
    pub(crate) r: Vec<NodeVector>,
    pub(crate) d: Vec<NodeVector>,
    pub(crate) w: Vec<NodeVector>,
    /// Sums of workgroups behind w.
    pub(crate) sums: Vec<[f32; 2]>,
}

impl World {
    pub(crate) fn new(n: usize, cloth: &PackedHybrid) -> Self {
        let mut random = Random::new(7 + n as u64);
        let (all, active) = (5 * n, 4 * n);
        let places = places(n, &mut random);
        let fixed = FixedPoint::around(&places);
        let mut params = cloth.params;
        (params.nodes, params.pins, params.unit) = (n as u32, n as u32, fixed.unit as f32);
        (params.mass_damping, params.stiffness_damping) = (5.0, 2e-4);
        let mut scalars = YarnSolverScalars::zeroed();
        (scalars.h, scalars.left, scalars.current) = (1e-4, 3e-4, 1e-4);
        (scalars.alpha, scalars.beta, scalars.delta, scalars.goal) = (0.3, 0.4, 1e-3, 1e-9);
        let (links, weights) = lattice(n, &mut random);
        let mut vector = |size: f64, slide: f64| {
            let mut r = |s: f64| random.between([-s, s]) as f32;
            NodeVector { x: r(size), y: r(size), z: r(size), u: r(slide), v: r(slide) }
        };
        let mut vectors =
            |count: usize, size: f64, slide: f64| (0..count).map(|_| vector(size, slide)).collect::<Vec<_>>();
        let (velocity, momentum) = (vectors(all, 0.01, 0.002), vectors(n, 1e-9, 1e-10));
        let (mut d, x, r, w) = (
            vectors(all, 0.01, 0.002),
            vectors(all, 0.01, 0.002),
            vectors(all, 1e-9, 1e-10),
            vectors(all, 1e-9, 1e-10),
        );
        d[n..].iter_mut().for_each(|v| (v.u, v.v) = (0.0, 0.0));
        let mut number = |range: [f64; 2]| random.between(range) as f32;
        let triples = (n / 10).max(1);
        let rows: Vec<_> = (0..n)
            .map(|k| {
                let beta = [f64::from(number([-0.1, 0.6])), f64::from(number([0.0, 0.5]))];
                HybridRow::new(k as u32, (k * triples / n) as u32, beta)
            })
            .collect();
        let chunks = chunks(&rows);
        let hybrid_triangles: Vec<_> = (0..triples).map(|t| [t, t + 1, t + 2].map(|v| (v % n) as u32)).collect();
        let gather_list = gathered(n, &rows, &chunks, &hybrid_triangles);
        let mut three = |count: usize, size: f64| {
            (0..count).map(|_| [(); 3].map(|()| number([-size, size]))).collect::<Vec<[f32; 3]>>()
        };
        let (chunk_sums, source, carried) = (three(3 * chunks.len(), 1e-3), three(n, 1e-3), three(n, 1e-9));
        let heavy_mass = cloth.hybrid.heavy_mass;
        let diagonal = (0..all)
            .map(|i| {
                let flags = if i < n { links[i].flags } else { 0 };
                let held = flags & node_flags::HELD != 0 || i >= 4 * n;
                let x = 1.0 / (number([0.5, 2.0]) * heavy_mass + (flags / node_flags::HEAVY & 7) as f32 * heavy_mass);
                let mut slide =
                    |bit: u32| if i < n && flags & bit == 0 { 0.3 / heavy_mass * number([0.5, 1.0]) } else { 0.0 };
                let (u, v) = (slide(node_flags::STUCK_U), slide(node_flags::STUCK_V));
                NodeDiagonal { x: if held { -x } else { x }, u, v, row: if i < n { i as u32 } else { NONE } }
            })
            .collect();
        let anchors = (0..n)
            .map(|_| NodeAnchors {
                offsets: [(); 2].map(|()| number([-1e-5, 1e-5])),
                corners: [(); 4].map(|()| 1.5708 + number([-0.01, 0.01])),
            })
            .collect();
        let triangles: Vec<_> = (0..n)
            .map(|t| {
                let inverse = 1.0 / SIDE as f32;
                MembraneTriangle {
                    corners: [3 * t as u32, 3 * t as u32 + 1, 3 * t as u32 + 2],
                    weight: 5e-5 * number([0.2, 1.0]),
                    gradients: [inverse, 0.03 * inverse, -0.05 * inverse, inverse],
                }
            })
            .collect();
        let hinges: Vec<_> = (0..n)
            .map(|t| HingeElement {
                corners: [3 * t as u32, 3 * t as u32 + 1, 3 * t as u32 + 2, (3 * n + t) as u32],
                weight: 1e-7 * number([0.2, 1.0]),
                rest_angle: 0.1,
                length: SIDE as f32,
                area_1: 5e-5,
                area_2: 5e-5,
            })
            .collect();
        let vertex_list = corners_of(active, &triangles, &hinges);
        let target = |k: usize| {
            let p = fixed.position(&(places[k] + Vector3::new(1e-5, -2e-5, 1e-5 * (k % 7) as f64)));
            PinTarget { goal: [p.x, p.y, p.z], node: k as u32 }
        };
        let hybrid = HybridParams {
            free: 3 * n as u32,
            slaves: n as u32,
            rows: n as u32,
            chunks: chunks.len() as u32,
            triangles: n as u32,
            hinges: n as u32,
            ..cloth.hybrid
        };
        let sums = (0..2 * all.div_ceil(64) + 4).map(|_| [number([0.5, 1.0]), number([0.5, 1.0])]).collect();
        World {
            n,
            params,
            hybrid,
            scalars,
            positions: places.iter().map(|p| fixed.position(p)).collect(),
            arcs: arcs(n, fixed.unit),
            compression: (0..n).map(|_| number([0.0, 1e-3])).collect(),
            corners: (0..n).map(|_| [(); 4].map(|()| number([1e-14, 1e-13]))).collect(),
            slots: (0..7 * n).map(|_| [(); 4].map(|()| number([-1e-9, 1e-9]))).collect(),
            vertex_mass: (0..active).map(|_| number([1e-6, 2e-5])).collect(),
            matrix: (0..n * n).map(|_| number([-1.0, 1.0])).collect(),
            tangents: vec![MembraneTangent::zeroed(); n],
            hinge_rows: vec![HingeRow::zeroed(); n],
            crossings: cloth.shell.crossings.clone(),
            pins: (0..n).map(target).collect(),
            links,
            velocity,
            momentum,
            anchors,
            diagonal,
            weights,
            rows,
            chunks,
            chunk_sums,
            gather_list,
            hybrid_triangles,
            source,
            carried,
            triangles,
            hinges,
            vertex_list,
            x,
            r,
            d,
            w,
            sums,
        }
        .with_elements()
    }

    /// Tangents and rows of hinges are those of the positions.
    fn with_elements(mut self) -> Self {
        let (membrane, n) = (self.clone(), self.n);
        for k in 0..n {
            let world = &membrane;
            let (positions, d) = (&world.positions[n..], &world.d[n..]);
            self.tangents[k] = twin::triangle_force(&world.membrane(), &world.triangles[k], positions, d).0;
            self.hinge_rows[k] = twin::hinge_force(&world.params, &world.scalars, &world.hinges[k], positions, d).0;
        }
        self
    }

    pub(crate) fn membrane(&self) -> twin::MembraneInput<'_> {
        let World { params, hybrid, scalars, crossings, .. } = self;
        twin::MembraneInput { params, hybrid, scalars, crossings }
    }

    pub(crate) fn vertices(&self) -> twin::VertexInput<'_> {
        let World { params, scalars, slots, .. } = self;
        let (list, mass, d) = (&self.vertex_list, &self.vertex_mass, &self.d[self.n..]);
        twin::VertexInput { params, scalars, list, slots, mass, d }
    }

    pub(crate) fn spread(&self) -> twin::Spread<'_> {
        twin::Spread { rows: &self.rows, triangles: &self.hybrid_triangles, carried: &self.carried }
    }

    /// The input of elements, moving with d.
    pub(crate) fn with_input<T>(&self, use_it: impl FnOnce(&ElementInput<'_>) -> T) -> T {
        let still = vec![NodeVector::default(); self.positions.len()];
        use_it(&ElementInput {
            params: &self.params,
            scalars: &self.scalars,
            positions: &self.positions,
            arcs: &self.arcs,
            links: &self.links,
            velocity: &still,
            change: &|i| self.d[i].into(),
            compression: &self.compression,
            anchors: &self.anchors,
            weights: &|i| twin::weights(&self.links, &self.weights, i),
        })
    }

    /// Rows with the weights of corners that the device is given, and stresses with those of corners from w; no diagonal of their own.
    pub(crate) fn rows_and_stress(&self) -> (Vec<NodeRows>, Vec<[f32; 8]>) {
        self.with_input(|input| {
            let of = |i: usize| {
                let (mut rows, mut stress) = elements::node(input, i);
                rows[6] = self.corners[i];
                rows[7] = [0.0; 4];
                let w: Value = self.w[i].into();
                // The stage has moments of corners in the words of w.
                stress[4..].copy_from_slice(&w.words()[..4]);
                (rows, stress)
            };
            (0..self.n).map(of).unzip()
        })
    }

    /// One number of each input is another.
    pub(crate) fn moved(&self) -> World {
        let mut out = self.clone();
        let (i, unit) = (self.n / 2, self.params.unit);
        for point in [i, self.n + 3 * i] {
            out.positions[point].z += (5e-5 / unit) as i32;
        }
        for point in [i, self.n + 3 * i, self.n + 3 * i + 1] {
            for v in [&mut out.d, &mut out.x, &mut out.r, &mut out.w, &mut out.velocity] {
                (v[point].y, v[point].u) = (1.5 * v[point].y, 1.5 * v[point].u);
            }
        }
        out.momentum[i].x *= 1.5;
        out.source[i][1] *= 1.5;
        out.chunk_sums[i.min(self.chunk_sums.len() - 1)][0] *= 1.5;
        out.pins[i].goal[1] += (5e-6 / unit) as i32;
        out.slots[3 * i][0] *= 1.5;
        out.anchors[i].corners = out.anchors[i].corners.map(|c| c + 0.02);
        out.compression[i] *= 1.5;
        out
    }

    /// The bytes behind a variable of a stage.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fn of<T: Pod>(values: &[T]) -> Vec<u8> {
            cast_slice(values).to_vec()
        }
        match name {
            "params" => of(&[self.params]),
            "hybrid" => of(&[self.hybrid]),
            "scalars" => of(&[self.scalars]),
            "positions" => of(&self.positions),
            "arcs" => of(&self.arcs),
            "links" => of(&self.links),
            "velocity" => of(&self.velocity),
            "momentum" => of(&self.momentum),
            "anchors" => of(&self.anchors),
            "compression" => of(&self.compression),
            "corners" => of(&self.corners),
            "diagonal" => of(&self.diagonal),
            "weights" => of(&self.weights),
            "rows" => of(&self.rows),
            "chunks" => of(&self.chunks),
            "chunk_sums" => of(&self.chunk_sums),
            "gather_list" => of(&self.gather_list),
            "hybrid_triangles" => of(&self.hybrid_triangles),
            "matrix" => of(&self.matrix),
            "source" | "coarse" | "result" | "forces" => of(&self.source),
            "carried" | "lambda" => of(&self.carried),
            "triangles" => of(&self.triangles),
            "tangents" => of(&self.tangents),
            "hinges" => of(&self.hinges),
            "hinge_rows" => of(&self.hinge_rows),
            "crossings" => of(&self.crossings),
            "slots" => of(&self.slots),
            "vertex_list" => of(&self.vertex_list),
            "vertex_mass" => of(&self.vertex_mass),
            "pins" => of(&self.pins),
            "x" => of(&self.x),
            "r" => of(&self.r),
            "d" => of(&self.d),
            "w" => [of(&self.w), of(&self.sums)].concat(),
            "node_points" => vec![0; 12 * self.n],
            "vertex_points" => vec![0; 12 * 4 * self.n],
            other => panic!("no buffer {other}"),
        }
    }
}

/// Nodes on a lattice, then three vertices of each triangle, then the fourth of each hinge.
fn places(n: usize, random: &mut Random) -> Vec<Vector3<f64>> {
    let width = (n as f64).sqrt().ceil() as usize;
    let mut noise = |size: f64| Vector3::from_fn(|_, _| random.between([-size, size]));
    let mut out: Vec<_> = (0..n)
        .map(|k| {
            let (x, y) = ((k % width) as f64 * L, (k / width) as f64 * L);
            Vector3::new(1.01 * x, 1.02 * y, 0.3 * L * (300.0 * x).sin()) + noise(0.03 * L)
        })
        .collect();
    let at = |t: usize| Vector3::new((t % 40) as f64 * 0.02, (t / 40) as f64 * 0.02, 0.0);
    for t in 0..n {
        for corner in [[0.0, 0.0], [1.03, 0.0], [0.05, 0.99]] {
            out.push(at(t) + Vector3::new(corner[0] * SIDE, corner[1] * SIDE, 0.0) + noise(0.02 * SIDE));
        }
    }
    for t in 0..n {
        out.push(at(t) + Vector3::new(0.4 * SIDE, -0.9 * SIDE, 0.2 * SIDE) + noise(0.02 * SIDE));
    }
    out
}

fn arcs(n: usize, unit: f64) -> Vec<NodeArcs> {
    let width = (n as f64).sqrt().ceil() as usize;
    let whole = |s: usize| (s as f64 * L / unit).round() as i32;
    (0..n).map(|k| NodeArcs { u: whole(k / width), v: whole(k % width), fraction: 3 * (k as i32 % 5) }).collect()
}

/// Links of the lattice with all kinds of flags, and weights of every second node.
fn lattice(n: usize, random: &mut Random) -> (Vec<NodeLinks>, Vec<[u32; 4]>) {
    let width = (n as f64).sqrt().ceil() as usize;
    let lumped = |k: usize, slot: usize| (k + 2 * slot) % 3 == 0;
    let mut weights = Vec::new();
    let links = (0..n)
        .map(|k| {
            let up = (k >= width).then(|| k.wrapping_sub(width));
            let neighbors = [
                up,
                Some(k + width).filter(|o| *o < n),
                (k % width > 0).then(|| k.wrapping_sub(1)),
                Some(k + 1).filter(|o| *o < n && o % width > 0),
            ];
            let ports = std::array::from_fn(|p| neighbors[p].map_or(NONE, |o| (o as u32) << 2 | (p as u32 ^ 1)));
            let mut flags = node_flags::CROSSING;
            if (k / width + k % width) % 2 == 0 {
                flags |= node_flags::WARP_OVER;
            }
            for (slot, stuck) in [node_flags::STUCK_U, node_flags::STUCK_V].into_iter().enumerate() {
                let open = neighbors[2 * slot].is_none() || neighbors[2 * slot + 1].is_none();
                flags |= if open { stuck } else { 0 };
                flags |= if lumped(k, slot) { node_flags::LUMPED_U << slot } else { 0 };
            }
            flags |= if k % 17 == 3 { node_flags::HELD } else { 0 };
            let heavy =
                (0..4).filter(|p| neighbors[*p].is_some_and(|o| !lumped(if p % 2 == 1 { k } else { o }, p / 2)));
            flags |= heavy.count() as u32 * node_flags::HEAVY;
            if k % 2 == 0 {
                let mut bits = || random.between([655.0, 65535.0]) as u32;
                weights.push([(); 4].map(|()| bits() | bits() << 16));
                flags |= weights.len() as u32 * node_flags::WEIGHTED;
            }
            NodeLinks { ports, flags }
        })
        .collect();
    (links, weights)
}

fn chunks(rows: &[HybridRow]) -> Vec<RowChunk> {
    let mut out: Vec<RowChunk> = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        match out.last_mut() {
            Some(c) if rows[c.first as usize].triangle() == row.triangle() && c.count < 256 => c.count += 1,
            _ => out.push(RowChunk { first: k as u32, count: 1 }),
        }
    }
    out
}

fn gathered(n: usize, rows: &[HybridRow], chunks: &[RowChunk], triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut lists = vec![Vec::new(); n];
    for (k, chunk) in chunks.iter().enumerate() {
        let triangle = rows[chunk.first as usize].triangle() as usize;
        triangles[triangle].iter().enumerate().for_each(|(c, v)| lists[*v as usize].push((3 * k + c) as u32));
    }
    listed(&lists)
}

fn corners_of(active: usize, triangles: &[MembraneTriangle], hinges: &[HingeElement]) -> Vec<u32> {
    let mut lists = vec![Vec::new(); active];
    let corners = triangles.iter().flat_map(|t| t.corners).chain(hinges.iter().flat_map(|h| h.corners));
    corners.enumerate().for_each(|(slot, c)| lists[c as usize].push(slot as u32));
    listed(&lists)
}

fn listed(lists: &[Vec<u32>]) -> Vec<u32> {
    let mut starts = vec![0];
    lists.iter().for_each(|list| starts.push(starts[starts.len() - 1] + list.len() as u32));
    starts.extend(lists.iter().flatten());
    starts
}
