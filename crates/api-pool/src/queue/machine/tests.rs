//! The rules of the queue, one by one.

use core::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::{super::slab::Node, *};
use QueueClass::{Background, Essential};

fn start() -> Instant {
    crate::clock::now()
}

fn limit(n: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(n)
}

/// A queue whose only slot is taken, and a clock that moves by hand.
struct World {
    queue: Queue<u32>,
    now: Instant,
    places: Vec<Option<Place>>,
}

impl World {
    fn busy() -> Self {
        let mut queue = Queue::new(limit(1), None);
        assert_eq!(queue.take(), Taken::Slot);
        Self { queue, now: start(), places: Vec::new() }
    }

    /// Enqueues a waiter that must wait; its number is the count of those before it.
    fn wait(&mut self, class: QueueClass) -> u32 {
        let id = u32::try_from(self.places.len()).unwrap();
        match self.queue.enqueue(class, id, self.now) {
            Ok(Entered::Waiting(place)) => self.places.push(Some(place)),
            other => panic!("waiter {id} did not wait: {other:?}"),
        }
        id
    }

    fn wait_all(&mut self, class: QueueClass, n: u32) {
        for _ in 0..n {
            self.wait(class);
        }
    }

    /// Gives the slot back and lets the one it was granted to claim it.
    fn next(&mut self) -> Option<u32> {
        let now = self.now;
        let id = self.queue.release(|| now)?;
        let place = self.places[id as usize].take().unwrap();
        assert_eq!(self.queue.claim(place, id), Claimed::Slot);
        Some(id)
    }

    fn drain(&mut self) -> Vec<u32> {
        core::iter::from_fn(|| self.next()).collect()
    }
}

#[test]
fn what_is_free_is_spare_while_nobody_waits() {
    let mut queue = Queue::new(limit(2), None);
    assert_eq!(queue.spare(), Some(2));
    queue.catch_up(2, 1, 0);
    assert_eq!((queue.spare(), queue.in_flight(), queue.peak()), (Some(1), 1, 2));
    queue.take();
    assert_eq!(queue.spare(), Some(0));
    let waiting = queue.enqueue(Essential, 0, start());
    assert!(matches!(waiting, Ok(Entered::Waiting(_))));
    assert_eq!(queue.spare(), None);
}

#[test]
fn nothing_is_spare_above_a_lower_limit_or_after_the_closing() {
    let mut queue: Queue<u32> = Queue::new(limit(2), None);
    queue.take();
    queue.take();
    queue.resize(limit(1), start());
    assert_eq!(queue.spare(), None);
    queue.release(start);
    assert_eq!(queue.spare(), Some(0));
    queue.close();
    assert_eq!(queue.spare(), None);
}

#[test]
fn serves_a_class_in_order_of_arrival() {
    for class in [Essential, Background] {
        let mut world = World::busy();
        world.wait_all(class, 50);
        assert_eq!(world.drain(), (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn serves_essential_before_background() {
    let mut world = World::busy();
    world.wait_all(Background, 3);
    world.wait_all(Essential, 3);
    assert_eq!(world.drain(), [3, 4, 5, 0, 1, 2]);
}

#[test]
fn lets_exactly_sixteen_essentials_pass_a_background_waiter() {
    let mut world = World::busy();
    let background = world.wait(Background);
    world.wait_all(Essential, 20);
    let order = world.drain();
    assert_eq!(order.iter().position(|&id| id == background), Some(16));
    assert_eq!(order.len(), 21);
}

#[test]
fn counts_only_essentials_that_came_later_as_passing() {
    let mut world = World::busy();
    world.wait_all(Essential, 40);
    let background = world.wait(Background);
    world.wait_all(Essential, 40);
    let order = world.drain();
    assert_eq!(order.iter().position(|&id| id == background), Some(40 + 16));
}

#[test]
fn counts_passes_for_every_background_waiter_by_itself() {
    let mut world = World::busy();
    let first = world.wait(Background);
    world.wait_all(Essential, 10);
    let second = world.wait(Background);
    world.wait_all(Essential, 30);
    let order = world.drain();
    let at = |id| order.iter().position(|&other| other == id);
    assert_eq!(at(first), Some(16));
    // Ten of the sixteen came before `second`; it is passed by sixteen later ones.
    assert_eq!(at(second), Some(10 + 1 + 16));
}

#[test]
fn serves_a_background_waiter_next_once_it_has_waited_ten_seconds() {
    for (waited, order) in [
        (PATIENCE, [0, 1, 2]),
        (PATIENCE - Duration::from_nanos(1), [1, 2, 0]),
        (Duration::from_secs(60 * 60 * 24 * 365), [0, 1, 2]),
    ] {
        let mut world = World::busy();
        world.wait(Background);
        world.wait_all(Essential, 2);
        world.now += waited;
        assert_eq!(world.drain(), order, "{waited:?}");
    }
}

#[test]
fn lets_an_essential_waiter_go_between_two_aged_background_ones() {
    let mut world = World::busy();
    world.wait_all(Background, 3);
    world.wait_all(Essential, 2);
    world.now += PATIENCE;
    assert_eq!(world.drain(), [0, 3, 1, 4, 2]);
}

#[test]
fn survives_a_clock_that_steps_back() {
    let mut world = World::busy();
    world.now += Duration::from_secs(60 * 60 * 8);
    world.wait(Background);
    world.wait_all(Essential, 2);
    world.now -= Duration::from_secs(60 * 60 * 8);
    assert_eq!(world.drain(), [1, 2, 0]);
}

#[test]
fn asks_the_time_only_when_age_decides() {
    let never = || -> Instant { panic!("the clock was read") };
    let mut queue = Queue::new(limit(1), None);
    assert_eq!(queue.take(), Taken::Slot);
    queue.enqueue(Essential, 0, start()).unwrap();
    assert_eq!(queue.release(never), Some(0));
    queue.enqueue(Background, 1, start()).unwrap();
    assert_eq!(queue.release(never), Some(1));
    assert_eq!(queue.release(never), None);
}

#[test]
fn cancelling_any_of_64_places_lets_the_others_go_in_order() {
    for class in [Essential, Background] {
        for cancelled in 0..64_u32 {
            let mut world = World::busy();
            world.wait_all(class, 64);
            let place = world.places[cancelled as usize].take().unwrap();
            let now = world.now;
            let back = world.queue.cancel(place, || now);
            assert_eq!(back, Cancelled { left: Some(cancelled), granted: None });
            let order = world.drain();
            assert_eq!(order, (0..64).filter(|&id| id != cancelled).collect::<Vec<_>>());
            assert_eq!((world.queue.in_flight(), world.queue.waiting()), (0, 0));
        }
    }
}

#[test]
fn a_granted_place_that_is_given_up_goes_to_the_next() {
    let mut world = World::busy();
    world.wait_all(Background, 2);
    let now = world.now;
    assert_eq!(world.queue.release(|| now), Some(0));
    let place = world.places[0].take().unwrap();
    let back = world.queue.cancel(place, || now);
    assert_eq!(back, Cancelled { left: None, granted: Some(1) });
    assert_eq!((world.queue.in_flight(), world.queue.waiting()), (1, 0));
}

#[test]
fn a_lower_limit_waits_for_the_slots_in_use_and_a_higher_one_grants_at_once() {
    let mut world = World::busy();
    world.wait_all(Background, 5);
    let now = world.now;
    assert_eq!(world.queue.resize(limit(3), now), [0, 1]);
    assert!(world.queue.resize(limit(2), now).is_empty());
    assert_eq!(world.queue.release(|| now), None);
    assert_eq!(world.queue.release(|| now), Some(2));
    assert_eq!(world.queue.resize(None, now), [3, 4]);
    assert_eq!((world.queue.in_flight(), world.queue.peak()), (4, 4));
}

#[test]
fn a_bounded_line_refuses_the_one_too_many_and_has_room_again_when_one_leaves() {
    let mut queue = Queue::new(limit(1), Some(1));
    assert_eq!(queue.take(), Taken::Slot);
    assert!(matches!(queue.enqueue(Background, 0, start()), Ok(Entered::Waiting(_))));
    assert_eq!(queue.enqueue(Essential, 1, start()), Err(Refused::Full { limit: 1 }));
    assert_eq!(queue.release(start), Some(0));
    assert!(matches!(queue.enqueue(Essential, 2, start()), Ok(Entered::Waiting(_))));

    let mut never = Queue::new(limit(1), Some(0));
    assert_eq!(never.enqueue(Background, 0, start()), Ok(Entered::Slot));
    assert_eq!(never.enqueue(Background, 1, start()), Err(Refused::Full { limit: 0 }));
}

#[test]
fn closing_hands_every_waiter_back_and_grants_nothing_more() {
    let mut world = World::busy();
    world.wait_all(Background, 2);
    world.wait_all(Essential, 1);
    let now = world.now;
    // Granted, not claimed: its operation has not started, and must not.
    assert_eq!(world.queue.release(|| now), Some(2));
    let mut parked = world.queue.close();
    parked.sort_unstable();
    assert_eq!(parked, [0, 1]);
    assert_eq!((world.queue.in_flight(), world.queue.waiting()), (0, 0));
    for place in world.places.into_iter().flatten() {
        assert_eq!(world.queue.claim(place, 9), Claimed::Closed);
    }
    assert_eq!(world.queue.waiters.entries().count(), 0);
    assert_eq!(world.queue.take(), Taken::Closed);
    assert_eq!(world.queue.enqueue(Essential, 3, now), Err(Refused::Closed));
    assert!(world.queue.resize(None, now).is_empty());
}

#[test]
fn a_waiter_costs_at_most_96_bytes() {
    let node = size_of::<Node<Waiter<core::task::Waker>>>();
    let mut world = World::busy();
    let mut growths = 0;
    for waiters in 1..=50_000 {
        let before = world.queue.waiters.capacity();
        world.wait(Background);
        let now = world.queue.waiters.capacity();
        growths += usize::from(now != before);
        // Up to 64 of them fit into less than a page anyway.
        assert!(waiters < 64 || now * node <= waiters * 96, "{waiters} waiters");
    }
    // And growing costs the same per waiter, however many there are.
    assert!(growths < 40, "grew {growths} times");
    // Places of waiters that left are used again.
    let capacity = world.queue.waiters.capacity();
    assert_eq!(world.drain().len(), 50_000);
    assert_eq!(world.queue.take(), Taken::Slot);
    world.wait_all(Essential, 50_000);
    assert_eq!(world.queue.waiters.capacity(), capacity);
}
