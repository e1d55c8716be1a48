//! Long histories against a reference that is written another way: without epochs, every ticket
//! knows by itself whether it still counts.

use std::{collections::VecDeque, num::NonZeroU32};

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

const BASE: Duration = Duration::from_secs(5);
const MAX: Duration = Duration::from_secs(60);
const LEASE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A request is sent, if the breaker lets it.
    Send,
    /// One of the requests under way is answered.
    Answer(usize, Health),
    /// One of the requests under way is dropped.
    Drop(usize),
    Wait(Duration),
    Isolate,
    Reset,
}

fn step() -> impl Strategy<Value = Step> {
    let health = prop_oneof![
        4 => Just(Health::Down),
        2 => Just(Health::Up),
        1 => Just(Health::Reachable),
        1 => Just(Health::Unknown),
    ];
    prop_oneof![
        30 => Just(Step::Send),
        30 => (0..4_usize, health).prop_map(|(which, health)| Step::Answer(which, health)),
        4 => (0..4_usize).prop_map(Step::Drop),
        12 => prop_oneof![Just(1), Just(5), Just(10), Just(20), Just(30), Just(60)]
            .prop_map(|seconds| Step::Wait(Duration::from_secs(seconds))),
        1 => Just(Step::Isolate),
        1 => Just(Step::Reset),
    ]
}

/// A request under way, as the reference sees it.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Its answer counts.
    counts: bool,
    probe: bool,
}

/// The transition table, in seconds, with everything spelt out.
#[derive(Debug)]
struct Reference {
    threshold: u32,
    open: bool,
    by_hand: bool,
    opened_at: u64,
    cooldown: u64,
    next_cooldown: u64,
    failures: u32,
    probe_until: Option<u64>,
    unclear: u32,
    overdue: u32,
    pause_until: u64,
}

impl Reference {
    fn send(&mut self, now: u64, others: &mut VecDeque<Sent>) -> Option<Sent> {
        if !self.open {
            return Some(Sent { counts: true, probe: false });
        }
        let rested = now >= self.opened_at + self.cooldown;
        let busy = self.probe_until.is_some_and(|until| now < until);
        if self.by_hand || !rested || busy || now < self.pause_until {
            return None;
        }
        others.iter_mut().for_each(|sent| sent.counts = false);
        if self.probe_until.is_some() {
            self.overdue += 1;
        }
        self.probe_until = Some(now + LEASE.as_secs() * [1, 2, 4, 8][self.overdue.min(3) as usize]);
        Some(Sent { counts: true, probe: true })
    }

    fn answer(
        &mut self,
        sent: Sent,
        health: Health,
        now: u64,
        others: &mut VecDeque<Sent>,
    ) -> Option<Transition> {
        if !sent.counts {
            return None;
        }
        if sent.probe {
            self.probe_until = None;
        }
        match (health, sent.probe) {
            (Health::Down, probe) => {
                self.failures += 1;
                if probe {
                    self.next_cooldown = (self.next_cooldown * 2).min(MAX.as_secs());
                }
                (probe || self.failures >= self.threshold).then(|| self.open(now, others))
            }
            (Health::Unknown, true) => {
                self.unclear += 1;
                if self.unclear >= 2 {
                    self.pause_until = now + BASE.as_secs();
                }
                None
            }
            (Health::Unknown, false) => None,
            (health, probe) => {
                if health == Health::Up {
                    self.failures = 0;
                }
                probe.then(|| self.close(others))
            }
        }
    }

    fn open(&mut self, now: u64, others: &mut VecDeque<Sent>) -> Transition {
        others.iter_mut().for_each(|sent| sent.counts = false);
        *self = Self {
            open: true,
            opened_at: now,
            cooldown: self.next_cooldown,
            probe_until: None,
            unclear: 0,
            overdue: 0,
            pause_until: 0,
            ..*self
        };
        Transition::Opened { cooldown: Duration::from_secs(self.cooldown) }
    }

    fn close(&mut self, others: &mut VecDeque<Sent>) -> Transition {
        others.iter_mut().for_each(|sent| sent.counts = false);
        *self = Self {
            open: false,
            by_hand: false,
            next_cooldown: BASE.as_secs(),
            probe_until: None,
            ..*self
        };
        Transition::Closed
    }
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn every_history_of_200_steps_is_that_of_the_reference(
        threshold in 1..6_u32,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let config = BreakerConfig::growing(NonZeroU32::new(threshold).unwrap(), BASE, MAX);
        let mut breaker = Breaker::new(config);
        let mut reference = Reference {
            threshold,
            open: false,
            by_hand: false,
            opened_at: 0,
            cooldown: 0,
            next_cooldown: BASE.as_secs(),
            failures: 0,
            probe_until: None,
            unclear: 0,
            overdue: 0,
            pause_until: 0,
        };
        let zero = clock::now();
        let mut seconds = 0;
        let mut sent: VecDeque<Sent> = VecDeque::new();
        let mut epochs: VecDeque<Epoch> = VecDeque::new();

        for step in steps {
            let now = zero + Duration::from_secs(seconds);
            let (real, expected) = match step {
                Step::Wait(wait) => {
                    seconds += wait.as_secs();
                    continue;
                }
                Step::Send => {
                    let epoch = if breaker.is_closed() {
                        Some(breaker.epoch())
                    } else {
                        let probe = breaker.grant(LEASE, now);
                        assert!(probe.is_none_or(|probe| breaker.admit_probe(probe, now)));
                        probe
                    };
                    let expected = reference.send(seconds, &mut sent);
                    prop_assert_eq!(epoch.is_some(), expected.is_some());
                    epochs.extend(epoch);
                    sent.extend(expected);
                    continue;
                }
                Step::Answer(which, health) => {
                    let (Some(epoch), Some(request)) = (epochs.remove(which), sent.remove(which))
                    else {
                        continue;
                    };
                    (
                        breaker.settle(epoch, health, now),
                        reference.answer(request, health, seconds, &mut sent),
                    )
                }
                Step::Drop(which) => {
                    if let (Some(epoch), Some(request)) = (epochs.remove(which), sent.remove(which))
                        && request.probe
                    {
                        breaker.abandon(epoch);
                        if request.counts {
                            reference.probe_until = None;
                        }
                    }
                    continue;
                }
                Step::Isolate => {
                    let expected = (!reference.by_hand).then(|| {
                        let cooldown = reference.next_cooldown;
                        reference.open(seconds, &mut sent);
                        reference.next_cooldown = cooldown;
                        reference.by_hand = true;
                        Transition::Opened { cooldown: Duration::MAX }
                    });
                    (breaker.isolate(), expected)
                }
                Step::Reset => {
                    reference.failures = 0;
                    let expected = reference.open.then_some(Transition::Closed);
                    reference.close(&mut sent);
                    (breaker.reset(), expected)
                }
            };
            prop_assert_eq!(real, expected);
            let state = match breaker.state(now) {
                BreakerState::Closed => "closed",
                BreakerState::Open { .. } => "open",
                BreakerState::HalfOpen => "half-open",
            };
            let rested = seconds >= reference.opened_at + reference.cooldown;
            let expected = match (reference.open, rested && !reference.by_hand) {
                (false, _) => "closed",
                (true, false) => "open",
                (true, true) => "half-open",
            };
            prop_assert_eq!(state, expected);
        }
    }
}
