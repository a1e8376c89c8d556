//! Forces that blending makes out of uniform strain, taken off. Ours.
//!
//! Where energies are blended, a uniform stress σ pulls on nodes with the force of a changing weight, −L² σ∇α, and on vertices with its
//! opposite. Both cancel as far as ∇α is the same in neighboring triangles: along a straight ring, not at its corners. The forces of a flat
//! sheet under a small strain of each kind are stored once; in a step they are subtracted, scaled by the strain of the triangle that a node is
//! in at rest and turned with it. With the weave's own energy in the triangles, uniform strain is then an equilibrium.

use super::model::HybridModel;
use super::region::Class;
use super::state::HybridState;
use super::system::{ShellStep, ShellSystem, Unknowns};
use crate::yarn::material::Stiffness;
use crate::yarn::system::{Bands, Evaluation, Rows, StepData};
use crate::yarn::{Damping, Inertia, State};
use nalgebra::{Matrix3, Matrix3x2, Vector3};

/// The strain at which forces are stored.
const STRAIN: f64 = 0.01;

/// Reduced forces per unit of stretch along u and v and of shear, N, by entry of the reduced vector's positions: nodes, then vertices of triangles
/// alone. Kept where they are not rounding.
#[derive(Clone, Debug)]
pub(super) struct DeadLoad {
    entries: Vec<(u32, [Vector3<f64>; 3])>,
}

impl DeadLoad {
    pub(super) fn new(model: &HybridModel, k: &Stiffness, bands: &Bands) -> Self {
        let modes: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let rest = reduced_forces(model, k, bands, [0.0; 3]);
        let fields = modes.map(|mode| {
            let strained = reduced_forces(model, k, bands, mode.map(|m| STRAIN * m));
            strained.iter().zip(&rest).map(|(f, rest)| (f - rest) / STRAIN).collect::<Vec<_>>()
        });
        let largest = fields.iter().flatten().fold(0.0_f64, |m, f| m.max(f.norm()));
        // Borders of the cloth pull on nothing when it is at rest there: only what blending makes is a dead load.
        let blended = |p: usize| inside(model, p);
        let entries = (0..rest.len())
            .filter(|p| blended(*p) && fields.iter().any(|f| f[*p].norm() > 1e-12 * largest))
            .map(|p| (p as u32, [fields[0][p], fields[1][p], fields[2][p]]))
            .collect();
        DeadLoad { entries }
    }

    /// Subtracts the forces of the present strain over h seconds, kg m/s, from the impulses of a reduced vector.
    pub(super) fn add_impulses(&self, model: &HybridModel, state: &HybridState, h: f64, out: &mut [f64]) {
        let n = model.weave().node_count();
        let strains = Strains::new(model, state);
        for (p, fields) in &self.entries {
            let p = *p as usize;
            let Some((strain, turn)) = strains.at(model, p) else { continue };
            let force = fields[0] * strain[0] + fields[1] * strain[1] + fields[2] * strain[2];
            let force = turn * force * h;
            let at = if p < n { 5 * p } else { 5 * n + 3 * (p - n) };
            (0..3).for_each(|k| out[at + k] -= force[k]);
        }
    }
}

/// Whether a point is away from the borders of the cloth, where forces of uniform strain are real.
fn inside(model: &HybridModel, p: usize) -> bool {
    let weave = model.weave();
    if p >= weave.node_count() {
        return false;
    }
    model.is_inner(p)
}

/// f_p + Eᵀ f_v of the flat sheet under a strain, N.
fn reduced_forces(model: &HybridModel, k: &Stiffness, bands: &Bands, strain: [f64; 3]) -> Vec<Vector3<f64>> {
    const H: f64 = 1e-3;
    let flat = |uv: [f64; 2]| {
        Vector3::new(uv[0] * (1.0 + strain[0]) + strain[2] * uv[1], uv[1] * (1.0 + strain[1]), 0.0)
    };
    let weave = model.weave();
    let mut start = State::at_rest(weave);
    start.positions = model.node_uvs().iter().map(|uv| flat(*uv)).collect();
    // Anchors where corners are: friction does not act.
    let vertices = model.vertex_uvs().into_iter().map(flat).collect::<Vec<_>>();
    let still = vec![Vector3::zeros(); vertices.len()];
    crate::yarn::crossing::update_normals(weave, &mut start);
    crate::yarn::crossing::update_compression(weave, bands, k, &mut start);
    start.compression.iter_mut().zip(&mut start.corner_anchors).for_each(|(_, anchors)| {
        let angle = std::f64::consts::FRAC_PI_2 - strain[2].atan2(1.0 + strain[1]);
        let other = std::f64::consts::PI - angle;
        *anchors = [angle as f32, other as f32, other as f32, angle as f32];
    });
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
    let (nodes, free) = unknowns.split(&r);
    let nodes = nodes.iter().map(|r| Vector3::new(r[0], r[1], r[2]) / -H);
    nodes.chain(free.iter().map(|r| Vector3::from(*r) / -H)).collect()
}

/// Strains and rotations of the triangles that hybrid nodes are in.
struct Strains {
    of_face: Vec<Option<([f64; 3], Matrix3<f64>)>>,
}

impl Strains {
    fn new(model: &HybridModel, state: &HybridState) -> Self {
        let faces = model.mesh().faces();
        let of = |f: usize| {
            if model.region().triangles[f] == Class::Triangles {
                return None;
            }
            let corner = |k: usize| {
                let v = model.place_of_vertex[faces[f][k] as usize]?;
                Some(state.vertices[v as usize])
            };
            let [a, b, c] = [corner(0)?, corner(1)?, corner(2)?];
            let uv = model.mesh().uv_faces()[f].map(|v| model.mesh().uvs()[v as usize].map(f64::from));
            let rest = nalgebra::Matrix2::new(
                uv[1][0] - uv[0][0],
                uv[2][0] - uv[0][0],
                uv[1][1] - uv[0][1],
                uv[2][1] - uv[0][1],
            );
            let gradient = Matrix3x2::from_columns(&[b - a, c - a]) * rest.try_inverse()?;
            measure(&gradient)
        };
        Strains { of_face: (0..faces.len()).map(of).collect() }
    }

    /// Of the triangle of a node; nodes next to the ring take that of a neighbor in it.
    fn at(&self, model: &HybridModel, p: usize) -> Option<([f64; 3], Matrix3<f64>)> {
        let of = |n: usize| self.of_face[model.places()[n].triangle as usize];
        let around = model.weave().links[p].iter().filter_map(|l| l.node());
        of(p).or_else(|| around.filter_map(of).next())
    }
}

/// Stretch along u and v and shear of a gradient, and the rotation of the flat sheet's frame.
fn measure(gradient: &Matrix3x2<f64>) -> Option<([f64; 3], Matrix3<f64>)> {
    let (u, v): (Vector3<f64>, Vector3<f64>) = (gradient.column(0).into(), gradient.column(1).into());
    let (lu, lv) = (u.norm(), v.norm());
    let first = u.try_normalize(1e-12)?;
    let normal = u.cross(&v).try_normalize(1e-12)?;
    let second = normal.cross(&first);
    let shear = v.dot(&first) / lv;
    Some(([lu - 1.0, lv - 1.0, shear], Matrix3::from_columns(&[first, second, normal])))
}
