//! Turns that overlap: what else may happen while one caller polls.

use core::{
    future::{Future, pending, poll_fn},
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll, Waker},
};
use std::{
    sync::{Arc, Mutex},
    task::Wake,
};

use super::registry::{Joined, Registry};

/// Counts its wake-ups.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A caller that is polled by hand.
struct Caller {
    wakes: Arc<Counted>,
    joined: Joined<u32>,
}

impl Caller {
    fn join(registry: &Arc<Registry>, future: impl Future<Output = u32> + Send + 'static) -> Self {
        let joined = registry.join(Arc::from("key"), || future).expect("no execution asks here");
        Self { wakes: Arc::default(), joined }
    }

    /// Joins what is going on.
    fn again(registry: &Arc<Registry>) -> Self {
        Self::join(registry, async { unreachable!("there is an execution already") })
    }

    fn poll(&mut self) -> Poll<Option<u32>> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        Pin::new(&mut self.joined).poll(&mut Context::from_waker(&waker))
    }

    fn wakes(&self) -> usize {
        self.wakes.0.load(Ordering::SeqCst)
    }
}

type Once = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// A future that runs `meanwhile` when it is polled first, and then goes on as `rest`.
fn with_meanwhile(
    meanwhile: &Once,
    rest: impl Future<Output = u32> + Send + 'static,
) -> impl Future<Output = u32> + Send + 'static {
    let meanwhile = Arc::clone(meanwhile);
    let mut rest = Box::pin(rest);
    poll_fn(move |cx| {
        if let Some(meanwhile) = meanwhile.lock().unwrap().take() {
            meanwhile();
        }
        rest.as_mut().poll(cx)
    })
}

fn set(meanwhile: &Once, run: impl FnOnce() + Send + 'static) {
    *meanwhile.lock().unwrap() = Some(Box::new(run));
}

#[test]
fn a_wake_up_during_a_turn_is_not_lost_on_the_others() {
    let registry = Arc::new(Registry::default());
    let meanwhile = Once::default();
    let woken = Arc::new(Mutex::new(None::<Waker>));
    let keep = Arc::clone(&woken);
    let rest = poll_fn(move |cx| {
        *keep.lock().unwrap() = Some(cx.waker().clone());
        Poll::Pending
    });
    let mut first = Caller::join(&registry, with_meanwhile(&meanwhile, rest));
    let other = Arc::new(Mutex::new(Caller::again(&registry)));

    assert!(first.poll().is_pending());
    assert!(other.lock().unwrap().poll().is_pending());
    let waker = woken.lock().unwrap().clone().unwrap();
    let (during, wake) = (Arc::clone(&other), waker);
    set(&meanwhile, move || {
        // The future is ready to go on, but the one who comes to poll it finds it taken.
        wake.wake_by_ref();
        assert!(during.lock().unwrap().poll().is_pending());
    });
    assert!(first.poll().is_pending());
    // Once for the wake-up, and again when the turn was over; `first` may now be dropped.
    drop(first);
    assert_eq!(other.lock().unwrap().wakes(), 2);
}

#[test]
fn a_turn_without_a_wake_up_wakes_nobody() {
    let registry = Arc::new(Registry::default());
    let mut first = Caller::join(&registry, pending());
    let mut other = Caller::again(&registry);
    assert!(first.poll().is_pending() && other.poll().is_pending() && first.poll().is_pending());
    assert_eq!((first.wakes(), other.wakes()), (0, 0));
}

#[test]
fn cancelling_during_a_turn_ends_it_for_who_polls_as_well() {
    for rest in [false, true] {
        let registry = Arc::new(Registry::default());
        let meanwhile = Once::default();
        let rest: Pin<Box<dyn Future<Output = u32> + Send>> =
            if rest { Box::pin(async { 1 }) } else { Box::pin(pending()) };
        let mut first = Caller::join(&registry, with_meanwhile(&meanwhile, rest));
        let mut other = Caller::again(&registry);
        let during = Arc::clone(&registry);
        set(&meanwhile, move || assert_eq!(during.cancel("key"), 1));

        assert_eq!(first.poll(), Poll::Ready(None));
        assert_eq!(other.poll(), Poll::Ready(None));
    }
}

#[test]
fn the_key_is_free_by_the_time_the_others_hear_of_the_end() {
    struct Rejoin(Arc<Registry>, AtomicUsize);
    impl Wake for Rejoin {
        fn wake(self: Arc<Self>) {
            let mut anew = Caller::join(&self.0, async { 2 });
            assert_eq!(anew.poll(), Poll::Ready(Some(2)));
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }

    let registry = Arc::new(Registry::default());
    let meanwhile = Once::default();
    let gate = Arc::new(Mutex::new(false));
    let open = Arc::clone(&gate);
    let rest = poll_fn(move |_| if *open.lock().unwrap() { Poll::Ready(1) } else { Poll::Pending });
    let mut first = Caller::join(&registry, with_meanwhile(&meanwhile, rest));
    let mut other = Caller::again(&registry);
    let rejoin = Arc::new(Rejoin(Arc::clone(&registry), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&rejoin));
    let polled = Pin::new(&mut other.joined).poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());

    *gate.lock().unwrap() = true;
    assert_eq!(first.poll(), Poll::Ready(Some(1)));
    assert_eq!(rejoin.1.load(Ordering::SeqCst), 1);
    assert_eq!(other.poll(), Poll::Ready(Some(1)));
}

#[test]
fn a_caller_who_moved_to_another_task_is_woken_there() {
    let registry = Arc::new(Registry::default());
    let mut caller = Caller::join(&registry, pending());
    assert!(caller.poll().is_pending());
    let before = core::mem::take(&mut caller.wakes);
    assert!(caller.poll().is_pending());
    assert_eq!(registry.cancel("key"), 1);
    assert_eq!((before.0.load(Ordering::SeqCst), caller.wakes()), (0, 1));
    assert_eq!(caller.poll(), Poll::Ready(None));
}
