//! A solve as bytes, for the journal. Every bit is kept: later samples start from it.

use crate::cell::energy::Energy;
use crate::equilibrium::Solved;
use crate::equilibrium::descent::Work;

/// Flags, four counts, ten numbers.
const HEAD: usize = 1 + 4 * 8 + 10 * 8;

/// The flags: converged, passed through, stress known.
const FLAGS: u8 = 0b111;

/// The bytes of a solve.
pub(super) fn to_bytes(solved: &Solved) -> Vec<u8> {
    let Solved {
        displacements,
        energy,
        energy_density,
        stress,
        residual,
        converged,
        passed_through,
        pullback_residual,
        work,
    } = solved;
    let mut out = Vec::with_capacity(HEAD + 32 * displacements.len());
    out.push(u8::from(*converged) | u8::from(*passed_through) << 1 | u8::from(stress.is_some()) << 2);
    let Work { steps, factorizations, analyses, searches } = work;
    out.extend([steps, factorizations, analyses, searches].iter().flat_map(|n| (**n as u64).to_le_bytes()));
    let Energy { stretch, bend, twist, contact } = energy;
    let [sx, sa, sy] = &stress.unwrap_or_default();
    let numbers = [stretch, bend, twist, contact, energy_density, residual, pullback_residual, sx, sa, sy];
    out.extend(numbers.into_iter().chain(displacements.iter().flatten()).flat_map(|x| x.to_le_bytes()));
    out
}

/// The solve in these bytes, if it is one of `vertices` vertices.
pub(super) fn parse(bytes: &[u8], vertices: usize) -> Option<Solved> {
    let (head, rest) = bytes.split_at_checked(HEAD)?;
    let (flags, head) = head.split_first()?;
    let (words, _) = head.as_chunks::<8>();
    let (displacements, left) = rest.as_chunks::<32>();
    if *flags > FLAGS || !left.is_empty() || displacements.len() != vertices {
        return None;
    }
    let count = |i: usize| u64::from_le_bytes(words[i]) as usize;
    let number = |i: usize| f64::from_le_bytes(words[i]);
    let row = |b: &[u8; 32]| {
        let (numbers, _) = b.as_chunks::<8>();
        std::array::from_fn(|k| f64::from_le_bytes(numbers[k]))
    };
    Some(Solved {
        displacements: displacements.iter().map(row).collect(),
        energy: Energy { stretch: number(4), bend: number(5), twist: number(6), contact: number(7) },
        energy_density: number(8),
        stress: (flags & 4 != 0).then(|| [number(11), number(12), number(13)]),
        residual: number(9),
        converged: flags & 1 != 0,
        passed_through: flags & 2 != 0,
        pullback_residual: number(10),
        work: Work { steps: count(0), factorizations: count(1), analyses: count(2), searches: count(3) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_back() {
        let solved = Solved {
            displacements: vec![[1e-300, -0.0, 1.0 / 3.0, f64::MAX], [0.1, 0.2, 0.3, 0.4]].into(),
            energy: Energy { stretch: 0.1, bend: 0.2, twist: 0.3, contact: 0.4 },
            energy_density: 17.3,
            stress: Some([0.1, -1e-300, 1.0 / 3.0]),
            residual: 1e-7,
            converged: true,
            passed_through: false,
            pullback_residual: 1e-17,
            work: Work { steps: 1, factorizations: 2, analyses: 3, searches: 4 },
        };
        let bytes = to_bytes(&solved);
        assert_eq!(to_bytes(&parse(&bytes, 2).unwrap()), bytes);
        assert_eq!(parse(&bytes, 2).unwrap(), solved);
        let unknown = Solved { stress: None, ..solved };
        assert_eq!(parse(&to_bytes(&unknown), 2).unwrap(), unknown);
        assert_eq!(parse(&bytes, 3), None);
        assert_eq!(parse(&bytes[1..], 2), None);
        assert_eq!(parse(&[], 0), None);
    }
}
