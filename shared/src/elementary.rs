//! Elementary functions that give the same bits on every processor.
//!
//! Those of the system's library choose their instructions by the processor and round accordingly: a bake that used them would end with
//! other bytes on another machine, and could not be cut into parts that machines of two kinds share. Sums, products, roots and fused
//! products are rounded exactly by every processor and need no copy here.

pub use libm::{atan2, cos, exp, log as ln, log10, pow, sin, sincos as sin_cos};

#[cfg(test)]
mod tests {
    /// FNV-1a of the bits of all functions over a range of arguments, as found on an x86-64 processor with AVX-512, with and without its
    /// vector instructions in the system's library.
    #[test]
    fn the_bits_are_the_same_everywhere() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for i in -2000..2000 {
            let x = f64::from(i) * 0.013;
            let y = x.abs() + 0.01;
            let (sin, cos) = super::sin_cos(x);
            let values = [
                sin,
                cos,
                super::sin(1.1 * x),
                super::cos(1.1 * x),
                super::atan2(x, 0.7),
                super::exp(x),
                super::ln(y),
                super::log10(y),
                super::pow(y, 1.3),
            ];
            for byte in values.iter().flat_map(|v| v.to_bits().to_le_bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            assert!((sin - x.sin()).abs() < 1e-15 && (super::ln(y) - y.ln()).abs() < 1e-14);
        }
        assert_eq!(hash, 0x3e14_c667_aff9_4302);
    }
}
