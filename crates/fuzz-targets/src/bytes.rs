//! Reading numbers and texts off the front of an input.

use std::time::Duration;

/// What is left of an input. At its end there are zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub(crate) fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// As many bytes as the first one says.
    pub(crate) fn slice(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (slice, rest) = self.0.split_at(length);
        self.0 = rest;
        slice
    }

    /// [`slice`](Self::slice) as text.
    pub(crate) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.slice()).into_owned()
    }

    /// Of any size: each magnitude is as likely as the next, and the ends of the type are there.
    pub(crate) fn duration(&mut self) -> Duration {
        let shift = self.byte();
        let number = self.number();
        match shift {
            0 => Duration::ZERO,
            255 => Duration::MAX,
            _ => Duration::from_nanos(number >> (shift % 64)),
        }
    }
}
