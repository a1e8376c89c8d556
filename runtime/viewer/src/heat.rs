//! Numbers of yarn vertices that can be shown as colors. Computed on the CPU path.

use crate::Result;
use crate::strands::Strands;
use serde::{Deserialize, Serialize};
use yarnwise_runtime::draw::Palette;
use yarnwise_runtime::{CpuYarns, FrameOptions, FrameParams, SurfaceForms, YarnLayout, YarnSite};
use yarnwise_shared::table::strain::Sym2;

/// A number of each yarn vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// How much longer the yarn is than at rest, as a part of its length.
    YarnStrain,
    /// The largest stretch of the cloth in any direction, minus one.
    ClothStretch,
    /// The smallest stretch of the cloth in any direction, minus one.
    ClothCompression,
    /// How far the looked-up displacement moves a vertex, in yarn radii.
    Displacement,
    /// 1 where the cloth is compressed so much that the clamp acts.
    Clamp,
    /// Tension of simulated yarns, mN.
    Tension,
    /// How hard simulated warps and wefts press on each other, mN.
    Compression,
    /// How far simulated yarns have slid through their crossings, mm.
    Sliding,
    /// Where cloth is triangles (0), both (0.5) and yarns (1).
    Region,
    /// The blending field α between triangles and yarns.
    Blending,
}

impl Quantity {
    /// Those of yarns that are laid on cloth.
    pub const LAID: [Quantity; 5] = [
        Quantity::YarnStrain,
        Quantity::ClothStretch,
        Quantity::ClothCompression,
        Quantity::Displacement,
        Quantity::Clamp,
    ];

    /// Those of yarns that are simulated one by one.
    pub const SIMULATED: [Quantity; 3] = [Quantity::Tension, Quantity::Compression, Quantity::Sliding];

    /// Those of cloth that is yarns here and triangles there.
    pub const HYBRID: [Quantity; 5] =
        [Quantity::Region, Quantity::Blending, Quantity::Tension, Quantity::Compression, Quantity::Sliding];

    /// Those that yarns have which are not laid on cloth.
    pub fn known(strands: &Strands) -> &'static [Quantity] {
        if strands.alphas.is_empty() { &Quantity::SIMULATED } else { &Quantity::HYBRID }
    }

    /// For people, with the unit.
    pub fn label(self) -> &'static str {
        match self {
            Quantity::YarnStrain => "yarn strain",
            Quantity::ClothStretch => "cloth: largest stretch",
            Quantity::ClothCompression => "cloth: smallest stretch",
            Quantity::Displacement => "displacement, radii",
            Quantity::Clamp => "clamp active",
            Quantity::Tension => "tension, mN",
            Quantity::Compression => "compression F_n, mN",
            Quantity::Sliding => "sliding, mm",
            Quantity::Region => "triangles, both, yarns",
            Quantity::Blending => "blending field",
        }
    }

    /// The numbers of the first and the last color by default.
    pub fn range(self) -> [f32; 2] {
        match self {
            Quantity::YarnStrain => [-0.3, 0.3],
            Quantity::ClothStretch => [0.0, 1.0],
            Quantity::ClothCompression => [-0.3, 0.3],
            Quantity::Displacement => [0.0, 2.0],
            Quantity::Clamp => [0.0, 1.0],
            Quantity::Tension => [0.0, 20.0],
            Quantity::Compression => [0.0, 10.0],
            Quantity::Sliding | Quantity::Region | Quantity::Blending => [0.0, 1.0],
        }
    }

    /// Colors that suit it.
    pub fn palette(self) -> Palette {
        match self {
            Quantity::YarnStrain | Quantity::ClothCompression => Palette::Tension,
            Quantity::ClothStretch | Quantity::Displacement | Quantity::Sliding | Quantity::Blending => Palette::Dusk,
            Quantity::Region => Palette::Tension,
            Quantity::Clamp | Quantity::Tension | Quantity::Compression => Palette::Ember,
        }
    }

    /// The number of every vertex of yarns that are simulated one by one.
    pub fn of_strands(self, strands: &Strands) -> Result<Vec<f32>> {
        let (index, factor) = match self {
            Quantity::Tension => (0, 1e3),
            Quantity::Compression => (1, 1e3),
            Quantity::Sliding => (2, 1e3),
            Quantity::Region | Quantity::Blending if !strands.alphas.is_empty() => {
                let paint = |a: &f32| if *a <= 0.0 || *a >= 1.0 || self == Quantity::Blending { *a } else { 0.5 };
                return Ok(strands.alphas.iter().map(paint).collect());
            }
            other => return Err(other.missing("yarns that are simulated one by one", Quantity::known(strands))),
        };
        Ok(strands.values.iter().map(|v| v[index] * factor).collect())
    }

    fn missing(self, what: &str, known: &[Quantity]) -> crate::Error {
        let names = known.iter().map(|q| format!("'{}'", q.label())).collect::<Vec<_>>().join(", ");
        crate::Error::Request(format!("heat map '{}': {what} have none of these; they have {names}", self.label()))
    }

    /// The number of every yarn vertex in a frame.
    pub fn compute(self, yarns: &mut CpuYarns, frame: &FrameOptions, positions: &[[f32; 3]]) -> Result<Vec<f32>> {
        let here = crate::Error::yarns("heat map");
        let params = FrameParams { positions, options: *frame };
        yarns.update(&params).map_err(&here)?;
        let layout = yarns.layout();
        let sites = layout.sites().iter();
        Ok(match self {
            Quantity::YarnStrain => yarn_strain(yarns),
            Quantity::ClothStretch => sites.map(|s| stretches(yarns, s)[1] - 1.0).collect(),
            Quantity::ClothCompression => sites.map(|s| stretches(yarns, s)[0] - 1.0).collect(),
            Quantity::Clamp => {
                let least = frame.min_eigenvalue;
                sites.map(|s| f32::from(stretches(yarns, s)[0].powi(2) < least)).collect()
            }
            Quantity::Displacement => {
                let moved: Vec<[f32; 3]> = yarns.vertices().iter().map(|v| v.position).collect();
                yarns
                    .update(&FrameParams { options: FrameOptions { displacement: 0.0, ..params.options }, ..params })
                    .map_err(&here)?;
                let radius = yarns.layout().radius();
                moved.iter().zip(yarns.vertices()).map(|(a, b)| distance(*a, b.position) / radius).collect()
            }
            Quantity::Tension | Quantity::Compression | Quantity::Sliding | Quantity::Region | Quantity::Blending => {
                return Err(self.missing("yarns that are laid on cloth", &Quantity::LAID));
            }
        })
    }
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt()
}

/// For each vertex the mean over its edges.
fn yarn_strain(yarns: &CpuYarns) -> Vec<f32> {
    let (layout, vertices) = (yarns.layout(), yarns.vertices());
    let edge = |i: usize| {
        let rest = rest_length(layout, i);
        (rest > 0.0).then(|| distance(vertices[i].position, vertices[i + 1].position) / rest - 1.0)
    };
    let ends = |i: usize| layout.sites()[i].pattern;
    (0..vertices.len())
        .map(|i| {
            let before = (ends(i) & YarnSite::FIRST == 0).then(|| edge(i - 1)).flatten();
            let after = (ends(i) & YarnSite::LAST == 0).then(|| edge(i)).flatten();
            match (before, after) {
                (Some(a), Some(b)) => 0.5 * (a + b),
                (one, other) => one.or(other).unwrap_or(0.0),
            }
        })
        .collect()
}

/// Rest length from a vertex to the next one of its yarn, meters.
fn rest_length(layout: &YarnLayout, i: usize) -> f32 {
    layout.arcs()[i + 1] - layout.arcs()[i]
}

/// Smallest and largest stretch of the cloth at a site: roots of the eigenvalues of the interpolated form I.
fn stretches(yarns: &CpuYarns, site: &YarnSite) -> [f32; 2] {
    let corners = yarns.layout().surface().links()[site.face as usize].material;
    let forms: [&SurfaceForms; 3] = corners.map(|m| &yarns.vertex_forms()[m as usize]);
    let weights = [1.0 - site.b - site.c, site.b, site.c];
    let [a, b, c]: [f32; 3] = std::array::from_fn(|k| (0..3).map(|i| weights[i] * forms[i].first[k]).sum());
    Sym2::new(a, b, c).eigenvalues().map(|l| l.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{ClothSpec, MotionSpec, SheetSpec, YarnsSpec};
    use std::path::Path;
    use yarnwise_shared::mesh::clip::make::Motion;

    /// Stockinette without displacements on a sheet stretched along x by `amount`.
    fn stretched(amount: f64) -> (CpuYarns, Vec<[f32; 3]>) {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        let database = YarnsSpec::Pattern("patterns/plain.yarn".into()).load(&data).unwrap();
        let motion = MotionSpec { kind: Motion::StretchX, amount, frames: 3, ..Default::default() };
        let sheet = SheetSpec { size: [0.06, 0.06], cells: [4, 4], motion };
        let mut cloth = ClothSpec::Sheet(sheet).load("test", &data).unwrap();
        let mut positions = Vec::new();
        cloth.frame(1, &mut positions).unwrap();
        let layout = YarnLayout::new(cloth.mesh().unwrap(), database.pattern(), &Default::default()).unwrap();
        (CpuYarns::new(layout, &database).unwrap(), positions)
    }

    #[test]
    fn values_are_those_of_the_stretch_that_was_made() {
        let (mut yarns, positions) = stretched(0.5);
        let frame = FrameOptions::default();
        let mut of = |value: Quantity| value.compute(&mut yarns, &frame, &positions).unwrap();
        for v in of(Quantity::ClothStretch) {
            assert!((v - 0.5).abs() < 1e-4, "{v}");
        }
        assert!(of(Quantity::ClothCompression).iter().all(|v| v.abs() < 1e-4));
        assert!(of(Quantity::Clamp).iter().all(|v| *v == 0.0));
        assert!(of(Quantity::Displacement).iter().all(|v| *v == 0.0));
        // Wefts are stretched, warps are not.
        let strain = of(Quantity::YarnStrain);
        assert!(strain.iter().any(|v| *v > 0.2) && strain.iter().any(|v| v.abs() < 0.02));
    }

    #[test]
    fn the_clamp_shows_where_cloth_is_compressed() {
        let (mut yarns, positions) = stretched(-0.3);
        let values = Quantity::Clamp.compute(&mut yarns, &FrameOptions::default(), &positions).unwrap();
        assert!(!values.is_empty() && values.iter().all(|v| *v == 1.0));
        let off = FrameOptions { min_eigenvalue: 0.0, ..Default::default() };
        assert!(Quantity::Clamp.compute(&mut yarns, &off, &positions).unwrap().iter().all(|v| *v == 0.0));
    }
}
