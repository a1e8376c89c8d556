//! Pictures without a window.

use crate::camera::Camera;
use crate::frames::{Frames, numbered};
use crate::gpu::Gpu;
use crate::render::{Renderer, Target, Timings, annotate};
use crate::stage::Stage;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use yarnwise_picture::{Picture, save_all};

/// What a picture shows besides what the scene says.
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

/// Draws pictures of one stage.
#[derive(Debug)]
pub struct Studio {
    renderer: Renderer,
    target: Target,
    camera: Camera,
    options: PictureOptions,
    /// The stage.
    pub stage: Stage,
}

impl Studio {
    /// Sets the stage; the camera stays where the scene's still frame puts it.
    pub fn new(gpu: Gpu, mut stage: Stage, options: PictureOptions) -> Result<Self> {
        let target = Target::new(&gpu, options.size[0], options.size[1])?;
        let mut renderer = Renderer::new(gpu)?;
        renderer.set_stage(&stage)?;
        let [_, width] = renderer.columns(target.width())[0];
        let aspect = width as f32 / target.height() as f32;
        stage.go_to(stage.scene.still)?;
        let camera = stage.scene.camera.camera(&stage.bounds(), aspect);
        Ok(Studio { renderer, target, camera, options, stage })
    }

    /// A picture of a frame.
    pub fn picture(&mut self, frame: usize) -> Result<(Picture, Timings)> {
        self.stage.go_to(frame)?;
        let timings = self.renderer.draw(&self.stage, &self.camera, &self.target)?;
        let mut picture = self.target.read(self.renderer.gpu())?;
        if self.options.labels {
            let heat = self.stage.scene.style.heat_map.as_ref();
            let columns = self.renderer.columns(picture.width);
            annotate(&mut picture, &self.renderer.titles(&self.stage), &columns, heat);
        }
        Ok((picture, timings))
    }

    /// Pictures of frames into files: `NAME.png` for one, `NAME_####.png` for one each, `NAME.apng` for all in one.
    /// `progress` is told of each.
    pub fn save(&mut self, frames: Frames, out: &Path, progress: &mut dyn FnMut(usize, usize)) -> Result<Vec<PathBuf>> {
        let frames = frames.of(self.stage.source.frame_count())?;
        let count = frames.clone().count();
        let extension = out.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let problem = |text: &str| Err(Error::Request(format!("{}: {text}", out.display())));
        if !matches!(extension.as_str(), "png" | "apng") {
            return problem("the name must end in .png, or in .apng for an animation");
        }
        if count > 1 && extension == "png" && numbered(out, 0).is_none() {
            return problem("one PNG file holds one frame: put #### into the name, or let it end in .apng");
        }
        let (mut files, mut pictures) = (Vec::new(), Vec::new());
        for (i, frame) in frames.enumerate() {
            let (picture, _) = self.picture(frame)?;
            if extension == "png" {
                let path = numbered(out, frame).unwrap_or_else(|| out.to_owned());
                picture.save(&path)?;
                files.push(path);
            } else {
                pictures.push(picture);
            }
            progress(i + 1, count);
        }
        if extension == "apng" {
            save_all(&pictures, self.stage.source.frame_time(), out)?;
            files.push(out.to_owned());
        }
        Ok(files)
    }
}
