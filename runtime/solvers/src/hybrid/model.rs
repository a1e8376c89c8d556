//! Cloth of yarns and triangles: what does not change while it moves.

use super::build::{HybridBuild, TriangleModel};
use super::coupling::{Coupling, Row};
use super::hinge::{Hinge, hinges};
use super::homogenize::Homogenized;
use super::locate::Place;
use super::mass::{Masses, split};
use super::membrane::{EnergySpline, EnergyTable, Matched, Membrane};
use super::mesh_factor::mesh_factor;
use super::region::{Class, Region};
use super::registration::Registration;
use super::springs::WeightedSprings;
use super::triangle::Triangle;
use super::weights::{Field, frozen, triangle_weight};
use crate::cloth::model::{ClothMaterial, ClothModel};
use crate::error::{Error, Result};
use crate::yarn::Blend;
use crate::yarn::model::Weave;
use nalgebra::Vector3;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::topology::Topology;
use yarnwise_shared::parameters::InPlane;

/// The fewest nodes of a hybrid triangle: with fewer, its corners follow single nodes.
pub const FEWEST_NODES: usize = 6;

/// What carries the triangles' side.
#[derive(Clone, Debug)]
pub(super) enum Shell {
    /// Membranes and hinges, weights included.
    Membrane { membrane: Membrane, triangles: Vec<(Triangle, f64)>, hinges: Vec<Hinge> },
    /// Springs; their particles are active vertices.
    Springs(Box<WeightedSprings>),
}

/// Cloth of yarns and triangles in its start position.
#[derive(Clone, Debug)]
pub struct HybridModel {
    pub(super) mesh: Mesh,
    pub(super) region: Region,
    pub(super) registration: Registration,
    pub(super) masses: Masses,
    pub(super) blend: Blend,
    pub(super) coupling: Coupling,
    /// The node of each row of the coupling, and the row of each node.
    pub(super) hybrid_nodes: Vec<u32>,
    pub(super) row_of_node: Vec<Option<u32>>,
    /// Vertices of the mesh that take part: those of triangles alone, then hybrid ones.
    pub(super) active: Vec<u32>,
    /// How many of them are of triangles alone.
    pub(super) free: usize,
    /// Where each vertex of the mesh is among the active ones.
    pub(super) place_of_vertex: Vec<Option<u32>>,
    /// Mass of the active vertices, kg.
    pub(super) vertex_masses: Vec<f64>,
    pub(super) shell: Shell,
}

impl HybridModel {
    /// Lays yarns over a mesh whose UVs are in meters. `origin` is for messages.
    pub fn new(mesh: Mesh, region: Region, build: &HybridBuild, origin: &str) -> Result<Self> {
        if let Some(fault) = build.material.fault() {
            return Err(Error::invalid(origin, fault));
        }
        if build.material.crimp.is_some() {
            return Err(Error::invalid(
                origin,
                "yarns with crimp cannot share their cloth with triangles: leave crimp out",
            ));
        }
        let topology = Topology::new(&mesh);
        refuse_shared_edges(&mesh, &topology, origin)?;
        refuse_seams(&mesh, &region, &topology, origin)?;
        let material = &build.material;
        let registration = Registration::new(&mesh, &region, build, origin)?;
        refuse_sparse(&mesh, &region, &registration, origin)?;
        let density = material.stiffness().density;
        let faces = mesh.faces();
        let field = Field { registration: &registration, region: &region, faces };
        let masses = split(&field, mesh.positions().len(), material.spacing, density, build.lumped);
        let blend = Blend {
            weights: field.element_weights(),
            mass: masses.nodes.clone(),
            lumped: masses.lumped.clone(),
            frozen: frozen(&registration.weave, &registration.classes, build.sliding),
        };
        let of_class = |class: Class| {
            let vertices = region.vertices.iter().enumerate();
            vertices.filter(move |(_, c)| **c == class).map(|(v, _)| v as u32)
        };
        let mut active: Vec<u32> = of_class(Class::Triangles).collect();
        let free = active.len();
        active.extend(of_class(Class::Hybrid));
        let mut place_of_vertex = vec![None; mesh.positions().len()];
        active.iter().enumerate().for_each(|(k, v)| place_of_vertex[*v as usize] = Some(k as u32));
        let (hybrid_nodes, rows) = coupling_rows(&registration, faces, &place_of_vertex, free);
        let mut row_of_node = vec![None; registration.places.len()];
        hybrid_nodes.iter().enumerate().for_each(|(row, n)| row_of_node[*n as usize] = Some(row as u32));
        let coupling = Coupling::new(rows, active.len() - free).map_err(|fault| {
            let vertex = active[free + fault.vertex];
            let face = (0..faces.len())
                .find(|f| region.triangles[*f] == Class::Hybrid && faces[*f].contains(&vertex))
                .map_or(0, |f| mesh.face_number(f));
            Error::invalid(
                origin,
                format!(
                    "yarns say too little about vertex {} of face {face} in the hybrid ring: coarsen the mesh there or use denser yarns",
                    vertex + 1
                ),
            )
        })?;
        let shell = shell(&mesh, &region, build, &place_of_vertex, origin)?;
        let vertex_masses: Vec<f64> = active.iter().map(|v| masses.vertices[*v as usize]).collect();
        Ok(HybridModel {
            mesh,
            region,
            masses,
            blend,
            coupling,
            hybrid_nodes,
            row_of_node,
            active,
            free,
            place_of_vertex,
            vertex_masses,
            shell,
            registration,
        })
    }

    /// The mesh in its start position.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Classes and α.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The yarns that are simulated.
    pub fn weave(&self) -> &Weave {
        &self.registration.weave
    }

    /// Where each simulated node is in the mesh at rest.
    pub fn places(&self) -> &[Place] {
        &self.registration.places
    }

    /// Class of each simulated node.
    pub fn node_classes(&self) -> &[Class] {
        &self.registration.classes
    }

    /// Simulated nodes in the material plane, meters.
    pub fn node_uvs(&self) -> &[[f64; 2]] {
        &self.registration.uvs
    }

    /// Weights, lumped masses and frozen sliding of the nodes.
    pub fn blend(&self) -> &Blend {
        &self.blend
    }

    /// How mass is split.
    pub fn masses(&self) -> &Masses {
        &self.masses
    }

    /// B and K.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// Hybrid nodes, in the order of the rows of B.
    pub fn hybrid_nodes(&self) -> &[u32] {
        &self.hybrid_nodes
    }

    /// Vertices of the mesh that take part: those of triangles alone, then hybrid ones.
    pub fn active_vertices(&self) -> &[u32] {
        &self.active
    }

    /// Number of vertices of triangles alone.
    pub fn free_vertices(&self) -> usize {
        self.free
    }

    /// Mass of the active vertices, kg.
    pub fn vertex_masses(&self) -> &[f64] {
        &self.vertex_masses
    }

    /// Mass of the nodes, with half of that of segments which keep a mass matrix, kg.
    pub fn node_masses(&self) -> Vec<f64> {
        let (weave, density) = (self.weave(), self.weave().material.stiffness().density);
        let mut masses = self.blend.mass.clone();
        for i in 0..masses.len() {
            for slot in 0..2 {
                let Some((n, back)) = weave.links[i][2 * slot + 1].get() else { continue };
                if !self.blend.lumped[i][slot] {
                    let half = 0.5 * density * (weave.arcs[n][back.slot().index()] - weave.arcs[i][slot]);
                    masses[i] += half;
                    masses[n] += half;
                }
            }
        }
        masses
    }

    /// Whether a node is a crossing with crossings of the cloth on all four sides, simulated or not.
    pub(super) fn is_inner(&self, node: usize) -> bool {
        self.registration.inner[node]
    }

    /// Gives crossings that lack neighbors, because yarns end at the triangles there, the compression of others that have them.
    pub(super) fn complete_compression(&self, compression: &mut [f64]) {
        for (node, donor) in &self.registration.donors {
            compression[*node as usize] = compression[*donor as usize];
        }
    }

    /// The active vertices in the material plane, meters; at seams in one of their panels.
    pub(super) fn vertex_uvs(&self) -> Vec<[f64; 2]> {
        let mut uvs = vec![[0.0; 2]; self.active.len()];
        for (face, uv_face) in self.mesh.faces().iter().zip(self.mesh.uv_faces()) {
            for (v, uv) in face.iter().zip(uv_face) {
                if let Some(place) = self.place_of_vertex[*v as usize] {
                    uvs[place as usize] = self.mesh.uvs()[*uv as usize].map(f64::from);
                }
            }
        }
        uvs
    }

    /// Where the active vertices start, meters.
    pub(super) fn vertex_positions(&self) -> Vec<Vector3<f64>> {
        self.active.iter().map(|v| Vector3::from(self.mesh.positions()[*v as usize].map(f64::from))).collect()
    }
}

/// B: the hybrid nodes and their rows, by the number of vertices among the hybrid ones.
fn coupling_rows(
    registration: &Registration,
    faces: &[[u32; 3]],
    place_of_vertex: &[Option<u32>],
    free: usize,
) -> (Vec<u32>, Vec<Row>) {
    let nodes = (0..registration.places.len()).filter(|n| registration.classes[*n] == Class::Hybrid);
    let row = |n: usize| {
        let Place { triangle, beta } = registration.places[n];
        let vertex = |v: u32| place_of_vertex[v as usize].unwrap_or(free as u32) - free as u32;
        (n as u32, (faces[triangle as usize].map(vertex), beta))
    };
    nodes.map(row).unzip()
}

/// Yarns end at seams: a region of yarns that reaches one would come apart there.
/// Refuses edges of more than two triangles, and so triangles that are there twice: yarns would not know where to run.
fn refuse_shared_edges(mesh: &Mesh, topology: &Topology, origin: &str) -> Result<()> {
    let Some(edge) = topology.world.non_manifold().first() else { return Ok(()) };
    let faces: Vec<String> = edge.half_edges.iter().map(|h| mesh.face_number(*h as usize / 3).to_string()).collect();
    let problem =
        format!("faces {} share one edge: cloth has at most two at an edge, separate the others", faces.join(", "));
    Err(Error::invalid(origin, problem))
}

fn refuse_seams(mesh: &Mesh, region: &Region, topology: &Topology, origin: &str) -> Result<()> {
    for seam in &topology.seams {
        let faces = seam.half_edges.map(|h| h as usize / 3);
        if let Some(face) = faces.into_iter().find(|f| region.triangles[*f] == Class::Yarns) {
            return Err(Error::invalid(
                origin,
                format!(
                    "face {} of the yarn region is at a seam of the UVs, where yarns end: leave a row of triangles between them",
                    mesh.face_number(face)
                ),
            ));
        }
    }
    Ok(())
}

fn refuse_sparse(mesh: &Mesh, region: &Region, registration: &Registration, origin: &str) -> Result<()> {
    let mut counts = vec![0; region.triangles.len()];
    registration.places.iter().for_each(|place| counts[place.triangle as usize] += 1);
    let sparse = |f: &usize| region.triangles[*f] == Class::Hybrid && counts[*f] < FEWEST_NODES;
    match (0..counts.len()).find(sparse) {
        None => Ok(()),
        Some(face) => Err(Error::invalid(
            origin,
            format!(
                "face {} of the hybrid ring has {} yarn nodes, at least {FEWEST_NODES} are needed: coarsen the mesh there or use denser yarns",
                mesh.face_number(face),
                counts[face]
            ),
        )),
    }
}

fn shell(
    mesh: &Mesh,
    region: &Region,
    build: &HybridBuild,
    place_of_vertex: &[Option<u32>],
    origin: &str,
) -> Result<Shell> {
    if let TriangleModel::Springs(material) = &build.triangles {
        return springs(mesh, region, material, place_of_vertex, origin);
    }
    let weave = || Homogenized::of_weave(&build.material, &build.draft);
    let (membrane, sheet) = match &build.triangles {
        TriangleModel::StVenantKirchhoff => (weave().membrane().into(), weave()),
        TriangleModel::Table(database) => {
            (Membrane::Table(EnergyTable::new(database)?), Homogenized::of_database(database)?)
        }
        TriangleModel::Parameters(parameters) => {
            let sheet = Homogenized::of_parameters(parameters, &weave());
            let membrane = match &parameters.in_plane {
                InPlane::Constants(_) => sheet.membrane().into(),
                InPlane::Spline(spline) => EnergySpline::new(spline).into(),
            };
            (membrane, sheet)
        }
        _ => (Matched::new(&build.material, &build.draft).into(), weave()),
    };
    let mut triangles = Vec::new();
    for (f, face) in mesh.faces().iter().enumerate().filter(|(f, _)| region.triangles[*f] != Class::Yarns) {
        let corners = face.map(|v| place_of_vertex[v as usize].unwrap_or(0));
        let uvs = mesh.uv_faces()[f].map(|v| mesh.uvs()[v as usize].map(f64::from));
        let alpha = region.alpha_in(face, &[1.0 / 3.0; 3]);
        triangles.push((Triangle::new(corners, uvs, mesh.face_number(f), origin)?, triangle_weight(alpha)));
    }
    let plain: Vec<Triangle> = triangles.iter().map(|(t, _)| *t).collect();
    let mut hinges = hinges(&plain, &sheet, origin)?;
    let factor = mesh_factor(&plain, &hinges, &sheet);
    let mut alpha_of_active = vec![0.0; place_of_vertex.len()];
    for (v, place) in place_of_vertex.iter().enumerate() {
        if let Some(place) = place {
            alpha_of_active[*place as usize] = region.alpha[v];
        }
    }
    for hinge in &mut hinges {
        let [a, b] = [hinge.corners[0], hinge.corners[1]].map(|v| alpha_of_active[v as usize]);
        hinge.stiffness *= factor * triangle_weight(0.5 * (a + b));
    }
    triangles.retain(|(_, weight)| *weight > 0.0);
    hinges.retain(|hinge| hinge.stiffness > 0.0);
    Ok(Shell::Membrane { membrane, triangles, hinges })
}

/// The springs of the triangles that are there, with what yarns leave at their middles.
fn springs(
    mesh: &Mesh,
    region: &Region,
    material: &ClothMaterial,
    place_of_vertex: &[Option<u32>],
    origin: &str,
) -> Result<Shell> {
    let mut data = mesh.data().clone();
    let kept: Vec<usize> = (0..data.faces.len()).filter(|f| region.triangles[*f] != Class::Yarns).collect();
    let mut positions = vec![[0.0; 3]; place_of_vertex.iter().flatten().count()];
    let mut alpha = vec![0.0; positions.len()];
    for (v, place) in place_of_vertex.iter().enumerate() {
        if let Some(place) = place {
            (positions[*place as usize], alpha[*place as usize]) = (data.positions[v], region.alpha[v]);
        }
    }
    data.faces = kept.iter().map(|f| data.faces[*f].map(|v| place_of_vertex[v as usize].unwrap_or(0))).collect();
    data.uv_faces = kept.iter().map(|f| data.uv_faces[*f]).collect();
    data.positions = positions;
    let mesh = Mesh::new(data).map_err(|fault| Error::invalid(origin, fault.to_string()))?;
    let model = ClothModel::from_mesh(&mesh, material, origin)?;
    let middle = |a: u32, b: u32| 0.5 * (alpha[a as usize] + alpha[b as usize]);
    let weights = model.springs.iter().map(|s| triangle_weight(middle(s.i, s.j))).collect();
    Ok(Shell::Springs(Box::new(WeightedSprings::new(model, weights)?)))
}
