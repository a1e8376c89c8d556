//! Displacement tables in the published folder layout: `pyp`, `sxsasy/axes.txt`, `sxsasy/data.npy`.

use std::path::Path;
use yarnwise_shared::grid::{Axis, Grid, StrainGrid};
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::{Error, Result, file};

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
        let pattern = pyp::read(&folder.join("pyp"))?;
        let axes_path = folder.join("sxsasy/axes.txt");
        let text = String::from_utf8_lossy(&file::read(&axes_path, 1 << 20)?).into_owned();
        let mut lines = text.lines();
        let mut axis = |name: &str| {
            let line = lines.next().unwrap_or_default();
            Axis::new(name, line.split_whitespace().filter_map(|w| w.parse().ok()).collect())
        };
        let grid = Grid([axis("sx")?, axis("sa")?, axis("sy")?]);
        let data_path = folder.join("sxsasy/data.npy");
        let bytes = file::read(&data_path, 1 << 30)?;
        let count = 4 * grid.sample_count() * pattern.vertices().len();
        let Some(start) = bytes.len().checked_sub(4 * count).filter(|s| *s >= 10) else {
            let problem = format!("holds fewer than the {count} numbers that axes and pattern ask for");
            return Err(Error::invalid(file::origin(&data_path), problem));
        };
        let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let row = |b: &[u8]| std::array::from_fn(|k| number(&b[4 * k..]));
        Ok(Published { pattern, grid, values: bytes[start..].chunks_exact(16).map(row).collect() })
    }

    /// Displacements of all vertices at `sample`.
    pub fn sample(&self, sample: usize) -> Vec<[f64; 4]> {
        let samples = self.grid.sample_count();
        let at = |vertex: usize| self.values[sample + samples * vertex].map(f64::from);
        (0..self.pattern.vertices().len()).map(at).collect()
    }
}
