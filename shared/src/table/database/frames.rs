//! zstd frames, packed hard and unpacked with care.

use std::io::Read;
use zstd::zstd_safe::{DCtx, DParameter};

/// Packing is done once, offline.
const LEVEL: i32 = 19;

/// The largest window (2^23 bytes) that level 19 uses; a frame that asks for more is refused before memory is reserved.
const WINDOW_LOG: u32 = 23;

/// Why bytes cannot be decoded; the caller knows which file and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage(pub(super) &'static str);

/// One zstd frame.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("memory is all that packing in memory can fail for")
}

/// Unpacks frames, one after the other.
pub(super) struct Unpacker {
    context: DCtx<'static>,
}

impl Unpacker {
    pub(super) fn new() -> Self {
        let mut context = DCtx::create();
        context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG)).expect("a window of this size is allowed");
        Unpacker { context }
    }

    /// The contents of a frame that must fill `frame` exactly and unpack to exactly `length` bytes. Memory is reserved as
    /// the contents appear, not as the frame promises.
    pub(super) fn unpack(&mut self, frame: &[u8], length: usize) -> Result<Vec<u8>, Damage> {
        let contents = self.unpack_at_most(frame, length)?;
        if contents.len() == length { Ok(contents) } else { Err(Damage("a frame holds less than it should")) }
    }

    /// The contents of a frame that must fill `frame` exactly and unpack to at most `limit` bytes.
    pub(super) fn unpack_at_most(&mut self, frame: &[u8], limit: usize) -> Result<Vec<u8>, Damage> {
        // After a damaged frame the context would go on where it stopped.
        self.context.reset(zstd::zstd_safe::ResetDirective::SessionOnly).map_err(|_| Damage("zstd is stuck"))?;
        let mut decoder = zstd::stream::read::Decoder::with_context(frame, &mut self.context).single_frame();
        let mut contents = Vec::new();
        decoder
            .by_ref()
            .take(limit as u64 + 1)
            .read_to_end(&mut contents)
            .map_err(|_| Damage("a frame is not valid zstd"))?;
        if contents.len() > limit {
            return Err(Damage("a frame holds more than it should"));
        }
        match decoder.finish().is_empty() {
            true => Ok(contents),
            false => Err(Damage("something follows a frame")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip_one_after_the_other() {
        let mut unpacker = Unpacker::new();
        for bytes in [&b"yarn"[..], &[0; 300_000], b""] {
            assert_eq!(unpacker.unpack(&pack(bytes), bytes.len()).unwrap(), bytes);
        }
    }

    #[test]
    fn frames_that_are_not_what_they_should_be_are_refused() {
        let mut unpacker = Unpacker::new();
        let frame = pack(&[7; 1000]);
        assert!(unpacker.unpack(&frame, 999).is_err());
        assert!(unpacker.unpack(&frame, 1001).is_err());
        assert!(unpacker.unpack(&frame[..frame.len() - 1], 1000).is_err());
        assert!(unpacker.unpack(&[&frame[..], b"x"].concat(), 1000).is_err());
        assert!(unpacker.unpack(b"not zstd", 1000).is_err());
        assert!(unpacker.unpack(&frame, 1000).is_ok(), "damage leaves nothing behind");
    }
}
