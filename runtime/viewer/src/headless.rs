//! Pictures without a window.

use crate::camera::{Bounds, Camera};
use crate::frames::{Frames, extension, files};
use crate::gpu::Gpu;
use crate::loaded::LoadedScene;
use crate::render::{Renderer, Target, annotate, draw_bare};
use crate::scene::{CameraSpec, StyleSpec};
use crate::{Error, Result};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use yarnwise_picture::{Picture, save_all};
use yarnwise_solvers::cloth::Simulation;

/// What a picture shows in addition to the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureOptions {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Titles above pictures side by side and the legend of a heat map.
    pub labels: bool,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions { size: [1280, 800], labels: true }
    }
}

/// Draws pictures of one scene.
#[derive(Debug)]
pub struct Studio {
    renderer: Renderer,
    target: Target,
    camera: Camera,
    options: PictureOptions,
    /// The scene.
    pub loaded: LoadedScene,
}

impl Studio {
    /// Uploads the scene; the camera stays where the scene's still frame puts it.
    pub fn new(gpu: Gpu, mut loaded: LoadedScene, options: PictureOptions) -> Result<Self> {
        let target = Target::new(&gpu, options.size[0], options.size[1])?;
        let mut renderer = Renderer::new(gpu)?;
        renderer.set_scene(&loaded)?;
        let [_, width] = renderer.columns(target.width())[0];
        let aspect = width as f32 / target.height() as f32;
        loaded.go_to(loaded.scene.still)?;
        let camera = loaded.scene.camera.camera(&loaded.bounds(), aspect);
        Ok(Studio { renderer, target, camera, options, loaded })
    }

    /// A picture of a frame.
    pub fn picture(&mut self, frame: usize) -> Result<Picture> {
        self.loaded.go_to(frame)?;
        self.renderer.draw(&self.loaded, &self.camera, &self.target)?;
        let mut picture = self.target.read(self.renderer.gpu())?;
        if self.options.labels {
            let heat = self.loaded.scene.style.heat_map.as_ref();
            let columns = self.renderer.columns(picture.width);
            annotate(&mut picture, &self.renderer.titles(&self.loaded), &columns, heat);
        }
        Ok(picture)
    }

    /// Pictures of frames into files: `NAME.png` for one, `NAME_####.png` for one each, `NAME.apng` for all in one.
    /// `progress` is called after each.
    pub fn save(&mut self, frames: Frames, out: &Path, progress: &mut dyn FnMut(usize, usize)) -> Result<Vec<PathBuf>> {
        let frames = frames.of(self.loaded.frame_count())?;
        let count = frames.clone().count();
        let files = picture_files(out, frames.clone())?;
        let animation = files.len() < count || extension(out) == "apng";
        let mut pictures = Vec::new();
        for (i, frame) in frames.enumerate() {
            let picture = self.picture(frame)?;
            if animation {
                pictures.push(picture);
            } else {
                picture.save(&files[i])?;
            }
            progress(i + 1, count);
        }
        if animation {
            save_all(&pictures, self.loaded.cloth.frame_time(), out)?;
        }
        Ok(files)
    }
}

/// A picture of simulated cloth without yarns as it is now, and of the bodies it touches, from above its front.
pub fn picture_of_cloth(gpu: &Gpu, simulation: &Simulation, size: [u32; 2]) -> Result<Picture> {
    let target = Target::new(gpu, size[0], size[1])?;
    let positions: Vec<[f32; 3]> = simulation.positions_f32().collect();
    let bounds = Bounds::of(&positions).ok_or_else(|| Error::Request("the cloth has no particles".into()))?;
    let view = CameraSpec { yaw: 30.0, pitch: 25.0, ..Default::default() };
    let camera = view.camera(&bounds, size[0] as f32 / size[1] as f32);
    draw_bare(gpu, simulation, &camera, &StyleSpec::default(), &target)?;
    target.read(gpu)
}

/// The files that pictures of frames are written to: `NAME.png` for one, `NAME_####.png` for one each, `NAME.apng` for all
/// in one; an error where the name fits none of these.
pub fn picture_files(out: &Path, frames: RangeInclusive<usize>) -> Result<Vec<PathBuf>> {
    let problem = match extension(out).as_str() {
        "apng" => return Ok(vec![out.to_owned()]),
        "png" => match files(out, frames) {
            Some(files) => return Ok(files),
            None => "one PNG file holds one frame: put #### into the name, or let it end in .apng",
        },
        _ => "the name must end in .png, or in .apng for an animation",
    };
    Err(Error::Request(format!("{}: {problem}", out.display())))
}
