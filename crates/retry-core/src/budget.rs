//! A budget for retries: a share of the calls, plus a reserve.

use core::num::NonZeroU64;
use core::time::Duration;

use crate::nanos;

/// What one retry costs, in ten-thousandths.
const RETRY: u64 = 10_000;
const SLOTS: NonZeroU64 = NonZeroU64::MIN.saturating_add(9);
const SLOT_COUNT: usize = SLOTS.get() as usize;

const ONE_SECOND: NonZeroU64 = NonZeroU64::MIN.saturating_add(999_999_999);

/// How many retries a number of calls pays for, exact to a ten-thousandth.
///
/// # Examples
///
/// ```
/// use retry_core::Ratio;
///
/// // One retry for five calls.
/// assert_eq!(Ratio::percent(20), Ratio::permille(200));
/// assert_eq!(Ratio::percent(20), Ratio::basis_points(2_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio {
    basis_points: u32,
}

impl Ratio {
    /// Calls pay for no retries; only a reserve does.
    pub const ZERO: Self = Self::basis_points(0);

    /// Retries per 100 calls.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::Ratio;
    ///
    /// assert!(Ratio::percent(150) > Ratio::percent(100), "more retries than calls");
    /// ```
    #[must_use]
    pub const fn percent(retries: u32) -> Self {
        Self::basis_points(retries.saturating_mul(100))
    }

    /// Retries per 1,000 calls.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::Ratio;
    ///
    /// assert_eq!(Ratio::permille(15), Ratio::basis_points(150));
    /// ```
    #[must_use]
    pub const fn permille(retries: u32) -> Self {
        Self::basis_points(retries.saturating_mul(10))
    }

    /// Retries per 10,000 calls.
    #[must_use]
    pub const fn basis_points(retries: u32) -> Self {
        Self { basis_points: retries }
    }
}

/// Limits the retries of many calls together, so that an outage is not met with a multiple
/// of the usual traffic.
///
/// A limit per call cannot do that: with three retries each, a server that fails gets four
/// times the requests. A budget lets a share of the calls retry, whatever their number,
/// and a reserve that keeps a rarely used client able to retry at all.
///
/// Each call [deposits](Self::deposit) its share; each retry [withdraws](Self::withdraw) one
/// when it is *scheduled*; a wait that is cancelled gives its share [back](Self::refund).
/// Shares expire after a window, so a quiet night does not pay for a storm in the morning.
/// In every window there are at most `reserve` retries more than the calls paid for.
///
/// The budget has no clock: `now` is the time since any origin, the same one for all calls.
/// Time may stand still, jump, or step back; a step back of less than a window counts as
/// standing still, one of more counts as a new start of the clock.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Ratio, RetryBudget};
///
/// let mut budget = RetryBudget::new(Ratio::percent(50), 0);
/// let now = Duration::from_secs(7);
///
/// budget.deposit(now);
/// assert!(budget.withdraw(now).is_err(), "half a retry is none");
/// budget.deposit(now);
/// let withdrawal = budget.withdraw(now)?;
/// assert!(budget.withdraw(now).is_err());
///
/// // The caller went away during the wait.
/// budget.refund(withdrawal, now);
/// assert_eq!(budget.balance(now), 1);
/// # Ok::<(), retry_core::BudgetExhausted>(())
/// ```
#[derive(Clone, Debug)]
pub struct RetryBudget {
    /// What one call pays for.
    share: u64,
    reserve: u64,
    /// The length of a slot: a tenth of the window.
    slot_nanos: NonZeroU64,
    /// The number of the youngest slot, since the origin of the clock.
    head: u64,
    /// The youngest slot first.
    slots: [Slot; SLOT_COUNT],
}

/// What happened during a tenth of the window, in ten-thousandths of a retry.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Deposited and not yet withdrawn.
    credit: u64,
    /// Taken from the reserve.
    drawn: u64,
}

/// The retry is not paid for. See [`RetryBudget::withdraw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the retry budget is spent")]
#[non_exhaustive]
pub struct BudgetExhausted;

/// A retry that a budget paid for.
///
/// Drop it when the retry is made; give it to [`RetryBudget::refund`] when its wait was
/// cancelled.
#[derive(Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// From the shares of each slot, the youngest first.
    credit: [u64; SLOT_COUNT],
    drawn: u64,
    /// The number of the youngest slot at that time.
    head: u64,
}

impl RetryBudget {
    /// A budget of `ratio` retries per call plus `reserve` retries, per window of 10 s.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Ratio, RetryBudget};
    ///
    /// let mut budget = RetryBudget::new(Ratio::percent(20), 3);
    /// assert_eq!(budget.balance(Duration::ZERO), 3, "the reserve is there from the start");
    /// ```
    #[must_use]
    pub const fn new(ratio: Ratio, reserve: u32) -> Self {
        Self {
            share: ratio.basis_points as u64,
            reserve: reserve as u64 * RETRY,
            slot_nanos: ONE_SECOND,
            head: 0,
            slots: [Slot { credit: 0, drawn: 0 }; SLOT_COUNT],
        }
    }

    /// Lets shares expire after `window`, to within a tenth of it. Default: 10 s.
    ///
    /// [`Duration::MAX`] means never. A window of less than 10 ns counts as 10 ns.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Ratio, RetryBudget};
    ///
    /// let mut budget = RetryBudget::new(Ratio::percent(100), 0).with_window(Duration::from_secs(60));
    /// budget.deposit(Duration::ZERO);
    /// assert_eq!(budget.balance(Duration::from_secs(59)), 1);
    /// assert_eq!(budget.balance(Duration::from_secs(60)), 0);
    /// ```
    #[must_use]
    pub const fn with_window(self, window: Duration) -> Self {
        let slot_nanos = match nanos::at_least(window) {
            nanos::UNLIMITED => NonZeroU64::MAX,
            nanos => match NonZeroU64::new(nanos / SLOTS.get()) {
                Some(slot_nanos) => slot_nanos,
                None => NonZeroU64::MIN,
            },
        };
        Self { slot_nanos, ..self }
    }

    /// Reports a call (not a retry), which pays its share.
    pub fn deposit(&mut self, now: Duration) {
        self.advance(now);
        let [youngest, ..] = &mut self.slots;
        youngest.credit = youngest.credit.saturating_add(self.share);
    }

    /// Pays for a retry, from the oldest shares first, then from the reserve.
    ///
    /// # Errors
    ///
    /// [`BudgetExhausted`] if shares and reserve together do not hold one retry. Nothing
    /// is taken then.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Ratio, RetryBudget};
    ///
    /// let mut budget = RetryBudget::new(Ratio::ZERO, 1);
    /// assert!(budget.withdraw(Duration::ZERO).is_ok());
    /// let refused = budget.withdraw(Duration::ZERO).unwrap_err();
    /// assert_eq!(refused.to_string(), "the retry budget is spent");
    /// ```
    pub fn withdraw(&mut self, now: Duration) -> Result<Withdrawal, BudgetExhausted> {
        self.advance(now);
        let (credit, reserve) = self.available();
        if credit.saturating_add(reserve) < RETRY {
            return Err(BudgetExhausted);
        }

        let mut owed = RETRY;
        let mut taken = [0; SLOT_COUNT];
        for (slot, taken) in self.slots.iter_mut().zip(&mut taken).rev() {
            *taken = slot.credit.min(owed);
            slot.credit -= *taken;
            owed -= *taken;
        }
        let [youngest, ..] = &mut self.slots;
        youngest.drawn = youngest.drawn.saturating_add(owed);
        Ok(Withdrawal { credit: taken, drawn: owed, head: self.head })
    }

    /// Takes back a withdrawal whose retry will not be made.
    ///
    /// What has expired meanwhile stays expired.
    pub fn refund(&mut self, withdrawal: Withdrawal, now: Duration) {
        self.advance(now);
        let Withdrawal { credit, drawn, head } = withdrawal;
        let aged = self.head.checked_sub(head).and_then(|slots| usize::try_from(slots).ok());
        let Some(then) = aged.and_then(|aged| self.slots.get_mut(aged..)) else {
            return;
        };
        for (slot, credit) in then.iter_mut().zip(credit) {
            slot.credit = slot.credit.saturating_add(credit);
        }
        if let [youngest_then, ..] = then {
            youngest_then.drawn = youngest_then.drawn.saturating_sub(drawn);
        }
    }

    /// How many retries are paid for.
    pub fn balance(&mut self, now: Duration) -> u64 {
        self.advance(now);
        let (credit, reserve) = self.available();
        credit.saturating_add(reserve) / RETRY
    }

    /// The shares that are left, and what is left of the reserve.
    fn available(&self) -> (u64, u64) {
        let sum = |part: fn(&Slot) -> u64| self.slots.iter().map(part).fold(0, u64::saturating_add);
        (sum(|slot| slot.credit), self.reserve.saturating_sub(sum(|slot| slot.drawn)))
    }

    /// Makes the slot of `now` the youngest.
    fn advance(&mut self, now: Duration) {
        let target = nanos::at_least(now) / self.slot_nanos;
        match target.checked_sub(self.head) {
            Some(0) => (),
            Some(steps) => {
                self.head = target;
                for _ in 0..steps.min(SLOTS.get()) {
                    self.slots.rotate_right(1);
                    let [youngest, ..] = &mut self.slots;
                    *youngest = Slot::default();
                }
            }
            // Threads that read the clock in one order and come here in another differ by
            // less than a window. The clock itself was set back if it is more.
            None if self.head.saturating_sub(target) < SLOTS.get() => (),
            None => self.head = target,
        }
    }
}
