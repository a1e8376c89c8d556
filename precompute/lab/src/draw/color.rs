//! Colors of yarns.

/// Red, green and blue, 0 to 1.
pub(super) type Rgb = [f32; 3];

/// The colors of yarns.
#[derive(Clone, Debug, PartialEq)]
pub enum Colors {
    /// Neighboring strands differ; strands along x and along y have colors of two families.
    Strands,
    /// A color for each vertex: red, green, blue.
    Vertices(Vec<[u8; 3]>),
}

/// Strands along x.
const ALONG_X: [Rgb; 3] = [[0.93, 0.55, 0.42], [0.96, 0.79, 0.50], [0.80, 0.42, 0.42]];

/// Strands along y and in other directions.
const ALONG_Y: [Rgb; 3] = [[0.38, 0.62, 0.68], [0.55, 0.75, 0.66], [0.34, 0.47, 0.66]];

/// The color of the strand number `strand` of its direction.
pub(super) fn of_strand(along_x: bool, strand: i64) -> Rgb {
    let family = if along_x { ALONG_X } else { ALONG_Y };
    family[strand.rem_euclid(family.len() as i64) as usize]
}

/// A scale from dark blue (0) over green to yellow (1) that also grows in brightness.
pub(crate) fn heat(value: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 5] =
        [[40.0, 30.0, 100.0], [50.0, 95.0, 140.0], [45.0, 155.0, 135.0], [130.0, 205.0, 85.0], [250.0, 230.0, 60.0]];
    let place = value.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let stop = (place as usize).min(STOPS.len() - 2);
    let weight = place - stop as f64;
    [0, 1, 2].map(|k| (STOPS[stop][k] + weight * (STOPS[stop + 1][k] - STOPS[stop][k])).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_grows_brighter_and_survives_any_number() {
        let brightness = |v: f64| heat(v).iter().map(|c| u32::from(*c)).sum::<u32>();
        assert!((0..50).all(|i| brightness(f64::from(i) / 50.0) < brightness(f64::from(i + 1) / 50.0)));
        assert_eq!(heat(-1.0), heat(0.0));
        assert_eq!(heat(f64::INFINITY), heat(1.0));
        heat(f64::NAN);
    }
}
