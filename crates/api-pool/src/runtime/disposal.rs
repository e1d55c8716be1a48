//! A one-way switch that running calls can wait for.

use tokio::sync::Notify;

use crate::sync::atomic::{AtomicBool, Ordering};

/// Whether something has been disposed of, and the wait for that.
#[derive(Debug, Default)]
pub(super) struct Disposal {
    disposed: AtomicBool,
    notify: Notify,
}

impl Disposal {
    pub(super) fn is_disposed(&self) -> bool {
        self.disposed.load(Ordering::Acquire)
    }

    pub(super) fn dispose(&self) {
        self.disposed.store(true, Ordering::Release);
        self.notify.notify_waiters();
    }

    /// Completes once [`dispose`](Self::dispose) has been called.
    pub(super) async fn disposed(&self) {
        // Made before the look, so that it hears of a switch thrown between the two.
        let notified = self.notify.notified();
        if !self.is_disposed() {
            notified.await;
        }
    }
}
