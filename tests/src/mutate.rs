//! Damaged files, made from good ones by a seeded generator.

pub use yarnwise_shared::random::Random;

/// Values that readers tend to trip over, as they appear in binary files.
const BINARY_TRAPS: [u64; 12] = [
    0,
    1,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fc0_0000,           // f32 NaN
    0x7f80_0000,           // f32 infinity
    0x7ff8_0000_0000_0000, // f64 NaN
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
    0x0000_0001_0000_0000,
];

/// The same for text files.
const TEXT_TRAPS: [&str; 16] = [
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1",
    "0",
    "4294967296",
    "99999999999999999999",
    "1e-320",
    "",
    "x",
    "-0",
    "2147483648",
    "*",
    "1/0/1",
    "\u{fffd}",
];

/// A damaged copy of one of `samples`: one to four random injuries.
pub fn mutate(random: &mut Random, samples: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = samples[random.below(samples.len())].clone();
    for _ in 0..=random.below(4) {
        injure(random, &mut bytes, samples);
    }
    bytes
}

fn injure(random: &mut Random, bytes: &mut Vec<u8>, samples: &[Vec<u8>]) {
    let at = random.below(bytes.len());
    match random.below(9) {
        0 => bytes.truncate(at),
        1 => flip_bits(random, bytes),
        2 => overwrite(bytes, at, &[random.bits() as u8]),
        3 => {
            // A length field or number in the header is hit more often when the first bytes are preferred.
            let at = if random.below(2) == 0 { random.below(bytes.len().min(64)) } else { at };
            let trap = BINARY_TRAPS[random.below(BINARY_TRAPS.len())].to_le_bytes();
            overwrite(bytes, at, &trap[..[1, 2, 4, 8][random.below(4)]]);
        }
        4 => overwrite(bytes, at, &random.bits().to_le_bytes()),
        5 => replace_word(random, bytes, at),
        6 => {
            let end = (at + random.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        7 => {
            let end = (at + random.below(64)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        _ => {
            let other = &samples[random.below(samples.len())];
            let from = random.below(other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

fn flip_bits(random: &mut Random, bytes: &mut [u8]) {
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}

/// Replaces the word (or number) around a place.
fn replace_word(random: &mut Random, bytes: &mut Vec<u8>, at: usize) {
    let boundary = |b: &u8| b.is_ascii_whitespace() || *b == b'/' || *b == b',';
    let start = bytes[..at].iter().rposition(boundary).map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(boundary).map_or(bytes.len(), |i| at + i);
    let trap = TEXT_TRAPS[random.below(TEXT_TRAPS.len())];
    bytes.splice(start..end.max(start), trap.bytes());
}
