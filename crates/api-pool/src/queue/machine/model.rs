//! Every state that four callers can bring the queue into, beside the naive model.

use core::num::NonZeroUsize;
use std::{
    collections::{HashSet, VecDeque},
    time::Instant,
};

use super::{
    naive::{Naive, NaiveWaiter},
    *,
};

const CALLERS: u32 = 4;
/// Limits that the number of slots is changed to.
const LIMITS: [usize; 2] = [1, 2];

#[derive(Clone, Debug)]
enum Caller {
    Idle,
    /// In line, or granted a slot that it has not claimed.
    Placed(Place),
    Running,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Enqueue(QueueClass),
    Claim,
    Cancel,
    Release,
}

const ACTIONS: [Action; 5] = [
    Action::Enqueue(QueueClass::Essential),
    Action::Enqueue(QueueClass::Background),
    Action::Claim,
    Action::Cancel,
    Action::Release,
];

/// What tells one state from another. Callers are interchangeable, so only how many of them run
/// and hold unclaimed grants counts, and who waits in which order.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    limit: usize,
    running: usize,
    granted: usize,
    /// Class, passes, and whether patience is over.
    waiting: Vec<(QueueClass, usize, bool)>,
    overtook: bool,
}

#[derive(Clone)]
struct World {
    queue: Queue<u32>,
    naive: Naive,
    callers: Vec<Caller>,
    now: Instant,
}

impl World {
    fn new(limit: usize) -> Self {
        Self {
            queue: Queue::new(NonZeroUsize::new(limit), None),
            naive: Naive { limit, ..Naive::default() },
            callers: vec![Caller::Idle; CALLERS as usize],
            now: crate::clock::now(),
        }
    }

    fn key(&self) -> Key {
        let waiting = self.naive.waiting.iter().map(|waiter| match waiter.class {
            QueueClass::Essential => (waiter.class, 0, false),
            QueueClass::Background => {
                let aged = self.now.duration_since(waiter.since) >= PATIENCE;
                (waiter.class, waiter.passed.min(PASSES), aged)
            }
        });
        Key {
            limit: self.naive.limit,
            running: self.naive.running,
            granted: self.naive.granted.len(),
            waiting: waiting.collect(),
            overtook: self.naive.overtook,
        }
    }

    /// Every state that one step leads to.
    fn successors(&self) -> impl Iterator<Item = Self> {
        let actions = (0..CALLERS).flat_map(move |id| {
            ACTIONS.into_iter().filter_map(move |action| {
                let mut next = self.clone();
                next.act(id, action).then_some(next)
            })
        });
        let resized = LIMITS.into_iter().map(|limit| {
            let mut next = self.clone();
            next.naive.limit = limit;
            let granted = next.queue.resize(NonZeroUsize::new(limit), next.now);
            assert_eq!(granted, next.naive.grant(next.now));
            next
        });
        let later = core::iter::once_with(|| {
            let mut next = self.clone();
            next.now += PATIENCE;
            next
        });
        actions.chain(resized).chain(later).inspect(Self::check)
    }

    /// Whether the caller can do that now; if so, does it.
    fn act(&mut self, id: u32, action: Action) -> bool {
        let Self { queue, naive, callers, now } = self;
        let (now, caller) = (*now, &mut callers[id as usize]);
        match (action, core::mem::replace(caller, Caller::Idle)) {
            (Action::Enqueue(class), Caller::Idle) => {
                let free = naive.running + naive.granted.len() < naive.limit;
                match queue.enqueue(class, id, now) {
                    Ok(Entered::Slot) => {
                        assert!(free && naive.waiting.is_empty());
                        naive.running += 1;
                        *caller = Caller::Running;
                    }
                    Ok(Entered::Waiting(place)) => {
                        assert!(!free);
                        naive.waiting.push(NaiveWaiter { id, class, since: now, passed: 0 });
                        *caller = Caller::Placed(place);
                    }
                    Err(refused) => panic!("{refused:?}"),
                }
            }
            (Action::Claim, Caller::Placed(place)) => {
                let granted = naive.granted.iter().position(|&other| other == id);
                match (queue.claim(place, id), granted) {
                    (Claimed::Slot, Some(at)) => {
                        naive.granted.remove(at);
                        naive.running += 1;
                        *caller = Caller::Running;
                    }
                    (Claimed::Waiting(place, before), None) => {
                        assert_eq!(before, Some(id));
                        *caller = Caller::Placed(place);
                    }
                    (claimed, _) => panic!("{claimed:?}"),
                }
            }
            (Action::Cancel, Caller::Placed(place)) => {
                let granted = naive.granted.contains(&id);
                naive.granted.retain(|&other| other != id);
                naive.waiting.retain(|waiter| waiter.id != id);
                let cancelled = queue.cancel(place, || now);
                assert_eq!(cancelled.left.is_none(), granted);
                assert_eq!(Vec::from_iter(cancelled.granted), naive.grant(now));
            }
            (Action::Release, Caller::Running) => {
                naive.running -= 1;
                assert_eq!(Vec::from_iter(queue.release(|| now)), naive.grant(now));
            }
            _ => return false,
        }
        true
    }

    fn check(&self) {
        let Self { queue, naive, .. } = self;
        assert_eq!(queue.in_flight(), naive.running + naive.granted.len());
        assert_eq!(queue.waiting(), naive.waiting.len());
        for class in [QueueClass::Essential, QueueClass::Background] {
            assert_eq!(queue.waiting_in(class), naive.waiting_in(class));
        }
        assert!(naive.waiting.is_empty() || queue.in_flight() >= naive.limit);
        // One more for each aged waiter in turn before it.
        let most = PASSES + CALLERS as usize;
        assert!(naive.waiting.iter().all(|waiter| waiter.passed <= most));
    }
}

#[test]
fn every_state_of_four_callers_agrees_with_the_naive_model() {
    let first = World::new(1);
    let mut seen = HashSet::from([first.key()]);
    let mut open = VecDeque::from([first]);
    while let Some(world) = open.pop_front() {
        open.extend(world.successors().filter(|next| seen.insert(next.key())));
    }
    // The exploration went on until passes were spent.
    let spent = |key: &Key| key.waiting.iter().any(|&(_, passed, _)| passed == PASSES);
    assert!(seen.iter().any(spent));
    assert_eq!(seen.len(), 6_568);
}
