//! The hand on a simulation: what it takes, and what it does to yarns.

use super::held::Held;
use super::state::WindowState;
use crate::live::{Ray, Tool, Touch};

impl WindowState {
    /// The tools that the scene knows; none where nothing is simulated.
    pub(super) fn tools(&mut self) -> &'static [Tool] {
        self.loaded.as_mut().and_then(|s| s.cloth.as_live()).map_or(&[], |live| live.tools())
    }

    /// The tool in the hand; another one than the user's choice where the scene does not know that.
    pub(super) fn tool(&mut self) -> Tool {
        if self.tools().contains(&self.chosen_tool) { self.chosen_tool } else { Tool::Drag }
    }

    /// Takes a tool into the hand.
    pub(super) fn choose(&mut self, tool: Tool) {
        match self.tools() {
            [] => self.say("nothing is simulated here: open a scene of cloth or of yarns"),
            tools if tools.contains(&tool) => self.chosen_tool = tool,
            _ => self.say("this simulation has no yarns to cut or to pull out: open a yarn scene"),
        }
    }

    /// Uses the tool at a point of the picture (-1 to 1); whether there is something.
    pub(super) fn touch(&mut self, x: f32, y: f32) -> bool {
        let tool = self.tool();
        let Some(live) = self.loaded.as_mut().and_then(|s| s.cloth.as_live()) else { return false };
        let (origin, direction) = self.camera.ray(x, y, self.aspect);
        // Half of the particles' distance finds one wherever there is cloth; never less than some pixels.
        let radius = (0.75 * live.spacing()).max(self.camera.meters_per_pixel(800.0) * 8.0);
        match live.touch(tool, &Ray { origin, direction, radius }) {
            Touch::Held(particle, place) => {
                let pointer = self.camera.at_depth_of(&place, x, y, self.aspect);
                self.held = Some(Held::new(particle, place, pointer));
            }
            Touch::Refused(message) => self.say(message),
            Touch::Done(message) if self.playback.playing => self.say(message),
            Touch::Done(message) => self.say(message + "; Space lets it move"),
            Touch::Nothing => {
                match tool {
                    Tool::Drag => {}
                    Tool::PullOut => self.say("no yarn to pull out there"),
                    Tool::Cut => self.say("no yarn to cut there"),
                }
                return false;
            }
        }
        self.place_cloth();
        true
    }

    /// Leads what is held to a point of the picture.
    pub(super) fn pull(&mut self, x: f32, y: f32) {
        if let Some(held) = &mut self.held {
            held.pointer = self.camera.at_depth_of(&held.pointer, x, y, self.aspect);
        }
    }

    /// Releases what is held.
    pub(super) fn let_go(&mut self) {
        if self.held.take().is_some()
            && let Some(live) = self.loaded.as_mut().and_then(|s| s.cloth.as_live())
        {
            live.let_go();
        }
    }
}

#[cfg(all(test, feature = "yarn-level"))]
mod tests {
    use super::super::state::Request;
    use super::super::state::tests::shown;
    use super::*;

    fn places(state: &WindowState) -> Vec<[f32; 3]> {
        state.loaded.as_ref().unwrap().positions.clone()
    }

    fn yarns(state: &WindowState) -> usize {
        state.loaded.as_ref().unwrap().yarn_counts()[0]
    }

    fn note(state: &mut WindowState) -> String {
        state.note.take().map_or(String::new(), |(text, _)| text)
    }

    #[test]
    fn simulated_yarns_play_are_dragged_and_begin_again() {
        let mut state = shown("yarn-scenes/pull.json");
        let rest = places(&state);
        assert!(!state.touch(0.99, 0.99), "there is no yarn in the corner");
        state.request(Request::Play);
        state.advance(0.01);
        assert_ne!(places(&state), rest);
        state.request(Request::Play);
        assert!(state.touch(0.0, 0.0));
        let before = places(&state);
        state.pull(0.1, 0.0);
        state.advance(0.01);
        assert_ne!(places(&state), before, "nothing follows the hand");
        state.let_go();
        state.request(Request::Restart);
        assert_eq!(places(&state), rest);
    }

    #[test]
    fn a_click_cuts_a_yarn_and_a_restart_mends_it() {
        let mut state = shown("yarn-scenes/pull.json");
        let rest = places(&state);
        state.request(Request::Choose(Tool::Cut));
        assert!(!state.touch(0.99, 0.99));
        assert_eq!((note(&mut state).as_str(), yarns(&state)), ("no yarn to cut there", 27));
        assert!(state.touch(0.0, 0.0) && state.held.is_none());
        assert!(note(&mut state).starts_with("cut a w"));
        assert_eq!(yarns(&state), 28);
        assert_ne!(places(&state), rest, "the picture shows the cut at once");
        state.request(Request::Restart);
        assert_eq!((yarns(&state), places(&state)), (27, rest));
    }

    #[test]
    fn a_yarn_is_pulled_out_by_its_end_wherever_it_is_touched() {
        let mut state = shown("yarn-scenes/pull.json");
        state.request(Request::Choose(Tool::PullOut));
        // The loose end of warp 7 hangs below the sheet, in the middle of the picture.
        assert!(state.touch(0.0, -0.5));
        let held = state.held.unwrap();
        assert!(held.offset.y < -1e-3, "its end is below the pointer: {held:?}");
        assert_eq!(held.target(), nalgebra::Vector3::from(*places(&state).iter().min_by(lower).unwrap()));
        state.pull(0.0, -0.7);
        assert!(state.is_moving());
        let history = |state: &mut WindowState| state.loaded.as_mut().unwrap().cloth.as_live().unwrap().history();
        for _ in 0..400 {
            state.advance(0.05);
            if history(&mut state).contains("crossing") {
                break;
            }
        }
        assert!(history(&mut state).contains("left"), "'{}', {:?}", history(&mut state), state.problem);
        state.let_go();
        assert!(!state.is_moving() && state.problem.is_none());
    }

    fn lower(a: &&[f32; 3], b: &&[f32; 3]) -> std::cmp::Ordering {
        a[1].total_cmp(&b[1])
    }

    #[test]
    fn tools_are_those_of_what_is_simulated() {
        let mut state = shown("scenes/stockinette-stretch.json");
        state.request(Request::Choose(Tool::Cut));
        assert!(note(&mut state).contains("nothing is simulated") && state.tool() == Tool::Drag);
        let mut yarns = shown("yarn-scenes/pull.json");
        yarns.request(Request::Choose(Tool::Cut));
        assert_eq!(yarns.tool(), Tool::Cut);
        // Kept for the next scene, but not used where there are no yarns.
        yarns.show(state.loaded.take().unwrap());
        assert_eq!(yarns.tool(), Tool::Drag);
    }
}
