//! The rules for one operation: how often, how long, and what the server may ask.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::duration_text::display as text;
use crate::jitter::Range;
use crate::rule::Kind;
use crate::{Backoff, Entropy, Jitter, RetryAfterRule, nanos};

/// When to try again, and when to stop.
///
/// Plain data, `Copy`, usable in a `const`. [`run`](Self::run) starts the decisions for
/// one operation.
///
/// # What holds for every policy and every input
///
/// * A wait is never above the cap of the [`Backoff`], also after jitter and also with a
///   server's hint; only [`RetryAfterRule::Exact`] waits longer, as its name says.
/// * A wait is never below the floor, so nothing can spin. A cap below the floor counts
///   as the floor.
/// * A wait is never below the server's hint, as long as the hint is at most the cap (and
///   is not [ignored](RetryAfterRule::Ignore)).
/// * [`Duration::MAX`] for any knob means no limit. Nothing panics or wraps around.
///
/// # Examples
///
/// ```
/// use core::num::NonZeroU32;
/// use core::time::Duration;
/// use retry_core::{Backoff, Failure, Jitter, Next, Policy, StopReason};
///
/// const POLICY: Policy =
///     Policy::new(Backoff::exponential(Duration::from_millis(250)).with_cap(Duration::from_secs(10)))
///         .with_jitter(Jitter::None)
///         .with_max_attempts(NonZeroU32::new(3).unwrap());
///
/// let mut run = POLICY.run();
/// let mut waits = Vec::new();
/// let reason = loop {
///     match run.on_failure(Failure::transient(), Duration::ZERO, &mut || 0) {
///         Next::Retry { after, .. } => waits.push(after),
///         Next::Stop(reason) => break reason,
///     }
/// };
///
/// assert_eq!(waits, [Duration::from_millis(250), Duration::from_millis(500)]);
/// assert_eq!(reason, StopReason::Attempts { made: 3 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    backoff: Backoff,
    jitter: Jitter,
    max_attempts: Option<NonZeroU32>,
    max_elapsed: u64,
    rule: Kind,
    /// The duration of the rule, if it has one.
    rule_limit: u64,
    floor: u64,
}

impl Policy {
    /// A policy over `backoff`.
    ///
    /// Until a setter says otherwise: [full](Jitter::Full) jitter, four attempts, no limit
    /// on the time, hints [up to the cap](RetryAfterRule::Clamp), a floor of 1 ms.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Backoff, Jitter, Policy};
    ///
    /// let policy = Policy::new(Backoff::fibonacci(Duration::from_secs(1)));
    /// assert_eq!(policy.jitter(), Jitter::Full);
    /// assert_eq!(policy.max_attempts().map(|attempts| attempts.get()), Some(4));
    /// ```
    #[must_use]
    pub const fn new(backoff: Backoff) -> Self {
        Self {
            backoff,
            jitter: Jitter::Full,
            max_attempts: NonZeroU32::new(4),
            max_elapsed: nanos::UNLIMITED,
            rule: Kind::Clamp,
            rule_limit: 0,
            floor: 1_000_000,
        }
    }

    /// Draws each wait as `jitter` says. Default: [`Jitter::Full`].
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::{Jitter, Policy};
    ///
    /// let policy = Policy::default().with_jitter(Jitter::Spread(25));
    /// let longest: Vec<u128> = policy.delays(|| u64::MAX).map(|wait| wait.as_millis()).collect();
    /// assert_eq!(longest, [250, 500, 1_000]);
    /// ```
    #[must_use]
    pub const fn with_jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// Stops after this many attempts, the first one included. Default: 4.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use retry_core::Policy;
    ///
    /// let twice = Policy::default().with_max_attempts(NonZeroU32::new(2).unwrap());
    /// assert_eq!(twice.delays(|| 0).count(), 1, "one retry");
    /// ```
    #[must_use]
    pub const fn with_max_attempts(self, attempts: NonZeroU32) -> Self {
        Self { max_attempts: Some(attempts), ..self }
    }

    /// Sets no limit on the attempts.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::Policy;
    ///
    /// assert_eq!(Policy::default().unbounded().delays(|| 0).take(1_000).count(), 1_000);
    /// ```
    #[must_use]
    pub const fn unbounded(self) -> Self {
        Self { max_attempts: None, ..self }
    }

    /// Starts no attempt later than this after the first one. Default: no limit.
    ///
    /// A wait that would end after it is not begun: the run stops at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Failure, Next, Policy};
    ///
    /// let policy = Policy::default().with_max_elapsed(Duration::from_secs(15));
    /// let mut run = policy.run();
    /// let late = run.on_failure(Failure::transient(), Duration::from_millis(14_900), &mut || 0);
    /// assert!(matches!(late, Next::Stop(reason) if reason.to_string()
    ///     == "a wait of 200ms after 14900ms would end after the limit of 15s"));
    /// ```
    #[must_use]
    pub const fn with_max_elapsed(self, limit: Duration) -> Self {
        Self { max_elapsed: nanos::at_most(limit), ..self }
    }

    /// Treats a server's hint as `rule` says. Default: [`RetryAfterRule::Clamp`].
    #[must_use]
    pub const fn with_retry_after(self, rule: RetryAfterRule) -> Self {
        let (rule, rule_limit) = rule.apart();
        Self { rule, rule_limit, ..self }
    }

    /// Waits at least this long before any retry. Default: 1 ms.
    ///
    /// A floor of zero lets full jitter draw an immediate retry. A floor above the cap
    /// wins over it.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Backoff, Policy};
    ///
    /// let policy = Policy::new(Backoff::exponential(Duration::from_secs(1)))
    ///     .with_floor(Duration::from_millis(50));
    /// assert_eq!(policy.delays(|| 0).next(), Some(Duration::from_millis(50)));
    /// ```
    #[must_use]
    pub const fn with_floor(self, floor: Duration) -> Self {
        Self { floor: nanos::at_least(floor), ..self }
    }

    /// The schedule.
    #[must_use]
    pub const fn backoff(&self) -> Backoff {
        self.backoff
    }

    /// The jitter.
    #[must_use]
    pub const fn jitter(&self) -> Jitter {
        self.jitter
    }

    /// The most attempts, the first one included; `None` if there is no limit.
    #[must_use]
    pub const fn max_attempts(&self) -> Option<NonZeroU32> {
        self.max_attempts
    }

    /// The latest start of an attempt; [`Duration::MAX`] if there is no limit.
    #[must_use]
    pub const fn max_elapsed(&self) -> Duration {
        nanos::duration(self.max_elapsed)
    }

    /// What a server's hint does.
    #[must_use]
    pub const fn retry_after(&self) -> RetryAfterRule {
        RetryAfterRule::joined(self.rule, self.rule_limit)
    }

    /// The shortest wait.
    #[must_use]
    pub const fn floor(&self) -> Duration {
        nanos::duration(self.floor)
    }

    pub(crate) const fn floor_nanos(&self) -> u64 {
        self.floor
    }

    pub(crate) const fn limits_time(&self) -> bool {
        self.max_elapsed != nanos::UNLIMITED
    }

    /// The range of the wait before this retry, by the schedule.
    #[inline(always)]
    pub(crate) fn scheduled(&self, retry: u32, previous: u64) -> Range {
        self.jitter.around_delay(&self.backoff, retry, previous).raised_to(self.floor)
    }

    /// Draws the wait before this retry, by the schedule.
    #[inline(always)]
    pub(crate) fn draw(
        &self,
        retry: u32,
        previous: u64,
        entropy: &mut (impl Entropy + ?Sized),
    ) -> u64 {
        if self.jitter == Jitter::Full {
            // The same, where the compiler knows one end of the range.
            return Jitter::Full
                .around_delay(&self.backoff, retry, previous)
                .raised_to(self.floor)
                .draw(entropy);
        }
        self.scheduled(retry, previous).draw(entropy)
    }

    /// The range of the wait for a hint that is at most the cap.
    #[inline]
    pub(crate) fn hinted(&self, hint: Duration) -> Range {
        let hint = nanos::at_least(hint);
        self.jitter.around_hint(hint, self.backoff.cap_nanos()).raised_to(self.floor)
    }
}

/// Four attempts, 200 ms doubling to 10 s, no jitter, and a server's hint is waited
/// [exactly](RetryAfterRule::Exact): for a loop that fetches page after page on its own.
impl Default for Policy {
    fn default() -> Self {
        const DEFAULT: Policy = Policy::new(
            Backoff::exponential(Duration::from_millis(200)).with_cap(Duration::from_secs(10)),
        )
        .with_jitter(Jitter::None)
        .with_retry_after(RetryAfterRule::Exact);
        DEFAULT
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("backoff", &self.backoff)
            .field("jitter", &self.jitter)
            .field("max_attempts", &self.max_attempts)
            .field("max_elapsed", &format_args!("{}", text(self.max_elapsed())))
            .field("retry_after", &self.retry_after())
            .field("floor", &format_args!("{}", text(self.floor())))
            .finish()
    }
}
