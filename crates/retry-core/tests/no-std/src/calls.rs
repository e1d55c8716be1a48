//! The drivers.

use core::hint::black_box as hidden;
use core::time::Duration;

use retry_core::{
    Backoff, Policy, RetryConfig, SeededEntropy, StopReason, retry_with_backoff_using,
};

use crate::decisions::Busy;
use crate::sink;

pub fn right() -> bool {
    driver() && builder()
}

fn driver() -> bool {
    let config = RetryConfig::new(hidden(3), hidden(100), hidden(5_000), hidden(2));
    let refused = RetryConfig::try_new(hidden(3), hidden(9), hidden(5), hidden(2)).is_err();
    let mut slept = 0_u64;
    let outcome: Result<u32, Busy> = retry_with_backoff_using(
        &config,
        |attempt| if hidden(attempt) < 2 { Err(Busy) } else { Ok(attempt) },
        |_error| hidden(true),
        |millis| slept = slept.saturating_add(millis),
        &mut SeededEntropy::new(hidden(5)),
    );
    refused
        && config == RetryConfig::default()
        && config.policy().floor().is_zero()
        && outcome.is_ok_and(|attempt| attempt == 2)
        && slept <= 300
}

fn builder() -> bool {
    let policy = Policy::new(Backoff::constant(hidden(Duration::from_secs(1))));
    let mut entropy = SeededEntropy::new(hidden(5));
    let mut notices = 0_u32;
    let by_itself = policy
        .call(|| hidden(Err::<u32, Busy>(Busy)))
        .sleep(|wait| _ = hidden(wait))
        .notify(|notice| notices = notices.saturating_add(notice.attempt))
        .run_using(&mut entropy);
    let once = policy
        .call(|| hidden(Err::<u32, Busy>(Busy)))
        .classify(|_: &Busy| retry_core::Failure::permanent())
        .sleep(|_wait| ())
        .run_using(&mut entropy);
    let timed = policy
        .call(|| hidden(Ok::<u32, Busy>(1)))
        .when(|_error| hidden(false))
        .sleep(|_wait| ())
        .clock(|| hidden(Duration::ZERO))
        .run_using(&mut entropy);
    let Err(spent) = by_itself else {
        return false;
    };
    let told = sink::length(&spent) != 0 && spent.attempts() == 4;
    let _: &Busy = hidden(spent.error());
    told && notices == 6
        && spent.reason() == StopReason::Attempts { made: 4 }
        && once.is_err_and(|error| matches!(error.into_error(), Busy))
        && timed.is_ok()
}
