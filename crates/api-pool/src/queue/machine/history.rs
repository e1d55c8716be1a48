//! Long histories beside the naive lists.

use proptest::prelude::*;

use super::{
    naive::{Naive, NaiveWaiter},
    *,
};
use crate::cases::cases;
use QueueClass::{Background, Essential};

#[derive(Clone, Copy, Debug)]
enum Step {
    Enqueue(QueueClass),
    /// Cancels the waiter at this fraction of those that have not claimed, granted ones first.
    Cancel(prop::sample::Index),
    Claim(prop::sample::Index),
    /// Re-polls: a waiter that still waits parks something new.
    Repark(prop::sample::Index),
    Release,
    Resize(usize),
    Advance(Duration),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => Just(Step::Enqueue(Essential)),
        5 => Just(Step::Enqueue(Background)),
        3 => any::<prop::sample::Index>().prop_map(Step::Cancel),
        5 => any::<prop::sample::Index>().prop_map(Step::Claim),
        1 => any::<prop::sample::Index>().prop_map(Step::Repark),
        5 => Just(Step::Release),
        1 => (0..6_usize).prop_map(Step::Resize),
        // Ages on both sides of the patience, and one that alone exceeds it.
        2 => prop_oneof![0..4_000_u64, Just(10_000)].prop_map(Duration::from_millis).prop_map(Step::Advance),
    ]
}

proptest! {
    #![proptest_config(cases(20_000))]

    /// Never a free slot and a waiter at rest; order kept; slots conserved; who is granted, and
    /// when, as the naive lists say.
    #[test]
    fn every_history_of_300_steps_is_that_of_the_naive_lists(
        limit in 1..4_usize,
        steps in prop::collection::vec(step(), 1..300),
    ) {
        let mut now = crate::clock::now();
        let mut queue = Queue::new(NonZeroUsize::new(limit), None);
        let mut naive = Naive { limit, ..Naive::default() };
        let mut places: Vec<(u32, Place)> = Vec::new();

        for (id, step) in (0..).zip(steps) {
            match step {
                Step::Enqueue(class) => {
                    let free = naive.running + naive.granted.len() < naive.limit;
                    match queue.enqueue(class, id, now).unwrap() {
                        Entered::Slot => {
                            prop_assert!(free && naive.waiting.is_empty());
                            naive.running += 1;
                        }
                        Entered::Waiting(place) => {
                            prop_assert!(!free);
                            places.push((id, place));
                            naive.waiting.push(NaiveWaiter { id, class, since: now, passed: 0 });
                        }
                    }
                }
                Step::Cancel(at) if !places.is_empty() => {
                    let (id, place) = places.remove(at.index(places.len()));
                    let cancelled = queue.cancel(place, || now);
                    let was_granted = naive.granted.iter().position(|&other| other == id);
                    prop_assert_eq!(cancelled.left.is_none(), was_granted.is_some());
                    match was_granted {
                        Some(at) => drop(naive.granted.remove(at)),
                        None => naive.waiting.retain(|waiter| waiter.id != id),
                    }
                    let expected = naive.grant(now);
                    prop_assert_eq!(cancelled.granted.into_iter().collect::<Vec<_>>(), expected);
                }
                Step::Claim(at) if !naive.granted.is_empty() => {
                    let id = naive.granted.remove(at.index(naive.granted.len()));
                    let at = places.iter().position(|&(other, _)| other == id).unwrap();
                    prop_assert_eq!(queue.claim(places.remove(at).1, id), Claimed::Slot);
                    naive.running += 1;
                }
                Step::Repark(at) if !naive.waiting.is_empty() => {
                    let id = naive.waiting[at.index(naive.waiting.len())].id;
                    let at = places.iter().position(|&(other, _)| other == id).unwrap();
                    match queue.claim(places.remove(at).1, id) {
                        Claimed::Waiting(place, before) => {
                            prop_assert_eq!(before, Some(id));
                            places.push((id, place));
                        }
                        other => prop_assert!(false, "{other:?}"),
                    }
                }
                Step::Release if naive.running > 0 => {
                    naive.running -= 1;
                    let granted: Vec<_> = queue.release(|| now).into_iter().collect();
                    prop_assert_eq!(granted, naive.grant(now));
                }
                Step::Resize(to) => {
                    naive.limit = if to == 0 { usize::MAX } else { to };
                    prop_assert_eq!(queue.resize(NonZeroUsize::new(to), now), naive.grant(now));
                }
                Step::Advance(wait) => now += wait,
                Step::Cancel(_) | Step::Claim(_) | Step::Repark(_) | Step::Release => (),
            }
            prop_assert_eq!(queue.in_flight(), naive.running + naive.granted.len());
            prop_assert_eq!(queue.waiting(), naive.waiting.len());
            for class in [Essential, Background] {
                prop_assert_eq!(queue.waiting_in(class), naive.waiting_in(class));
            }
            prop_assert!(queue.waiting() == 0 || queue.in_flight() >= naive.limit);
            prop_assert!(queue.peak() >= queue.in_flight());
        }
    }
}
