//! Runs, verdicts, tables and the budget.

use core::hint::black_box as hidden;
use core::time::Duration;

use retry_core::http::{self, Class, Health};
use retry_core::{
    BySelf, Classify, CodeTable, Failure, Jitter, Next, Policy, Ratio, RetryAfterRule, RetryBudget,
    Retryable, SeededEntropy, StopReason, Verdict,
};

use crate::{schedules, sink};

const JITTERS: [Jitter; 5] =
    [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Spread(255)];

const RULES: [RetryAfterRule; 4] = [
    RetryAfterRule::Ignore,
    RetryAfterRule::Clamp,
    RetryAfterRule::Exact,
    RetryAfterRule::GiveUpAbove(Duration::from_secs(3)),
];

pub struct Busy;

impl Retryable for Busy {
    fn is_transient(&self) -> bool {
        hidden(true)
    }
}

pub fn right() -> bool {
    runs() && verdicts() && statuses() && budget()
}

fn runs() -> bool {
    let mut right = true;
    let mut entropy = SeededEntropy::new(hidden(1));
    for backoff in schedules::backoffs() {
        for (jitter, rule) in JITTERS.iter().zip(RULES.iter().cycle()) {
            let policy = Policy::new(backoff)
                .with_jitter(hidden(*jitter))
                .with_retry_after(hidden(*rule))
                .with_max_elapsed(hidden(Duration::from_secs(100)));
            let mut run = policy.resume(hidden(0), hidden(Duration::ZERO));
            let failure = Failure::rate_limited(hidden(Some(Duration::from_secs(4))));
            right &= answered(run.on_failure(failure, hidden(Duration::ZERO), &mut entropy));
            right &= answered(run.on_failure(failure, hidden(Duration::MAX), &mut entropy));
            right &= run.attempts() == 2 && run.previous() <= Duration::from_secs(60);
            let mut run = policy.run();
            let failure = hidden(Failure::transient());
            right &= answered(run.on_failure(failure, hidden(Duration::ZERO), &mut || hidden(3)));
        }
    }
    right
}

fn answered(next: Next) -> bool {
    match next {
        Next::Retry { attempt, .. } => attempt != 0,
        Next::Stop(reason) => sink::length(&reason) != 0,
    }
}

fn verdicts() -> bool {
    let hint = hidden(Some(Duration::from_secs(2)));
    let failures = [
        Failure::new(hidden(Verdict::RateLimited { hint })),
        Failure::from(hidden(Verdict::Auth)),
        Failure::permanent().with_hint(hint),
        Failure::of(&Busy),
        BySelf.classify(&Busy),
        (|_: &Busy| Failure::auth()).classify(&Busy),
    ];
    let retryable = failures.iter().filter(|failure| hidden(failure).is_retryable()).count();
    let hinted = failures.iter().filter(|failure| failure.hint() == hint).count();
    let refused = failures.iter().filter(|failure| failure.verdict() == Verdict::Auth).count();
    retryable == 3 && hinted == 2 && refused == 2 && sink::length(&StopReason::Budget) != 0
}

fn statuses() -> bool {
    const CODES: CodeTable = CodeTable::new(&[3, 1, 4]);
    let hint = hidden(Some(Duration::from_secs(2)));
    let mut down = 0;
    for status in hidden(0)..=hidden(u16::MAX) {
        let class = Class::of(status);
        let transient =
            class.is_some_and(|class| class.is_transient() && class.failure(hint).is_retryable());
        let retryable = http::is_retryable(status) && http::failure(status, hint).is_retryable();
        if http::health(status) == Health::Down && transient && retryable {
            down += 1;
        }
    }
    down == 100
        && CODES.is_retryable(hidden(4))
        && !CODES.failure(hidden(5)).is_retryable()
        && http::is_safe_method(hidden("GET"))
        && http::is_idempotent_method(hidden("PUT"))
}

fn budget() -> bool {
    let ratios =
        Ratio::percent(hidden(10)) == Ratio::permille(100) && Ratio::ZERO < Ratio::basis_points(1);
    let mut budget =
        RetryBudget::new(Ratio::percent(hidden(50)), hidden(1)).with_window(hidden(Duration::MAX));
    budget.deposit(hidden(Duration::ZERO));
    let Ok(withdrawal) = budget.withdraw(hidden(Duration::from_secs(1))) else {
        return false;
    };
    let told = budget
        .withdraw(hidden(Duration::ZERO))
        .is_err_and(|exhausted| sink::length(&exhausted) != 0);
    budget.refund(withdrawal, hidden(Duration::MAX));
    ratios && told && budget.balance(hidden(Duration::MAX)) == 1
}
