//! Plots of an estimate: how the search went, and how well the data are met.

use crate::Result;
use crate::plot::{Plot, Scale};
use std::path::{Path, PathBuf};
use yarnwise_precompute::estimate::{Estimated, Quantity};

const SEARCH: &str = "search.svg";
const RESIDUALS: &str = "residuals.svg";

/// The files that [`save_plots`] writes.
pub fn plot_paths(folder: &Path) -> Vec<PathBuf> {
    [SEARCH, RESIDUALS].map(|name| folder.join(name)).to_vec()
}

/// Writes both plots into a folder.
pub fn save_plots(estimated: &Estimated, folder: &Path) -> Result<()> {
    search(estimated).save(&folder.join(SEARCH))?;
    residuals(estimated).save(&folder.join(RESIDUALS))
}

/// Cost over the steps of the search.
pub fn search(estimated: &Estimated) -> Plot {
    let points: Vec<[f64; 2]> = estimated.steps.iter().enumerate().map(|(k, s)| [k as f64, s.cost]).collect();
    Plot::new(&format!("Search for parameters of the model {}", estimated.model), "step", "cost")
        .scales(Scale::Linear, Scale::Logarithmic)
        .line_with_points("", &points)
}

/// Residuals of all data in their order, a series for each quantity.
pub fn residuals(estimated: &Estimated) -> Plot {
    let mut plot = Plot::new(&format!("Residuals of the model {}", estimated.model), "datum", "residual, %");
    for quantity in [Quantity::Stress, Quantity::Energy, Quantity::Heights] {
        let own = estimated.residuals.iter().enumerate().filter(|(_, r)| r.quantity == quantity);
        let points: Vec<[f64; 2]> = own.map(|(k, r)| [k as f64, 100.0 * r.residual]).collect();
        if !points.is_empty() {
            plot = plot.points(quantity.name(), &points);
        }
    }
    plot
}
