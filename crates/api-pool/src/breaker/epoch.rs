//! What an answer must belong to, to count.

/// A stretch of the breaker's life: it changes with every opening, closing and probe.
///
/// An answer counts only while the epoch lasts in which its request was admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Epoch(u64);

impl Epoch {
    pub(super) const FIRST: Self = Self(0);

    /// Bits that an epoch occupies; the two above are free for flags.
    pub(super) const BITS: u32 = 62;

    pub(super) const fn from_bits(bits: u64) -> Self {
        Self(bits & (u64::MAX >> (u64::BITS - Self::BITS)))
    }

    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    pub(super) const fn next(self) -> Self {
        Self::from_bits(self.0.wrapping_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_leaves_two_bits_free_and_begins_anew_after_the_last() {
        let last = Epoch::from_bits(u64::MAX);
        assert_eq!(last.bits(), (1 << 62) - 1);
        assert_eq!(last.next().bits(), 0);
    }
}
