//! Displacement tables in the published folder layout: `pyp`, `sxsasy/axes.txt`, `sxsasy/data.npy`.

use std::path::Path;
use yarnwise_shared::Result;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::model_folder;

/// A published pattern and its table.
pub struct Published {
    /// The pattern.
    pub pattern: Pattern,
    /// The axes.
    pub grid: StrainGrid,
    values: Vec<[f32; 4]>,
}

impl Published {
    /// Reads the folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let data = model_folder::read(folder, "")?.database.into_data();
        let (grid, values) = (data.table.grid().clone(), data.table.values().to_vec());
        Ok(Published { pattern: data.pattern, grid, values })
    }

    /// Displacements of all vertices at `sample`.
    pub fn sample(&self, sample: usize) -> Displacements {
        let vertices = self.pattern.vertices().len();
        self.values[sample * vertices..][..vertices].iter().map(|d| d.map(f64::from)).collect()
    }
}
