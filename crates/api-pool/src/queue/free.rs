//! The free slots in one word, so that taking one takes no lock while nobody waits.

use core::cmp::min;

use crate::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

/// Set while the queue behind the lock alone may give out slots and take them back.
const HELD: u64 = 1 << 63;

/// The lower half counts the free slots; the upper half, the fewest there were.
const BITS: u32 = 31;
const MASK: u64 = (1 << BITS) - 1;

/// As many slots are given out at most; as many more can be given back without the halves mixing.
const MOST: u64 = 1 << (BITS - 1);

/// Slots that may be taken and given back without a look at the queue.
///
/// The queue lends them out while nobody waits and calls them in before it does anything else. How
/// many are free says everything there is to know, so that a word that was read before it was
/// called in and lent out anew is as good as one that was read since.
#[derive(Debug)]
pub(super) struct Free(AtomicU64);

/// What became of the slots that were lent out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lent {
    /// The free ones.
    pub(super) free: usize,
    /// The fewest that were free.
    pub(super) fewest: usize,
}

impl Free {
    pub(super) fn new(slots: usize) -> Self {
        Self(AtomicU64::new(lent(slots)))
    }

    /// How many of `slots` are lent out at a time.
    pub(super) fn portion(slots: usize) -> usize {
        usize::try_from(portion(slots)).unwrap_or(slots)
    }

    /// Takes a slot. `false` where the queue must be asked.
    #[inline]
    pub(super) fn take(&self) -> bool {
        let mut word = self.0.load(Relaxed);
        loop {
            if word & HELD != 0 || word & MASK == 0 {
                return false;
            }
            let free = (word & MASK) - 1;
            let next = min(word >> BITS, free) << BITS | free;
            match self.0.compare_exchange_weak(word, next, Acquire, Relaxed) {
                Ok(_) => return true,
                Err(newer) => word = newer,
            }
        }
    }

    /// Gives a slot back. `false` where the queue must be told.
    #[inline]
    pub(super) fn give_back(&self) -> bool {
        let mut word = self.0.load(Relaxed);
        loop {
            if word & HELD != 0 || word & MASK == MASK {
                return false;
            }
            match self.0.compare_exchange_weak(word, word + 1, Release, Relaxed) {
                Ok(_) => return true,
                Err(newer) => word = newer,
            }
        }
    }

    /// Calls the slots in; `None` where they are not out.
    pub(super) fn call_in(&self) -> Option<Lent> {
        let word = self.0.fetch_or(HELD, AcqRel);
        let half = |bits: u64| usize::try_from(bits & MASK).unwrap_or(usize::MAX);
        (word & HELD == 0).then(|| Lent { free: half(word), fewest: half(word >> BITS) })
    }

    /// Lends the [portion](Self::portion) of so many free slots. Only after they were called in.
    pub(super) fn lend(&self, slots: usize) {
        self.0.store(lent(slots), Release);
    }
}

fn portion(slots: usize) -> u64 {
    u64::try_from(slots).map_or(MOST, |slots| min(slots, MOST))
}

fn lent(slots: usize) -> u64 {
    let free = portion(slots);
    free << BITS | free
}

#[cfg(all(test, not(pool_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_taken_only_where_one_is_free_and_lent_out() {
        let free = Free::new(1);
        assert!(free.take());
        assert!(!free.take());
        assert!(free.give_back());
        assert_eq!(free.call_in(), Some(Lent { free: 1, fewest: 0 }));
        assert!(!free.take());
        assert!(!free.give_back());
        assert_eq!(free.call_in(), None);
        free.lend(2);
        assert!(free.take());
        assert_eq!(free.call_in(), Some(Lent { free: 1, fewest: 1 }));
    }

    #[test]
    fn the_fewest_that_were_free_are_remembered_when_slots_come_back() {
        let free = Free::new(4);
        assert!(free.take() && free.take());
        assert!(free.give_back() && free.give_back());
        assert!(free.take());
        assert_eq!(free.call_in(), Some(Lent { free: 3, fewest: 2 }));
    }

    #[test]
    fn more_slots_may_come_back_than_were_lent_out() {
        let free = Free::new(0);
        assert!(free.give_back());
        assert_eq!(free.call_in(), Some(Lent { free: 1, fewest: 0 }));
    }

    #[test]
    fn of_any_number_of_slots_at_most_a_portion_is_lent_out() {
        let most = 1 << 30;
        for (slots, portion) in [(0, 0), (most, most), (most + 1, most), (usize::MAX, most)] {
            assert_eq!(Free::portion(slots), portion);
            let lent = Free::new(slots).call_in();
            assert_eq!(lent, Some(Lent { free: portion, fewest: portion }));
        }
    }

    #[test]
    fn a_full_word_is_left_to_the_queue() {
        let free = Free(AtomicU64::new(MASK));
        assert!(!free.give_back());
        assert_eq!(free.call_in(), Some(Lent { free: (1 << 31) - 1, fewest: 0 }));
    }
}
