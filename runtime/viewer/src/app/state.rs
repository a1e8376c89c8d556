//! What the window shows, without the window: the scene, the camera, the moment, and a problem if there is one.

use super::held::Held;
use crate::camera::{Camera, View};
use crate::files;
use crate::live::{LiveMotion, Tool};
use crate::loaded::LoadedScene;
use crate::playback::Playback;
use crate::render::Timings;
use crate::scene::Split;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use yarnwise_runtime::FrameOptions;

/// A simulation never has to catch up with more than this, seconds: a slow machine shows slow motion, it does not stop.
const LONGEST_STEP: f64 = 1.0 / 20.0;

/// Simulating one picture never takes much longer than this: the window stays awake.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// How long a short message is shown.
const NOTE_TIME: Duration = Duration::from_secs(5);

/// What a key or button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Play or pause.
    Play,
    /// To the frame this many frames away.
    Step(i64),
    /// To the beginning; a simulation restarts.
    Restart,
    /// Fill the picture with the cloth.
    Frame,
    /// Turn to a named view.
    Look(View),
    /// Write the picture to a file.
    Save,
    /// Next kind of split screen.
    Split,
    /// Take a tool into the hand.
    Choose(Tool),
    /// Show or hide the panels.
    Panels,
    /// Close the message, if there is one.
    Close,
    /// Close the message or, if there is none, the window.
    CloseOrQuit,
    /// Close the window.
    Quit,
}

/// What the window shows.
#[derive(Debug)]
pub(super) struct WindowState {
    /// The scene, if one could be opened.
    pub loaded: Option<LoadedScene>,
    /// Counts loaded scenes: the screen sees from it that there is another one.
    pub scene_number: u64,
    /// Where it is seen from.
    pub camera: Camera,
    /// Which moment is shown.
    pub playback: Playback,
    /// The problem that is shown until the user closes it.
    pub problem: Option<String>,
    /// A short message that goes away by itself, and when.
    pub note: Option<(String, Instant)>,
    /// How long the last picture took.
    pub timings: Timings,
    /// Time between the last two pictures, smoothed.
    pub between: Duration,
    /// Pictures so far.
    pub pictures: u64,
    /// Whether a picture must be saved.
    pub save: bool,
    /// Whether panels are shown.
    pub panels: bool,
    /// Whether the window must be closed.
    pub quit: bool,
    /// Width over height of one picture.
    pub aspect: f32,
    /// Whether the camera must be set to the scene's, once the size of the picture is known.
    camera_due: bool,
    /// What the mouse holds.
    pub held: Option<Held>,
    /// The tool that the user has chosen.
    pub chosen_tool: Tool,
    /// The region of yarns that is being chosen.
    #[cfg(feature = "yarn-level")]
    pub region: Option<super::region_editor::RegionEditor>,
    last_tick: Option<Instant>,
}

impl Default for WindowState {
    fn default() -> Self {
        WindowState {
            loaded: None,
            scene_number: 0,
            camera: Camera::default(),
            playback: Playback::default(),
            problem: None,
            note: None,
            timings: Timings::default(),
            between: Duration::ZERO,
            pictures: 0,
            save: false,
            panels: true,
            quit: false,
            aspect: 1.6,
            camera_due: false,
            held: None,
            chosen_tool: Tool::default(),
            #[cfg(feature = "yarn-level")]
            region: None,
            last_tick: None,
        }
    }
}

impl WindowState {
    /// Opens files, or says why that is not possible and keeps what there is.
    pub(super) fn open(&mut self, files: &[PathBuf]) {
        if files.is_empty() {
            return;
        }
        match files::open(self.loaded.as_ref(), files) {
            Ok(loaded) => self.show(loaded),
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    /// Shows a scene from its beginning, or a still one in its still frame.
    pub(super) fn show(&mut self, loaded: LoadedScene) {
        self.playback = Playback { frame: loaded.scene.still as f64, ..self.playback };
        self.held = None;
        self.problem = None;
        #[cfg(feature = "yarn-level")]
        {
            self.region = None;
        }
        self.loaded = Some(loaded);
        self.scene_number += 1;
        self.place_cloth();
        self.reset_camera();
        self.camera_due = true;
    }

    /// Sets how wide one picture is for its height.
    pub(super) fn set_aspect(&mut self, aspect: f32) {
        self.aspect = aspect;
        if std::mem::take(&mut self.camera_due) {
            self.reset_camera();
        }
    }

    /// Reports why there is no picture, and reverts what may be the reason: settings, or else the whole scene.
    pub(super) fn cannot_draw(&mut self, error: &crate::Error) {
        self.problem = Some(error.to_string());
        match &mut self.loaded {
            Some(loaded) if loaded.scene.frame != FrameOptions::default() => {
                loaded.scene.frame = FrameOptions::default()
            }
            loaded => *loaded = None,
        }
    }

    /// Puts the camera where the scene says.
    pub(super) fn reset_camera(&mut self) {
        if let Some(loaded) = &self.loaded {
            self.camera = loaded.scene.camera.camera(&loaded.bounds(), self.aspect);
        }
    }

    /// Whether the picture changes without an event.
    pub(super) fn is_moving(&self) -> bool {
        let frames = self.loaded.as_ref().map_or(0, |s| s.cloth.frame_count());
        frames > 1 && (self.playback.playing || self.held.is_some())
    }

    /// Advances time to now.
    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        let passed = self.last_tick.replace(now).map_or(Duration::ZERO, |last| now - last);
        self.between = if self.pictures == 0 { passed } else { self.between.mul_f64(0.9) + passed.mul_f64(0.1) };
        self.pictures += 1;
        // After a pause the first step is short: the time in between was not shown.
        self.advance(if passed > Duration::from_secs(1) { LONGEST_STEP } else { passed.as_secs_f64() });
    }

    /// Advances time, in seconds.
    pub(super) fn advance(&mut self, seconds: f64) {
        let Some(loaded) = &mut self.loaded else { return };
        let (frame_time, count) = (loaded.cloth.frame_time(), loaded.cloth.frame_count());
        match loaded.cloth.as_live() {
            None => self.playback.advance(seconds, frame_time, count),
            Some(live) if self.playback.playing || self.held.is_some() => {
                if let Some(held) = self.held {
                    live.drag(held.particle, held.target());
                }
                let step = (seconds * self.playback.speed.abs()).min(LONGEST_STEP);
                match (live_on(live, step), self.held) {
                    (Ok(()), _) => {}
                    (Err(_), Some(_)) => {
                        self.let_go();
                        self.say("it does not give any further: let go");
                    }
                    (Err(error), None) => {
                        self.problem = Some(error.to_string());
                        self.playback.playing = false;
                        live.restart();
                    }
                }
            }
            Some(_) => {}
        }
        self.place_cloth();
    }

    /// Shows a short message for a while.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.note = Some((message.into(), Instant::now() + NOTE_TIME));
    }

    pub(super) fn place_cloth(&mut self) {
        if let Some(loaded) = &mut self.loaded {
            loaded.cloth.now(&self.playback, &mut loaded.positions);
        }
    }

    /// Does what a key or button asks for.
    pub(super) fn request(&mut self, request: Request) {
        let count = self.loaded.as_ref().map_or(0, |s| s.cloth.frame_count());
        match request {
            Request::Play => self.playback.playing = !self.playback.playing && count > 1,
            Request::Step(by) => self.playback.step(by, count),
            Request::Restart => {
                self.playback.frame = 0.0;
                self.let_go();
                if let Some(live) = self.loaded.as_mut().and_then(|s| s.cloth.as_live()) {
                    live.restart();
                }
            }
            Request::Frame => {
                if let Some(loaded) = &self.loaded {
                    self.camera.frame(&loaded.bounds(), self.aspect);
                }
            }
            Request::Look(view) => self.camera.look(view),
            Request::Save => self.save = self.loaded.is_some(),
            Request::Split => {
                if let Some(loaded) = &mut self.loaded {
                    loaded.scene.split = match loaded.split() {
                        Split::None => Split::Naive,
                        Split::Naive if loaded.compare.is_some() => Split::Compare,
                        _ => Split::None,
                    };
                }
            }
            Request::Choose(tool) => self.choose(tool),
            Request::Panels => self.panels = !self.panels,
            Request::Close => self.problem = None,
            Request::CloseOrQuit => self.quit = self.problem.take().is_none(),
            Request::Quit => self.quit = true,
        }
        self.place_cloth();
    }
}

/// Moves a simulation on by `seconds`, or as far as it gets before the window must be drawn again.
fn live_on(live: &mut dyn LiveMotion, seconds: f64) -> crate::Result<()> {
    let (begun, end) = (Instant::now(), live.time() + seconds);
    loop {
        let left = end - live.time();
        if left <= 1e-9 * seconds || begun.elapsed() > LONGEST_WAIT {
            return Ok(());
        }
        live.advance(left.min(live.stride()))?;
    }
}

/// A name for a picture that no file has yet.
pub(super) fn free_name() -> PathBuf {
    let name = |i: u32| PathBuf::from(format!("yarnwise-{i:03}.png"));
    (1..1000).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(1000))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
    }

    /// A window that shows a scene of ours.
    pub(in crate::app) fn shown(name: &str) -> WindowState {
        let mut state = WindowState::default();
        state.open(&[data(name)]);
        assert_eq!(state.problem, None);
        state
    }

    #[test]
    fn a_bad_file_is_reported_and_changes_nothing() {
        let mut state = shown("scenes/stockinette-stretch.json");
        let before = (state.camera, state.scene_number);
        state.open(&[data("README.md")]);
        assert!(state.problem.as_ref().unwrap().contains("README.md"));
        assert_eq!((state.camera, state.scene_number), before);
        assert!(state.loaded.is_some());
    }

    #[test]
    fn settings_that_cannot_be_drawn_are_taken_back_before_the_scene_is() {
        let mut state = shown("scenes/stockinette-stretch.json");
        state.loaded.as_mut().unwrap().scene.frame.phong = 0.25;
        let error = crate::Error::Device("out of memory".into());
        state.cannot_draw(&error);
        assert_eq!(state.loaded.as_ref().map(|s| s.scene.frame), Some(FrameOptions::default()));
        assert!(state.problem.take().unwrap().contains("out of memory"));
        state.cannot_draw(&error);
        assert!(state.loaded.is_none() && state.problem.is_some());
    }

    #[test]
    fn playing_moves_the_cloth_and_pausing_keeps_it() {
        let mut state = shown("scenes/stockinette-stretch.json");
        state.request(Request::Restart);
        let rest = state.loaded.as_ref().unwrap().positions.clone();
        state.advance(0.2);
        assert_eq!(state.loaded.as_ref().unwrap().positions, rest, "it plays before it is asked to");
        state.request(Request::Play);
        state.advance(0.2);
        let moved = state.loaded.as_ref().unwrap().positions.clone();
        assert_ne!(moved, rest);
        state.request(Request::Play);
        state.advance(0.2);
        assert_eq!(state.loaded.as_ref().unwrap().positions, moved);
        assert!(!state.is_moving());
    }

    #[test]
    fn splits_go_round_and_leave_out_what_there_is_not() {
        let mut state = shown("scenes/stockinette-stretch.json");
        let mut next = || {
            state.request(Request::Split);
            state.loaded.as_ref().unwrap().split()
        };
        let first = next();
        let second = next();
        assert!([first, second].contains(&Split::None) && [first, second].contains(&Split::Naive));
    }

    #[test]
    fn simulated_cloth_can_be_grabbed_where_it_is_seen() {
        let mut state = shown("scenes/stockinette-stretch.json");
        assert!(!state.touch(0.0, 0.0), "a clip cannot be pulled");
        state.open(&[data("cloth-scenes/pinned-corners.json")]);
        assert_eq!(state.problem, None);
        state.request(Request::Look(View::Top));
        state.request(Request::Frame);
        assert!(!state.touch(0.99, 0.99), "there is no cloth in the corner");
        assert!(state.touch(0.0, 0.0));
        let before = state.held.unwrap().target();
        state.pull(0.2, 0.0);
        let target = state.held.unwrap().target();
        assert!(target.x > before.x + 0.01);
        for _ in 0..4 {
            state.advance(0.05);
        }
        let held = state.held.unwrap();
        let loaded = state.loaded.as_mut().unwrap();
        let at = nalgebra::Vector3::from(loaded.positions[held.particle]);
        assert!((at - target).norm() < 0.01, "held at {at}, pulled to {target}");
        state.let_go();
        assert!(state.held.is_none() && !state.is_moving());
    }
}
