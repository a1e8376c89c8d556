//! The window: events in, pictures out.

mod canvas;
mod hand;
mod heat_map;
mod held;
mod panels;
mod pointer;
#[cfg(feature = "yarn-level")]
mod region;
#[cfg(feature = "yarn-level")]
mod region_editor;
#[cfg(feature = "yarn-level")]
mod scene_text;
mod screen;
mod state;

use crate::{Error, Result};
use screen::Screen;
use state::WindowState;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::error::EventLoopError;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, OwnedDisplayHandle};
use winit::window::{Window, WindowId};

/// How a window opens.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// Inner size in pixels.
    pub size: [u32; 2],
    /// Loses the graphics device on purpose after this number of pictures, to test that the viewer recovers.
    pub lose_device_after: Option<u64>,
}

/// Opens a window and shows what the files hold, until it is closed.
///
/// A file that cannot be shown is reported in the window: another one can be dropped onto it.
pub fn run(files: &[PathBuf], options: &WindowOptions) -> Result<()> {
    let events = EventLoop::new().map_err(|e| Error::NoWindow(reason(&e)))?;
    let mut state = WindowState::default();
    state.open(files);
    let mut app = App {
        display: events.owned_display_handle(),
        state,
        screen: None,
        size: options.size,
        dropped: Vec::new(),
        lose_after: options.lose_device_after,
        failure: None,
    };
    events.run_app(&mut app).map_err(|e| Error::NoWindow(reason(&e)))?;
    app.failure.map_or(Ok(()), Err)
}

/// The reason without the place in the window library's source, which it puts before.
fn reason(error: &EventLoopError) -> String {
    let text = error.to_string();
    let reason = text.rsplit_once(".rs:").and_then(|(_, rest)| rest.split_once(": ")).map_or(text.as_str(), |(_, r)| r);
    reason.trim_end_matches('.').to_owned()
}

struct App {
    display: OwnedDisplayHandle,
    state: WindowState,
    screen: Option<Screen>,
    size: [u32; 2],
    dropped: Vec<PathBuf>,
    lose_after: Option<u64>,
    failure: Option<Error>,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.screen.is_some() {
            return;
        }
        let attributes = Window::default_attributes()
            .with_title("Yarnwise")
            .with_inner_size(PhysicalSize::new(self.size[0], self.size[1]));
        let screen = events
            .create_window(attributes)
            .map_err(|e| Error::NoWindow(e.to_string()))
            .and_then(|window| Screen::new(Arc::new(window), &self.display, &self.state));
        match screen {
            Ok(screen) => self.screen = Some(screen),
            Err(error) => self.fail(events, error),
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(screen) = &mut self.screen else { return };
        let wants_picture = screen.input(&event, &mut self.state);
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::DroppedFile(path) => {
                // Several files come one by one; they are opened together.
                self.dropped.push(path);
                screen.window().request_redraw();
            }
            WindowEvent::Resized(size) => screen.resize(size.width, size.height),
            WindowEvent::RedrawRequested => self.redraw(events),
            _ if wants_picture => screen.window().request_redraw(),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(screen) = &self.screen else { return };
        if self.state.is_moving() {
            events.set_control_flow(ControlFlow::Poll);
            screen.window().request_redraw();
            return;
        }
        match screen.next_picture() {
            Some(at) if at <= Instant::now() => screen.window().request_redraw(),
            Some(at) => events.set_control_flow(ControlFlow::WaitUntil(at)),
            None => events.set_control_flow(ControlFlow::Wait),
        }
    }
}

impl App {
    fn redraw(&mut self, events: &ActiveEventLoop) {
        if !self.dropped.is_empty() {
            let files = std::mem::take(&mut self.dropped);
            self.state.open(&files);
        }
        let Some(screen) = &mut self.screen else { return };
        self.state.tick();
        screen.draw(&mut self.state);
        if self.lose_after == Some(self.state.pictures) {
            screen.lose_device();
        }
        if screen.is_lost()
            && let Err(error) = self.restart_device()
        {
            self.fail(events, error);
        }
        if self.state.quit {
            events.exit();
        }
    }

    /// Makes a new device and everything on it, in the same window.
    fn restart_device(&mut self) -> Result<()> {
        let Some(old) = self.screen.take() else { return Ok(()) };
        let window = old.window().clone();
        // The surface of the old device must be gone before the window gets another one.
        drop(old);
        self.screen = Some(Screen::new(window.clone(), &self.display, &self.state)?);
        self.state.problem = Some("The graphics device was lost; it has been restarted.".to_owned());
        window.request_redraw();
        Ok(())
    }

    fn fail(&mut self, events: &ActiveEventLoop, error: Error) {
        self.failure = Some(error);
        events.exit();
    }
}
