//! The yarns' side: sites, pattern vertices, parameters, the finished yarn vertex.

use bytemuck::{Pod, Zeroable};

/// Where a yarn vertex sits: 16 B, all that is stored per yarn vertex and read each frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct YarnSite {
    /// Barycentric of the face's corner 1.
    pub b: f32,
    /// Barycentric of the face's corner 2; that of corner 0 is 1 - b - c.
    pub c: f32,
    /// The face.
    pub face: u32,
    /// Index of the [`PatternVertex`] in the low bits, and the flags [`YarnSite::FIRST`] and [`YarnSite::LAST`].
    pub pattern: u32,
}

impl YarnSite {
    /// Flag of the first vertex of a yarn.
    pub const FIRST: u32 = 1 << 31;
    /// Flag of the last vertex of a yarn.
    pub const LAST: u32 = 1 << 30;
    /// The bits of [`YarnSite::pattern`] that are an index.
    pub const INDEX: u32 = Self::LAST - 1;

    /// The index of the pattern vertex.
    #[inline(always)]
    pub fn pattern_vertex(&self) -> usize {
        (self.pattern & Self::INDEX) as usize
    }
}

/// What all copies of a pattern's vertex have in common.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PatternVertex {
    /// Height X3 above the midsurface, meters.
    pub height: f32,
    /// Twist angle, radians.
    pub twist: f32,
    /// Rest length of the outgoing edge, meters.
    pub rest_length: f32,
    /// The vertex in the displacement table.
    pub table_vertex: u32,
    /// Director of the outgoing edge in material space, unit length.
    pub director: [f32; 3],
    /// Unused.
    pub padding: f32,
}

/// One cell of an axis: starts at `low`, `inverse` is one over its width. An axis of n values has n - 1 cells.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct AxisCell {
    /// The lower sample.
    pub low: f32,
    /// One over the distance to the upper sample.
    pub inverse: f32,
}

/// Parameters of the yarn stages, a uniform of 48 B.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct YarnParams {
    /// Cells of the axes sx, sa, sy; their [`AxisCell`]s follow each other in one array in this order.
    pub cells: [u32; 3],
    /// Vertices of a sample in the table.
    pub table_vertices: u32,
    /// Yarn vertices of this call.
    pub count: u32,
    /// Switches, see [`flags`].
    pub flags: u32,
    /// Factor of the looked-up displacement: 1 full, 0 naive embedding.
    pub displacement: f32,
    /// Eigenvalues of I(h) below this are raised to it; 0 switches the clamp off.
    pub min_eigenvalue: f32,
    /// Yarn radius at rest, meters.
    pub radius: f32,
    /// How much of II counts in I(h): 1 all of it.
    pub bending_amount: f32,
    /// Unused.
    pub padding: [f32; 2],
}

/// Bits of [`YarnParams::flags`].
pub mod flags {
    /// I(h) = I - 2 h II.
    pub const LINEARIZED: u32 = 1;
    /// I(h) = I - 2 h II + h^2 II I^-1 II.
    pub const QUADRATIC: u32 = 2;
    /// A displaced vertex that leaves its triangle is mapped by the one it enters.
    pub const FOLLOW: u32 = 4;
    /// The reference program's clamp, which sets I22 = I11 where the eigenvalues are close.
    pub const COMPAT_CLAMP: u32 = 8;
    /// The radius follows the stretch of the yarn so that its volume stays.
    pub const VOLUME: u32 = 16;
}

/// A finished yarn vertex, 24 B: what is drawn.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct YarnVertex {
    /// World position, meters.
    pub position: [f32; 3],
    /// Twist angle of the outgoing edge, radians.
    pub twist: f32,
    /// Unit director of the outgoing edge, octahedral, two signed 16 bit numbers (x in the low half).
    pub director: u32,
    /// Yarn radius, meters.
    pub radius: f32,
}

impl YarnVertex {
    /// Packs a direction of any length. The largest error of the direction is 6.5e-5 radians: half a step a = 1 / 65534 in
    /// x and in y moves z by 2 a, which is sqrt(6) a across the direction (1, 1, 1), where the octahedron is nearest (1 / sqrt(3)).
    ///
    /// The sphere is folded onto the octahedron |x| + |y| + |z| = 1 and that onto a square.
    #[inline(always)]
    pub fn pack_director(d: [f32; 3]) -> u32 {
        let sum = d[0].abs() + d[1].abs() + d[2].abs();
        let inverse = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        let (x, y) = (d[0] * inverse, d[1] * inverse);
        let fold_x = (1.0 - y.abs()).copysign(x);
        let fold_y = (1.0 - x.abs()).copysign(y);
        let lower = d[2] < 0.0;
        snorm16(if lower { fold_x } else { x }) | snorm16(if lower { fold_y } else { y }) << 16
    }

    /// The unit director.
    pub fn unpack_director(&self) -> [f32; 3] {
        let lane = |bits: u32| f32::from(bits as u16 as i16) / 32767.0;
        let (x, y) = (lane(self.director), lane(self.director >> 16));
        let z = 1.0 - x.abs() - y.abs();
        let under = (-z).max(0.0);
        let (x, y) = (x - under.copysign(x), y - under.copysign(y));
        let length = (x * x + y * y + z * z).sqrt();
        [x / length, y / length, z / length]
    }
}

/// A number in [-1, 1] as a signed 16 bit number in the low half.
#[inline(always)]
fn snorm16(v: f32) -> u32 {
    // 1.5 * 2^23: adding it leaves the rounded integer in the low bits of the float, without a conversion that checks.
    const ROUND: f32 = 12_582_912.0;
    (v * 32767.0 + ROUND).to_bits() & 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn directors_survive_packing(d in proptest::array::uniform3(-1.0..1.0f32), size in -3.0..3.0f32) {
            let length = d.iter().map(|c| c * c).sum::<f32>().sqrt();
            prop_assume!(length > 1e-3);
            let scaled = d.map(|c| c * 10f32.powf(size));
            let vertex = YarnVertex { director: YarnVertex::pack_director(scaled), ..Default::default() };
            let back = vertex.unpack_director();
            let error = (0..3).map(|k| (back[k] - d[k] / length).powi(2)).sum::<f32>().sqrt();
            prop_assert!(error < 6.5e-5, "{d:?} {back:?} {error}");
        }
    }

    #[test]
    fn axes_and_nothing_pack_to_unit_directors() {
        for d in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
            let vertex = YarnVertex { director: YarnVertex::pack_director(d), ..Default::default() };
            assert_eq!(vertex.unpack_director(), d);
        }
        let none = YarnVertex { director: YarnVertex::pack_director([0.0; 3]), ..Default::default() };
        assert_eq!(none.unpack_director(), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn sizes_are_those_of_the_shaders() {
        use super::super::*;
        assert_eq!(size_of::<YarnSite>(), 16);
        assert_eq!(size_of::<YarnVertex>(), 24);
        assert_eq!(size_of::<PatternVertex>(), 32);
        assert_eq!(size_of::<YarnParams>(), 48);
        assert_eq!(size_of::<FaceLinks>(), 48);
        assert_eq!(size_of::<FaceChart>(), 64);
        assert_eq!(size_of::<FaceWeight>(), 16);
        assert_eq!(size_of::<SurfaceForms>(), 64);
        assert_eq!(size_of::<Patch>(), 352);
    }
}
