use proptest::prelude::*;

use super::*;
use crate::rate::bucket::Bucket;

const SECOND: Duration = Duration::from_secs(1);

fn meter(per_second: f64, burst: usize) -> (Meter, Instant) {
    // A day into the clock's life, so that tests can step it back.
    let now = clock::now() + Duration::from_secs(86_400);
    (Meter::new(Quota::checked(per_second, burst).expect("it is one"), now), now)
}

fn take_all(meter: &mut Meter, now: Instant) -> usize {
    std::iter::repeat_with(|| meter.ask(now)).take_while(Result::is_ok).count()
}

#[test]
fn tells_exactly_when_the_next_token_is_due() {
    let (mut meter, now) = meter(200.0, 2);
    assert_eq!(take_all(&mut meter, now), 2);
    assert_eq!(meter.ask(now), Err(now + Duration::from_millis(5)));
    assert_eq!(meter.ask(now + Duration::from_millis(2)), Err(now + Duration::from_millis(5)));
    assert_eq!(meter.ask(now + Duration::from_millis(5)), Ok(()));
}

#[test]
fn a_timer_late_by_a_millisecond_does_not_lower_the_rate() {
    let (mut meter, start) = meter(300.0, 1);
    let mut granted = take_all(&mut meter, start);
    // A caller that sleeps in whole milliseconds, as Tokio's timer does.
    for tick in 1..=1000 {
        granted += usize::from(meter.ask(start + Duration::from_millis(tick)).is_ok());
    }
    assert_eq!(granted, 300);
}

#[test]
fn a_timer_coarser_than_the_interval_lets_one_token_through_at_a_time() {
    let (mut meter, now) = meter(5000.0, 1);
    assert_eq!(take_all(&mut meter, now), 1);
    assert_eq!(meter.ask(now), Err(now + Duration::from_micros(200)));
    assert_eq!(take_all(&mut meter, now + Duration::from_millis(1)), 1);
}

#[test]
fn lateness_beyond_the_timers_is_not_made_good() {
    let (mut meter, now) = meter(10.0, 1);
    assert_eq!(take_all(&mut meter, now), 1);
    assert_eq!(meter.ask(now), Err(now + SECOND / 10));
    let late = now + SECOND;
    assert_eq!(meter.ask(late), Ok(()));
    assert_eq!(meter.ask(late), Err(late + SECOND / 10 - Duration::from_millis(1)));
}

#[test]
fn once_nobody_waits_a_late_caller_is_served_as_of_the_present() {
    let (mut meter, now) = meter(10.0, 1);
    assert_eq!(take_all(&mut meter, now), 1);
    assert_eq!(meter.ask(now), Err(now + SECOND / 10));
    meter.clear();
    assert_eq!(meter.ask(now + SECOND), Ok(()));
    assert_eq!(meter.ask(now + SECOND), Err(now + SECOND + SECOND / 10));
}

#[test]
fn a_refund_makes_the_next_token_due_one_interval_sooner() {
    let (mut meter, now) = meter(1.0, 2);
    assert_eq!(take_all(&mut meter, now), 2);
    meter.refund();
    assert_eq!(take_all(&mut meter, now), 1);
    assert_eq!(meter.ask(now), Err(now + SECOND));
}

#[test]
fn refunds_never_fill_it_beyond_the_burst() {
    let (mut meter, now) = meter(1.0, 3);
    assert_eq!(take_all(&mut meter, now), 3);
    for _ in 0..3 {
        meter.refund();
    }
    // Held for long, given back when the meter has refilled by itself.
    assert_eq!(take_all(&mut meter, now + 10 * SECOND), 3);
}

#[test]
fn a_clock_that_steps_back_locks_nobody_out_beyond_one_refill() {
    for age in [Duration::ZERO, 3600 * SECOND] {
        for step in
            [1, 1_000_000, 999_999_999, 1_000_000_000, 1_800_000_000_000, 28_800_000_000_000]
        {
            let (mut meter, start) = meter(1.0, 1);
            let now = start + age;
            assert_eq!(take_all(&mut meter, now), 1);
            let back = now - Duration::from_nanos(step);
            let _ = meter.ask(back);
            // One refill for the token, and one at most for the step.
            assert_eq!(meter.ask(back + 2 * SECOND), Ok(()), "after {age:?} and {step} ns back");
        }
    }
}

#[test]
fn a_small_step_back_is_waited_out_and_gives_nothing() {
    let (mut meter, start) = meter(1.0, 2);
    let now = start + 3600 * SECOND;
    assert_eq!(take_all(&mut meter, now), 2);
    let _ = meter.ask(now - SECOND);
    meter.clear();
    assert_eq!(meter.ask(now), Err(now + SECOND));
    assert_eq!(meter.ask(now + SECOND), Ok(()));
}

#[test]
fn a_clock_that_leaps_ahead_gives_no_more_than_the_burst() {
    let (mut meter, now) = meter(1.0, 5);
    assert_eq!(take_all(&mut meter, now), 5);
    assert_eq!(take_all(&mut meter, now + 8 * 3600 * SECOND), 5);
}

#[test]
fn the_slowest_rate_and_the_largest_burst_do_not_overflow() {
    for (rate, burst) in
        [(f64::MIN_POSITIVE, usize::MAX), (f64::MAX, usize::MAX), (1.0, usize::MAX)]
    {
        let (mut meter, now) = meter(rate, burst);
        for ahead in [0, 1, u64::MAX >> 1, u64::MAX >> 1, u64::MAX] {
            let later = now.checked_add(Duration::from_nanos(ahead)).unwrap_or(now);
            let _ = meter.ask(later);
            meter.refund();
            let _ = meter.ask(later);
        }
    }
}

proptest! {
    // Two implementations that share nothing but the quota: `governor`, and the bucket.
    #[test]
    fn agrees_with_the_token_bucket_on_every_answer(
        interval in 1..60_u32,
        burst in 1..8_usize,
        script in prop::collection::vec((0..60_000_000_u64, 0..4_u8), 1..300),
    ) {
        let quota = Quota::checked(1000.0 / f64::from(interval), burst).unwrap();
        let mut now = clock::now();
        let (mut meter, mut bucket) = (Meter::new(quota, now), Bucket::new(quota, now));
        for (gap, action) in script {
            now += Duration::from_nanos(gap);
            if action == 0 {
                meter.refund();
                bucket.refund(now);
            } else {
                let bucket = bucket.take(now).map_err(|wait| now + wait);
                meter.clear();
                prop_assert_eq!(meter.ask(now), bucket);
            }
        }
    }
}

/// Splitmix64: arrivals that look random and are the same each time.
struct Arrivals(u64);

impl Arrivals {
    fn next_gap(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }
}

/// An hour of more callers than tokens, about a million in all, who come back late or never.
#[test]
fn an_hour_of_demand_gets_the_rate_and_no_second_of_it_more_than_rate_and_burst() {
    const HOUR: u64 = 3600;
    for (rate, burst) in [(1_u32, 1_usize), (3, 1), (10, 10), (7, 3), (100, 1), (64, 200)] {
        let (mut meter, start) = meter(f64::from(rate), burst);
        let mut arrivals = Arrivals(u64::from(rate));
        let mut now = start;
        let mut granted = Vec::new();
        while now < start + Duration::from_secs(HOUR) {
            match meter.ask(now) {
                Ok(()) => granted.push(now),
                // The head of the line sleeps until its token is due, on a timer of whole
                // milliseconds; there is always somebody to take its place.
                Err(due) => {
                    let late = arrivals.next_gap(1_000_000);
                    now = due + Duration::from_nanos(late);
                    continue;
                }
            }
            if arrivals.next_gap(4) == 0 {
                now += Duration::from_nanos(arrivals.next_gap(100));
            }
        }
        let total = u64::from(rate) * HOUR;
        let count = granted.len() as u64;
        // Tokens come in whole nanoseconds, rounded up: an hour may be one token short.
        assert!((total - 1..=total + burst as u64).contains(&count), "{rate}/s: {count}");
        let most = rate as usize + burst;
        for window in granted.windows(most + 1) {
            assert!(window[most] - window[0] >= SECOND, "{rate}/s, burst {burst}");
        }
    }
}
