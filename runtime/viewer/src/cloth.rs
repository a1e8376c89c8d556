//! Where a scene's moving positions come from: a clip in memory, cloth that is simulated live, or yarns of their own.

use crate::Result;
use crate::live::{LiveMotion, Ray, Scenery, Tool, Touch};
use crate::playback::{self, Playback};
use crate::strands::{MovingStrands, Strands};
use nalgebra::Vector3;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_solvers::cloth::Simulation;
use yarnwise_solvers::cloth::scene::{Output, SceneCloth};

/// Moving positions of a mesh, or of yarns.
#[derive(Clone, Debug)]
pub(crate) enum MovingCloth {
    /// All frames in memory.
    Clip(Clip),
    /// Simulated from frame to frame.
    Live(Box<Live>),
    /// Yarns that are not laid on a mesh.
    Strands(Box<MovingStrands>),
}

/// Cloth that is simulated while it is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    start: Simulation,
    simulation: Simulation,
    mesh: Mesh,
    frames: usize,
    frame_time: f64,
    frame: usize,
}

impl MovingCloth {
    /// A clip.
    pub(crate) fn clip(clip: Clip) -> Self {
        MovingCloth::Clip(clip)
    }

    /// A cloth scene.
    pub(crate) fn live(cloth: SceneCloth, output: &Output) -> Self {
        MovingCloth::Live(Box::new(Live {
            start: cloth.simulation.clone(),
            simulation: cloth.simulation,
            mesh: cloth.mesh,
            frames: output.frame_count() + 1,
            frame_time: 1.0 / output.frames_per_second,
            frame: 0,
        }))
    }

    /// Yarns that are not laid on a mesh.
    pub(crate) fn strands(strands: MovingStrands) -> Self {
        MovingCloth::Strands(Box::new(strands))
    }

    /// Topology, UVs and rest shape, where there is a mesh.
    pub(crate) fn mesh(&self) -> Option<&Mesh> {
        match self {
            MovingCloth::Clip(clip) => Some(clip.mesh()),
            MovingCloth::Live(live) => Some(&live.mesh),
            MovingCloth::Strands(_) => None,
        }
    }

    /// Yarns that are not laid on a mesh, at the moment that is shown.
    pub(crate) fn as_strands(&self) -> Option<&Strands> {
        match self {
            MovingCloth::Strands(strands) => Some(strands.now()),
            MovingCloth::Clip(_) | MovingCloth::Live(_) => None,
        }
    }

    /// Frames that there are, or that a simulation is to have.
    pub(crate) fn frame_count(&self) -> usize {
        match self {
            MovingCloth::Clip(clip) => clip.frame_count(),
            MovingCloth::Live(live) => live.frames,
            MovingCloth::Strands(strands) => strands.frame_count(),
        }
    }

    /// Seconds between frames.
    pub(crate) fn frame_time(&self) -> f64 {
        match self {
            MovingCloth::Clip(clip) => clip.frame_time(),
            MovingCloth::Live(live) => live.frame_time,
            MovingCloth::Strands(strands) => strands.frame_time(),
        }
    }

    /// The live simulation, if it is one.
    pub(crate) fn as_live(&mut self) -> Option<&mut dyn LiveMotion> {
        match self {
            MovingCloth::Clip(_) => None,
            MovingCloth::Live(live) => Some(live.as_mut()),
            #[cfg(feature = "yarn-level")]
            MovingCloth::Strands(strands) => strands.as_live(),
            #[cfg(not(feature = "yarn-level"))]
            MovingCloth::Strands(_) => None,
        }
    }

    /// Cloth of yarns and triangles that is simulated live, if it is that.
    #[cfg(feature = "yarn-level")]
    pub(crate) fn as_hybrid(&self) -> Option<&crate::strands::hybrid::LiveHybrid> {
        match self {
            MovingCloth::Strands(strands) => strands.as_hybrid(),
            MovingCloth::Clip(_) | MovingCloth::Live(_) => None,
        }
    }

    /// The bodies, where there may be some.
    pub(crate) fn scenery(&self) -> Option<Scenery<'_>> {
        match self {
            MovingCloth::Clip(_) => None,
            MovingCloth::Live(live) => Some(Scenery::of(live.simulation())),
            MovingCloth::Strands(strands) => Some(strands.scenery()),
        }
    }

    /// Positions of a whole frame; a simulation is run up to there.
    pub(crate) fn frame(&mut self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<()> {
        match self {
            MovingCloth::Clip(clip) => {
                out.clear();
                out.extend_from_slice(clip.positions(frame.min(clip.frame_count() - 1)));
            }
            MovingCloth::Live(live) => {
                live.go_to(frame)?;
                live.positions(out);
            }
            MovingCloth::Strands(strands) => {
                strands.go_to(frame)?;
                positions(strands.now(), out);
            }
        }
        Ok(())
    }

    /// Positions at a moment of the playback; those of a simulation are always the present ones.
    pub(crate) fn now(&mut self, playback: &Playback, out: &mut Vec<[f32; 3]>) {
        match self {
            MovingCloth::Clip(clip) => {
                let (first, second, share) = playback.mix(clip.frame_count());
                playback::interpolate(clip.positions(first), clip.positions(second), share, out);
            }
            MovingCloth::Live(live) => live.positions(out),
            MovingCloth::Strands(strands) => {
                strands.show(playback);
                positions(strands.now(), out);
            }
        }
    }
}

fn positions(strands: &Strands, out: &mut Vec<[f32; 3]>) {
    out.clear();
    out.extend(strands.vertices.iter().map(|v| v.position));
}

impl Live {
    /// The simulation's present positions.
    pub(crate) fn positions(&self, out: &mut Vec<[f32; 3]>) {
        out.clear();
        out.extend(self.simulation.positions_f32());
    }

    /// The simulation.
    pub(crate) fn simulation(&self) -> &Simulation {
        &self.simulation
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

impl LiveMotion for Live {
    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn spacing(&self) -> f32 {
        self.simulation.model().spacing as f32
    }

    fn advance(&mut self, seconds: f64) -> Result<()> {
        self.simulation.advance(seconds)?;
        Ok(())
    }

    fn restart(&mut self) {
        self.simulation = self.start.clone();
        self.frame = 0;
    }

    fn touch(&mut self, _: Tool, ray: &Ray) -> Touch {
        let found = self.simulation.pick(&ray.origin.cast(), &ray.direction.cast(), f64::from(ray.radius));
        found.map_or(Touch::Nothing, |particle| Touch::Held(particle, self.simulation.positions()[particle].cast()))
    }

    fn drag(&mut self, particle: usize, target: Vector3<f32>) {
        self.simulation.drag(particle, target.cast());
    }

    fn let_go(&mut self) {
        self.simulation.let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use yarnwise_solvers::cloth::scene::Scene;

    fn falling() -> MovingCloth {
        let text = br#"{ "cloth": { "grid": { "columns": 6, "rows": 6, "spacing": 0.05 } },
            "pins": [{ "hold": { "row": "first" } }], "output": { "duration": 0.5, "frames_per_second": 20 } }"#;
        let scene = Scene::parse(text, "falling").unwrap();
        MovingCloth::live(scene.build("falling", Path::new(".")).unwrap(), &scene.output)
    }

    #[test]
    fn a_simulation_gives_the_same_frame_from_wherever_it_is_asked() {
        let mut cloth = falling();
        assert_eq!(cloth.frame_count(), 11);
        let (mut a, mut b, mut start) = (Vec::new(), Vec::new(), Vec::new());
        cloth.frame(4, &mut a).unwrap();
        cloth.frame(7, &mut b).unwrap();
        assert_ne!(a, b, "nothing falls");
        cloth.frame(4, &mut b).unwrap();
        assert_eq!(a, b);
        cloth.frame(0, &mut start).unwrap();
        assert_eq!(start, cloth.mesh().unwrap().positions());
    }

    #[test]
    fn a_particle_follows_the_hand_until_it_is_let_go() {
        let mut cloth = falling();
        let MovingCloth::Live(live) = &mut cloth else { panic!("it is simulated") };
        let place: Vector3<f32> = live.simulation().positions()[35].cast();
        let ray = Ray { origin: place + Vector3::y(), direction: -Vector3::y(), radius: 0.01 };
        assert_eq!(live.touch(Tool::Drag, &ray), Touch::Held(35, place));
        let particle = 35;
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
