//! The gauge of a fabric: how many threads or loops there are to a length.

use yarnwise_shared::pattern::{Pattern, Yarn};

/// Threads or loops per meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    /// Along x: warps where threads run along y, else loops (wales).
    pub x: f64,
    /// Along y: threads that run along x (wefts, courses).
    pub y: f64,
    /// Whether threads run along y too, as in weaves.
    pub woven: bool,
}

impl Gauge {
    /// The gauge of a pattern.
    pub fn of(pattern: &Pattern) -> Self {
        let [px, py] = pattern.period();
        let threads = |axis: usize| pattern.yarns().iter().map(|y| f64::from(y.shift[axis].abs())).sum::<f64>();
        let (wefts, warps) = (threads(0), threads(1));
        let woven = warps > 0.0;
        let loops = || pattern.yarns().iter().map(|y| loops(pattern, y)).sum::<usize>() as f64 / wefts.max(1.0);
        Gauge { x: if woven { warps } else { loops() } / px, y: wefts / py, woven }
    }

    /// What is counted along x and along y.
    pub fn names(&self) -> [&'static str; 2] {
        if self.woven { ["warps", "wefts"] } else { ["loops", "courses"] }
    }
}

/// How often a yarn along x rises through its mean height in y: once a loop.
fn loops(pattern: &Pattern, yarn: &Yarn) -> usize {
    // Shifts along y only count for yarns that run that way; these have no loops in this sense.
    let y = |i: usize| pattern.vertices()[yarn.vertices[i % yarn.vertices.len()] as usize].position[1];
    let n = yarn.vertices.len();
    let mean = (0..n).map(y).sum::<f64>() / n as f64;
    (0..n).filter(|i| y(*i) < mean && y(*i + 1) >= mean).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
    use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};

    #[test]
    fn stitches_and_threads_are_counted() {
        for (name, loops, courses) in [("stockinette", 1.0, 1.0), ("rib2x2", 4.0, 1.0), ("seed", 2.0, 2.0)] {
            let pattern = knit(&KnitChart::preset(name).unwrap(), &KnitOptions::default()).unwrap();
            let (gauge, [px, py]) = (Gauge::of(&pattern), pattern.period());
            assert!((gauge.x * px - loops).abs() < 1e-9 && (gauge.y * py - courses).abs() < 1e-9, "{name}: {gauge:?}");
            assert_eq!(gauge.names(), ["loops", "courses"]);
        }
        let satin = weave(&Draft::preset("satin").unwrap(), &WeaveOptions::default()).unwrap();
        let gauge = Gauge::of(&satin);
        assert!((gauge.x * satin.period()[0] - 5.0).abs() < 1e-9 && (gauge.y * satin.period()[1] - 5.0).abs() < 1e-9);
    }
}
