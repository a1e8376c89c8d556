//! Moving cloth: a particle solver with large, stable steps, as a source of animated positions.
//!
//! Implements E. Boxerman, *Speeding Up Cloth Simulation*, M.Sc. thesis, University of British Columbia, 2003, cited as
//! \[Boxerman03\]; differences are said where they are. CPU only, `f64`, parallel, and the same to the last bit on any
//! number of threads.
//!
//! - [`model`]: particles, springs and dampers on grids and on triangle meshes.
//! - [`Integrator`]: which springs are implicit, up to adaptive IMEX.
//! - [`Decomposition`]: independent components of the implicit system.
//! - [`scene`]: scenes as files.
//! - [`Simulation`]: the state; step it, drag particles, take positions out.
//!
//! ```
//! use yarnwise_solvers::cloth::{Pin, Simulation, SolverOptions, model::{ClothModel, Grid, Material}};
//!
//! let grid = Grid::horizontal(20, 0.05);
//! let mut cloth = Simulation::new(ClothModel::from_grid(&grid, &Material::default()), SolverOptions::default());
//! cloth.pins.push(Pin { particles: vec![0, 19], motion: Default::default(), until: None });
//! cloth.advance(1.0 / 60.0)?;
//! let frame: Vec<[f32; 3]> = cloth.positions_f32().collect();
//! # assert_eq!(frame.len(), 400);
//! # Ok::<(), yarnwise_shared::Error>(())
//! ```

mod decomposition;
mod energy;
mod environment;
mod held;
mod integrator;
pub mod model;
mod options;
pub mod scene;
mod simulation;
mod solve;
mod step;

pub use decomposition::Decomposition;
pub use energy::Energies;
pub use environment::{Environment, normals};
pub use integrator::Integrator;
pub use options::SolverOptions;
pub use simulation::{Pin, Simulation, StepReport};
pub use solve::{SolveOptions, SolveReport, System, constraint_impulses, solve};
