//! Cloth of yarns and triangles that is simulated while it is looked at. All of it shows yarns.

use super::Strands;
use super::table::TableLook;
use crate::Result;
use crate::live::{LiveMotion, Ray, Tool, Touch};
use nalgebra::Vector3;
use std::path::{Path, PathBuf};
use yarnwise_runtime::YarnVertex;
use yarnwise_shared::file;
use yarnwise_solvers::hybrid::scene::Scene;
use yarnwise_solvers::hybrid::{DrawnYarns, Handle, HybridCloth, HybridModel};
use yarnwise_solvers::yarn::model::Family;

/// Vertices from crossing to crossing: crimp has to stay visible where yarns have slid.
pub const POINTS_PER_SEGMENT: usize = 3;

/// How the yarns of the whole cloth are drawn.
#[derive(Clone, Debug)]
pub struct HybridLook {
    yarns: DrawnYarns,
    table: Option<Box<TableLook>>,
    radius: f32,
}

impl HybridLook {
    /// Yarns of a scene's cloth, with `per_segment` vertices from crossing to crossing, or those of the pattern of the database that
    /// the scene names, which is looked for in `folder`.
    pub fn new(scene: &Scene, model: &HybridModel, folder: &Path, per_segment: usize) -> Result<Self> {
        let radius = model.weave().material.radius as f32;
        if let Some(path) = scene.look() {
            let (table, yarns) = TableLook::open(&folder.join(path), model)?;
            return Ok(HybridLook { yarns, table: Some(Box::new(table)), radius });
        }
        Ok(HybridLook { yarns: DrawnYarns::new(model, per_segment), table: None, radius })
    }

    /// The yarns as they are now.
    pub fn strands(&mut self, cloth: &HybridCloth) -> Result<Strands> {
        let mesh = cloth.mesh_positions();
        let carried = self.table.as_mut().map(|table| table.positions(&mesh)).transpose()?;
        let points = self.yarns.points(&mesh, cloth.yarns(), carried.as_deref());
        let color = |family: &Family| match family {
            Family::Warp => 0,
            Family::Weft => 1,
            Family::Seam => 2,
        };
        Ok(Strands {
            starts: self.yarns.starts().to_vec(),
            colors: self.yarns.families().iter().map(color).collect(),
            vertices: points
                .iter()
                .map(|p| YarnVertex {
                    position: p.position.cast::<f32>().into(),
                    twist: 0.0,
                    director: YarnVertex::pack_director(p.director.cast::<f32>().into()),
                    radius: self.radius,
                })
                .collect(),
            arcs: self.yarns.arcs().map(|a| a as f32).collect(),
            values: points.iter().map(|p| [p.values.tension, p.values.compression, p.values.sliding]).collect(),
            alphas: self.yarns.alphas().map(|a| a as f32).collect(),
        })
    }
}

/// A simulation of cloth of yarns and triangles, stepped from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct LiveHybrid {
    start: HybridCloth,
    cloth: HybridCloth,
    look: HybridLook,
    scene: Scene,
    path: PathBuf,
    frame: usize,
}

impl LiveHybrid {
    /// Reads and builds a hybrid scene.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let scene = Scene::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let cloth = scene.build(&file::origin(path), folder)?;
        let look = HybridLook::new(&scene, cloth.model(), folder, POINTS_PER_SEGMENT)?;
        Ok(LiveHybrid { start: cloth.clone(), cloth, look, scene, path: path.to_owned(), frame: 0 })
    }

    pub(crate) fn cloth(&self) -> &HybridCloth {
        &self.cloth
    }

    /// What its file says.
    #[cfg(feature = "window")]
    pub(crate) fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Its file.
    #[cfg(feature = "window")]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn description(&self) -> &str {
        &self.scene.description
    }

    pub(super) fn frame_count(&self) -> usize {
        self.scene.output.frame_count() + 1
    }

    pub(super) fn frame_time(&self) -> f64 {
        1.0 / self.scene.output.frames_per_second
    }

    /// The yarns as they are now.
    pub(super) fn strands(&mut self) -> Result<Strands> {
        self.look.strands(&self.cloth)
    }

    pub(super) fn go_to(&mut self, frame: usize) -> Result<()> {
        if frame < self.frame {
            self.restart();
        }
        while self.frame < frame {
            self.cloth.advance(self.frame_time())?;
            self.frame += 1;
        }
        Ok(())
    }

    /// Nodes are numbered first, then vertices.
    fn handle(&self, particle: usize) -> Handle {
        match particle.checked_sub(self.cloth.node_positions().len()) {
            Some(vertex) => Handle::Vertex(vertex as u32),
            None => Handle::Node(particle as u32),
        }
    }
}

impl LiveMotion for LiveHybrid {
    fn time(&self) -> f64 {
        self.cloth.time()
    }

    fn spacing(&self) -> f32 {
        self.scene.material.spacing as f32
    }

    fn stride(&self) -> f64 {
        self.cloth.step()
    }

    fn advance(&mut self, seconds: f64) -> Result<()> {
        self.cloth.advance(seconds)?;
        Ok(())
    }

    fn restart(&mut self) {
        self.cloth = self.start.clone();
        self.frame = 0;
    }

    fn touch(&mut self, _: Tool, ray: &Ray) -> Touch {
        let (origin, direction) = (ray.origin.cast(), ray.direction.cast());
        let pick = |radius: f64| self.cloth.pick(&origin, &direction, radius);
        // Vertices of triangles are farther apart than yarns: what is near comes first.
        let far = longest_edge(self.cloth.model());
        let Some(handle) = pick(f64::from(ray.radius)).or_else(|| pick(0.75 * far)) else { return Touch::Nothing };
        let particle = match handle {
            Handle::Node(node) => node as usize,
            Handle::Vertex(vertex) => self.cloth.node_positions().len() + vertex as usize,
        };
        Touch::Held(particle, self.cloth.place(handle).cast())
    }

    fn drag(&mut self, particle: usize, target: Vector3<f32>) {
        let handle = self.handle(particle);
        self.cloth.drag(handle, target.cast());
    }

    fn let_go(&mut self) {
        self.cloth.let_go();
    }
}

/// The longest edge of a mesh in the material plane, meters.
fn longest_edge(model: &HybridModel) -> f64 {
    let mesh = model.mesh();
    let edges = (0..mesh.faces().len()).flat_map(|f| {
        let c = mesh.uv_corners(f).map(|p| p.map(f64::from));
        [(0, 1), (1, 2), (2, 0)].map(|(a, b): (usize, usize)| (c[a][0] - c[b][0]).hypot(c[a][1] - c[b][1]))
    });
    edges.fold(0.0, f64::max)
}
