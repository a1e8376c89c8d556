//! A scene that is loaded: its yarns laid on its cloth, ready to be drawn or exported.

use crate::camera::Bounds;
use crate::cloth::MovingCloth;
use crate::scene::{Scene, Split};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yarnwise_runtime::{LayoutOptions, YarnLayout};
use yarnwise_shared::table::database::Database;

/// The most yarn vertices that a scene may have: what a viewer can show. Keeps UVs that are not in meters from
/// filling memory.
const MAX_VERTICES: usize = 40_000_000;

/// A pattern's yarns on the cloth.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// The pattern and its displacements.
    pub database: Arc<Database>,
    /// The pattern laid over the cloth.
    pub layout: Arc<YarnLayout>,
}

/// A loaded scene.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// What the file says; settings are changed here.
    pub scene: Scene,
    /// The scene's name in messages.
    pub origin: String,
    /// Where its files are.
    pub folder: PathBuf,
    /// The cloth's motion.
    pub(crate) cloth: MovingCloth,
    /// The scene's yarns, where they lie on cloth.
    pub fabric: Option<Fabric>,
    /// The yarns they are compared with.
    pub compare: Option<Fabric>,
    /// The cloth's positions at the moment that is shown; those of the yarns where there is no cloth.
    pub positions: Vec<[f32; 3]>,
}

impl LoadedScene {
    /// Reads a scene file and all that it names.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        LoadedScene::load(Scene::read(path)?, path.display().to_string(), folder)
    }

    /// Loads all that a scene names, from `folder`; `origin` names the scene in messages.
    pub fn load(mut scene: Scene, origin: String, folder: PathBuf) -> Result<Self> {
        let mut cloth = match (scene.yarns.strands(&folder)?, &scene.cloth) {
            (Some(strands), _) => {
                if scene.description.is_empty() {
                    scene.description = strands.description().to_owned();
                }
                MovingCloth::strands(strands)
            }
            (None, Some(cloth)) => cloth.load(&origin, &folder)?,
            (None, None) => return Err(yarnwise_shared::Error::invalid(origin, "yarns need a field 'cloth'").into()),
        };
        if scene.still >= cloth.frame_count() {
            let problem =
                format!("field 'still' is {}, the cloth has frames 0 to {}", scene.still, cloth.frame_count() - 1);
            return Err(yarnwise_shared::Error::invalid(origin, problem).into());
        }
        let options =
            LayoutOptions { max_vertices: scene.layout.max_vertices.min(MAX_VERTICES), ..scene.layout.clone() };
        let mesh = cloth.mesh();
        let fabric = |spec: &crate::scene::YarnsSpec| -> Result<Option<Fabric>> {
            let Some(mesh) = mesh else { return Ok(None) };
            let database = Arc::new(spec.load(&folder)?);
            let layout = YarnLayout::new(mesh, database.pattern(), &options);
            let layout = Arc::new(layout.map_err(Error::yarns(&origin))?);
            if layout.yarn_count() == 0 {
                return Err(Error::Request(format!(
                    "{origin}: the cloth is too small for a single yarn: are its UVs in meters? Otherwise set \
                     'uv_scale' of the clip, or a smaller 'scale' in 'layout'"
                )));
            }
            Ok(Some(Fabric { database, layout }))
        };
        let (first, compare) = (fabric(&scene.yarns)?, scene.compare.as_ref().map(fabric).transpose()?.flatten());
        let mut positions = Vec::new();
        cloth.frame(0, &mut positions)?;
        Ok(LoadedScene { scene, origin, folder, cloth, fabric: first, compare, positions })
    }

    /// Number of yarns and of their vertices.
    pub fn yarn_counts(&self) -> [usize; 2] {
        let laid = self.fabric.as_ref().map(|f| [f.layout.yarn_count(), f.layout.vertex_count()]);
        let free = self.cloth.as_strands().map(|s| [s.colors.len(), s.vertices.len()]);
        laid.or(free).unwrap_or([0, 0])
    }

    /// Frames of the cloth's motion.
    pub fn frame_count(&self) -> usize {
        self.cloth.frame_count()
    }

    /// Moves the cloth to a whole frame.
    pub fn go_to(&mut self, frame: usize) -> Result<()> {
        self.cloth.frame(frame, &mut self.positions)
    }

    /// A box around the cloth as it is now.
    pub fn bounds(&self) -> Bounds {
        // A mesh has a vertex.
        Bounds::of(&self.positions).unwrap_or(Bounds { low: Default::default(), high: Default::default() })
    }

    /// What stands side by side, as far as there is something.
    pub fn split(&self) -> Split {
        match self.scene.split {
            Split::Compare if self.compare.is_none() => Split::None,
            _ if self.fabric.is_none() => Split::None,
            split => split,
        }
    }
}
