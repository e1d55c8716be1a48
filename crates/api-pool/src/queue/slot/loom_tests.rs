//! What no interleaving of threads may break.
//!
//! Nobody waits long enough here for the clock to matter. Two threads are interleaved in every
//! way, three in every way with at most three preemptions.

use core::{
    pin::pin,
    sync::atomic::Ordering::SeqCst,
    task::{Context, Poll, Waker},
};

use loom::{
    future::block_on,
    model::{Builder, model},
    sync::atomic::AtomicUsize,
    thread,
};

use super::*;
use QueueClass::{Background, Essential};

fn slots(limit: usize) -> Arc<Slots> {
    Slots::new(SlotLimits::new(NonZeroUsize::new(limit)))
}

/// The slot of a queue that has one, taken.
fn taken() -> (Arc<Slots>, Permit) {
    let slots = slots(1);
    let permit = slots.try_acquire_owned().unwrap().expect("the slot is free");
    (slots, permit)
}

/// Waits for a slot, however long it takes.
fn wait(slots: &Arc<Slots>, class: QueueClass) -> Permit {
    block_on(slots.acquire_owned(class)).expect("it is never refused")
}

/// Asks for a slot, and gives up after one look.
fn look(slots: &Arc<Slots>) {
    let acquire = pin!(slots.acquire_owned(Background));
    if let Poll::Ready(permit) = acquire.poll(&mut Context::from_waker(Waker::noop())) {
        drop(permit.expect("it is never refused"));
    }
}

fn assert_at_rest(slots: &Arc<Slots>) {
    assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    assert!(slots.try_acquire_owned().unwrap().is_some());
}

fn three_threads(scenario: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(scenario);
}

#[test]
fn one_slot_is_never_held_twice() {
    three_threads(|| {
        let slots = slots(1);
        let held = Arc::new(AtomicUsize::new(0));
        let enter = |class| {
            let (slots, held) = (Arc::clone(&slots), Arc::clone(&held));
            move || {
                let permit = wait(&slots, class);
                assert_eq!(held.fetch_add(1, SeqCst), 0);
                held.fetch_sub(1, SeqCst);
                drop(permit);
            }
        };
        let others = [thread::spawn(enter(Essential)), thread::spawn(enter(Background))];
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(slots.peak(), 1);
        assert_at_rest(&slots);
    });
}

#[test]
fn who_waits_gets_the_slot_that_is_given_back() {
    model(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let waiter = thread::spawn(move || drop(wait(&other, Background)));
        drop(permit);
        waiter.join().unwrap();
        assert_at_rest(&slots);
    });
}

#[test]
fn who_gives_up_while_a_slot_is_given_back_leaves_nothing_behind() {
    model(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let fickle = thread::spawn(move || look(&other));
        drop(permit);
        fickle.join().unwrap();
        assert_at_rest(&slots);
    });
}

#[test]
fn who_gives_up_a_slot_it_was_granted_passes_it_on() {
    three_threads(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let fickle = thread::spawn(move || look(&other));
        let other = Arc::clone(&slots);
        let patient = thread::spawn(move || drop(wait(&other, Background)));
        drop(permit);
        fickle.join().unwrap();
        patient.join().unwrap();
        assert_at_rest(&slots);
    });
}

#[test]
fn who_waits_is_told_when_the_slots_are_closed() {
    model(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let waiter = thread::spawn(move || block_on(other.acquire_owned(Essential)).unwrap_err());
        slots.close();
        assert_eq!(waiter.join().unwrap(), QueueError::Closed);
        drop(permit);
        assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    });
}

#[test]
fn a_slot_given_back_beside_the_closing_is_not_lost_nor_used() {
    model(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let release = thread::spawn(move || drop(permit));
        other.close();
        assert_eq!(block_on(slots.acquire_owned(Essential)).unwrap_err(), QueueError::Closed);
        release.join().unwrap();
        assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    });
}

#[test]
fn a_slot_granted_before_the_closing_and_not_taken_yet_is_free_again() {
    model(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let waiter = thread::spawn(move || drop(block_on(other.acquire_owned(Essential))));
        drop(permit);
        slots.close();
        waiter.join().unwrap();
        assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    });
}

#[test]
fn who_waits_gets_a_slot_that_is_added() {
    model(|| {
        let (slots, permit) = taken();
        let other = Arc::clone(&slots);
        let waiter = thread::spawn(move || drop(wait(&other, Background)));
        slots.resize(NonZeroUsize::new(2));
        waiter.join().unwrap();
        drop(permit);
        assert_at_rest(&slots);
    });
}

#[test]
fn slots_taken_beside_a_look_at_the_queue_are_all_counted() {
    model(|| {
        let slots = slots(2);
        let other = Arc::clone(&slots);
        let taker = thread::spawn(move || {
            let first = other.try_acquire_owned().unwrap().expect("a slot is free");
            let second = other.try_acquire_owned().unwrap().expect("a slot is free");
            drop(second);
            first
        });
        assert!(slots.in_flight() <= 2);
        let permit = taker.join().unwrap();
        assert_eq!((slots.in_flight(), slots.peak()), (1, 2));
        drop(permit);
        assert_at_rest(&slots);
    });
}

#[test]
fn a_slot_taken_beside_the_closing_comes_back() {
    model(|| {
        let slots = slots(1);
        let other = Arc::clone(&slots);
        let closing = thread::spawn(move || other.close());
        let taken = slots.try_acquire_owned();
        closing.join().unwrap();
        drop(taken);
        assert_eq!(slots.in_flight(), 0);
        assert!(matches!(slots.try_acquire_owned(), Err(QueueError::Closed)));
    });
}

#[test]
fn a_lower_limit_holds_for_whoever_comes_after_it_is_known() {
    model(|| {
        let slots = slots(2);
        let permit = slots.try_acquire_owned().unwrap().expect("a slot is free");
        let other = Arc::clone(&slots);
        let resize = thread::spawn(move || other.resize(NonZeroUsize::new(1)));
        let before = slots.try_acquire_owned().unwrap();
        resize.join().unwrap();
        assert!(slots.try_acquire_owned().unwrap().is_none());
        drop((permit, before));
        assert_at_rest(&slots);
        assert_eq!(slots.in_flight(), 0);
    });
}
