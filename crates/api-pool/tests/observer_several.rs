//! An observer that panics takes neither another nor the call along.

mod support;

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_pool::{AttemptInfo, AttemptObserver, ResilientClient, TransportEvent, TransportObserver};
use support::{URL, statuses};

async fn assert_served(observer: impl TransportObserver + 'static) {
    let builder = ResilientClient::builder().transport(statuses([200]));
    let client = builder.observer("hostile", Arc::new(observer)).build();
    client.execute(|http| http.get(URL)).await.expect("it is served");
}

/// Watches attempts, unless it panics instead, and counts the ends that it is told.
#[derive(Clone, Default)]
struct Watches {
    panics: bool,
    ended: Arc<AtomicUsize>,
}

impl TransportObserver for Watches {
    fn on_event(&self, _: &str, _: TransportEvent) {}

    fn on_attempt(&self, _: &str, _: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        assert!(!self.panics, "a hostile observer");
        Some(Box::new(self.clone()))
    }
}

impl AttemptObserver for Watches {
    fn ended(self: Box<Self>, _: &TransportEvent) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn who_panics_instead_of_watching_an_attempt_leaves_it_to_the_others() {
    let good = Watches::default();
    let bad = Watches { panics: true, ..Watches::default() };
    assert_served((bad.clone(), good.clone())).await;
    assert_served((good.clone(), bad.clone())).await;
    assert_served(((good.clone(), bad.clone()), good.clone())).await;
    assert_served(vec![good.clone(), bad.clone(), good.clone()]).await;
    assert_eq!(good.ended.load(Ordering::Relaxed), 1 + 1 + 2 + 2);
}

/// Panics when it is dropped, so many times in turn.
struct Bomb(usize);

impl Drop for Bomb {
    fn drop(&mut self) {
        if let Some(left) = self.0.checked_sub(1) {
            panic_any(Self(left));
        }
    }
}

struct Throws(usize);

impl TransportObserver for Throws {
    fn on_event(&self, _: &str, _: TransportEvent) {
        panic_any(Bomb(self.0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_observer_panics_with_may_panic_in_turn() {
    for times in 0..4 {
        assert_served(Throws(times)).await;
    }
}
