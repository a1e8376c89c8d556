//! The window's device and surface: pictures of the scene and panels around them.

use super::pointer::{Canvas, Pointer};
use super::state::{WindowState, free_name};
use super::{canvas, panels};
use crate::gpu::Gpu;
use crate::render::{Renderer, Target};
use crate::{Error, Result};
use egui_wgpu::ScreenDescriptor;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use winit::event::WindowEvent;
use winit::event_loop::OwnedDisplayHandle;
use winit::window::Window;
use yarnwise_runtime::wgpu::{self, CurrentSurfaceTexture};

pub(super) struct Screen {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    renderer: Renderer,
    target: Option<(Target, egui::TextureId)>,
    panels: egui_wgpu::Renderer,
    egui: egui_winit::State,
    pointer: Pointer,
    canvas: Canvas,
    shown_scene: u64,
    next_picture: Option<Instant>,
    /// Errors of the device since the last picture.
    complaints: Arc<Mutex<Option<String>>>,
}

impl Screen {
    pub(super) fn new(window: Arc<Window>, display: &OwnedDisplayHandle, state: &WindowState) -> Result<Self> {
        let descriptor = wgpu::InstanceDescriptor::new_with_display_handle_from_env(Box::new(display.clone()));
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance.create_surface(window.clone()).map_err(|e| Error::NoDevice(e.to_string()))?;
        let gpu = Gpu::new(&instance, Some(&surface))?;
        let complaints = Arc::new(Mutex::new(None));
        let listener = complaints.clone();
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let Ok(mut complaint) = listener.lock() {
                *complaint = Some(error.to_string());
            }
        }));
        let config = configuration(&gpu, &surface, &window)?;
        surface.configure(&gpu.device, &config);
        let context = egui::Context::default();
        context.set_theme(egui::Theme::Light);
        // Where a picture takes a second, so does a click: it begins in one picture and ends in the next.
        context.options_mut(|options| options.input_options.max_click_duration = f64::INFINITY);
        let limit = gpu.device.limits().max_texture_dimension_2d as usize;
        let scale = Some(window.scale_factor() as f32);
        let egui = egui_winit::State::new(context, egui::ViewportId::ROOT, &window, scale, None, Some(limit));
        let panels = egui_wgpu::Renderer::new(&gpu.device, config.format, Default::default());
        let mut screen = Screen {
            renderer: Renderer::new(gpu)?,
            window,
            surface,
            config,
            target: None,
            panels,
            egui,
            pointer: Pointer::default(),
            canvas: Canvas::default(),
            shown_scene: 0,
            next_picture: None,
            complaints,
        };
        if let Some(loaded) = &state.loaded {
            screen.renderer.set_scene(loaded)?;
            screen.shown_scene = state.scene_number;
        }
        Ok(screen)
    }

    pub(super) fn window(&self) -> &Arc<Window> {
        &self.window
    }

    /// Takes an event; whether it asks for a new picture.
    pub(super) fn input(&mut self, event: &WindowEvent, state: &mut WindowState) -> bool {
        let context = self.egui.egui_ctx().clone();
        let scale = context.pixels_per_point();
        // The picture is in the background; menus and messages are above it.
        let free = |[x, y]: [f32; 2]| {
            let layer = context.layer_id_at(egui::pos2(x / scale, y / scale));
            layer.is_none_or(|layer| layer.order == egui::Order::Background)
        };
        let changed = self.pointer.event(event, state, &self.canvas, free);
        self.egui.on_window_event(&self.window, event).repaint || changed
    }

    pub(super) fn resize(&mut self, width: u32, height: u32) {
        if width > 0 && height > 0 {
            (self.config.width, self.config.height) = (width, height);
            self.surface.configure(&self.renderer.gpu().device, &self.config);
        }
        self.window.request_redraw();
    }

    /// When panels must be redrawn without an event.
    pub(super) fn next_picture(&self) -> Option<Instant> {
        self.next_picture
    }

    pub(super) fn is_lost(&self) -> bool {
        self.renderer.gpu().is_lost()
    }

    /// As if the driver had been reset.
    pub(super) fn lose_device(&self) {
        self.renderer.gpu().device.destroy();
        // The loss is reported by a callback, which comes with the last work; there may be none.
        let _ = self.renderer.gpu().device.poll(wgpu::PollType::wait_indefinitely());
    }

    /// Draws the scene with its panels.
    pub(super) fn draw(&mut self, state: &mut WindowState) {
        if self.is_lost() {
            return;
        }
        let frame = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(frame) | CurrentSurfaceTexture::Suboptimal(frame) => frame,
            CurrentSurfaceTexture::Outdated | CurrentSurfaceTexture::Lost => {
                self.surface.configure(&self.renderer.gpu().device, &self.config);
                self.window.request_redraw();
                return;
            }
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Occluded | CurrentSurfaceTexture::Validation => {
                return;
            }
        };
        let output = self.run_panels(state);
        let size = self.canvas.size.map(|s| s as u32);
        if let Err(error) = self.draw_scene(state, size) {
            state.cannot_draw(&error);
        }
        self.paint(output, &frame);
        self.window.pre_present_notify();
        self.renderer.gpu().queue.present(frame);
        if let Some(complaint) = self.complaints.lock().ok().and_then(|mut c| c.take()) {
            state.problem = Some(format!("The graphics device reports: {complaint}"));
        }
        if state.save {
            state.save = false;
            self.save(state);
        }
    }

    /// Lays out the panels and the picture.
    fn run_panels(&mut self, state: &mut WindowState) -> egui::FullOutput {
        let input = self.egui.take_egui_input(&self.window);
        let context = self.egui.egui_ctx().clone();
        let mut place = self.canvas;
        let picture = self.target.as_ref().map(|(_, id)| *id);
        let renderer = &self.renderer;
        let output = context.run_ui(input, |ui| {
            if state.panels {
                egui::Panel::bottom("transport").show(ui, |ui| panels::transport(ui, state));
                egui::Panel::right("settings")
                    .default_size(290.0)
                    .show(ui, |ui| panels::side(ui, state, &renderer.gpu().name));
            }
            egui::CentralPanel::no_frame().show(ui, |ui| place = canvas::show(ui, state, picture, renderer));
            panels::problem(ui, state);
        });
        self.canvas = place;
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|v| v.repaint_delay);
        self.next_picture = delay.filter(|d| *d < Duration::from_secs(3600)).map(|d| Instant::now() + d);
        self.egui.handle_platform_output(&self.window, output.platform_output.clone());
        output
    }

    /// Draws the yarns into the texture that the panels show.
    fn draw_scene(&mut self, state: &mut WindowState, size: [u32; 2]) -> Result<()> {
        let Some(loaded) = &state.loaded else { return Ok(()) };
        if self.shown_scene != state.scene_number {
            self.renderer.set_scene(loaded)?;
            self.shown_scene = state.scene_number;
        }
        self.fit_target(size)?;
        let Some((target, _)) = &self.target else { return Ok(()) };
        state.timings = self.renderer.draw(loaded, &state.camera, target)?;
        Ok(())
    }

    fn fit_target(&mut self, [width, height]: [u32; 2]) -> Result<()> {
        let fits = |(target, _): &(Target, egui::TextureId)| (target.width(), target.height()) == (width, height);
        if self.target.as_ref().is_some_and(fits) {
            return Ok(());
        }
        let gpu = self.renderer.gpu();
        let target = Target::new(gpu, width, height)?;
        let (view, filter) = (target.encoded_view(), wgpu::FilterMode::Linear);
        let id = match &self.target {
            Some((_, id)) => {
                self.panels.update_egui_texture_from_wgpu_texture(&gpu.device, &view, filter, *id);
                *id
            }
            None => self.panels.register_native_texture(&gpu.device, &view, filter),
        };
        self.target = Some((target, id));
        // The panels of this picture still show the old texture, stretched.
        self.window.request_redraw();
        Ok(())
    }

    fn paint(&mut self, mut output: egui::FullOutput, frame: &wgpu::SurfaceTexture) {
        let gpu = self.renderer.gpu();
        let jobs = self.egui.egui_ctx().tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        for (id, deltas) in &output.textures_delta.set {
            for delta in deltas {
                self.panels.update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
        let descriptor = ScreenDescriptor {
            size_in_pixels: [self.config.width, self.config.height],
            pixels_per_point: output.pixels_per_point,
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut commands = self.panels.update_buffers(&gpu.device, &gpu.queue, &mut encoder, &jobs, &descriptor);
        let view = frame.texture.create_view(&Default::default());
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                resolve_target: None,
                depth_slice: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.panels.render(&mut pass.forget_lifetime(), &jobs, &descriptor);
        commands.push(encoder.finish());
        gpu.queue.submit(commands);
        for id in &output.textures_delta.free {
            self.panels.free_texture(id);
        }
        // All are applied; egui panics where they are dropped otherwise.
        output.textures_delta.clear();
    }

    fn save(&self, state: &mut WindowState) {
        let Some((target, _)) = &self.target else { return };
        let path = free_name();
        match target.read(self.renderer.gpu()).and_then(|picture| Ok(picture.save(&path)?)) {
            Ok(()) => {
                let full = std::path::absolute(&path).unwrap_or(path);
                state.say(format!("saved {}", full.display()));
            }
            Err(error) => state.problem = Some(error.to_string()),
        }
        self.window.request_redraw();
    }
}

/// The panels expect encoded colors: a format that does not encode them again.
fn configuration(gpu: &Gpu, surface: &wgpu::Surface<'_>, window: &Window) -> Result<wgpu::SurfaceConfiguration> {
    let size = window.inner_size();
    let capabilities = surface.get_capabilities(&gpu.adapter);
    let plain = capabilities.formats.iter().copied().find(|f| !f.is_srgb());
    let config = surface.get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1));
    let mut config = config.ok_or_else(|| Error::NoDevice("the adapter cannot draw to this window".into()))?;
    config.format = plain.unwrap_or(config.format);
    Ok(config)
}
