//! Yarns that are not laid on a mesh: those of a solver, or read from a cache.

pub mod cache;
#[cfg(feature = "yarn-level")]
mod hand;
#[cfg(feature = "yarn-level")]
pub mod hybrid;
#[cfg(feature = "yarn-level")]
pub mod live;
#[cfg(feature = "yarn-level")]
mod pick;
#[cfg(feature = "yarn-level")]
mod table;

use crate::Result;
#[cfg(feature = "yarn-level")]
use crate::live::LiveMotion;
use crate::live::Scenery;
use crate::playback::Playback;
#[cfg(feature = "yarn-level")]
use crate::scene_kind::{SceneKind, scene_kind};
use cache::CacheFile;
use std::path::Path;
use yarnwise_runtime::YarnVertex;
use yarnwise_solvers::contact::Body;

/// Yarns at one moment, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strands {
    /// Where each yarn begins among the vertices, and after the last one the number of vertices.
    pub starts: Vec<u32>,
    /// The number of each yarn's color: 0 for warps, 1 for wefts, 2 for seams.
    pub colors: Vec<u32>,
    /// The vertices, each in order along its yarn.
    pub vertices: Vec<YarnVertex>,
    /// Arc length at each vertex, meters: it stays with the material of a yarn that slides.
    pub arcs: Vec<f32>,
    /// Tension of the yarn (N), compression F_n of the crossing (N) and sliding (m) at each vertex.
    pub values: Vec<[f32; 3]>,
    /// How much of each vertex is simulated, 0 to 1, where cloth is yarns here and triangles there; empty elsewhere.
    pub alphas: Vec<f32>,
}

impl Strands {
    /// Vertices of each yarn.
    pub fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.starts.windows(2).map(|w| w[1] - w[0])
    }

    /// Positions between this moment and another one; of this moment alone where their yarns differ.
    fn mixed(mut self, other: &Strands, share: f32) -> Strands {
        if self.starts == other.starts {
            for (a, b) in self.vertices.iter_mut().zip(&other.vertices) {
                a.position = std::array::from_fn(|k| a.position[k] + share * (b.position[k] - a.position[k]));
            }
        }
        self
    }
}

/// Moving yarns.
#[derive(Clone, Debug)]
pub(crate) struct MovingStrands {
    source: StrandSource,
    /// The moment that is shown.
    now: Strands,
    /// Its time in a cache, seconds.
    time: f64,
}

#[derive(Clone, Debug)]
enum StrandSource {
    Cache(CacheFile, Vec<Body>),
    #[cfg(feature = "yarn-level")]
    Live(Box<live::LiveYarns>),
    #[cfg(feature = "yarn-level")]
    Hybrid(Box<hybrid::LiveHybrid>),
}

impl MovingStrands {
    /// Yarns from a cache.
    pub(crate) fn cached(path: &Path) -> Result<Self> {
        let file = CacheFile::open(path)?;
        let now = file.frame(0)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let bodies = file.header().bodies.iter().map(|b| b.build(folder)).collect::<Result<_, _>>()?;
        Ok(MovingStrands { source: StrandSource::Cache(file, bodies), now, time: 0.0 })
    }

    /// A yarn scene or a hybrid one, simulated while it is looked at.
    #[cfg(feature = "yarn-level")]
    pub(crate) fn simulated(path: &Path) -> Result<Self> {
        if scene_kind(path)? == SceneKind::Hybrid {
            let mut hybrid = hybrid::LiveHybrid::open(path)?;
            let now = hybrid.strands()?;
            return Ok(MovingStrands { now, source: StrandSource::Hybrid(Box::new(hybrid)), time: 0.0 });
        }
        let live = live::LiveYarns::open(path)?;
        Ok(MovingStrands { now: live.strands(), source: StrandSource::Live(Box::new(live)), time: 0.0 })
    }

    /// This build has no solver of yarns.
    #[cfg(not(feature = "yarn-level"))]
    pub(crate) fn simulated(path: &Path) -> Result<Self> {
        let problem =
            "yarns that are simulated need the feature 'yarn-level', which this build leaves out (see NOTICE)";
        Err(crate::Error::Request(format!("{}: {problem}", path.display())))
    }

    /// The moment that is shown.
    pub(crate) fn now(&self) -> &Strands {
        &self.now
    }

    /// What their file says of them.
    pub(crate) fn description(&self) -> &str {
        match &self.source {
            StrandSource::Cache(file, _) => &file.header().description,
            #[cfg(feature = "yarn-level")]
            StrandSource::Live(live) => live.description(),
            #[cfg(feature = "yarn-level")]
            StrandSource::Hybrid(live) => live.description(),
        }
    }

    /// Frames that there are, or that a simulation is to have.
    pub(crate) fn frame_count(&self) -> usize {
        match &self.source {
            StrandSource::Cache(file, _) => file.frame_count(),
            #[cfg(feature = "yarn-level")]
            StrandSource::Live(live) => live.frame_count(),
            #[cfg(feature = "yarn-level")]
            StrandSource::Hybrid(live) => live.frame_count(),
        }
    }

    /// Seconds between frames.
    pub(crate) fn frame_time(&self) -> f64 {
        match &self.source {
            StrandSource::Cache(file, _) => file.header().frame_time,
            #[cfg(feature = "yarn-level")]
            StrandSource::Live(live) => live.frame_time(),
            #[cfg(feature = "yarn-level")]
            StrandSource::Hybrid(live) => live.frame_time(),
        }
    }

    /// Shows a whole frame; a simulation is run up to there.
    pub(crate) fn go_to(&mut self, frame: usize) -> Result<()> {
        self.time = frame as f64 * self.frame_time();
        self.now = match &mut self.source {
            StrandSource::Cache(file, _) => file.frame(frame.min(file.frame_count() - 1))?,
            #[cfg(feature = "yarn-level")]
            StrandSource::Live(live) => {
                live.go_to(frame)?;
                live.strands()
            }
            #[cfg(feature = "yarn-level")]
            StrandSource::Hybrid(live) => {
                live.go_to(frame)?;
                live.strands()?
            }
        };
        Ok(())
    }

    /// Shows a moment of the playback, or the present one of a simulation. A frame that cannot be read stays the last one.
    pub(crate) fn show(&mut self, playback: &Playback) {
        self.time = playback.frame * self.frame_time();
        match &mut self.source {
            StrandSource::Cache(file, _) => {
                let (first, second, share) = playback.mix(file.frame_count());
                let frames = file.frame(first).and_then(|a| Ok(a.mixed(&file.frame(second)?, share)));
                self.now = frames.unwrap_or_else(|_| std::mem::take(&mut self.now));
            }
            #[cfg(feature = "yarn-level")]
            StrandSource::Live(live) => self.now = live.strands(),
            #[cfg(feature = "yarn-level")]
            StrandSource::Hybrid(live) => {
                self.now = live.strands().unwrap_or_else(|_| std::mem::take(&mut self.now));
            }
        }
    }

    /// The bodies.
    pub(crate) fn scenery(&self) -> Scenery<'_> {
        // Yarns touch bodies where they are: hardly any room is needed.
        let inset = 0.2 * self.now.vertices.first().map_or(0.0, |v| v.radius);
        match &self.source {
            StrandSource::Cache(_, bodies) => Scenery { bodies, time: self.time, inset },
            #[cfg(feature = "yarn-level")]
            StrandSource::Live(live) => {
                Scenery { bodies: &live.simulation().bodies, time: live.simulation().time(), inset }
            }
            #[cfg(feature = "yarn-level")]
            StrandSource::Hybrid(live) => Scenery { bodies: live.cloth().bodies(), time: live.cloth().time(), inset },
        }
    }

    /// The simulation, if it is one.
    #[cfg(feature = "yarn-level")]
    pub(crate) fn as_live(&mut self) -> Option<&mut dyn LiveMotion> {
        match &mut self.source {
            StrandSource::Cache(..) => None,
            StrandSource::Live(live) => Some(live.as_mut()),
            StrandSource::Hybrid(live) => Some(live.as_mut()),
        }
    }

    /// Cloth of yarns and triangles, if it is that.
    #[cfg(feature = "yarn-level")]
    pub(crate) fn as_hybrid(&self) -> Option<&hybrid::LiveHybrid> {
        match &self.source {
            StrandSource::Hybrid(live) => Some(live),
            StrandSource::Cache(..) | StrandSource::Live(_) => None,
        }
    }
}
