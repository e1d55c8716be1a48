//! The shell: wake-ups, guards, cancellation, and what an uncontended slot costs.

use core::{
    future::Future,
    num::NonZeroUsize,
    pin::{Pin, pin},
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::Wake,
    time::Duration,
};

use super::*;
use QueueClass::{Background, Essential};

fn slots(limit: usize) -> Arc<Slots> {
    Slots::new(SlotLimits::new(NonZeroUsize::new(limit)))
}

/// Counts its wake-ups.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

type Acquired = Result<Permit, QueueError>;

/// A caller that is polled by hand.
struct Caller {
    wakes: Arc<Counted>,
    future: Pin<Box<dyn Future<Output = Acquired>>>,
}

impl Caller {
    fn new(slots: &Arc<Slots>, class: QueueClass) -> Self {
        let slots = Arc::clone(slots);
        Self {
            wakes: Arc::default(),
            future: Box::pin(async move { slots.acquire_owned(class).await }),
        }
    }

    /// Polls once; it must wait.
    fn waiting(slots: &Arc<Slots>, class: QueueClass) -> Self {
        let mut caller = Self::new(slots, class);
        assert!(caller.poll().is_pending());
        caller
    }

    fn poll(&mut self) -> Poll<Acquired> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    fn wakes(&self) -> usize {
        self.wakes.0.load(Ordering::SeqCst)
    }

    fn permit(&mut self) -> Permit {
        match self.poll() {
            Poll::Ready(Ok(permit)) => permit,
            other => panic!("no permit: {other:?}"),
        }
    }
}

fn take(slots: &Arc<Slots>) -> Permit {
    Caller::new(slots, Background).permit()
}

#[test]
fn one_release_wakes_one_waiter_once() {
    let slots = slots(1);
    let permit = take(&slots);
    let mut callers: Vec<_> = (0..100).map(|_| Caller::waiting(&slots, Background)).collect();
    drop(permit);
    let woken: Vec<_> = callers.iter().map(Caller::wakes).collect();
    assert_eq!(woken[0], 1);
    assert_eq!(woken.iter().sum::<usize>(), 1);
    assert_eq!((slots.in_flight(), slots.waiting()), (1, 99));

    drop(callers[0].permit());
    assert_eq!(callers.iter().map(Caller::wakes).sum::<usize>(), 2);
}

#[test]
fn cancelling_any_of_64_waiters_lets_the_others_finish_in_order() {
    for cancelled in 0..64 {
        let slots = slots(1);
        let permit = take(&slots);
        let mut callers: Vec<_> = (0..64).map(|_| Caller::waiting(&slots, Background)).collect();
        drop(callers.remove(cancelled));
        drop(permit);
        for caller in &mut callers {
            drop(caller.permit());
        }
        assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    }
}

#[test]
fn a_free_slot_is_taken_without_a_wait() {
    let slots = slots(1);
    let permit = slots.try_acquire_owned().expect("it is not closed");
    assert!(permit.is_some());
    assert!(slots.try_acquire_owned().expect("it is not closed").is_none());
    slots.close();
    assert!(matches!(slots.try_acquire_owned(), Err(QueueError::Closed)));
}

#[test]
fn who_is_refused_a_slot_gives_none_back() {
    let slots = slots(1);
    let permit = slots.try_acquire().expect("it is not closed");
    assert!(permit.is_some());
    for _ in 0..2 {
        assert!(slots.try_acquire().expect("it is not closed").is_none());
        assert!(slots.try_acquire_owned().expect("it is not closed").is_none());
    }
    assert_eq!(slots.in_flight(), 1);
    drop(permit);
    assert_eq!((slots.in_flight(), slots.peak()), (0, 1));
}

#[test]
fn the_limit_is_the_one_set_last() {
    let slots = slots(2);
    assert_eq!(slots.limit(), Some(2));
    for limit in [None, Some(3)] {
        slots.resize(limit.and_then(NonZeroUsize::new));
        assert_eq!(slots.limit(), limit);
    }
}

#[test]
fn slots_above_a_lower_limit_are_gone_when_they_come_back() {
    let slots = slots(3);
    let mut permits = [take(&slots), take(&slots), take(&slots)].into_iter();
    slots.resize(NonZeroUsize::new(1));
    for in_flight in [2, 1] {
        drop(permits.next());
        assert!(slots.try_acquire().unwrap().is_none());
        assert_eq!(slots.in_flight(), in_flight);
    }
    drop(permits.next());
    assert!(slots.try_acquire().unwrap().is_some());
}

#[test]
fn a_waiter_dropped_after_its_grant_passes_it_on() {
    let slots = slots(1);
    let permit = take(&slots);
    let first = Caller::waiting(&slots, Background);
    let mut second = Caller::waiting(&slots, Background);
    drop(permit);
    assert_eq!((first.wakes(), second.wakes()), (1, 0));
    drop(first);
    assert_eq!(second.wakes(), 1);
    drop(second.permit());
    assert_eq!(slots.in_flight(), 0);
}

#[test]
fn a_caller_that_comes_later_does_not_overtake_a_granted_waiter() {
    let slots = slots(1);
    let permit = take(&slots);
    let mut waiter = Caller::waiting(&slots, Background);
    drop(permit);
    let _late = Caller::waiting(&slots, Essential);
    drop(waiter.permit());
}

#[test]
fn a_waiter_that_moved_to_another_task_is_woken_there() {
    let slots = slots(1);
    let permit = take(&slots);
    let mut waiter = Caller::waiting(&slots, Background);
    let before = core::mem::take(&mut waiter.wakes);
    assert!(waiter.poll().is_pending());
    drop(permit);
    assert_eq!((before.0.load(Ordering::SeqCst), waiter.wakes()), (0, 1));
}

#[test]
fn closing_wakes_every_waiter_and_leaves_the_slots_in_use() {
    let slots = slots(1);
    let permit = take(&slots);
    let mut callers: Vec<_> = (0..3).map(|_| Caller::waiting(&slots, Background)).collect();
    slots.close();
    for caller in &mut callers {
        assert_eq!(caller.wakes(), 1);
        assert!(matches!(caller.poll(), Poll::Ready(Err(QueueError::Closed))));
    }
    assert_eq!(slots.in_flight(), 1);
    drop(permit);
    assert_eq!(slots.in_flight(), 0);
    assert!(matches!(Caller::new(&slots, Essential).poll(), Poll::Ready(Err(QueueError::Closed))));
}

#[test]
fn a_grant_that_was_not_claimed_before_closing_starts_nothing() {
    let slots = slots(1);
    let permit = take(&slots);
    let mut waiter = Caller::waiting(&slots, Background);
    drop(permit);
    slots.close();
    assert!(matches!(waiter.poll(), Poll::Ready(Err(QueueError::Closed))));
    assert_eq!(slots.in_flight(), 0);
}

#[test]
fn a_waker_may_call_back_into_the_slots() {
    struct Nosy(Arc<Slots>, AtomicUsize);
    impl Wake for Nosy {
        fn wake(self: Arc<Self>) {
            self.1.store(self.0.in_flight(), Ordering::SeqCst);
        }
    }
    let slots = slots(1);
    let permit = take(&slots);
    let nosy = Arc::new(Nosy(Arc::clone(&slots), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&nosy));
    let mut future = pin!(slots.acquire_owned(Background));
    assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    drop(permit);
    assert_eq!(nosy.1.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_bounded_wait_ends_exactly_at_its_bound() {
    let limit = Duration::from_secs(3);
    let slots =
        Slots::new(SlotLimits { max_wait: Some(limit), ..SlotLimits::new(NonZeroUsize::new(1)) });
    let _permit = slots.acquire_owned(Background).await.unwrap();
    let began = clock::now();
    let refused = slots.acquire_owned(Background).await.unwrap_err();
    assert_eq!(refused, QueueError::Timeout { limit });
    assert_eq!(clock::now() - began, limit);
    assert_eq!(slots.waiting(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wait_bounded_by_the_longest_duration_is_unbounded() {
    let slots = Slots::new(SlotLimits {
        max_wait: Some(Duration::MAX),
        ..SlotLimits::new(NonZeroUsize::new(1))
    });
    let permit = slots.acquire_owned(Background).await.unwrap();
    let held = async {
        clock::sleep(Duration::from_secs(60 * 60 * 24)).await;
        drop(permit);
    };
    let (waited, ()) = tokio::join!(slots.acquire_owned(Background), held);
    drop(waited.unwrap());
}

#[tokio::test(start_paused = true)]
async fn an_essential_call_waits_for_at_most_one_of_twenty_background_calls() {
    let slots = slots(1);
    let began = clock::now();
    let background = |_| async {
        let _permit = slots.acquire_owned(Background).await.unwrap();
        clock::sleep(Duration::from_millis(50)).await;
    };
    let essential = async {
        clock::sleep(Duration::from_millis(10)).await;
        let _permit = slots.acquire_owned(Essential).await.unwrap();
        clock::now() - began
    };
    let queued = futures_util::future::join_all((0..20).map(background));
    let (waited, _) = tokio::join!(essential, queued);
    assert_eq!(waited, Duration::from_millis(50));
    assert_eq!(slots.peak(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_has_a_slot_is_counted_and_who_waits_by_class() {
    let slots = slots(2);
    let _taken = [take(&slots), take(&slots)];
    let _background: Vec<_> = (0..3).map(|_| Caller::waiting(&slots, Background)).collect();
    let _essential: Vec<_> = (0..2).map(|_| Caller::waiting(&slots, Essential)).collect();
    assert_eq!((slots.in_flight(), slots.peak()), (2, 2));
    assert_eq!((slots.waiting(), slots.waiting_in(Essential)), (5, 2));
    assert_eq!(slots.waiting_in(Background), 3);
}

#[tokio::test(start_paused = true)]
async fn a_background_call_gets_through_unbroken_essential_load_after_sixteen_calls() {
    let slots = slots(1);
    let began = clock::now();
    let essential = |_| async {
        for _ in 0..20 {
            let _permit = slots.acquire_owned(Essential).await.unwrap();
            clock::sleep(Duration::from_millis(100)).await;
        }
    };
    let background = async {
        let _permit = slots.acquire_owned(Background).await.unwrap();
        clock::now() - began
    };
    let load = futures_util::future::join_all((0..3).map(essential));
    // The load is polled first: one call runs, two wait from before the background call.
    let (_, waited) = tokio::join!(load, background);
    assert_eq!(waited, Duration::from_millis(100 * (1 + 2 + 16)));
}

#[test]
fn a_slot_survives_the_panic_of_its_holder() {
    let slots = slots(1);
    let permit = take(&slots);
    let mut waiter = Caller::waiting(&slots, Background);
    let panicked = catch_unwind(AssertUnwindSafe(move || {
        let _permit = permit;
        panic!("the operation panics");
    }));
    assert!(panicked.is_err());
    drop(waiter.permit());
    assert_eq!(slots.in_flight(), 0);
}

/// An attempt at work, counted down however it ends.
struct Running<'a>(&'a AtomicUsize);

impl<'a> Running<'a> {
    fn begin(running: &'a AtomicUsize, most: &AtomicUsize) -> Self {
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Self(running)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn threads_use_every_slot_and_never_one_too_many() {
    const SLOTS: usize = 3;
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let slots = slots(SLOTS);
    let callers: Vec<_> = (0..2_000)
        .map(|n| {
            let slots = Arc::clone(&slots);
            let class = if n % 3 == 0 { Essential } else { Background };
            threads.spawn(async move {
                let _permit = slots.acquire_owned(class).await.unwrap();
                let _running = Running::begin(&RUNNING, &MOST);
                tokio::task::yield_now().await;
            })
        })
        .collect();
    // Every seventh gives up, in line or at work.
    let gives_up = |n: usize| n.is_multiple_of(7);
    (0..callers.len()).filter(|&n| gives_up(n)).for_each(|n| callers[n].abort());
    threads.block_on(async {
        for (n, caller) in callers.into_iter().enumerate() {
            assert!(caller.await.is_ok() || gives_up(n));
        }
    });
    assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    assert_eq!((slots.peak(), MOST.load(Ordering::SeqCst)), (SLOTS, SLOTS));
}

mod history;
