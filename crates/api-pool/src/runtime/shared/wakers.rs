//! The wakers of all who wait for one execution.

use core::task::Waker;
use std::{sync::Arc, task::Wake};

use crate::{
    queue::{Key, Slab},
    sync::{Mutex, lock},
};

/// Wakes everyone who waits, because any of them may have to drive the execution on.
#[derive(Debug)]
pub(super) struct Wakers {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    seats: Slab<Option<Waker>>,
    /// Whether there was a wake-up since the current turn began.
    woken: bool,
}

/// Where one caller's waker is kept.
#[derive(Debug, Default)]
pub(super) struct Seat(Option<Key>);

impl Wakers {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { inner: Mutex::new(Inner { seats: Slab::new(), woken: false }) })
    }

    /// Keeps a caller's waker, in place of its last one.
    pub(super) fn register(&self, seat: &mut Seat, waker: &Waker) {
        let waker = waker.clone();
        let mut inner = lock(&self.inner);
        let replaced = match seat.0.and_then(|key| inner.seats.get_mut(key)) {
            Some(kept) => kept.replace(waker),
            None => {
                seat.0 = inner.seats.insert(Some(waker));
                None
            }
        };
        drop(inner);
        drop(replaced);
    }

    /// Forgets a caller.
    pub(super) fn leave(&self, seat: &mut Seat) {
        let left = seat.0.take().and_then(|key| lock(&self.inner).seats.remove(key));
        drop(left);
    }

    /// Begins a turn: from here on, wake-ups are noted.
    pub(super) fn begin_turn(&self) {
        lock(&self.inner).woken = false;
    }

    /// Whether there was a wake-up since the turn began.
    pub(super) fn was_woken(&self) -> bool {
        lock(&self.inner).woken
    }

    pub(super) fn wake_all(&self) {
        let wakers: Vec<_> = {
            let mut inner = lock(&self.inner);
            inner.woken = true;
            inner.seats.entries().filter_map(Option::take).collect()
        };
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_all();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_all();
    }
}
