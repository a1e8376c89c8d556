//! One question for many states.

use crate::Result;
use crate::fabric::{Fabric, Response};
use rayon::prelude::*;
use yarnwise_shared::table::strain::Strain;

/// Called from any thread when a state is solved.
pub type Tick<'p> = &'p (dyn Fn() + Sync);

/// The responses to all strains, in their order, whatever the number of threads.
pub fn respond_all(fabric: &dyn Fabric, strains: &[Strain<f64>], progress: Tick) -> Result<Vec<Response>> {
    let solve = |strain: &Strain<f64>| {
        let response = fabric.respond(*strain);
        progress();
        response
    };
    strains.par_iter().map(solve).collect()
}
