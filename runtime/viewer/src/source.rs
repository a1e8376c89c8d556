//! Where a scene's moving positions come from: a clip in memory, or cloth that is simulated live.

use crate::Result;
use crate::playback::{self, Playback};
use nalgebra::Vector3;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_solvers::cloth::Simulation;
use yarnwise_solvers::cloth::scene::{Output, SceneCloth};

/// Moving positions of a mesh.
#[derive(Clone, Debug)]
pub enum Source {
    /// All frames in memory.
    Clip(Clip),
    /// Simulated from frame to frame.
    Live(Box<Live>),
}

/// Cloth that is simulated while it is looked at.
#[derive(Clone, Debug)]
pub struct Live {
    start: Simulation,
    simulation: Simulation,
    mesh: Mesh,
    frames: usize,
    frame_time: f64,
    frame: usize,
}

impl Source {
    /// A clip.
    pub fn clip(clip: Clip) -> Self {
        Source::Clip(clip)
    }

    /// A cloth scene.
    pub fn live(cloth: SceneCloth, output: &Output) -> Self {
        Source::Live(Box::new(Live {
            start: cloth.simulation.clone(),
            simulation: cloth.simulation,
            mesh: cloth.mesh,
            frames: output.frame_count() + 1,
            frame_time: 1.0 / output.frames_per_second,
            frame: 0,
        }))
    }

    /// Topology, UVs and rest shape.
    pub fn mesh(&self) -> &Mesh {
        match self {
            Source::Clip(clip) => clip.mesh(),
            Source::Live(live) => &live.mesh,
        }
    }

    /// Frames that there are, or that a simulation is to have.
    pub fn frame_count(&self) -> usize {
        match self {
            Source::Clip(clip) => clip.frame_count(),
            Source::Live(live) => live.frames,
        }
    }

    /// Seconds between frames.
    pub fn frame_time(&self) -> f64 {
        match self {
            Source::Clip(clip) => clip.frame_time(),
            Source::Live(live) => live.frame_time,
        }
    }

    /// The live simulation, if it is one.
    pub fn as_live(&mut self) -> Option<&mut Live> {
        match self {
            Source::Clip(_) => None,
            Source::Live(live) => Some(live),
        }
    }

    /// Positions of a whole frame; a simulation is run up to there.
    pub fn frame(&mut self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<()> {
        match self {
            Source::Clip(clip) => {
                out.clear();
                out.extend_from_slice(clip.positions(frame.min(clip.frame_count() - 1)));
            }
            Source::Live(live) => {
                live.go_to(frame)?;
                live.positions(out);
            }
        }
        Ok(())
    }

    /// Positions at a moment of the playback; those of a simulation are always the present ones.
    pub fn now(&self, playback: &Playback, out: &mut Vec<[f32; 3]>) {
        match self {
            Source::Clip(clip) => {
                let (first, second, share) = playback.mix(clip.frame_count());
                playback::interpolate(clip.positions(first), clip.positions(second), share, out);
            }
            Source::Live(live) => live.positions(out),
        }
    }
}

impl Live {
    /// The simulation's present positions.
    pub fn positions(&self, out: &mut Vec<[f32; 3]>) {
        out.clear();
        out.extend(self.simulation.positions_f32());
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Simulated seconds since the start.
    pub fn time(&self) -> f64 {
        self.simulation.time()
    }

    /// Moves on by `seconds`; what the mouse holds stays held.
    pub fn advance(&mut self, seconds: f64) -> Result<()> {
        self.simulation.advance(seconds)?;
        Ok(())
    }

    /// Begins again.
    pub fn restart(&mut self) {
        self.simulation = self.start.clone();
        self.frame = 0;
    }

    /// Takes hold of the particle nearest to a ray (meters); its present place, if there is one within `radius` meters.
    pub fn grab(&self, origin: Vector3<f32>, direction: Vector3<f32>, radius: f32) -> Option<(usize, Vector3<f32>)> {
        let particle = self.simulation.pick(&origin.cast(), &direction.cast(), f64::from(radius))?;
        Some((particle, self.simulation.positions()[particle].cast()))
    }

    /// Pulls a particle toward a point, meters.
    pub fn drag(&mut self, particle: usize, target: Vector3<f32>) {
        self.simulation.drag(particle, target.cast());
    }

    /// Lets go of what is dragged.
    pub fn let_go(&mut self) {
        self.simulation.let_go();
    }

    fn go_to(&mut self, frame: usize) -> Result<()> {
        if frame < self.frame {
            self.restart();
        }
        while self.frame < frame {
            self.simulation.advance(self.frame_time)?;
            self.frame += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use yarnwise_solvers::cloth::scene::Scene;

    fn falling() -> Source {
        let text = br#"{ "cloth": { "grid": { "columns": 6, "rows": 6, "spacing": 0.05 } },
            "pins": [{ "hold": { "row": "first" } }], "output": { "duration": 0.5, "frames_per_second": 20 } }"#;
        let scene = Scene::parse(text, "falling").unwrap();
        Source::live(scene.build("falling", Path::new(".")).unwrap(), &scene.output)
    }

    #[test]
    fn a_simulation_gives_the_same_frame_from_wherever_it_is_asked() {
        let mut source = falling();
        assert_eq!(source.frame_count(), 11);
        let (mut a, mut b, mut start) = (Vec::new(), Vec::new(), Vec::new());
        source.frame(4, &mut a).unwrap();
        source.frame(7, &mut b).unwrap();
        assert_ne!(a, b, "nothing falls");
        source.frame(4, &mut b).unwrap();
        assert_eq!(a, b);
        source.frame(0, &mut start).unwrap();
        assert_eq!(start, source.mesh().positions());
    }

    #[test]
    fn a_particle_follows_the_hand_until_it_is_let_go() {
        let mut source = falling();
        let live = source.as_live().unwrap();
        let place: Vector3<f32> = live.simulation().positions()[35].cast();
        let (particle, at) = live.grab(place + Vector3::y(), -Vector3::y(), 0.01).expect("there is cloth");
        assert_eq!((particle, at), (35, place));
        let target = place + Vector3::new(0.02, 0.03, 0.0);
        live.drag(particle, target);
        live.advance(0.3).unwrap();
        let held: Vector3<f32> = live.simulation().positions()[35].cast();
        assert!((held - target).norm() < 1e-3, "{held} instead of {target}");
        live.let_go();
        live.advance(0.3).unwrap();
        assert!(live.simulation().positions()[35].y < f64::from(target.y) - 0.02, "does not fall");
    }
}
