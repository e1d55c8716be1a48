//! The rate, answer by answer.

use super::*;
use crate::clock;

fn pacing() -> (Pacing, Instant) {
    let now = clock::now();
    (Pacing::new(now), now)
}

/// A pacing that cruises below `ceiling`.
fn cruising(ceiling: Rate) -> Pacing {
    let (mut pacing, _) = pacing();
    pacing.rate = ceiling;
    pacing.on_bad(pacing.generation());
    pacing
}

#[test]
fn the_first_release_is_due_at_once_and_the_next_an_eighth_of_a_second_later() {
    let (mut pacing, now) = pacing();
    assert_eq!(pacing.next_release(), now);
    assert!(pacing.release(now));
    assert_eq!(pacing.next_release(), now + Duration::from_millis(125));
    assert!(!pacing.release(now + Duration::from_millis(125) - Duration::from_nanos(1)));
    assert!(pacing.release(now + Duration::from_millis(125)));
}

#[test]
fn a_good_answer_adds_5_percent_while_exploring_within_bounds() {
    let (mut pacing, _) = pacing();
    pacing.on_good();
    assert_eq!(pacing.rate, 8_400);
    pacing.rate = 100_000;
    pacing.on_good();
    assert_eq!(pacing.rate, 101_000);
    pacing.rate = 1_000;
    pacing.on_good();
    assert_eq!(pacing.rate, 1_250);
}

#[test]
fn a_refusal_cuts_a_fifth_once_per_rate() {
    let (mut pacing, _) = pacing();
    let before = pacing.generation();
    pacing.on_bad(before);
    assert_eq!(pacing.rate, 6_400);
    pacing.on_bad(before);
    assert_eq!(pacing.rate, 6_400);
    pacing.on_bad(pacing.generation());
    assert_eq!(pacing.rate, 5_120);
}

#[test]
fn after_a_refusal_a_seconds_worth_of_good_answers_adds_2_percent() {
    let mut pacing = cruising(125_000);
    assert_eq!(pacing.rate, 100_000);
    for _ in 0..100 {
        pacing.on_good();
    }
    assert_eq!(pacing.rate, 102_000);
}

#[test]
fn a_long_run_of_good_answers_cruises_faster() {
    let mut pacing = cruising(125_000);
    for _ in 0..PATIENCE {
        pacing.on_good();
    }
    let before = pacing.rate;
    pacing.on_good();
    assert_eq!(pacing.rate, before + 2 * CRUISE);
}

#[test]
fn one_refusal_after_enough_good_answers_is_chance_and_the_next_is_not() {
    for (goods, rate) in [(CHANCE, 100_000 + 20 * u64::from(CHANCE)), (CHANCE - 1, 80_240)] {
        let mut pacing = cruising(125_000);
        for _ in 0..goods {
            pacing.on_good();
        }
        pacing.on_bad(pacing.generation());
        assert_eq!(pacing.rate, rate, "{goods}");
        let before = pacing.rate;
        pacing.on_bad(pacing.generation());
        assert_eq!(pacing.rate, before * 4 / 5, "{goods}");
    }
}

#[test]
fn at_the_rate_of_a_start_every_refusal_counts() {
    let mut pacing = cruising(10_000);
    assert_eq!(pacing.rate, START);
    pacing.run = CHANCE;
    pacing.on_bad(pacing.generation());
    assert_eq!(pacing.rate, START * 4 / 5);
}

#[test]
fn a_quarter_above_the_ceiling_without_a_refusal_exploring_begins_again() {
    let mut pacing = cruising(40_000);
    pacing.rate = 50_000;
    pacing.on_good();
    assert_eq!(pacing.rate, 50_020);
    pacing.on_good();
    assert_eq!(pacing.rate, 51_020);
}

#[test]
fn the_rate_stays_between_its_bounds() {
    let (mut pacing, now) = pacing();
    for _ in 0..100 {
        pacing.on_bad(pacing.generation());
    }
    assert_eq!(pacing.rate, FLOOR);
    assert!(pacing.release(now));
    assert_eq!(pacing.next_release(), now + Duration::from_secs(10));
    pacing.ceiling = None;
    pacing.rate = TOP - 1;
    pacing.on_good();
    assert_eq!(pacing.rate, TOP);
}

/// The last of so many who wait, where the next is let go one interval from now and every answer
/// is good.
fn last_of(line: u32, mut pacing: Pacing, now: Instant) -> Duration {
    pacing.next = Countdown::new(now, pacing.interval());
    let mut last = now;
    for _ in 0..line {
        last = pacing.next_release();
        assert!(pacing.release(last));
        pacing.on_good();
    }
    last.duration_since(now)
}

#[test]
fn however_low_the_pace_is_good_answers_let_a_line_of_a_thousand_go_within_about_a_minute() {
    let now = clock::now();
    let ceilings = (FLOOR..500).chain((500..200_000).step_by(500));
    for (line, bound) in [(4, 36), (52, 60), (1_000, 64)] {
        let slowest = ceilings.clone().map(|ceiling| last_of(line, cruising(ceiling), now)).max();
        let bound = Duration::from_secs(bound);
        assert!(slowest.is_some_and(|slowest| slowest <= bound), "{line}: {slowest:?}");
        assert!(last_of(line, cruising(FLOOR), now) < bound);
    }
}

#[test]
fn a_release_that_is_a_little_late_is_made_up_for() {
    let (mut pacing, now) = pacing();
    assert!(pacing.release(now));
    assert!(pacing.release(now + Duration::from_millis(126)));
    assert_eq!(pacing.next_release(), now + Duration::from_millis(250));
}

#[test]
fn a_long_silence_is_not_made_up_for_with_a_burst() {
    let (mut pacing, now) = pacing();
    let later = now + Duration::from_secs(60 * 60);
    assert!(pacing.release(later));
    assert_eq!(pacing.next_release(), later - SLACK + Duration::from_millis(125));
    assert!(!pacing.release(later));
}

#[test]
fn a_release_given_back_is_due_at_once() {
    let (mut pacing, now) = pacing();
    assert!(pacing.release(now));
    pacing.refund(now);
    assert_eq!(pacing.next_release(), now);
    assert!(pacing.release(now));
    assert!(!pacing.release(now));
}

#[test]
fn a_second_recovery_starts_no_faster_than_the_first_ended_and_explores_again() {
    let mut pacing = cruising(5_000);
    let before = pacing.generation();
    let later = clock::now() + Duration::from_secs(10);
    pacing.resume(later);
    assert_eq!((pacing.rate, pacing.next_release()), (4_000, later));
    pacing.on_bad(before);
    assert_eq!(pacing.rate, 4_000, "a refusal from before says nothing");
    pacing.on_good();
    assert_eq!(pacing.rate, 4_250);

    pacing.rate = 100_000;
    pacing.resume(later);
    assert_eq!(pacing.rate, START);
}

#[test]
fn a_clock_that_steps_back_costs_one_interval() {
    let (mut pacing, now) = pacing();
    assert!(pacing.release(now));
    let Some(back) = now.checked_sub(Duration::from_secs(3)) else { return };
    assert!(!pacing.release(back));
    assert!(pacing.release(back + Duration::from_millis(125)));
}
