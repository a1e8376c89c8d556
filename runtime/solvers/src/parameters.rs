//! Parameters files as solvers take them: of the right kind, with every number known.

use crate::Result;
use std::path::Path;
use yarnwise_shared::file;
use yarnwise_shared::parameters::{MembraneParameters, Parameters};

/// The sheet of a parameters file.
pub fn read_sheet(path: &Path) -> Result<MembraneParameters<f64>> {
    Ok(Parameters::read(path)?.membrane(&file::origin(path))?)
}
