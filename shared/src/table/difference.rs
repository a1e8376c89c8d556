//! Jumps and second differences of vertices between neighboring samples: the one place of both formulas.
//!
//! Sizes are the largest over all vertices, in meters; twist is left out. A vertex that is NaN makes the size NaN.

/// What has a place in space.
pub trait Position {
    /// Its place or displacement, m.
    fn position(&self) -> [f64; 3];
}

impl Position for [f64; 3] {
    fn position(&self) -> [f64; 3] {
        *self
    }
}

/// A displacement (dX1, dX2, dX3, dtheta).
impl Position for [f64; 4] {
    fn position(&self) -> [f64; 3] {
        [self[0], self[1], self[2]]
    }
}

/// A displacement (dX1, dX2, dX3, dtheta) of a table.
impl Position for [f32; 4] {
    fn position(&self) -> [f64; 3] {
        [self[0], self[1], self[2]].map(f64::from)
    }
}

/// The largest distance of a vertex between two states, m.
pub fn jump<P: Position>(a: &[P], b: &[P]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| {
        let (a, b) = (a.position(), b.position());
        std::array::from_fn(|k| a[k] - b[k])
    }))
}

/// The largest second difference a - 2 b + c of a vertex over three states on a line, m.
pub fn second_difference<P: Position>([a, b, c]: [&[P]; 3]) -> f64 {
    largest(a.iter().zip(b).zip(c).map(|((a, b), c)| {
        let (a, b, c) = (a.position(), b.position(), c.position());
        std::array::from_fn(|k| a[k] - 2.0 * b[k] + c[k])
    }))
}

/// The length of the longest vector; NaN when one has no length.
fn largest(vectors: impl Iterator<Item = [f64; 3]>) -> f64 {
    let squares = vectors.map(|v| v.iter().map(|c| c * c).sum::<f64>());
    squares.fold(0.0, |most: f64, square| if square > most || square.is_nan() { square } else { most }).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_vertex_counts_and_twist_does_not() {
        let a = [[0.0, 0.0, 0.0, 5.0], [1.0, 0.0, 0.0, 0.0]];
        let b = [[0.0, 3.0, 4.0, 0.0], [1.0, 0.0, 1.0, 0.0]];
        assert_eq!(jump(&a, &b), 5.0);
        assert_eq!(jump(&b, &a), 5.0);
        assert_eq!(second_difference([&a[..], &b, &a]), 10.0);
        assert_eq!(jump::<[f64; 3]>(&[], &[]), 0.0);
    }

    #[test]
    fn a_single_vertex_without_a_place_is_not_overlooked() {
        let good = [[0.0; 3]; 3];
        for k in 0..3 {
            let mut bad = good;
            bad[k][1] = f64::NAN;
            assert!(jump(&good, &bad).is_nan() && second_difference([&good[..], &bad, &good]).is_nan());
        }
    }
}
