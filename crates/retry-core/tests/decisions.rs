//! What a run answers, in which order it checks, and that it can be replayed.

mod support;

use std::time::Duration;

use proptest::prelude::*;
use retry_core::{
    Backoff, BySelf, Classify, Failure, Jitter, Next, Origin, Policy, RetryAfterRule, Retryable,
    Run, SeededEntropy, StopReason, Verdict,
};
use support::{ms, secs};

fn policy() -> Policy {
    Policy::new(Backoff::exponential(ms(250)).with_cap(secs(10)))
        .with_jitter(Jitter::None)
        .with_max_attempts(4.try_into().expect("not zero"))
}

fn decide(run: &mut Run<'_>, failure: Failure, elapsed: Duration) -> Next {
    run.on_failure(failure, elapsed, &mut || 0)
}

fn retry(next: Next) -> (Duration, u32, Origin) {
    match next {
        Next::Retry { after, attempt, origin, .. } => (after, attempt, origin),
        Next::Stop(reason) => panic!("stopped: {reason}"),
    }
}

#[test]
fn a_failing_run_tells_wait_number_and_origin_and_then_why_it_ends() {
    let policy = policy();
    let mut run = policy.run();
    let failure = Failure::transient();
    assert_eq!((run.attempts(), run.previous()), (0, Duration::ZERO));
    assert_eq!(retry(decide(&mut run, failure, secs(0))), (ms(250), 1, Origin::Schedule));
    let hinted = Failure::rate_limited(Some(secs(5)));
    assert_eq!(retry(decide(&mut run, hinted, secs(1))), (secs(5), 2, Origin::Hint));
    let long = Failure::transient().with_hint(Some(secs(11)));
    assert_eq!(retry(decide(&mut run, long, secs(7))), (secs(10), 3, Origin::ClampedHint));
    let end = Next::Stop(StopReason::Attempts { made: 4 });
    assert_eq!(decide(&mut run, failure, secs(18)), end);
    assert_eq!(run.attempts(), 4);
    assert_eq!(run.previous(), secs(10));
}

/// A hint takes the place of the delay; the schedule goes on with the number of the retry.
#[test]
fn a_hint_neither_stops_nor_restarts_the_schedule() {
    let policy = policy();
    let mut run = policy.run();
    let hinted = Failure::rate_limited(Some(ms(1)));
    assert_eq!(retry(decide(&mut run, hinted, secs(0))).0, ms(1));
    assert_eq!(retry(decide(&mut run, Failure::transient(), secs(0))).0, ms(500));
}

#[test]
fn a_hint_equal_to_the_cap_is_not_called_clamped() {
    let policy = policy();
    let at_cap = Failure::rate_limited(Some(secs(10)));
    assert_eq!(retry(decide(&mut policy.run(), at_cap, secs(0))), (secs(10), 1, Origin::Hint));
    let above = Failure::rate_limited(Some(secs(10) + Duration::from_nanos(1)));
    let clamped = (secs(10), 1, Origin::ClampedHint);
    assert_eq!(retry(decide(&mut policy.run(), above, secs(0))), clamped);
}

#[test]
fn final_failures_end_a_run_whatever_is_left() {
    for failure in [Failure::auth(), Failure::permanent()] {
        let failure = failure.with_hint(Some(secs(1)));
        let policy = policy().unbounded().with_retry_after(RetryAfterRule::Exact);
        let next = decide(&mut policy.run(), failure, secs(0));
        assert_eq!(next, Next::Stop(StopReason::NotRetryable));
    }
}

/// Retryable, attempts, hint, time: each check is made before the next one.
#[test]
fn the_first_reason_to_stop_is_the_one_told() {
    let limited =
        policy().with_max_elapsed(secs(10)).with_retry_after(RetryAfterRule::GiveUpAbove(secs(60)));
    let long = Failure::transient().with_hint(Some(secs(61)));
    let stop = |made, failure| match decide(
        &mut limited.resume(made, Duration::ZERO),
        failure,
        secs(11),
    ) {
        Next::Stop(reason) => reason,
        next => panic!("{next:?}"),
    };
    let hint = StopReason::HintTooLong { hint: secs(61), limit: secs(60) };
    let late = StopReason::Elapsed { elapsed: secs(11), wait: ms(250), limit: secs(10) };

    assert_eq!(stop(3, Failure::permanent()), StopReason::NotRetryable);
    assert_eq!(stop(3, long), StopReason::Attempts { made: 4 });
    assert_eq!(stop(0, long), hint);
    assert_eq!(stop(0, Failure::transient()), late);
}

#[test]
fn an_attempt_may_start_exactly_at_the_limit_and_not_later() {
    let limited = policy().with_max_elapsed(secs(15));
    let hinted = Failure::rate_limited(Some(secs(5)));
    assert_eq!(retry(decide(&mut limited.run(), hinted, secs(10))).0, secs(5));
    let late = secs(10) + Duration::from_nanos(1);
    let reason = StopReason::Elapsed { elapsed: late, wait: secs(5), limit: secs(15) };
    assert_eq!(decide(&mut limited.run(), hinted, late), Next::Stop(reason));
}

#[test]
fn a_hint_longer_than_the_time_left_ends_the_run_with_both_numbers() {
    let limited = policy().with_max_elapsed(secs(15)).with_retry_after(RetryAfterRule::Exact);
    let hinted = Failure::rate_limited(Some(secs(3_600)));
    let reason = StopReason::Elapsed { elapsed: secs(1), wait: secs(3_600), limit: secs(15) };
    assert_eq!(decide(&mut limited.run(), hinted, secs(1)), Next::Stop(reason));
}

#[test]
fn no_limit_on_the_time_is_never_reached() {
    let policy = policy().with_max_elapsed(Duration::MAX).with_retry_after(RetryAfterRule::Exact);
    let hinted = Failure::rate_limited(Some(Duration::MAX));
    let (after, ..) = retry(decide(&mut policy.run(), hinted, Duration::MAX));
    assert_eq!(after, Duration::MAX);
}

/// With jitter, the draw itself may be what does not fit.
#[test]
fn a_drawn_wait_that_does_not_fit_is_the_one_told() {
    let policy = Policy::new(Backoff::constant(secs(8)))
        .with_jitter(Jitter::Equal)
        .with_max_elapsed(secs(6));
    let at = |bits| policy.run().on_failure(Failure::transient(), secs(0), &mut || bits);
    assert_eq!(retry(at(0)).0, secs(4));
    let reason = StopReason::Elapsed { elapsed: secs(0), wait: secs(8), limit: secs(6) };
    assert_eq!(at(u64::MAX), Next::Stop(reason));
}

#[test]
fn one_attempt_means_no_retry() {
    let once = policy().with_max_attempts(1.try_into().unwrap());
    let next = decide(&mut once.run(), Failure::transient(), secs(0));
    assert_eq!(next, Next::Stop(StopReason::Attempts { made: 1 }));
}

#[test]
fn an_attempt_counts_whatever_its_failure_was() {
    let policy = policy();
    let mut run = policy.run();
    let _ = decide(&mut run, Failure::permanent(), secs(0));
    let _ = decide(&mut run, Failure::auth(), secs(0));
    assert_eq!(run.attempts(), 2);
    assert_eq!(
        retry(decide(&mut run, Failure::transient(), secs(0))),
        (secs(1), 3, Origin::Schedule)
    );
}

#[test]
fn every_reason_is_told_with_its_numbers() {
    let reasons = [
        (StopReason::Attempts { made: 1 }, "the only attempt failed"),
        (StopReason::Attempts { made: 3 }, "all 3 attempts failed"),
        (StopReason::Budget, "the retry budget is spent"),
        (
            StopReason::Elapsed { elapsed: secs(11), wait: ms(4_500), limit: secs(15) },
            "a wait of 4500ms after 11s would end after the limit of 15s",
        ),
        (
            StopReason::HintTooLong { hint: secs(3_600), limit: secs(60) },
            "the server asks to wait 1h, more than the limit of 1m",
        ),
        (StopReason::NotRetryable, "the failure is not retryable"),
        (StopReason::Unsafe, "a repetition could repeat the operation's effect"),
    ];
    for (reason, text) in reasons {
        assert_eq!(reason.to_string(), text);
    }
}

#[test]
fn a_verdict_and_its_failure_are_the_same_thing() {
    let hint = Some(secs(2));
    let verdicts = [
        (Verdict::Transient, true, None),
        (Verdict::RateLimited { hint }, true, hint),
        (Verdict::RateLimited { hint: None }, true, None),
        (Verdict::Auth, false, None),
        (Verdict::Permanent, false, None),
    ];
    for (verdict, retryable, hint) in verdicts {
        let failure = Failure::from(verdict);
        assert_eq!(failure, Failure::new(verdict));
        assert_eq!(failure.verdict(), verdict);
        assert_eq!(failure.is_retryable(), retryable);
        assert_eq!(failure.hint(), hint);
    }
}

#[test]
fn a_hint_of_zero_is_no_hint() {
    let none = Some(Duration::ZERO);
    assert_eq!(Failure::rate_limited(none), Failure::rate_limited(None));
    assert_eq!(Failure::transient().with_hint(none), Failure::transient());
    let policy = policy();
    let (after, _, origin) = retry(decide(&mut policy.run(), Failure::rate_limited(none), secs(0)));
    assert_eq!((after, origin), (ms(250), Origin::Schedule));
}

struct Told {
    transient: bool,
    hint: Option<Duration>,
}

impl Retryable for Told {
    fn is_transient(&self) -> bool {
        self.transient
    }

    fn retry_after(&self) -> Option<Duration> {
        self.hint
    }
}

struct Untold;

impl Retryable for Untold {
    fn is_transient(&self) -> bool {
        true
    }
}

#[test]
fn a_hint_equal_to_the_limit_is_not_given_up_on() {
    let patient = policy().with_retry_after(RetryAfterRule::GiveUpAbove(secs(9)));
    let at_limit = Failure::transient().with_hint(Some(secs(9)));
    let (after, _, origin) = retry(decide(&mut patient.run(), at_limit, Duration::ZERO));
    assert_eq!((after, origin), (secs(9), Origin::Hint));
}

#[test]
fn an_error_is_asked_for_its_class_and_its_hint() {
    let hint = Some(secs(4));
    let busy = Told { transient: true, hint };
    let broken = Told { transient: false, hint };
    assert_eq!(Failure::of(&busy), Failure::transient().with_hint(hint));
    assert_eq!(BySelf.classify(&broken), Failure::permanent().with_hint(hint));
    assert_eq!(Failure::of(&&busy), Failure::of(&busy), "a reference says what its error says");
    assert_eq!(Failure::of(&&broken), Failure::of(&broken), "for good as well");
    assert_eq!(Failure::of(&Untold), Failure::transient(), "no hint unless told");
    assert_eq!(Untold.retry_after(), None);
    let dynamic: &dyn Retryable = &busy;
    assert_eq!(Failure::of(dynamic), Failure::of(&busy));
}

/// One failure of a recorded run.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    failure: Failure,
    elapsed: Duration,
    bits: u64,
}

fn recorded() -> impl Strategy<Value = Recorded> {
    (0..4_u8, 0..20_u64, 0..30_u64, any::<u64>()).prop_map(|(kind, hint, elapsed, bits)| {
        let hint = Some(secs(hint));
        let failure = match kind {
            0 => Failure::transient(),
            1 => Failure::rate_limited(hint),
            2 => Failure::transient().with_hint(hint),
            _ => Failure::permanent(),
        };
        Recorded { failure, elapsed: secs(elapsed), bits }
    })
}

proptest! {
    // Kills: state in a run that `resume` does not restore, or a hidden source of chance.
    #[test]
    fn recorded_numbers_give_the_same_decisions_from_any_point(
        script in proptest::collection::vec(recorded(), 1..12),
        jitter in prop_oneof![
            Just(Jitter::Full), Just(Jitter::Decorrelated), Just(Jitter::Spread(25)),
        ],
        cut in 0..12_usize,
    ) {
        let policy = policy()
            .with_jitter(jitter)
            .with_max_attempts(9.try_into().expect("not zero"))
            .with_max_elapsed(secs(40));
        let play = |run: &mut Run<'_>, script: &[Recorded]| -> Vec<Next> {
            script.iter().map(|r| run.on_failure(r.failure, r.elapsed, &mut || r.bits)).collect()
        };
        let whole = play(&mut policy.run(), &script);
        prop_assert_eq!(&play(&mut policy.run(), &script), &whole);

        let (head, tail) = script.split_at(cut.min(script.len()));
        let mut first = policy.run();
        let mut pieces = play(&mut first, head);
        let mut second = policy.resume(first.attempts(), first.previous());
        pieces.extend(play(&mut second, tail));
        prop_assert_eq!(pieces, whole);
    }
}

#[test]
fn the_waits_one_after_the_other_are_those_of_a_run() {
    for jitter in [Jitter::None, Jitter::Full, Jitter::Decorrelated, Jitter::Spread(25)] {
        let policy = policy().with_jitter(jitter).with_max_attempts(12.try_into().unwrap());
        let mut entropy = SeededEntropy::new(6);
        let mut run = policy.run();
        let mut waits = Vec::new();
        while let Next::Retry { after, .. } =
            run.on_failure(Failure::transient(), secs(0), &mut entropy)
        {
            waits.push(after);
        }
        assert_eq!(waits.len(), 11);
        let mut delays = policy.delays(SeededEntropy::new(6));
        assert_eq!(delays.by_ref().collect::<Vec<_>>(), waits, "{jitter:?}");
        assert_eq!(delays.next(), None, "and it stays at its end");
    }
    assert_eq!(policy().unbounded().delays(|| 0).take(1_000).count(), 1_000);
    let once = policy().with_max_attempts(1.try_into().unwrap());
    assert_eq!(once.delays(|| 0).next(), None);
}

/// Sync, async and simulated shells hold the same machine: a seed is a whole history.
#[test]
fn one_seed_is_one_history() {
    let policy = policy().with_jitter(Jitter::Full).unbounded();
    let history = |seed| {
        let mut entropy = SeededEntropy::new(seed);
        let mut run = policy.run();
        [0; 20].map(|_| run.on_failure(Failure::transient(), secs(0), &mut entropy))
    };
    assert_eq!(history(1), history(1));
    assert_ne!(history(1), history(2));
}
