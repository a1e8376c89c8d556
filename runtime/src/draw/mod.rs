//! Yarns on screen: round tubes with plies, drawn into a pass of the host's [Sperl21, Section 4.6].
//!
//! ```text
//! let target = TargetOptions { color_format, sample_count: 4, ..Default::default() };
//! let tubes = TubePipelines::new(&device, &target)?;                                   // once per device and target
//! let mut view = TubeState::new(&device, &queue, &tubes, &layout, &yarns, &TubeOptions::default())?; // once per garment
//! view.prepare(&queue, &camera, &TubeStyle::default())?;                               // each frame
//! pipelines.encode(&mut encoder, &yarns)?;                                             // the yarns' positions
//! tubes.encode(&mut encoder, &view);                                                   // what is seen, shadows; no submit
//! tubes.draw(&view, &mut render_pass);                                                 // a pass with color and depth
//! ```
//!
//! The host owns device, queue, encoder and pass, clears its target and may draw other things in the same pass. A garment
//! that is seen from two cameras at a time takes two [`TubeState`]s.
//!
//! - Vertices are pulled from the yarns' buffers; the yarns are not copied. Between yarn vertices tubes
//!   follow a smooth curve.
//! - A compute pass lists the segments that are seen, by their size on screen: near ones have 24 sides and are
//!   subdivided, distant ones are ribbons that face the viewer, and yarns thinner than a pixel are drawn a pixel wide and
//!   partly transparent.
//! - Plies and fibers are a procedural normal that follows rest arc length and twist; it fades with distance.
//! - Shadows ([`Shadow`]) and ambient occlusion ([`Occlusion`], a pass of its own) can be left out.
//! - [`MeshPipelines`] draw the bare mesh, and obstacles.
//! - [`TubeStyle`] has colors, light and heat map; [`Palette`] gives the colors of a legend.

mod camera;
mod color;
mod light;
mod mesh;
mod occlusion;
mod palette;
mod part;
mod pipelines;
mod program;
mod record;
mod shadow;
mod shadow_map;
mod state;
mod style;
mod target;
mod template;

pub use camera::Camera;
pub use color::{linear, srgb};
pub use light::Light;
pub use mesh::{MeshPipelines, MeshState, MeshStyle};
pub use occlusion::{Occlusion, OcclusionOptions};
pub use palette::Palette;
pub use pipelines::TubePipelines;
pub use shadow::Shadow;
pub use state::{ColorBy, TubeOptions, TubeState};
pub use style::{HeatMap, Ply, TubeStyle};
pub use target::TargetOptions;
