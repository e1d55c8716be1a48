//! The transition table, row by row.

use super::*;

const BASE: Duration = Duration::from_secs(5);
const MAX: Duration = Duration::from_secs(60);
const LEASE: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_nanos(1);

/// A breaker and the time, which moves only by [`advance`](Self::advance).
struct World {
    breaker: Breaker,
    now: Instant,
}

impl World {
    fn new(threshold: u32) -> Self {
        Self::with(BreakerConfig::growing(NonZeroU32::new(threshold).unwrap(), BASE, MAX))
    }

    fn with(config: BreakerConfig) -> Self {
        Self { breaker: Breaker::new(config), now: clock::now() }
    }

    /// A breaker that opened just now.
    fn open(threshold: u32) -> Self {
        let mut world = Self::new(threshold);
        for _ in 0..threshold {
            world.answer(Health::Down);
        }
        world
    }

    fn advance(&mut self, by: Duration) {
        self.now += by;
    }

    /// Answers a request of the current epoch.
    fn answer(&mut self, health: Health) -> Option<Transition> {
        self.breaker.settle(self.breaker.epoch(), health, self.now)
    }

    fn grant(&mut self) -> Option<Epoch> {
        self.breaker.grant(LEASE, self.now)
    }

    /// Sends a probe and answers it.
    fn probe(&mut self, health: Health) -> Option<Transition> {
        let epoch = self.grant().expect("the probe slot is free");
        self.breaker.settle(epoch, health, self.now)
    }

    fn state(&mut self) -> BreakerState {
        self.breaker.state(self.now)
    }
}

/// Opened by one failure, for `cooldown` each time.
fn fixed(cooldown: Duration) -> BreakerConfig {
    BreakerConfig::growing(NonZeroU32::MIN, cooldown, cooldown)
}

fn opened(cooldown: Duration) -> Option<Transition> {
    Some(Transition::Opened { cooldown })
}

#[test]
fn opens_at_the_threshold_and_not_before() {
    let mut world = World::new(5);
    for _ in 0..4 {
        assert_eq!(world.answer(Health::Down), None);
        assert_eq!(world.state(), BreakerState::Closed);
    }
    assert_eq!(world.answer(Health::Down), opened(BASE));
    assert_eq!(world.state(), BreakerState::Open { until: world.now + BASE });
}

#[test]
fn a_success_ends_the_run_of_failures() {
    let mut world = World::new(2);
    for health in [Health::Down, Health::Up, Health::Down] {
        assert_eq!(world.answer(health), None);
    }
    assert_eq!(world.answer(Health::Down), opened(BASE));
}

#[test]
fn an_answer_that_only_shows_life_keeps_the_run_of_failures() {
    let mut world = World::new(3);
    for health in [Health::Down, Health::Reachable, Health::Down, Health::Unknown] {
        assert_eq!(world.answer(health), None);
    }
    assert_eq!(world.answer(Health::Down), opened(BASE));
}

#[test]
fn is_open_until_the_cooldown_ends_and_half_open_from_then_on() {
    let mut world = World::open(1);
    let until = world.now + BASE;
    world.advance(BASE - TICK);
    assert_eq!(world.state(), BreakerState::Open { until });
    assert_eq!(world.grant(), None);
    world.advance(TICK);
    assert_eq!(world.state(), BreakerState::HalfOpen);
    assert!(world.grant().is_some());
    assert_eq!(world.state(), BreakerState::HalfOpen);
}

#[test]
fn one_probe_at_a_time() {
    let mut world = World::open(1);
    world.advance(BASE);
    assert!(world.grant().is_some());
    assert_eq!(world.grant(), None);
}

#[test]
fn the_cooldown_doubles_with_each_failed_probe_up_to_the_most() {
    let mut world = World::new(1);
    let mut ladder = vec![world.answer(Health::Down)];
    for seconds in [5, 10, 20, 40, 60, 60] {
        world.advance(Duration::from_secs(seconds));
        ladder.push(world.probe(Health::Down));
    }
    let expected = [5, 10, 20, 40, 60, 60, 60].map(|s| opened(Duration::from_secs(s)));
    assert_eq!(ladder, expected);
}

#[test]
fn a_fixed_cooldown_does_not_grow() {
    let mut world = World::with(fixed(BASE));
    assert_eq!(world.answer(Health::Down), opened(BASE));
    for _ in 0..3 {
        world.advance(BASE);
        assert_eq!(world.probe(Health::Down), opened(BASE));
    }
}

#[test]
fn a_maximum_below_the_base_is_raised_to_it() {
    let config = BreakerConfig::growing(NonZeroU32::MIN, BASE, Duration::ZERO);
    assert_eq!(config, fixed(BASE));
}

#[test]
fn any_answer_that_shows_life_closes_and_the_cooldown_is_the_base_again() {
    for health in [Health::Up, Health::Reachable] {
        let mut world = World::open(1);
        world.advance(BASE);
        assert_eq!(world.probe(Health::Down), opened(BASE * 2));
        world.advance(BASE * 2);
        assert_eq!(world.probe(health), Some(Transition::Closed));
        assert_eq!(world.state(), BreakerState::Closed);
        assert_eq!(world.answer(Health::Down), opened(BASE));
    }
}

#[test]
fn a_healthy_probe_ends_the_run_and_a_reachable_one_keeps_it() {
    let mut world = World::open(3);
    world.advance(BASE);
    assert_eq!(world.probe(Health::Reachable), Some(Transition::Closed));
    assert_eq!(world.answer(Health::Down), opened(BASE));
    world.advance(BASE);
    assert_eq!(world.probe(Health::Up), Some(Transition::Closed));
    assert_eq!(world.answer(Health::Down), None);
}

#[test]
fn a_probe_that_proves_nothing_frees_the_slot_and_nothing_else() {
    let mut world = World::open(1);
    world.advance(BASE);
    assert_eq!(world.probe(Health::Unknown), None);
    assert_eq!(world.state(), BreakerState::HalfOpen);
    assert_eq!(world.probe(Health::Down), opened(BASE * 2));
}

#[test]
fn from_the_second_probe_in_a_row_that_proves_nothing_the_next_waits_the_base_cooldown() {
    let mut world = World::open(1);
    world.advance(BASE);
    assert_eq!(world.probe(Health::Down), opened(BASE * 2));
    world.advance(BASE * 2);
    assert_eq!(world.probe(Health::Unknown), None);
    for _ in 0..3 {
        assert_eq!(world.probe(Health::Unknown), None);
        assert_eq!(world.state(), BreakerState::HalfOpen);
        assert_eq!(world.breaker.poll_timeout(), Some(world.now + BASE));
        world.advance(BASE - TICK);
        assert_eq!(world.grant(), None);
        world.advance(TICK);
    }
    assert_eq!(world.probe(Health::Up), Some(Transition::Closed));
}

#[test]
fn a_new_opening_lets_the_first_inconclusive_probe_off_again() {
    let mut world = World::open(1);
    world.advance(BASE);
    assert_eq!(world.probe(Health::Unknown), None);
    assert_eq!(world.probe(Health::Down), opened(BASE * 2));
    world.advance(BASE * 2);
    assert_eq!(world.probe(Health::Unknown), None);
    assert!(world.grant().is_some());
}

#[test]
fn a_probe_that_is_given_up_frees_the_slot_at_once_however_often() {
    let mut world = World::open(1);
    world.advance(BASE);
    for _ in 0..3 {
        let epoch = world.grant().unwrap();
        world.breaker.abandon(epoch);
        assert_eq!(world.state(), BreakerState::HalfOpen);
    }
    assert_eq!(world.probe(Health::Up), Some(Transition::Closed));
}

#[test]
fn a_probe_that_outlives_its_lease_is_replaced_and_its_answer_ignored() {
    for health in [Health::Up, Health::Reachable, Health::Unknown, Health::Down] {
        let mut world = World::open(1);
        world.advance(BASE);
        let hung = world.grant().unwrap();
        assert_eq!(world.breaker.poll_timeout(), Some(world.now + LEASE));
        world.advance(LEASE - TICK);
        assert_eq!(world.grant(), None);
        world.advance(TICK);
        let next = world.grant().unwrap();
        assert_eq!(world.breaker.settle(hung, health, world.now), None);
        world.breaker.abandon(hung);
        assert_eq!(world.grant(), None, "the slot is the next probe's");
        assert!(world.breaker.is_probing(next));
        assert_eq!(world.breaker.settle(next, Health::Down, world.now), opened(BASE * 2));
    }
}

#[test]
fn a_lease_that_a_probe_outlived_on_its_way_doubles_up_to_eight_times() {
    let mut world = World::open(1);
    world.advance(BASE);
    for times in [1, 2, 4, 8, 8] {
        let probe = world.grant().unwrap();
        assert!(world.breaker.admit_probe(probe, world.now));
        world.advance(LEASE * times - TICK);
        assert_eq!(world.grant(), None);
        world.advance(TICK);
    }
    assert_eq!(world.probe(Health::Down), opened(BASE * 2));
    world.advance(BASE * 2);
    let probe = world.grant().unwrap();
    assert_eq!(world.breaker.poll_timeout(), Some(world.now + LEASE), "from the start again");
    world.breaker.abandon(probe);
}

#[test]
fn a_lease_that_passed_before_the_probe_was_sent_does_not_double() {
    let mut world = World::open(1);
    world.advance(BASE);
    for _ in 0..3 {
        world.grant().unwrap();
        assert_eq!(world.breaker.poll_timeout(), Some(world.now + LEASE));
        world.advance(LEASE);
    }
}

#[test]
fn the_lease_begins_anew_when_the_probe_is_sent_and_only_for_the_probe() {
    let mut world = World::open(1);
    world.advance(BASE);
    let probe = world.grant().unwrap();
    world.advance(LEASE - TICK);
    assert!(world.breaker.admit_probe(probe, world.now));
    world.advance(LEASE - TICK);
    assert_eq!(world.grant(), None);
    world.advance(TICK);
    let next = world.grant().unwrap();
    assert!(!world.breaker.admit_probe(probe, world.now));
    world.breaker.abandon(next);
    assert!(!world.breaker.admit_probe(next, world.now));
}

#[test]
fn an_answer_from_before_the_breaker_opened_decides_nothing() {
    for health in [Health::Up, Health::Reachable, Health::Unknown, Health::Down] {
        let mut world = World::new(1);
        let before = world.breaker.epoch();
        assert_eq!(world.answer(Health::Down), opened(BASE));
        let open = world.state();
        assert_eq!(world.breaker.settle(before, health, world.now), None);
        assert_eq!(world.state(), open);

        world.advance(BASE);
        assert_eq!(world.breaker.settle(before, health, world.now), None);
        let probe = world.grant().unwrap();
        assert_eq!(world.breaker.settle(before, health, world.now), None);
        assert_eq!(world.grant(), None);
        assert_eq!(world.breaker.settle(probe, Health::Down, world.now), opened(BASE * 2));
    }
}

#[test]
fn a_failure_from_before_the_breaker_closed_does_not_count() {
    let mut world = World::new(1);
    let before = world.breaker.epoch();
    assert_eq!(world.answer(Health::Down), opened(BASE));
    world.advance(BASE);
    assert_eq!(world.probe(Health::Up), Some(Transition::Closed));
    assert_eq!(world.breaker.settle(before, Health::Down, world.now), None);
    assert_eq!(world.state(), BreakerState::Closed);
}

#[test]
fn opened_by_hand_it_stays_open_until_it_is_reset() {
    let mut world = World::new(1);
    assert_eq!(world.breaker.isolate(), opened(Duration::MAX));
    assert_eq!(world.breaker.isolate(), None);
    world.advance(Duration::from_secs(60 * 60 * 24 * 365));
    assert_eq!(world.grant(), None);
    assert_eq!(world.breaker.poll_timeout(), None);
    assert!(matches!(world.state(), BreakerState::Open { until } if until > world.now));
    assert_eq!(world.breaker.reset(), Some(Transition::Closed));
    assert_eq!(world.state(), BreakerState::Closed);
}

#[test]
fn a_probe_in_flight_does_not_end_an_opening_by_hand() {
    let mut world = World::open(1);
    world.advance(BASE);
    let probe = world.grant().unwrap();
    assert_eq!(world.breaker.isolate(), opened(Duration::MAX));
    assert_eq!(world.breaker.settle(probe, Health::Up, world.now), None);
    assert!(matches!(world.state(), BreakerState::Open { .. }));
}

#[test]
fn reset_forgets_failures_and_those_still_under_way() {
    let mut world = World::new(2);
    assert_eq!(world.answer(Health::Down), None);
    let before = world.breaker.epoch();
    assert_eq!(world.breaker.reset(), None);
    assert_eq!(world.breaker.settle(before, Health::Down, world.now), None);
    assert_eq!(world.answer(Health::Down), None);
    assert_eq!(world.answer(Health::Down), opened(BASE));
    world.advance(BASE);
    assert_eq!(world.probe(Health::Down), opened(BASE * 2));
    assert_eq!(world.breaker.reset(), Some(Transition::Closed));
    assert_eq!(world.answer(Health::Down), None);
    assert_eq!(world.answer(Health::Down), opened(BASE));
}

#[test]
fn a_cooldown_the_clock_cannot_hold_never_elapses() {
    let mut world = World::with(fixed(Duration::MAX));
    assert_eq!(world.answer(Health::Down), opened(Duration::MAX));
    world.advance(Duration::from_secs(60 * 60 * 24 * 365 * 10));
    assert_eq!(world.grant(), None);
    assert_eq!(world.breaker.poll_timeout(), None);
    assert!(matches!(world.state(), BreakerState::Open { until } if until > world.now));
}

#[test]
fn a_lease_the_clock_cannot_hold_never_ends() {
    let mut world = World::open(1);
    world.advance(BASE);
    assert!(world.breaker.grant(Duration::MAX, world.now).is_some());
    world.advance(Duration::from_secs(60 * 60 * 24 * 365 * 10));
    assert_eq!(world.grant(), None);
}

#[test]
fn a_cooldown_of_nothing_is_half_open_at_once() {
    let mut world = World::with(fixed(Duration::ZERO));
    assert_eq!(world.answer(Health::Down), opened(Duration::ZERO));
    assert_eq!(world.state(), BreakerState::HalfOpen);
    assert_eq!(world.probe(Health::Down), opened(Duration::ZERO));
}

#[test]
fn a_clock_that_steps_back_never_leaves_more_than_one_cooldown() {
    let mut world = World::new(1);
    world.advance(Duration::from_secs(60 * 60 * 24));
    assert_eq!(world.answer(Health::Down), opened(BASE));
    world.now -= Duration::from_secs(60 * 60 * 8);
    assert_eq!(world.state(), BreakerState::Open { until: world.now + BASE });
    world.advance(BASE);
    let _hung = world.grant().unwrap();
    world.now -= Duration::from_secs(60 * 60);
    assert_eq!(world.grant(), None);
    world.advance(LEASE);
    assert!(world.grant().is_some());
}

#[test]
fn an_endless_run_of_failures_does_not_overflow() {
    let mut world = World::with(BreakerConfig::growing(NonZeroU32::MAX, BASE, Duration::MAX));
    world.breaker.failures = u32::MAX - 1;
    assert_eq!(world.answer(Health::Down), opened(BASE));
    world.advance(BASE);
    assert_eq!(world.probe(Health::Reachable), Some(Transition::Closed));
    assert_eq!(world.answer(Health::Down), opened(BASE));
}

impl Breaker {
    /// All that decides what the breaker does next, with times as what is left of them.
    pub(in crate::breaker) fn overdue(&self) -> u32 {
        match self.state {
            State::HalfOpen { overdue, .. } => overdue,
            _ => 0,
        }
    }

    pub(in crate::breaker) fn fingerprint(&mut self, now: Instant) -> [u128; 7] {
        self.elapse(now);
        let left = |countdown: Option<Countdown>| {
            countdown.map_or(u128::MAX, |countdown| {
                countdown.end_or_far().saturating_duration_since(now).as_nanos()
            })
        };
        let (state, rest, probe, seen, pause) = match &self.state {
            State::Closed => (0, None, None, 0, None),
            State::Open { rest } => (1, Some(*rest), None, 0, None),
            State::HalfOpen { slot, blanks, overdue } => {
                let seen = (*blanks).min(2) + 4 * (*overdue).min(DOUBLINGS);
                match slot {
                    Slot::Free => (2, None, None, seen, None),
                    Slot::Taken { lease, sent } => {
                        (2, None, Some(*lease), seen + 16 * u32::from(*sent), None)
                    }
                    Slot::Resting { pause } => (2, None, None, seen, Some(*pause)),
                }
            }
            State::Isolated => (3, None, None, 0, None),
        };
        let failures = self.failures.min(self.config.threshold.get());
        [
            state,
            left(rest),
            left(probe),
            u128::from(seen),
            left(pause),
            u128::from(failures),
            self.cooldown.as_nanos(),
        ]
    }
}
