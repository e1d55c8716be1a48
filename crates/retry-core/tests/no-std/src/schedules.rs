//! Schedules, policies, their checks, text and entropy.

use core::hint::black_box as hidden;
use core::num::NonZeroU32;
use core::time::Duration;

use retry_core::duration_text::{self, DurationText};
use retry_core::{Backoff, Entropy, Jitter, Policy, RetryAfterRule, SeededEntropy, UnitEntropy};

use crate::sink;

fn custom(retry: u32) -> Duration {
    Duration::from_nanos(u64::from(retry))
}

pub fn backoffs() -> [Backoff; 6] {
    let base = hidden(Duration::from_millis(250));
    [
        Backoff::constant(base),
        Backoff::linear(base),
        Backoff::exponential(base),
        Backoff::exponential_with(base, hidden(NonZeroU32::MAX)),
        Backoff::fibonacci(base),
        Backoff::custom(hidden(custom as fn(u32) -> Duration)),
    ]
}

pub fn right() -> bool {
    let mut right = true;
    for backoff in backoffs() {
        let capped = backoff.with_cap(hidden(Duration::from_secs(10)));
        right &= capped.delay(hidden(u32::MAX)) <= capped.cap();
        right &= capped == hidden(capped);
        right &= policies(capped);
        match capped.checked() {
            Ok(checked) => right &= checked == capped,
            Err(error) => right &= sink::length(&error) != 0 && !error.field().is_empty(),
        }
    }
    right &= Backoff::try_exponential(hidden(Duration::ZERO), hidden(0), hidden(Duration::MAX))
        .is_err_and(|error| sink::length(&error) != 0);
    right && texts() && sources()
}

fn policies(backoff: Backoff) -> bool {
    let policy = Policy::new(backoff)
        .with_jitter(hidden(Jitter::Spread(25)))
        .with_max_attempts(hidden(NonZeroU32::MIN))
        .unbounded()
        .with_max_elapsed(hidden(Duration::MAX))
        .with_retry_after(hidden(RetryAfterRule::GiveUpAbove(Duration::from_secs(60))))
        .with_floor(hidden(Duration::from_millis(1)));
    let same = policy.backoff() == backoff
        && policy.jitter() == Jitter::Spread(25)
        && policy.max_attempts().is_none()
        && policy.max_elapsed() == Duration::MAX
        && policy.retry_after() == RetryAfterRule::GiveUpAbove(Duration::from_secs(60))
        && policy.floor() == Duration::from_millis(1);
    let refused = policy.try_with_max_attempts(hidden(0)).is_err();
    let checked = match Policy::try_new(backoff).and_then(|_| policy.checked()) {
        Ok(checked) => checked == policy,
        Err(error) => sink::length(&error) != 0,
    };
    let waits = policy.delays(SeededEntropy::new(hidden(2))).take(hidden(9)).count();
    same && waits == 9 && refused && checked && Policy::default() != policy
}

fn texts() -> bool {
    let parsed = duration_text::parse(hidden("250ms"));
    let text: Result<DurationText, _> = hidden("10x").parse();
    let error_is_told = text.is_err_and(|error| sink::length(&error) != 0);
    let shown = DurationText::from(hidden(Duration::new(u64::MAX, 1)));
    let back = Duration::from(shown);
    parsed == Ok(Duration::from_millis(250))
        && error_is_told
        && sink::length(&shown) != 0
        && sink::length(&duration_text::display(hidden(back))) != 0
}

fn sources() -> bool {
    let mut seeded = SeededEntropy::new(hidden(7));
    let mut unit = UnitEntropy::new(|| hidden(0.5));
    let mut closure = || hidden(9);
    seeded.next_u64() != seeded.next_u64() && unit.next_u64() == 1 << 63 && closure.next_u64() == 9
}
