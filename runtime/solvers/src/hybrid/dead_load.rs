//! Forces that blending makes out of uniform strain, taken off. Ours.
//!
//! Where energies are blended, a uniform stress pulls on nodes with the force of a changing weight, about −L² P ∇α, and on vertices with its opposite.
//! Both cancel as far as ∇α is the same in neighboring triangles: along a straight ring, not at its corners. What is left on a node is the same for
//! every uniform F up to the stress: with P = T + S, the parts of stretch and of shear,
//!
//!   f = a_u T_u + a_v T_v + b_u S_u + b_v S_v
//!
//! The four lengths of every node are found once from the forces of a flat sheet under three small strains; in a step f is subtracted, with the stress of
//! the triangle that the node is in. With the weave's own energy in the triangles, uniform strain is then an equilibrium.

use super::membrane::Gradient;
use super::model::{HybridModel, Shell};
use super::state::HybridState;
use super::system::{ShellStep, ShellSystem, Unknowns, lagged};
use super::triangle::Triangle;
use crate::yarn::crossing::{update_compression, update_normals};
use crate::yarn::material::Stiffness;
use crate::yarn::system::{Bands, Evaluation, Rows, StepData};
use crate::yarn::{Damping, Inertia, State};
use nalgebra::Vector3;

/// The strain at which lengths are found.
const STRAIN: f64 = 1e-3;

/// The four lengths of nodes, meters, where they are not rounding.
#[derive(Clone, Debug)]
pub(super) struct DeadLoad {
    lengths: Vec<(u32, [f64; 4])>,
    /// The triangle of each of them in the rest mesh, with active vertices; nodes next to the ring take one of a neighbor.
    triangles: Vec<Triangle>,
}

impl DeadLoad {
    /// Of a model with membranes; springs have no stress and get none.
    pub(super) fn new(model: &HybridModel, k: &Stiffness, bands: &Bands) -> Option<Self> {
        let Shell::Membrane { membrane, .. } = &model.shell else { return None };
        let rest = reduced_forces(model, k, bands, &flat([0.0; 3]));
        let modes = [[STRAIN, 0.0, 0.0], [0.0, STRAIN, 0.0], [0.0, 0.0, STRAIN]].map(flat);
        let fields = modes.each_ref().map(|f| reduced_forces(model, k, bands, f));
        let parts = modes.each_ref().map(|f| lagged(membrane, f).stress_parts(f));
        let (tu, tv) = (parts[0][0][(0, 0)], parts[1][0][(1, 1)]);
        let (su, sv) = (parts[2][1][(1, 0)], parts[2][1][(0, 1)]);
        let over = |force: f64, stress: f64| if stress.abs() > 0.0 { force / stress } else { 0.0 };
        let of = |p: usize| {
            let d = |mode: usize| fields[mode][p] - rest[p];
            [over(d(0).x, tu), over(d(1).y, tv), over(d(2).y, su), over(d(2).x, sv)]
        };
        let spacing = model.weave().material.spacing;
        let (mut lengths, mut triangles) = (Vec::new(), Vec::new());
        for p in (0..model.weave().node_count()).filter(|p| model.is_inner(*p)) {
            let own = of(p);
            if own.iter().all(|l| l.abs() < 1e-9 * spacing) {
                continue;
            }
            if let Some(triangle) = triangle_of(model, p) {
                lengths.push((p as u32, own));
                triangles.push(triangle);
            }
        }
        Some(DeadLoad { lengths, triangles })
    }

    /// Subtracts the forces of the present stress over h seconds, kg m/s, from the impulses of a reduced vector.
    pub(super) fn add_impulses(&self, model: &HybridModel, state: &HybridState, h: f64, out: &mut [f64]) {
        let Shell::Membrane { membrane, .. } = &model.shell else { return };
        for ((p, lengths), triangle) in self.lengths.iter().zip(&self.triangles) {
            let f = triangle.deformation(triangle.corners.map(|c| state.vertices[c as usize]));
            let [t, s] = lagged(membrane, &f).stress_parts(&f);
            let force = t.column(0) * lengths[0]
                + t.column(1) * lengths[1]
                + s.column(0) * lengths[2]
                + s.column(1) * lengths[3];
            (0..3).for_each(|k| out[5 * *p as usize + k] -= h * force[k]);
        }
    }
}

/// F of a flat sheet that is stretched along u and v and sheared.
fn flat([u, v, shear]: [f64; 3]) -> Gradient {
    // Sheared by an angle: yarns keep their length.
    let (sine, cosine) = shear.sin_cos();
    Gradient::from_columns(&[Vector3::new(1.0 + u, 0.0, 0.0), Vector3::new((1.0 + v) * sine, (1.0 + v) * cosine, 0.0)])
}

/// The hybrid triangle of a node, or of a neighbor.
fn triangle_of(model: &HybridModel, node: usize) -> Option<Triangle> {
    let around = model.weave().links[node].iter().filter_map(|l| l.node());
    let of = |n: usize| {
        model.row_of_node[n]?;
        let face = model.places()[n].triangle as usize;
        let corners = model.mesh.faces()[face].map(|v| model.place_of_vertex[v as usize].unwrap_or(0));
        let uvs = model.mesh.uv_faces()[face].map(|v| model.mesh.uvs()[v as usize].map(f64::from));
        Triangle::new(corners, uvs, face + 1, "mesh").ok()
    };
    of(node).or_else(|| around.filter_map(of).next())
}

/// f_p + Eᵀ f_v of the flat sheet under uniform F, N, by node.
fn reduced_forces(model: &HybridModel, k: &Stiffness, bands: &Bands, f: &Gradient) -> Vec<Vector3<f64>> {
    const H: f64 = 1e-3;
    let at = |uv: &[f64; 2]| f.column(0) * uv[0] + f.column(1) * uv[1];
    let weave = model.weave();
    let mut start = State::at_rest(weave);
    start.positions = model.node_uvs().iter().map(at).collect();
    // Anchors where corners are: friction does not act.
    let angle = f.column(0).angle(&f.column(1));
    let other = std::f64::consts::PI - angle;
    start.corner_anchors.iter_mut().for_each(|a| *a = [angle, other, other, angle].map(|a| a as f32));
    update_normals(weave, &mut start);
    update_compression(weave, bands, k, &mut start);
    model.complete_compression(&mut start.compression);
    let vertices: Vec<Vector3<f64>> = model.vertex_uvs().iter().map(at).collect();
    let still = vec![Vector3::zeros(); vertices.len()];
    let data = StepData {
        weave,
        bands,
        k,
        start: &start,
        h: H,
        gravity: Vector3::zeros(),
        damping: Damping::Strain,
        inertia: Inertia::Momentum,
        contacts: &[],
        blend: Some(&model.blend),
    };
    let (mut rows, mut residual) = (Rows::<f64>::default(), Vec::new());
    data.evaluate(Evaluation::Start, &mut rows, &mut residual);
    let step = ShellStep {
        model,
        start: &vertices,
        velocities: &still,
        h: H,
        gravity: Vector3::zeros(),
        mass_damping: 0.0,
        stiffness_damping: 0.0,
    };
    let mut shell = ShellSystem::new(model);
    shell.evaluate(&step, &still, true);
    let unknowns = Unknowns { model };
    let mut r: Vec<f64> = residual.as_flattened().to_vec();
    r.resize(unknowns.len(), 0.0);
    unknowns.add_transposed(&shell.residual.iter().map(|r| (*r).into()).collect::<Vec<_>>(), &mut r);
    unknowns.split(&r).0.iter().map(|r| Vector3::new(r[0], r[1], r[2]) / -H).collect()
}
