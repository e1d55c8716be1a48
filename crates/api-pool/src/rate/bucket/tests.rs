use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn bucket(per_second: f64, burst: usize) -> (Bucket, Instant) {
    // A day into the clock's life, so that tests can step it back.
    let now = clock::now() + Duration::from_secs(86_400);
    (Bucket::new(Quota::checked(per_second, burst).expect("it is one"), now), now)
}

fn take_all(bucket: &mut Bucket, now: Instant) -> usize {
    std::iter::repeat_with(|| bucket.take(now)).take_while(Result::is_ok).count()
}

#[test]
fn starts_full_and_refills_one_token_per_interval() {
    let (mut bucket, now) = bucket(4.0, 3);
    assert_eq!(take_all(&mut bucket, now), 3);
    assert_eq!(bucket.take(now), Err(SECOND / 4));
    assert_eq!(bucket.take(now + SECOND / 8), Err(SECOND / 8));
    assert_eq!(take_all(&mut bucket, now + SECOND / 4), 1);
    assert_eq!(take_all(&mut bucket, now + 10 * SECOND), 3);
}

#[test]
fn a_bucket_tells_its_name_and_no_more() {
    let bucket = TokenBucket::new(4.0, 3);
    assert_eq!(format!("{bucket:?}"), "TokenBucket { .. }");
}

#[test]
fn a_refund_is_worth_one_token_and_never_more_than_the_burst() {
    let (mut bucket, now) = bucket(1.0, 2);
    bucket.refund(now);
    assert_eq!(take_all(&mut bucket, now), 2);
    bucket.refund(now);
    assert_eq!(take_all(&mut bucket, now), 1);
    assert_eq!(bucket.take(now), Err(SECOND));
}

#[test]
fn a_refund_keeps_the_fraction_that_has_refilled() {
    let (mut bucket, now) = bucket(1.0, 2);
    assert_eq!(take_all(&mut bucket, now), 2);
    bucket.refund(now + SECOND / 4);
    assert_eq!(take_all(&mut bucket, now + SECOND / 4), 1);
    assert_eq!(bucket.take(now + SECOND / 4), Err(SECOND * 3 / 4));
}

#[test]
fn a_clock_that_steps_back_locks_nobody_out_beyond_one_refill() {
    for step in [1, 1_000_000, 999_999_999, 1_000_000_000, 28_800_000_000_000] {
        let (mut bucket, now) = bucket(1.0, 1);
        assert_eq!(take_all(&mut bucket, now), 1);
        let back = now - Duration::from_nanos(step);
        let _ = bucket.take(back);
        // One refill for the token, and one at most for the step.
        assert_eq!(bucket.take(back + 2 * SECOND), Ok(()), "after a step of {step} ns");
    }
}

#[test]
fn a_clock_that_leaps_ahead_gives_no_more_than_the_burst() {
    let (mut bucket, now) = bucket(1.0, 5);
    assert_eq!(take_all(&mut bucket, now), 5);
    assert_eq!(take_all(&mut bucket, now + 8 * 3600 * SECOND), 5);
}

#[tokio::test(start_paused = true)]
async fn the_public_bucket_follows_a_paused_clock_to_the_nanosecond() {
    let bucket = TokenBucket::new(2.0, 2);
    assert_eq!(bucket.try_take(), None);
    assert_eq!(bucket.try_take(), None);
    assert_eq!(bucket.try_take(), Some(SECOND / 2));
    bucket.refund();
    assert_eq!(bucket.try_take(), None);
    tokio::time::advance(Duration::from_millis(499)).await;
    assert_eq!(bucket.try_take(), Some(Duration::from_millis(1)));
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(bucket.try_take(), None);
}

#[test]
fn threads_that_race_for_the_burst_get_exactly_the_burst() {
    let bucket = TokenBucket::new(f64::MIN_POSITIVE, 1);
    assert_eq!(bucket.try_take(), None, "the only one for 146 years");
    let bucket = TokenBucket::new(0.001, 100);
    let taken: usize = std::thread::scope(|scope| {
        let racers = [(); 4]
            .map(|()| scope.spawn(|| (0..50).filter(|_| bucket.try_take().is_none()).count()));
        racers.map(|racer| racer.join().unwrap()).into_iter().sum()
    });
    assert_eq!(taken, 100);
}

proptest! {
    // Kills: the burst counted twice, a lost fraction, a refill that is not capped.
    #[test]
    fn over_any_stretch_it_gives_what_refilled_and_at_most_the_burst_more(
        interval in 1..50_u32,
        burst in 1..8_usize,
        gaps in prop::collection::vec(0..40_u32, 1..300),
    ) {
        let interval = f64::from(interval);
        let (mut bucket, start) = bucket(1000.0 / interval, burst);
        let mut now = start;
        let mut granted = Vec::new();
        for gap in gaps {
            now += Duration::from_millis(gap.into());
            // Whoever is refused is told the exact time at which it would not be.
            match bucket.take(now) {
                Ok(()) => granted.push(now),
                Err(wait) => {
                    now += wait - Duration::from_nanos(1);
                    prop_assert_eq!(bucket.take(now), Err(Duration::from_nanos(1)));
                    now += Duration::from_nanos(1);
                    prop_assert_eq!(bucket.take(now), Ok(()));
                    granted.push(now);
                }
            }
        }
        for (from, first) in granted.iter().enumerate() {
            for (count, last) in granted[from..].iter().enumerate() {
                let refilled = (*last - *first).as_secs_f64() * 1000.0 / interval;
                prop_assert!(count as f64 + 1.0 <= refilled + burst as f64 + 1e-6);
            }
        }
    }

    // Kills: arithmetic that wraps or panics, time that runs backwards.
    #[test]
    fn a_hostile_clock_gives_no_token_that_did_not_refill(
        steps in prop::collection::vec((any::<bool>(), 0..30_000_000_000_u64), 1..200),
    ) {
        let (mut bucket, start) = bucket(1.0, 3);
        let mut now = start;
        let mut forward = Duration::ZERO;
        let mut taken = 0_u32;
        for (back, nanos) in steps {
            let step = Duration::from_nanos(nanos);
            if back {
                now = now.checked_sub(step).unwrap_or(now);
            } else {
                now += step;
                forward += step;
            }
            taken += u32::from(bucket.take(now).is_ok());
        }
        prop_assert!(f64::from(taken) <= forward.as_secs_f64() + 3.0);
    }
}
