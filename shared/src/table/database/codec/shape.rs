//! The shape of a table, and how it is cut into chunks.

/// The most values (of one channel) that a chunk holds, unless a single layer is larger: bounds what one chunk needs in
/// memory while it is decoded.
const CHUNK_VALUES: usize = 1 << 21;

/// Lengths of a table's axes, and its vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableShape {
    /// The first runs fastest.
    pub(crate) axes: Vec<usize>,
    pub(crate) vertices: usize,
}

impl TableShape {
    /// Samples of one layer: those that share their place on the last axis.
    pub(crate) fn layer_samples(&self) -> usize {
        self.axes[..self.axes.len() - 1].iter().product()
    }

    /// Values (of one channel) of one layer.
    pub(crate) fn layer_values(&self) -> usize {
        self.layer_samples() * self.vertices
    }

    /// How many layers there are.
    pub(crate) fn layers(&self) -> usize {
        self.axes[self.axes.len() - 1]
    }

    /// Values (of one channel) of the whole table.
    pub(crate) fn values(&self) -> usize {
        self.layer_values() * self.layers()
    }

    /// How many layers a writer puts into one chunk.
    pub(crate) fn layers_per_chunk(&self) -> usize {
        (CHUNK_VALUES / self.layer_values()).clamp(1, self.layers())
    }
}

/// The lengths of the runs of layers that a table is cut into.
pub(crate) fn runs(layers: usize, per_chunk: usize) -> impl Iterator<Item = usize> {
    (0..layers).step_by(per_chunk).map(move |first| per_chunk.min(layers - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_every_layer_once() {
        for (layers, per_chunk) in [(9, 9), (9, 4), (9, 1), (1, 1), (31, 6)] {
            assert_eq!(runs(layers, per_chunk).sum::<usize>(), layers);
            assert!(runs(layers, per_chunk).all(|n| n >= 1 && n <= per_chunk));
        }
    }

    #[test]
    fn a_chunk_holds_at_least_a_layer_and_at_most_the_table() {
        let shape = |n: usize, vertices| TableShape { axes: vec![n; 3], vertices };
        assert_eq!(shape(9, 356).layers_per_chunk(), 9);
        assert_eq!(shape(31, 356).layers_per_chunk(), 6);
        assert_eq!(shape(200, 1000).layers_per_chunk(), 1);
    }
}
