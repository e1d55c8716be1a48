use proptest::prelude::*;

use super::*;
use crate::clock;

const MINUTE: Duration = Duration::from_secs(60);

fn succeeded(window: &Window, now: Instant) -> u64 {
    window.sum(now).0.succeeded
}

#[test]
fn a_slot_whose_time_is_over_starts_afresh() {
    let origin = clock::now();
    let mut window = Window::new(MINUTE, origin);
    window.end(Ending::Succeeded { ms: 9 }, origin);
    window.end(Ending::Succeeded { ms: 5 }, origin + MINUTE);

    let (counts, covered) = window.sum(origin + MINUTE);
    assert_eq!((counts.succeeded, counts.latency.quantile(100)), (1, Some(5)));
    assert_eq!(covered, Duration::from_secs(55));
}

#[test]
fn a_clock_that_steps_back_loses_nothing() {
    let origin = clock::now();
    let at = |secs| origin + Duration::from_secs(secs);
    let mut window = Window::new(MINUTE, origin);
    window.end(Ending::Refused, at(70));
    window.end(Ending::Refused, at(10));
    window.wait(WaitStage::Slot, MINUTE, at(0));

    let (counts, covered) = window.sum(at(10));
    assert_eq!((counts.refused, counts.waits(WaitStage::Slot).count), (2, 1));
    assert_eq!(covered, Duration::ZERO);
    assert_eq!(window.sum(at(129)).0.refused, 2);
    assert_eq!(window.sum(at(130)).0.refused, 0);
}

#[test]
fn lengths_at_both_ends_neither_panic_nor_spin() {
    let origin = clock::now();
    for length in [Duration::ZERO, Duration::MAX] {
        let mut window = Window::new(length, origin);
        window.end(Ending::Succeeded { ms: 1 }, origin);
        assert_eq!(succeeded(&window, origin), 1);
    }
    let window = Window::new(Duration::ZERO, origin);
    assert_eq!(window.sum(origin + MINUTE).1, Duration::from_millis(11));
}

proptest! {
    // Gaps of up to two windows, most of them shorter than a slot.
    #[test]
    fn counts_what_a_list_of_all_events_counts(
        gaps in prop::collection::vec(prop_oneof![0..5_u64, 0..30_u64, 0..120_u64], 1..60),
    ) {
        let origin = clock::now();
        let mut window = Window::new(MINUTE, origin);
        let mut events = Vec::new();
        let mut secs = 0;
        for gap in gaps {
            secs += gap;
            let now = origin + Duration::from_secs(secs);
            window.end(Ending::Succeeded { ms: 1 }, now);
            events.push(secs);

            let oldest = (secs / 5).saturating_sub(11) * 5;
            let expected = events.iter().filter(|event| **event >= oldest).count() as u64;
            prop_assert_eq!(succeeded(&window, now), expected);
            prop_assert_eq!(window.sum(now).1, Duration::from_secs(secs - oldest));
        }
    }
}
