//! Yarns that are simulated while they are looked at.

use super::pick::pick;
use super::{Strands, hand};
use crate::Result;
use crate::live::{LiveMotion, Ray, Tool, Touch};
use nalgebra::Vector3;
use std::path::Path;
use yarnwise_runtime::YarnVertex;
use yarnwise_shared::file;
use yarnwise_shared::words::count;
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
    description: String,
}

impl LiveYarns {
    /// Reads and builds a yarn scene.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let scene = Scene::read(path)?;
        let simulation = scene.build(&file::origin(path), path.parent().unwrap_or(Path::new(".")))?;
        let (frames, frame_time) = (scene.output.frame_count() + 1, 1.0 / scene.output.frames_per_second);
        let description = scene.description;
        Ok(LiveYarns { start: simulation.clone(), simulation, frames, frame_time, frame: 0, description })
    }

    pub(super) fn simulation(&self) -> &YarnSimulation {
        &self.simulation
    }

    pub(super) fn description(&self) -> &str {
        &self.description
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
}

impl LiveMotion for LiveYarns {
    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn spacing(&self) -> f32 {
        self.simulation.weave().material.spacing as f32
    }

    fn tools(&self) -> &'static [Tool] {
        &[Tool::Drag, Tool::PullOut, Tool::Cut]
    }

    fn stride(&self) -> f64 {
        self.simulation.options.step
    }

    fn advance(&mut self, seconds: f64) -> Result<()> {
        self.simulation.advance(seconds)?;
        Ok(())
    }

    fn restart(&mut self) {
        self.simulation = self.start.clone();
        self.frame = 0;
    }

    fn touch(&mut self, tool: Tool, ray: &Ray) -> Touch {
        let Some(place) = pick(&self.simulation, ray) else { return Touch::Nothing };
        match tool {
            Tool::Drag => hand::drag(&mut self.simulation, &place),
            Tool::PullOut => hand::pull_out(&mut self.simulation, &place),
            Tool::Cut => hand::cut(&mut self.simulation, &place),
        }
    }

    fn drag(&mut self, node: usize, target: Vector3<f32>) {
        self.simulation.drag(node, target.cast());
    }

    fn let_go(&mut self) {
        self.simulation.let_go();
    }

    fn history(&self) -> String {
        let changes = self.simulation.changes();
        let parts = [
            (changes.cuts, "cut", "cuts"),
            (changes.breaks, "break", "breaks"),
            (changes.left_crossings, "crossing left", "crossings left"),
        ];
        let words = parts.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| count(*n, one, Some(many)));
        words.collect::<Vec<_>>().join(", ")
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
        alphas: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_solvers::yarn::YarnPin;
    use yarnwise_solvers::yarn::model::NodeKind;

    fn scene(name: &str) -> LiveYarns {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        LiveYarns::open(&data.join("yarn-scenes").join(name)).unwrap()
    }

    fn hanging() -> LiveYarns {
        scene("pull.json")
    }

    /// A look along -z at a point, meters.
    fn at(point: Vector3<f32>) -> Ray {
        Ray { origin: point + Vector3::z(), direction: -Vector3::z(), radius: 0.2e-3 }
    }

    fn position(live: &LiveYarns, node: usize) -> Vector3<f32> {
        live.simulation().state().positions[node].cast()
    }

    fn crossings(live: &LiveYarns) -> usize {
        live.simulation().weave().kinds.iter().filter(|k| k.is_crossing()).count()
    }

    fn ends(live: &LiveYarns) -> usize {
        live.simulation().weave().kinds.iter().filter(|k| **k == NodeKind::End).count()
    }

    /// The node where a warp and a weft cross, by their numbers.
    fn crossing(live: &LiveYarns, warp: usize, weft: usize) -> usize {
        let weave = live.simulation().weave();
        let of = |family| (0..weave.yarns.len()).filter(move |y| weave.yarns[*y].family == family);
        let pair = [of(Family::Warp).nth(warp).unwrap() as u32, of(Family::Weft).nth(weft).unwrap() as u32];
        weave.yarns_of.iter().position(|yarns| *yarns == pair).unwrap()
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
        let place = position(&live, 40);
        assert_eq!(live.touch(Tool::Drag, &at(place)), Touch::Held(40, place));
        let away = Ray { origin: Vector3::z(), direction: Vector3::z(), radius: 0.2e-3 };
        assert_eq!(live.touch(Tool::Drag, &away), Touch::Nothing, "what is behind the viewer");
        let target = place + Vector3::new(0.0, 0.0, 1e-3);
        live.drag(40, target);
        live.advance(0.01).unwrap();
        assert!((position(&live, 40) - target).norm() < 1e-6);
        live.let_go();
        live.advance(0.05).unwrap();
        assert!((position(&live, 40) - target).norm() > 1e-4);
    }

    #[test]
    fn what_a_hand_takes_is_no_longer_held_by_the_scene() {
        let mut live = hanging();
        let held = live.simulation().pins[0].nodes[3] as usize;
        let place = position(&live, held);
        assert_eq!(live.touch(Tool::Drag, &at(place)), Touch::Held(held, place));
        live.drag(held, place + Vector3::z() * 1e-3);
        live.advance(0.01).unwrap();
        live.let_go();
        live.advance(0.01).unwrap();
        assert!((position(&live, held) - place).norm() > 1e-5, "it is back at its pin");
    }

    #[test]
    fn the_yarn_on_top_is_cut_and_begins_anew_with_the_scene() {
        let mut live = hanging();
        let (before, whole) = (live.strands(), crossings(&live));
        let count = |live: &LiveYarns, color: u32| live.strands().colors.iter().filter(|c| **c == color).count();
        // Of neighbors in plain weave one has the warp on top and one the weft, and from behind it is the other way round.
        for (weft, side) in [(5, 1.0), (6, 1.0), (5, -1.0), (6, -1.0)] {
            live.restart();
            let node = crossing(&live, 4, weft);
            let weave = live.simulation().weave();
            let height = |yarn: u32| side * height_at(&live, yarn as usize, node);
            let [warp, cloth_weft] = weave.yarns_of[node].map(height);
            let (name, color) = if warp > cloth_weft { ("cut a warp", 0) } else { ("cut a weft", 1) };
            let sight = Vector3::z() * side as f32;
            let ray = Ray { origin: position(&live, node) + sight, direction: -sight, radius: 0.2e-3 };
            assert_eq!(live.touch(Tool::Cut, &ray), Touch::Done(name.into()), "weft {weft} from {side}");
            assert_eq!(count(&live, color), before.colors.iter().filter(|c| **c == color).count() + 1, "one more");
            assert_eq!((crossings(&live), ends(&live)), (whole, 2 * live.strands().colors.len()));
            assert!(live.history().starts_with("1 cut"), "{}", live.history());
        }
        live.advance(0.01).unwrap();
        live.restart();
        assert_eq!((live.strands(), crossings(&live)), (before, whole));
    }

    /// z of a yarn's center line at a node, meters.
    fn height_at(live: &LiveYarns, yarn: usize, node: usize) -> f64 {
        let lines = CenterLines::of(live.simulation().weave(), live.simulation().state(), 1);
        lines.yarn(yarn).iter().find(|p| p.node as usize == node).unwrap().position.z
    }

    #[test]
    fn pieces_that_are_too_short_to_cut_are_refused() {
        let mut live = hanging();
        let whole = (crossings(&live), ends(&live));
        let middle = (position(&live, crossing(&live, 4, 5)) + position(&live, crossing(&live, 4, 6))) / 2.0;
        assert_eq!(live.touch(Tool::Cut, &at(middle)), Touch::Done("cut a warp".into()));
        assert_eq!((crossings(&live), ends(&live)), (whole.0, whole.1 + 2));
        let messages: Vec<Touch> = (0..12).map(|_| live.touch(Tool::Cut, &at(middle))).collect();
        assert!(
            messages.iter().any(|m| matches!(m, Touch::Refused(text) if text.contains("too short"))),
            "{messages:?}"
        );
        assert_eq!(live.touch(Tool::Cut, &at(Vector3::new(0.5, 0.5, 0.0))), Touch::Nothing);
        live.advance(0.01).unwrap();
    }

    #[test]
    fn a_yarn_is_pulled_through_crossings_that_the_scene_holds() {
        let mut live = hanging();
        let held = crossing(&live, 3, 6);
        live.simulation.pins.push(YarnPin::still(vec![held as u32]));
        let place = position(&live, held);
        let arc = |live: &LiveYarns| live.simulation().state().arcs[held][0];
        let before = arc(&live);
        let end =
            live.simulation().weave().along(live.simulation().weave().yarns_of[held][0] as usize).last().unwrap().0;
        let middle = (position(&live, crossing(&live, 3, 8)) + position(&live, crossing(&live, 3, 9))) / 2.0;
        let top = position(&live, end);
        assert_eq!(live.touch(Tool::PullOut, &at(middle)), Touch::Held(end, top));
        live.drag(end, top + Vector3::y() * 2e-3);
        live.advance(0.06).unwrap();
        assert!((position(&live, held) - place).norm() < 1e-6, "the crossing is held");
        assert!((arc(&live) - before).abs() > 1e-3, "the yarn is stuck at {}", arc(&live));
    }

    #[test]
    fn a_yarn_is_pulled_out_of_all_its_crossings_by_its_nearer_end() {
        let mut live = hanging();
        let whole = crossings(&live);
        let weave = live.simulation().weave();
        let warp = weave.yarns_of[crossing(&live, 3, 8)][0] as usize;
        let (first, last) = (weave.along(warp).next().unwrap().0, weave.along(warp).last().unwrap().0);
        let length = weave.length(warp) as f32;
        let middle = (position(&live, crossing(&live, 3, 8)) + position(&live, crossing(&live, 3, 9))) / 2.0;
        let top = position(&live, last);
        assert_eq!(
            live.touch(Tool::PullOut, &at(middle)),
            Touch::Held(last, top),
            "twelve wefts: 8 is nearer to the last"
        );
        live.drag(last, top + Vector3::new(0.0, 1.3 * length, 0.0));
        let mut fewer = vec![whole];
        while crossings(&live) > whole - 12 && live.time() < 0.6 {
            live.advance(0.01).unwrap();
            fewer.push(crossings(&live));
        }
        assert_eq!(crossings(&live), whole - 12, "{fewer:?} at {} s", live.time());
        assert!(fewer.windows(2).all(|w| w[1] <= w[0]), "{fewer:?}");
        assert!(fewer.len() > 12, "at a bounded speed: {fewer:?}");
        assert_eq!(live.simulation().changes().left_crossings, 12);
        // The yarn is whole, and all of it is beyond the sheet; the others have stayed.
        let weave = live.simulation().weave();
        assert!((weave.along(warp).last().unwrap().0, weave.along(warp).next().unwrap().0) == (last, first));
        let lowest = weave.along(warp).map(|(n, _)| live.simulation().state().positions[n].y).fold(f64::MAX, f64::min);
        assert!(lowest as f32 > middle.y, "{lowest}");
        live.let_go();
        live.advance(0.02).unwrap();
        assert_eq!(crossings(&live), whole - 12);
    }
}
