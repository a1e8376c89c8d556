//! Yarns that are simulated while they are looked at.

use super::Strands;
use crate::Result;
use crate::live::LiveMotion;
use nalgebra::Vector3;
use std::path::Path;
use yarnwise_runtime::YarnVertex;
use yarnwise_shared::file;
use yarnwise_solvers::yarn::model::Family;
use yarnwise_solvers::yarn::polyline::CenterLines;
use yarnwise_solvers::yarn::scene::Scene;
use yarnwise_solvers::yarn::{YarnSimulation, YarnValues};

/// Points on each segment of a center line that is drawn: tubes follow a smooth curve between them.
pub const POINTS_PER_SEGMENT: usize = 2;

/// A simulation of yarns, stepped from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct LiveYarns {
    start: YarnSimulation,
    simulation: YarnSimulation,
    frames: usize,
    frame_time: f64,
    frame: usize,
}

impl LiveYarns {
    /// Reads and builds a yarn scene.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let scene = Scene::read(path)?;
        let simulation = scene.build(&file::origin(path), path.parent().unwrap_or(Path::new(".")))?;
        let (frames, frame_time) = (scene.output.frame_count() + 1, 1.0 / scene.output.frames_per_second);
        Ok(LiveYarns { start: simulation.clone(), simulation, frames, frame_time, frame: 0 })
    }

    pub(super) fn simulation(&self) -> &YarnSimulation {
        &self.simulation
    }

    pub(super) fn frame_count(&self) -> usize {
        self.frames
    }

    pub(super) fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// The yarns as they are now.
    pub(super) fn strands(&self) -> Strands {
        strands(&self.simulation, POINTS_PER_SEGMENT)
    }

    pub(super) fn go_to(&mut self, frame: usize) -> Result<()> {
        if frame < self.frame {
            self.restart();
        }
        while self.frame < frame {
            self.simulation.advance(self.frame_time)?;
            self.frame += 1;
        }
        Ok(())
    }

    /// The crossing nearest to the viewer within `radius` meters of a ray.
    fn pick(&self, origin: &Vector3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<usize> {
        let weave = self.simulation.weave();
        let positions = &self.simulation.state().positions;
        let along = |i: &usize| (positions[*i] - origin).dot(direction);
        let hit = |i: &usize| {
            let depth = along(i);
            depth > 0.0 && (origin + direction * depth - positions[*i]).norm() < radius && weave.kinds[*i].is_crossing()
        };
        (0..positions.len()).filter(hit).min_by(|a, b| along(a).total_cmp(&along(b)))
    }
}

impl LiveMotion for LiveYarns {
    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn spacing(&self) -> f32 {
        self.simulation.weave().material.spacing as f32
    }

    fn advance(&mut self, seconds: f64) -> Result<()> {
        self.simulation.advance(seconds)?;
        Ok(())
    }

    fn restart(&mut self) {
        self.simulation = self.start.clone();
        self.frame = 0;
    }

    fn grab(&self, origin: Vector3<f32>, direction: Vector3<f32>, radius: f32) -> Option<(usize, Vector3<f32>)> {
        let direction = direction.cast::<f64>().try_normalize(1e-12)?;
        let node = self.pick(&origin.cast(), &direction, f64::from(radius))?;
        Some((node, self.simulation.state().positions[node].cast()))
    }

    fn drag(&mut self, node: usize, target: Vector3<f32>) {
        self.simulation.drag(node, target.cast());
    }

    fn let_go(&mut self) {
        self.simulation.let_go();
    }
}

/// The yarns of a simulation as they are now, with `per_segment` points on each segment.
pub fn strands(simulation: &YarnSimulation, per_segment: usize) -> Strands {
    let lines = CenterLines::of(simulation.weave(), simulation.state(), per_segment);
    let radius = simulation.weave().material.radius as f32;
    let vertex = |p: &yarnwise_solvers::yarn::polyline::CenterPoint| YarnVertex {
        position: p.position.cast::<f32>().into(),
        twist: 0.0,
        director: YarnVertex::pack_director(p.director.cast::<f32>().into()),
        radius,
    };
    let color = |family: &Family| match family {
        Family::Warp => 0,
        Family::Weft => 1,
        Family::Seam => 2,
    };
    let values = YarnValues::of(simulation, &lines);
    Strands {
        vertices: lines.points.iter().map(vertex).collect(),
        colors: lines.families.iter().map(color).collect(),
        arcs: lines.points.iter().map(|p| p.arc as f32).collect(),
        values: values.iter().map(|v| [v.tension, v.compression, v.sliding]).collect(),
        starts: lines.starts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hanging() -> LiveYarns {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        LiveYarns::open(&data.join("yarn-scenes/pull.json")).unwrap()
    }

    #[test]
    fn a_simulation_gives_the_same_frame_from_wherever_it_is_asked() {
        let mut live = hanging();
        live.go_to(2).unwrap();
        let second = live.strands();
        live.go_to(4).unwrap();
        assert_ne!(live.strands(), second, "nothing is pulled");
        live.go_to(2).unwrap();
        assert_eq!(live.strands(), second);
    }

    #[test]
    fn a_crossing_follows_the_hand_until_it_is_let_go() {
        let mut live = hanging();
        let place: Vector3<f32> = live.simulation().state().positions[40].cast();
        let (node, at) = live.grab(place + Vector3::z(), -Vector3::z(), 0.2e-3).expect("there is a crossing");
        assert_eq!((node, at), (40, place));
        assert!(live.grab(Vector3::z(), Vector3::z(), 0.2e-3).is_none(), "what is behind the viewer");
        let target = place + Vector3::new(0.0, 0.0, 1e-3);
        live.drag(node, target);
        live.advance(0.01).unwrap();
        let held: Vector3<f32> = live.simulation().state().positions[40].cast();
        assert!((held - target).norm() < 1e-6);
        live.let_go();
        live.advance(0.05).unwrap();
        let free: Vector3<f32> = live.simulation().state().positions[40].cast();
        assert!((free - target).norm() > 1e-4);
    }
}
