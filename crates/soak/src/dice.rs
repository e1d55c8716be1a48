//! Randomness that depends on the seed and on what it is for, and on nothing else.

use retry_core::{Entropy, SeededEntropy};

/// Draws for one purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(SeededEntropy);

impl Dice {
    /// The draws for number `index` of `purpose`.
    pub(crate) fn new(seed: u64, purpose: &str, index: u64) -> Self {
        let purpose = purpose
            .bytes()
            .fold(seed, |hash, byte| SeededEntropy::new(hash ^ u64::from(byte)).next_u64());
        Self(SeededEntropy::new(SeededEntropy::new(purpose ^ index).next_u64()))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit.max(1)
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True `parts` times out of 1,000.
    pub(crate) fn permille(&mut self, parts: u64) -> bool {
        self.below(1_000) < parts
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        items.get(usize::try_from(self.below(count)).unwrap_or_default())
    }

    pub(crate) fn size(&mut self, low: u64, high: u64) -> usize {
        usize::try_from(self.between(low, high)).unwrap_or(usize::MAX)
    }
}
