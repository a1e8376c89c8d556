//! Moving cloth: a particle solver with large, stable steps, as a source of animated positions.
//!
//! Implements E. Boxerman, *Speeding Up Cloth Simulation*, M.Sc. thesis, University of British Columbia, 2003, cited as
//! \[Boxerman03\]; differences are said where they are. CPU only, `f64`, parallel, and the same to the last bit on any
//! number of threads.
//!
//! In the order in which they build on each other:
//!
//! - `system`: blocks, matrix, independent components and solution of the linear system of a step.
//! - [`model`]: particles, springs and dampers on grids and on triangle meshes.
//! - [`Integrator`], [`ClothOptions`]: which springs are implicit, up to adaptive IMEX; how to step.
//! - [`Environment`], [`SelfContact`]: gravity, air, and the cloth itself.
//! - `state`, `forces`, `step`: where the cloth is, what acts on it, one step of time.
//! - [`Simulation`]: step it, drag particles, take positions out.
//! - [`scene`]: scenes as files.
//!
//! ```
//! use yarnwise_solvers::cloth::{Pin, Simulation, ClothOptions, model::{ClothModel, Grid, ClothMaterial}};
//!
//! let grid = Grid::horizontal(20, 0.05);
//! let mut cloth = Simulation::new(ClothModel::from_grid(&grid, &ClothMaterial::default()), ClothOptions::default());
//! cloth.pins.push(Pin { particles: vec![0, 19], motion: Default::default(), until: None });
//! cloth.advance(1.0 / 60.0)?;
//! let frame: Vec<[f32; 3]> = cloth.positions_f32().collect();
//! # assert_eq!(frame.len(), 400);
//! # Ok::<(), yarnwise_solvers::Error>(())
//! ```

mod energy;
mod environment;
mod forces;
mod integrator;
pub mod model;
mod options;
pub mod scene;
mod self_contact;
mod simulation;
mod state;
mod step;
mod system;

pub use energy::Energies;
pub use environment::{Environment, normals};
pub use integrator::Integrator;
pub use options::ClothOptions;
pub use self_contact::SelfContact;
pub use simulation::{Pin, Simulation};
pub use step::StepReport;
pub use system::SystemReport;
