//! Experiments as tables, plots and pictures.

mod pictures;
mod plots;
mod text;

pub use pictures::{cell_picture, patch_picture, solid_picture};
pub use plots::plot;
pub use text::text;
