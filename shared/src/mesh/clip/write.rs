//! Writing clips in the format that a file's name asks for.

use super::{Clip, binseq, pc2};
use crate::mesh::obj;
use crate::{Error, Result, file};
use std::fs;
use std::path::Path;

impl Clip {
    /// Writes the clip as `.bin`; as `.pc2` with its mesh as `.obj` beside it; as one `.obj` file if it has one frame; or
    /// as a folder of `.obj` files if `path` has no extension. Only `.bin` keeps obstacles, only `.pc2` the frame time.
    pub fn write(&self, path: &Path) -> Result<()> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "bin" => binseq::write(self, path),
            "pc2" => {
                obj::write(&self.mesh, &path.with_extension("obj"))?;
                pc2::write(self, path)
            }
            "obj" if self.frame_count() == 1 => obj::write_frame(&self.mesh, self.positions(0), path),
            "obj" => {
                let problem = format!(
                    "{} frames do not fit one OBJ file: name a .bin or .pc2 file, or a folder (without extension)",
                    self.frame_count()
                );
                Err(Error::invalid(file::origin(path), problem))
            }
            "" => self.write_folder(path),
            _ => {
                let problem = "is no format of clips: .obj, .bin, .pc2 or a folder (without extension) is expected";
                Err(Error::invalid(file::origin(path), problem))
            }
        }
    }

    fn write_folder(&self, folder: &Path) -> Result<()> {
        let failed = |e| Error::io(folder, e);
        fs::create_dir_all(folder).map_err(failed)?;
        // Older frames in the folder would be played with the new ones.
        if fs::read_dir(folder).map_err(failed)?.next().is_some() {
            return Err(Error::invalid(file::origin(folder), "is not empty: name a new or an empty folder"));
        }
        for frame in 0..self.frame_count() {
            let path = folder.join(format!("frame_{frame:05}.obj"));
            obj::write_frame(&self.mesh, self.positions(frame), &path)?;
        }
        Ok(())
    }
}
