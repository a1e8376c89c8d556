//! Which frame of a clip is shown: play, pause, speed, scrub.

/// The state of the playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Playback {
    /// The frame that is shown; between two frames where it is not whole.
    pub frame: f64,
    /// Whether time advances.
    pub playing: bool,
    /// Clip seconds a second; negative is backwards.
    pub speed: f64,
    /// Shows positions between frames instead of the nearest frame.
    pub interpolate: bool,
}

impl Default for Playback {
    fn default() -> Self {
        Playback { frame: 0.0, playing: false, speed: 1.0, interpolate: true }
    }
}

impl Playback {
    /// Advances by `seconds` of real time in a clip of `count` frames, `frame_time` seconds apart; starts over at the
    /// end.
    pub(crate) fn advance(&mut self, seconds: f64, frame_time: f64, count: usize) {
        if !self.playing || count < 2 {
            return;
        }
        let length = (count - 1) as f64;
        let moved = self.frame + self.speed * seconds / frame_time;
        self.frame = if (0.0..=length).contains(&moved) { moved } else { moved.rem_euclid(length) };
    }

    /// Stops and shows the frame `by` frames away, within the clip.
    pub(crate) fn step(&mut self, by: i64, count: usize) {
        self.playing = false;
        self.frame = (self.frame.round() + by as f64).clamp(0.0, count.saturating_sub(1) as f64);
    }

    /// The two frames to mix and the share of the second.
    pub(crate) fn mix(&self, count: usize) -> (usize, usize, f32) {
        let last = count.saturating_sub(1);
        let frame = if self.frame.is_finite() { self.frame.clamp(0.0, last as f64) } else { 0.0 };
        if !self.interpolate {
            let nearest = frame.round() as usize;
            return (nearest, nearest, 0.0);
        }
        let first = (frame.floor() as usize).min(last);
        (first, (first + 1).min(last), (frame - first as f64) as f32)
    }
}

/// Positions between `a` and `b`.
pub(crate) fn interpolate(a: &[[f32; 3]], b: &[[f32; 3]], share: f32, out: &mut Vec<[f32; 3]>) {
    out.clear();
    if share == 0.0 {
        out.extend_from_slice(a);
    } else {
        let mixed = |(a, b): (&[f32; 3], &[f32; 3])| std::array::from_fn(|k| a[k] + share * (b[k] - a[k]));
        out.extend(a.iter().zip(b).map(mixed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn playing(frame: f64, speed: f64) -> Playback {
        Playback { frame, playing: true, speed, ..Playback::default() }
    }

    #[test]
    fn a_clip_takes_its_time_and_begins_again() {
        let mut p = playing(0.0, 1.0);
        p.advance(0.5, 0.1, 11);
        assert!((p.frame - 5.0).abs() < 1e-9);
        p.advance(0.7, 0.1, 11);
        assert!((p.frame - 2.0).abs() < 1e-9, "{}", p.frame);
        let mut back = playing(1.0, -2.0);
        back.advance(0.1, 0.1, 11);
        assert!((back.frame - 9.0).abs() < 1e-9, "{}", back.frame);
    }

    #[test]
    fn paused_or_still_nothing_moves() {
        let mut p = Playback { frame: 3.0, ..Playback::default() };
        p.advance(1.0, 0.1, 11);
        assert_eq!(p.frame, 3.0);
        let mut still = playing(0.0, 1.0);
        still.advance(1.0, 0.1, 1);
        assert_eq!(still.frame, 0.0);
    }

    #[test]
    fn steps_stop_and_stay_within_the_clip() {
        let mut p = playing(3.4, 1.0);
        p.step(1, 5);
        assert!(p.frame == 4.0 && !p.playing);
        p.step(1, 5);
        assert_eq!(p.frame, 4.0);
        p.step(-9, 5);
        assert_eq!(p.frame, 0.0);
    }

    #[test]
    fn frames_are_mixed_in_order_and_never_beyond_the_last() {
        let at = |frame, interpolate| Playback { frame, interpolate, ..Playback::default() }.mix(5);
        assert_eq!(at(2.25, true), (2, 3, 0.25));
        assert_eq!(at(2.25, false), (2, 2, 0.0));
        assert_eq!(at(4.0, true), (4, 4, 0.0));
        assert_eq!(at(1e9, true), (4, 4, 0.0));
        assert_eq!(at(f64::NAN, true).0, 0);
        let mut out = Vec::new();
        interpolate(&[[0.0; 3]], &[[1.0, 2.0, 4.0]], 0.25, &mut out);
        assert_eq!(out, [[0.25, 0.5, 1.0]]);
    }
}
