//! The mouse on the picture. Taken from the window's events and not from the panels': those see one state a picture, and
//! on a slow machine a whole drag may lie between two pictures.

use super::state::WindowState;
use winit::event::{ElementState, MouseButton, WindowEvent};

/// Where the picture is in the window, pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Canvas {
    /// Left and upper border.
    pub(super) corner: [f32; 2],
    /// Width and height.
    pub(super) size: [f32; 2],
    /// Width of one of the pictures side by side.
    pub(super) pane: f32,
}

impl Canvas {
    fn contains(&self, at: [f32; 2]) -> bool {
        (0..2).all(|k| (0.0..self.size[k]).contains(&(at[k] - self.corner[k])))
    }

    /// The point in the picture, from -1 to 1, of whichever of the pictures it is in.
    fn point(&self, at: [f32; 2]) -> [f32; 2] {
        let x = (at[0] - self.corner[0]).rem_euclid(self.pane + 1.0);
        [2.0 * x / self.pane.max(1.0) - 1.0, 1.0 - 2.0 * (at[1] - self.corner[1]) / self.size[1].max(1.0)]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drag {
    Orbit,
    Pan,
    /// Leads what is held, if anything is: a cut is done with the click.
    Hand,
}

/// The mouse.
#[derive(Debug, Default)]
pub(super) struct Pointer {
    at: [f32; 2],
    drag: Option<(Drag, MouseButton)>,
    shift: bool,
}

impl Pointer {
    /// Takes an event; `free` says whether a point of the window is not under a panel or a message. Whether the picture
    /// changes.
    pub(super) fn event(
        &mut self,
        event: &WindowEvent,
        state: &mut WindowState,
        canvas: &Canvas,
        free: impl FnOnce([f32; 2]) -> bool,
    ) -> bool {
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                self.moved(state, canvas, [position.x as f32, position.y as f32])
            }
            WindowEvent::ModifiersChanged(modifiers) => {
                self.shift = modifiers.state().shift_key();
                false
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } => {
                if self.drag.is_none() && canvas.contains(self.at) && free(self.at) {
                    self.drag = self.begin(state, canvas, *button).map(|drag| (drag, *button));
                }
                self.drag.is_some()
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                let ends = self.drag.is_some_and(|(_, held)| held == *button);
                if ends {
                    self.drag = None;
                    state.let_go();
                }
                ends
            }
            _ => false,
        }
    }

    fn begin(&self, state: &mut WindowState, canvas: &Canvas, button: MouseButton) -> Option<Drag> {
        let [x, y] = canvas.point(self.at);
        match button {
            MouseButton::Left if self.shift => Some(Drag::Pan),
            MouseButton::Left if state.touch(x, y) => Some(Drag::Hand),
            MouseButton::Left => Some(Drag::Orbit),
            MouseButton::Right | MouseButton::Middle => Some(Drag::Pan),
            _ => None,
        }
    }

    fn moved(&mut self, state: &mut WindowState, canvas: &Canvas, to: [f32; 2]) -> bool {
        let [dx, dy] = [to[0] - self.at[0], to[1] - self.at[1]];
        self.at = to;
        let height = canvas.size[1];
        match self.drag {
            None => return false,
            Some((Drag::Orbit, _)) => state.camera.orbit(dx, dy, height),
            Some((Drag::Pan, _)) => state.camera.pan(dx, dy, height),
            Some((Drag::Hand, _)) => {
                let [x, y] = canvas.point(to);
                state.pull(x, y);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use winit::event::DeviceId;

    const CANVAS: Canvas = Canvas { corner: [10.0, 20.0], size: [400.0, 300.0], pane: 400.0 };

    fn send(pointer: &mut Pointer, state: &mut WindowState, events: &[WindowEvent], free: bool) {
        for event in events {
            pointer.event(event, state, &CANVAS, |_| free);
        }
    }

    fn to(x: f64, y: f64) -> WindowEvent {
        WindowEvent::CursorMoved { device_id: DeviceId::dummy(), position: (x, y).into() }
    }

    fn button(button: MouseButton, state: ElementState) -> WindowEvent {
        WindowEvent::MouseInput { device_id: DeviceId::dummy(), state, button }
    }

    fn drag(which: MouseButton, free: bool) -> (Camera, Camera) {
        let (mut pointer, mut state) = (Pointer::default(), WindowState::default());
        let before = state.camera;
        let (down, up) = (button(which, ElementState::Pressed), button(which, ElementState::Released));
        let events = [to(100.0, 100.0), down, to(150.0, 90.0), up, to(300.0, 300.0)];
        send(&mut pointer, &mut state, &events, free);
        (before, state.camera)
    }

    #[test]
    fn a_drag_within_one_picture_counts_in_full() {
        let (before, after) = drag(MouseButton::Left, true);
        let mut expected = before;
        expected.orbit(50.0, -10.0, 300.0);
        assert_eq!(after, expected, "orbit");
        let (before, after) = drag(MouseButton::Right, true);
        let mut expected = before;
        expected.pan(50.0, -10.0, 300.0);
        assert_eq!(after, expected, "pan");
    }

    #[test]
    fn what_begins_on_a_panel_does_not_turn_the_camera() {
        let (before, after) = drag(MouseButton::Left, false);
        assert_eq!(after, before);
        let (mut pointer, mut state) = (Pointer::default(), WindowState::default());
        let before = state.camera;
        let events = [to(5.0, 100.0), button(MouseButton::Left, ElementState::Pressed), to(150.0, 90.0)];
        send(&mut pointer, &mut state, &events, true);
        assert_eq!(state.camera, before, "outside of the picture");
    }

    #[test]
    fn points_side_by_side_are_those_of_their_own_picture() {
        let split = Canvas { pane: 199.0, ..CANVAS };
        assert_eq!(split.point([10.0, 20.0]), [-1.0, 1.0]);
        assert_eq!(split.point([210.0, 320.0]), [-1.0, -1.0]);
    }
}
