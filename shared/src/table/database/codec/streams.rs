//! Whole numbers as zstd frames: small ones in few bits, each among its like.
//!
//! A number becomes a *token* (its size, in eighths of an octave) and *extra bits* (what the token leaves open). Tokens
//! are sorted into one stream per context, and every stream is a zstd frame with statistics of its own. Extra bits are
//! noise: they are stored as they are.
//!
//! ```text
//! u8   merge m: numbers of context c are in stream c >> m
//! u32  bytes of extra bits
//! ((24 - 1) >> m) + 1 times: u32 tokens, u32 bytes of the zstd frame (0 where there are no tokens)
//! the frames
//! the extra bits, first number first, low bits first
//! ```

use super::walk::CONTEXTS;
use crate::table::database::frames::{Damage, Unpacker, pack};

/// How contexts may be merged; a small table has too few numbers to learn 24 statistics.
const MERGES: [u8; 5] = [0, 1, 2, 3, 5];

/// Above this many numbers, merging contexts was never found to help.
const MANY: usize = 1 << 17;

/// Numbers on their way into a block.
#[derive(Default)]
pub(super) struct StreamsWriter {
    /// Context and token of each number.
    tokens: Vec<(u8, u8)>,
    extra: Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

fn unzigzag(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

/// Token and extra bits (how many, and which) of a code.
fn split(code: u32) -> (u8, u32, u32) {
    if code < 16 {
        return (code as u8, 0, 0);
    }
    let octave = code.ilog2();
    let token = 16 + (octave - 4) * 8 + (code >> (octave - 3) & 7);
    (token as u8, octave - 3, code & ((1 << (octave - 3)) - 1))
}

/// Bytes from this one on are no tokens.
const TOKENS: u8 = 240;

/// For each token how many extra bits follow it, and the code without them.
const JOIN: [(u8, u32); TOKENS as usize] = {
    let mut table = [(0, 0); TOKENS as usize];
    let mut token = 0;
    while token < TOKENS as u32 {
        table[token as usize] = if token < 16 {
            (0, token)
        } else {
            let bits = (token - 16) / 8 + 1;
            (bits as u8, (8 + (token - 16) % 8) << bits)
        };
        token += 1;
    }
    table
};

impl StreamsWriter {
    /// Adds a number.
    pub(super) fn push(&mut self, context: usize, number: i32) {
        let (token, bits, extra) = split(zigzag(number));
        self.tokens.push((context as u8, token));
        self.pending |= u64::from(extra) << self.pending_bits;
        self.pending_bits += bits;
        while self.pending_bits >= 8 {
            self.extra.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
    }

    /// Writes the block.
    pub(super) fn finish(mut self, out: &mut Vec<u8>) {
        if self.pending_bits > 0 {
            self.extra.push(self.pending as u8);
        }
        let tried = if self.tokens.len() > MANY { &MERGES[..1] } else { &MERGES[..] };
        let packed = tried.iter().map(|merge| self.pack(*merge)).min_by_key(Vec::len);
        out.extend(packed.unwrap_or_default());
        out.extend(self.extra);
    }

    fn pack(&self, merge: u8) -> Vec<u8> {
        let mut streams = vec![Vec::new(); stream_count(merge)];
        for (context, token) in &self.tokens {
            streams[usize::from(context >> merge)].push(*token);
        }
        let mut out = vec![merge];
        out.extend((self.extra.len() as u32).to_le_bytes());
        let mut frames = Vec::new();
        for stream in streams {
            let frame = if stream.is_empty() { Vec::new() } else { pack(&stream) };
            out.extend((stream.len() as u32).to_le_bytes());
            out.extend((frame.len() as u32).to_le_bytes());
            frames.extend(frame);
        }
        out.extend(frames);
        out
    }
}

fn stream_count(merge: u8) -> usize {
    ((CONTEXTS - 1) >> merge) + 1
}

/// Numbers on their way out of a block.
pub(super) struct StreamsReader<'a> {
    merge: u8,
    streams: Vec<Vec<u8>>,
    next: [usize; CONTEXTS],
    extra: ExtraBits<'a>,
}

impl<'a> StreamsReader<'a> {
    /// Takes the block at the front of `bytes`, which must hold `count` numbers.
    pub(super) fn open(bytes: &mut &'a [u8], count: usize, unpacker: &mut Unpacker) -> Result<Self, Damage> {
        let merge = take(bytes, 1)?[0];
        if !MERGES.contains(&merge) {
            return Err(Damage("contexts are merged in an unknown way"));
        }
        let extra_len = take_u32(bytes)?;
        let mut table = Vec::new();
        for _ in 0..stream_count(merge) {
            table.push((take_u32(bytes)?, take_u32(bytes)?));
        }
        if table.iter().map(|(tokens, _)| *tokens as u64).sum::<u64>() != count as u64 {
            return Err(Damage("the streams hold another number of values than the table needs"));
        }
        let mut streams = Vec::new();
        for (tokens, length) in table {
            let frame = take(bytes, length)?;
            let stream = if tokens == 0 && length == 0 { Vec::new() } else { unpacker.unpack(frame, tokens)? };
            if stream.iter().any(|token| *token >= TOKENS) {
                return Err(Damage("a byte is no token"));
            }
            streams.push(stream);
        }
        let extra = ExtraBits { bytes: take(bytes, extra_len)?, next: 0, pending: 0, pending_bits: 0 };
        Ok(StreamsReader { merge, streams, next: [0; CONTEXTS], extra })
    }

    /// The next number of a context.
    #[inline]
    pub(super) fn pull(&mut self, context: usize) -> Result<i32, Damage> {
        let stream = context >> self.merge;
        let token = *self.streams[stream].get(self.next[stream]).ok_or(Damage("a stream ends too early"))?;
        self.next[stream] += 1;
        let (bits, code) = JOIN[usize::from(token)];
        Ok(unzigzag(code | self.extra.take(u32::from(bits))))
    }

    /// Checks that everything was used up and nothing more.
    pub(super) fn finish(self) -> Result<(), Damage> {
        let all_tokens = self.streams.iter().zip(self.next).all(|(stream, next)| stream.len() == next);
        if !all_tokens || !self.extra.used_up() {
            return Err(Damage("a stream holds another number of values than the table needs"));
        }
        Ok(())
    }
}

/// Bits from bytes, lowest first. Beyond the end they are 0, which [`ExtraBits::used_up`] notices.
struct ExtraBits<'a> {
    bytes: &'a [u8],
    /// The next byte to load; runs on beyond the end.
    next: usize,
    pending: u64,
    pending_bits: u32,
}

impl ExtraBits<'_> {
    /// The next bits, at most 28.
    #[inline]
    fn take(&mut self, bits: u32) -> u32 {
        if self.pending_bits < bits {
            let loaded = match self.bytes.get(self.next..self.next + 4) {
                Some(four) => u32::from_le_bytes([four[0], four[1], four[2], four[3]]),
                None => self.load_last(),
            };
            self.next += 4;
            self.pending |= u64::from(loaded) << self.pending_bits;
            self.pending_bits += 32;
        }
        let taken = self.pending & ((1 << bits) - 1);
        self.pending >>= bits;
        self.pending_bits -= bits;
        taken as u32
    }

    #[cold]
    fn load_last(&self) -> u32 {
        let rest = self.bytes.get(self.next..).unwrap_or_default();
        rest.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    /// Whether the last bit taken was in the last byte, and only zeros follow it there.
    fn used_up(&self) -> bool {
        let bits_taken = self.next as u64 * 8 - u64::from(self.pending_bits);
        bits_taken.div_ceil(8) == self.bytes.len() as u64 && self.pending == 0
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], Damage> {
    let (front, rest) = bytes.split_at_checked(count).ok_or(Damage("the chunk ends too early"))?;
    *bytes = rest;
    Ok(front)
}

fn take_u32(bytes: &mut &[u8]) -> Result<usize, Damage> {
    let front = take(bytes, 4)?;
    Ok(u32::from_le_bytes([front[0], front[1], front[2], front[3]]) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_numbers() -> Vec<i32> {
        let mut numbers: Vec<i32> = (-600..600).collect();
        numbers.extend((0..31).flat_map(|b| [1 << b, -(1 << b), (1 << b) - 1]));
        numbers.extend([i32::MAX, i32::MIN, i32::MIN + 1]);
        numbers
    }

    fn write(numbers: &[i32]) -> Vec<u8> {
        let mut writer = StreamsWriter::default();
        for (i, number) in numbers.iter().enumerate() {
            writer.push(i * 7 % CONTEXTS, *number);
        }
        let mut bytes = Vec::new();
        writer.finish(&mut bytes);
        bytes
    }

    #[test]
    fn tokens_and_extra_bits_give_back_every_code() {
        for number in some_numbers() {
            let code = zigzag(number);
            let (token, bits, extra) = split(code);
            assert_eq!(JOIN[usize::from(token)], (bits as u8, code - extra), "{number}");
            assert_eq!(unzigzag(code), number);
        }
    }

    #[test]
    fn extra_bits_must_be_used_up_exactly() {
        let after = |bytes: &[u8], bits: u32| {
            let mut extra = ExtraBits { bytes, next: 0, pending: 0, pending_bits: 0 };
            for _ in 0..bits {
                extra.take(1);
            }
            extra.used_up()
        };
        assert!(after(&[], 0) && after(&[255], 8) && after(&[255, 1], 9) && after(&[0; 9], 65));
        assert!(!after(&[255, 1], 8) && !after(&[255, 3], 9) && !after(&[255], 9) && !after(&[0; 9], 64));
    }

    #[test]
    fn numbers_come_back_in_order() {
        let numbers = some_numbers();
        let mut bytes = write(&numbers);
        bytes.extend(b"what follows");
        let mut rest = &bytes[..];
        let mut reader = StreamsReader::open(&mut rest, numbers.len(), &mut Unpacker::new()).unwrap();
        for (i, number) in numbers.iter().enumerate() {
            assert_eq!(reader.pull(i * 7 % CONTEXTS).unwrap(), *number);
        }
        reader.finish().unwrap();
        assert_eq!(rest, b"what follows");
    }

    #[test]
    fn too_few_and_too_many_numbers_are_seen() {
        let numbers = some_numbers();
        let bytes = write(&numbers);
        let open = |count| StreamsReader::open(&mut &bytes[..], count, &mut Unpacker::new());
        assert!(open(numbers.len() + 1).is_err());
        let mut reader = open(numbers.len()).unwrap();
        assert!((0..=numbers.len()).any(|_| reader.pull(0).is_err()), "there is no end of numbers");
        let mut reader = open(numbers.len()).unwrap();
        reader.pull(0).unwrap();
        assert!(reader.finish().is_err());
        assert!(StreamsReader::open(&mut &bytes[..40], numbers.len(), &mut Unpacker::new()).is_err());
    }
}
