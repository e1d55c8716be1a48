use super::*;
use crate::clock;

const SECOND: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

struct World {
    slot: TokenSlot<&'static str>,
    now: Instant,
}

impl World {
    fn new() -> Self {
        Self { slot: TokenSlot::new(), now: clock::now() }
    }

    fn holding(token: &'static str, lifetime: Option<Duration>) -> (Self, Generation) {
        let mut world = Self::new();
        assert_eq!(world.current(), Current::Refresh { not_before: None });
        let generation = world.slot.refreshed(token, lifetime, world.now);
        (world, generation)
    }

    fn current(&mut self) -> Current<'_, &'static str> {
        self.slot.current(self.now)
    }

    /// Has the next caller refresh, and fail. Returns the pause it was told to keep before.
    fn fail(&mut self) -> Duration {
        let Current::Refresh { not_before } = self.slot.current(self.now) else {
            panic!("somebody else refreshes")
        };
        let pause = not_before.map_or(Duration::ZERO, |at| at - self.now);
        self.now += pause;
        assert_eq!(self.slot.failed(self.now), None);
        pause
    }
}

#[test]
fn one_caller_refreshes_and_the_others_wait_for_it() {
    let mut world = World::new();
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    assert_eq!(world.current(), Current::Wait { not_before: None });
    let first = world.slot.refreshed("a", None, world.now);
    assert_eq!(world.current(), Current::Use(&"a", first));
}

#[test]
fn a_refused_token_is_replaced_by_one_of_a_newer_generation() {
    let (mut world, first) = World::holding("a", None);
    world.slot.refused(first);
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    let second = world.slot.refreshed("b", None, world.now);
    assert!(second > first);
    assert_eq!(world.current(), Current::Use(&"b", second));
}

#[test]
fn a_late_refusal_of_an_older_token_leaves_the_newer_one_alone() {
    let (mut world, first) = World::holding("a", None);
    world.slot.refused(first);
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    world.slot.refused(first);
    assert_eq!(world.current(), Current::Wait { not_before: None });
    let second = world.slot.refreshed("b", None, world.now);
    world.slot.refused(first);
    assert_eq!(world.current(), Current::Use(&"b", second));
}

#[test]
fn an_abandoned_refresh_is_free_for_the_next_caller_without_a_pause() {
    let mut world = World::new();
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    world.slot.abandoned();
    assert_eq!(world.current(), Current::Refresh { not_before: None });
}

#[test]
fn the_pause_after_failures_doubles_up_to_ten_seconds_and_ends_with_a_success() {
    let mut world = World::new();
    let pauses: Vec<_> = (0..10).map(|_| world.fail().as_millis()).collect();
    assert_eq!(pauses, [0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    for _ in 0..100 {
        assert_eq!(world.fail(), 10 * SECOND);
    }
    assert!(matches!(world.current(), Current::Refresh { .. }));
    let generation = world.slot.refreshed("a", None, world.now);
    world.slot.refused(generation);
    assert_eq!([world.fail(), world.fail()], [Duration::ZERO, 100 * MS]);
}

#[test]
fn a_pause_that_is_over_is_not_asked_for() {
    let mut world = World::new();
    world.fail();
    world.now += 100 * MS;
    assert_eq!(world.current(), Current::Refresh { not_before: None });
}

#[test]
fn who_comes_in_a_pause_waits_it_out_as_well() {
    let mut world = World::new();
    world.fail();
    let not_before = Some(world.now + 100 * MS);
    assert_eq!(world.current(), Current::Refresh { not_before });
    world.now += 99 * MS;
    assert_eq!(world.current(), Current::Wait { not_before });
    world.now += MS;
    assert_eq!(world.current(), Current::Wait { not_before: None });
}

#[test]
fn an_abandoned_pause_is_kept_by_the_next_caller() {
    let mut world = World::new();
    world.fail();
    let not_before = Some(world.now + 100 * MS);
    assert_eq!(world.current(), Current::Refresh { not_before });
    world.slot.abandoned();
    assert_eq!(world.current(), Current::Refresh { not_before });
}

#[test]
fn a_token_is_replaced_after_nine_tenths_of_its_life_or_a_minute_before_its_end() {
    for (lifetime, fresh) in [(10 * SECOND, 9 * SECOND), (3600 * SECOND, 3540 * SECOND)] {
        let (mut world, first) = World::holding("a", Some(lifetime));
        world.now += fresh - Duration::from_nanos(1);
        assert_eq!(world.current(), Current::Use(&"a", first));
        world.now += Duration::from_nanos(1);
        assert_eq!(world.current(), Current::Refresh { not_before: None });
        assert_eq!(world.current(), Current::Use(&"a", first), "the others need not wait");
        world.now += lifetime - fresh;
        assert_eq!(world.current(), Current::Wait { not_before: None }, "the token is over");
    }
}

#[test]
fn a_token_that_cannot_be_replaced_in_time_is_used_to_its_end() {
    let (mut world, first) = World::holding("a", Some(10 * SECOND));
    world.now += 9 * SECOND;
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    assert_eq!(world.slot.failed(world.now), Some((&"a", first)));
    assert_eq!(world.current(), Current::Use(&"a", first), "during the pause");
    world.now += 100 * MS;
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    world.now += 900 * MS;
    assert_eq!(world.slot.failed(world.now), None, "it is over");
}

#[test]
fn a_token_refused_while_it_is_being_replaced_is_not_fallen_back_on() {
    let (mut world, first) = World::holding("a", Some(10 * SECOND));
    world.now += 9 * SECOND;
    assert_eq!(world.current(), Current::Refresh { not_before: None });
    world.slot.refused(first);
    assert_eq!(world.current(), Current::Wait { not_before: None });
    assert_eq!(world.slot.failed(world.now), None);
}

#[test]
fn a_life_that_the_clock_cannot_hold_has_no_end() {
    let (mut world, first) = World::holding("a", Some(Duration::MAX));
    world.now += 86_400 * 365 * 30 * SECOND;
    assert_eq!(world.current(), Current::Use(&"a", first));
}
