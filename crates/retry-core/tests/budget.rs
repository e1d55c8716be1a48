//! The budget for retries: how much it pays, when, and what it takes back.

mod support;

use std::time::Duration;

use proptest::prelude::*;
use retry_core::{Ratio, RetryBudget, Withdrawal};
use support::{ms, secs};

const T0: Duration = secs(1_000);

/// Withdraws until nothing is left.
fn drain(budget: &mut RetryBudget, now: Duration) -> u64 {
    let mut paid = 0;
    while budget.withdraw(now).is_ok() {
        paid += 1;
    }
    paid
}

fn deposits(budget: &mut RetryBudget, calls: u32, now: Duration) {
    for _ in 0..calls {
        budget.deposit(now);
    }
}

/// Calls in their ten-thousands: the share that retries is exact, for any ratio.
#[test]
fn ten_thousand_calls_pay_for_exactly_their_share() {
    let shares =
        [1, 10, 100, 1_000, 2_500, 5_000, 7_500, 9_900, 9_990, 9_999, 10_000, 15_000, 20_000];
    for share in shares {
        let mut budget = RetryBudget::new(Ratio::basis_points(share), 0);
        deposits(&mut budget, 10_000, T0);
        assert_eq!(budget.balance(T0), u64::from(share));
        assert_eq!(drain(&mut budget, T0), u64::from(share));
    }
}

#[test]
fn a_reserve_comes_on_top_and_alone() {
    let mut only_reserve = RetryBudget::new(Ratio::ZERO, 10).with_window(secs(1));
    deposits(&mut only_reserve, 10_000, T0);
    assert_eq!(drain(&mut only_reserve, T0), 10);

    let mut both = RetryBudget::new(Ratio::percent(50), 10).with_window(secs(2));
    deposits(&mut both, 10_000, T0);
    assert_eq!(drain(&mut both, T0), 5_010);

    let mut neither = RetryBudget::new(Ratio::ZERO, 0);
    deposits(&mut neither, 10_000, T0);
    assert_eq!(drain(&mut neither, T0), 0);

    let mut five = RetryBudget::new(Ratio::ZERO, 5);
    assert_eq!([0; 6].map(|_| five.withdraw(T0).is_ok()), [true, true, true, true, true, false]);
}

/// Calls that all fail and want a retry each: one that can be paid is paid.
#[test]
fn a_failing_stream_of_calls_gets_its_ratio_and_no_more() {
    let calls = 100_000_u32;
    for permille in [10, 100, 300, 600, 900, 1_000, 1_500] {
        for reserve in [0, 10] {
            let mut budget =
                RetryBudget::new(Ratio::permille(permille), reserve).with_window(Duration::MAX);
            let mut retries = 0_u64;
            for call in 0..calls {
                let now = T0 + ms(call.into());
                budget.deposit(now);
                // Two attempts to retry, so that a ratio above one can be spent.
                retries += u64::from(budget.withdraw(now).is_ok());
                retries += u64::from(budget.withdraw(now).is_ok());
            }
            let allowed = u64::from(calls) * u64::from(permille) / 1_000 + u64::from(reserve);
            assert!(retries <= allowed, "{permille}: {retries} of {allowed}");
            assert!(allowed * 95 / 100 <= retries, "{permille}: {retries} of {allowed}");
        }
    }
}

#[test]
fn a_thousand_simultaneous_failures_at_a_fifth_schedule_two_hundred_retries() {
    let mut budget = RetryBudget::new(Ratio::percent(20), 0);
    deposits(&mut budget, 1_000, T0);
    let scheduled: Vec<Withdrawal> = (0..1_000).filter_map(|_| budget.withdraw(T0).ok()).collect();
    assert_eq!(scheduled.len(), 200);

    // Fifty of them go away during their wait: fifty others can retry, and no more.
    for withdrawal in scheduled.into_iter().take(50) {
        budget.refund(withdrawal, T0 + ms(300));
    }
    assert_eq!(drain(&mut budget, T0 + ms(300)), 50);
}

#[test]
fn half_a_retry_is_none_and_two_halves_are_one() {
    let mut budget = RetryBudget::new(Ratio::percent(50), 0).with_window(secs(1));
    budget.deposit(T0);
    assert!(budget.withdraw(T0).is_err());
    budget.deposit(T0);
    assert!(budget.withdraw(T0 + ms(899)).is_ok());
    assert!(budget.withdraw(T0 + ms(899)).is_err());
}

#[test]
fn a_share_and_a_piece_of_the_reserve_add_up() {
    let mut budget = RetryBudget::new(Ratio::percent(50), 1);
    budget.deposit(T0);
    // One from the half share and half the reserve; half the reserve stays.
    let withdrawal = budget.withdraw(T0).unwrap();
    assert!(budget.withdraw(T0).is_err());
    budget.deposit(T0);
    let other = budget.withdraw(T0).unwrap();
    assert_eq!(budget.balance(T0), 0);
    budget.refund(withdrawal, T0);
    budget.refund(other, T0);
    assert_eq!(budget.balance(T0), 2);
}

/// Shares live between nine tenths of the window and the whole of it.
#[test]
fn shares_expire_with_the_window() {
    let mut budget = RetryBudget::new(Ratio::percent(100), 0).with_window(secs(1));
    // A tenth of a second ends at a multiple of 100 ms of the clock.
    for (paid_at, last_moment) in [(T0, ms(999)), (T0 + ms(99), ms(900))] {
        let mut lives = budget.clone();
        lives.deposit(paid_at);
        assert_eq!(lives.clone().balance(paid_at + last_moment), 1, "{last_moment:?}");
        assert_eq!(lives.balance(paid_at + last_moment + ms(1)), 0, "{last_moment:?}");
    }
    budget.deposit(T0);
    assert_eq!(budget.balance(T0 + secs(3)), 0);
}

/// At the origin of the clock nothing has been rotated away yet.
#[test]
fn a_new_budget_holds_nothing_but_its_reserve() {
    let origin = Duration::ZERO;
    let mut nearly = RetryBudget::new(Ratio::basis_points(9_999), 0);
    nearly.deposit(origin);
    assert!(nearly.withdraw(origin).is_err());
    let mut reserve = RetryBudget::new(Ratio::ZERO, 1);
    assert!(reserve.withdraw(origin).is_ok());
    assert!(reserve.withdraw(origin).is_err());
    let mut share = RetryBudget::new(Ratio::percent(100), 0);
    share.deposit(origin);
    assert_eq!(share.balance(Duration::new(9, 999_999_999)), 1);
    assert_eq!(share.balance(secs(10)), 0);
}

#[test]
fn the_window_is_ten_seconds_unless_set() {
    let mut budget = RetryBudget::new(Ratio::percent(100), 0);
    budget.deposit(T0);
    let nearly = Duration::new(9, 999_999_999);
    assert_eq!(budget.balance(T0 + nearly), 1);
    assert_eq!(budget.balance(T0 + secs(10)), 0);
}

/// The reserve is there once per window, however it is asked for.
#[test]
fn the_reserve_comes_back_after_a_window_and_not_before() {
    let mut budget = RetryBudget::new(Ratio::ZERO, 3).with_window(secs(10));
    assert_eq!(drain(&mut budget, T0), 3);
    assert_eq!(drain(&mut budget, T0 + ms(9_999)), 0);
    assert_eq!(drain(&mut budget, T0 + secs(10)), 3);
    assert_eq!(drain(&mut budget, T0 + secs(10_000)), 3, "and does not pile up");
}

#[test]
fn the_oldest_shares_are_spent_first() {
    let mut budget = RetryBudget::new(Ratio::percent(100), 0).with_window(secs(10));
    budget.deposit(T0);
    budget.deposit(T0 + secs(5));
    assert!(budget.withdraw(T0 + secs(5)).is_ok());
    // The one of T0 is gone anyway; the younger one is still there.
    assert_eq!(budget.balance(T0 + secs(12)), 1);
}

/// A retry that two old halves paid for goes back to both.
#[test]
fn a_refund_does_not_make_shares_younger() {
    let mut budget = RetryBudget::new(Ratio::percent(50), 0).with_window(secs(10));
    budget.deposit(T0);
    budget.deposit(T0 + secs(5));
    let withdrawal = budget.withdraw(T0 + secs(6)).unwrap();
    budget.refund(withdrawal, T0 + secs(9));
    assert_eq!(budget.balance(T0 + secs(9)), 1);
    assert_eq!(budget.balance(T0 + secs(10)), 0, "the older half has expired");
    budget.deposit(T0 + secs(10));
    assert_eq!(budget.balance(T0 + secs(10)), 1, "the younger half has not");
}

#[test]
fn what_expired_meanwhile_is_not_given_back() {
    let mut budget = RetryBudget::new(Ratio::percent(100), 1).with_window(secs(10));
    budget.deposit(T0);
    let share = budget.withdraw(T0).unwrap();
    let reserve = budget.withdraw(T0).unwrap();
    let later = T0 + secs(20);
    budget.refund(share, later);
    budget.refund(reserve, later);
    assert_eq!(budget.balance(later), 1, "the reserve alone, once");
}

#[test]
fn a_refund_of_the_reserve_fills_it_and_no_more() {
    let mut budget = RetryBudget::new(Ratio::ZERO, 2);
    let withdrawal = budget.withdraw(T0).unwrap();
    budget.refund(withdrawal, T0 + secs(3));
    assert_eq!(budget.balance(T0 + secs(3)), 2);
}

#[test]
fn successes_fill_an_empty_budget_again() {
    let mut budget = RetryBudget::new(Ratio::percent(10), 0);
    assert!(budget.withdraw(T0).is_err());
    deposits(&mut budget, 100, T0 + secs(1));
    assert_eq!(budget.balance(T0 + secs(1)), 10);
}

/// A clock set back: no panic, no lock-out for longer than a window, no free burst.
#[test]
fn a_clock_that_steps_back_neither_locks_out_nor_gives_away() {
    let steps = [Duration::from_nanos(1), ms(999), secs(1), secs(9), secs(11), secs(8 * 3_600)];
    for step in steps {
        let start = secs(100_000);
        let mut budget = RetryBudget::new(Ratio::ZERO, 3).with_window(secs(10));
        assert_eq!(drain(&mut budget, start), 3);
        let now = start - step;
        assert_eq!(drain(&mut budget, now), 0, "no burst after {step:?}");
        let back = now + secs(20);
        assert_eq!(drain(&mut budget, back), 3, "no lock-out after {step:?}");
    }
}

/// Exactly a window back is a new start: the reserve is back a window later.
#[test]
fn a_step_back_of_a_whole_window_starts_the_clock_anew() {
    let mut budget = RetryBudget::new(Ratio::ZERO, 3).with_window(secs(10));
    assert_eq!(drain(&mut budget, secs(100)), 3);
    assert_eq!(drain(&mut budget, secs(90)), 0);
    assert_eq!(drain(&mut budget, secs(100)), 3);
}

#[test]
fn a_clock_that_jumps_ahead_and_back_locks_nobody_out() {
    let mut budget = RetryBudget::new(Ratio::ZERO, 3).with_window(secs(10));
    assert_eq!(drain(&mut budget, secs(100)), 3);
    assert_eq!(drain(&mut budget, secs(100 + 8 * 3_600)), 3, "never more than the reserve");
    assert_eq!(drain(&mut budget, secs(105)), 0);
    assert_eq!(drain(&mut budget, secs(116)), 3);
}

/// Threads that read the clock and come here in another order do not age the shares.
#[test]
fn small_steps_back_and_forth_do_not_pass_time() {
    let mut budget = RetryBudget::new(Ratio::percent(100), 0).with_window(secs(10));
    budget.deposit(secs(100));
    for _ in 0..1_000 {
        assert_eq!(budget.balance(secs(101)), 1);
        assert_eq!(budget.balance(ms(100_999)), 1);
    }
}

#[test]
fn extreme_windows_and_times_do_no_harm() {
    let times = [Duration::ZERO, Duration::from_nanos(1), secs(1), Duration::MAX];
    for window in times {
        for now in times {
            let ratio = Ratio::basis_points(u32::MAX);
            let mut budget = RetryBudget::new(ratio, u32::MAX).with_window(window);
            budget.deposit(now);
            let paid = u64::from(u32::MAX) + u64::from(u32::MAX) / 10_000;
            assert_eq!(budget.balance(now), paid, "{window:?} {now:?}");
            let withdrawal = budget.withdraw(now).unwrap();
            budget.refund(withdrawal, Duration::MAX);
        }
    }
}

#[test]
fn a_budget_without_an_end_of_its_window_keeps_everything() {
    let mut budget = RetryBudget::new(Ratio::percent(100), 0).with_window(Duration::MAX);
    budget.deposit(Duration::ZERO);
    assert_eq!(budget.balance(secs(1 << 30)), 1);
}

#[test]
fn ratios_are_the_same_in_every_unit() {
    assert_eq!(Ratio::percent(150), Ratio::basis_points(15_000));
    assert_eq!(Ratio::permille(15), Ratio::basis_points(150));
    assert_eq!(Ratio::percent(u32::MAX), Ratio::permille(u32::MAX), "the largest there is");
    assert!(Ratio::ZERO < Ratio::basis_points(1));
}

/// What a caller can do with a budget.
#[derive(Clone, Copy, Debug)]
enum Step {
    Deposit,
    Withdraw,
    Refund,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Deposit),
        3 => Just(Step::Withdraw),
        1 => Just(Step::Refund),
        2 => (0..4_000_u64).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    // A naive model that remembers every event.
    //
    // Kills: shares that live too long or too short, a reserve that is not limited per
    // window, a refund counted twice, a withdrawal that takes too little.
    #[test]
    fn retries_never_exceed_what_the_window_pays(
        steps in proptest::collection::vec(step(), 1..120),
        percent in 0..200_u32,
        reserve in 0..4_u32,
    ) {
        let window = secs(10);
        let mut budget = RetryBudget::new(Ratio::percent(percent), reserve).with_window(window);
        let mut now = T0;
        let mut calls: Vec<Duration> = Vec::new();
        let mut retries: Vec<Duration> = Vec::new();
        let mut held: Vec<(Withdrawal, usize)> = Vec::new();
        for step in steps {
            match step {
                Step::Wait(millis) => now += ms(millis),
                Step::Deposit => {
                    budget.deposit(now);
                    calls.push(now);
                }
                Step::Withdraw => if let Ok(withdrawal) = budget.withdraw(now) {
                    held.push((withdrawal, retries.len()));
                    retries.push(now);
                },
                // While the retry is in the span that is counted below.
                Step::Refund => if let Some((withdrawal, index)) = held.pop()
                    && now - retries[index] < secs(9)
                {
                    budget.refund(withdrawal, now);
                    retries.remove(index);
                },
            }
            // What was retried in the last nine seconds was paid by calls of the ten
            // seconds before each, and by the reserve once.
            let recent = |events: &[Duration], span| {
                events.iter().filter(|at| now < **at + span).count() as u64
            };
            let paid = recent(&calls, secs(19)) * u64::from(percent) / 100 + u64::from(reserve);
            prop_assert!(recent(&retries, secs(9)) <= paid);
        }
    }
}
