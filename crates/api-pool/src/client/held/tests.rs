//! Whatever a call holds, if it is the only thing it holds, ends with the call.

use std::convert::Infallible;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, header};
use retry_core::http::Health;
use retry_core::{Ratio, RetryBudget};

use super::*;
use crate::auth::Credentials;
use crate::breaker::{Ask, BreakerConfig, BreakerMode, Circuit};
use crate::client::budget::Budget;
use crate::event::TransportEvent;
use crate::observer::{TransportObserver, Watcher};
use crate::queue::{QueueClass, SlotLimits, Slots};
use crate::seldom::Seldom;

const COOLDOWN: Duration = Duration::from_secs(1);

#[test]
fn the_slot_goes_back() {
    let slots = Slots::new(SlotLimits::new(NonZeroUsize::new(1)));
    let mut held = Seldom::<Held<'_>>::default();
    held.flight.hold_permit(slots.try_acquire().expect("it is open").expect("one is free"));
    assert_eq!(slots.in_flight(), 1);

    drop(held);

    assert_eq!(slots.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_place_of_the_probe_is_free() {
    let circuit = Circuit::new(BreakerConfig::growing(NonZeroU32::MIN, COOLDOWN, COOLDOWN));
    let lease = COOLDOWN * 60;
    let enter = || circuit.enter(Ask::new(BreakerMode::WaitForProbe, QueueClass::Essential, lease));
    assert!(circuit.try_admit().expect("it is closed").settle(Health::Down).is_some());
    let Ok(pass) = enter().await else { panic!("it waits") };
    let Ok(probe) = circuit.admit(pass) else { panic!("it is the candidate") };
    assert!(probe.is_probe());
    let mut held = Seldom::<Held<'_>>::default();
    held.flight.hold_admission(probe);

    drop(held);

    assert!(tokio::time::timeout(COOLDOWN, enter()).await.is_ok());
}

#[test]
fn the_credential_is_gone() {
    let call = || {
        let source = || async { Ok::<_, Infallible>("token".to_owned()) };
        let credentials = Credentials::new(Arc::new(source), "authorization", "Bearer ");
        let ready = credentials.ready().now_or_never().expect("the source does not wait");
        let mut held = Seldom::<Held<'_>>::default();
        held.flight.hold_credential(ready.expect("there is a token").expect("it is not nested"));
        drop(held);
    };
    // The first sets up what the thread keeps.
    call();

    let used = allocation_counter::measure(call);

    assert_ne!(used.bytes_total, 0);
    assert_eq!(used.bytes_current, 0);
}

#[derive(Default)]
struct Cancellations(AtomicUsize);

impl TransportObserver for Cancellations {
    fn on_event(&self, _: &str, event: TransportEvent) {
        if matches!(event, TransportEvent::Cancelled) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn who_was_told_of_a_start_is_told_of_the_end() {
    let observer = Arc::new(Cancellations::default());
    let watcher = Watcher::new("airports".into(), Arc::<Cancellations>::clone(&observer));
    let mut held = Seldom::<Held<'_>>::default();
    held.flight.start(Some(&watcher));

    drop(held);

    assert_eq!(observer.0.load(Ordering::Relaxed), 1);
}

struct Owned {
    _owner: Arc<()>,
}

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        b"canary"
    }
}

#[test]
fn what_the_request_does_not_want_shown_is_gone() {
    let owner = Arc::new(());
    let bytes = Bytes::from_owner(Owned { _owner: Arc::clone(&owner) });
    let mut value = HeaderValue::from_maybe_shared(bytes).expect("it is text");
    value.set_sensitive(true);
    let headers = HeaderMap::from_iter([(header::COOKIE, value)]);
    let mut held = Seldom::<Held<'_>>::default();
    held.flight.sensitive.remember(&headers);
    drop(headers);
    assert_eq!(Arc::strong_count(&owner), 2);

    drop(held);

    assert_eq!(Arc::strong_count(&owner), 1);
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_was_not_made_is_paid_back() {
    let budget = Budget::new(RetryBudget::new(Ratio::ZERO, 1));
    let mut after = AfterFailure::new(&CallPolicy::essential());
    after.paid = budget.withdraw();
    assert!(budget.withdraw().is_none());
    let mut held = Seldom::<Held<'_>>::default();
    held.after_failure = Some(Box::new(after));

    drop(held);

    assert!(budget.withdraw().is_some());
}
