//! The decisions for one operation, failure by failure.

use core::time::Duration;

use crate::jitter::Range;
use crate::{Entropy, Failure, Next, Origin, Policy, RetryAfterRule, StopReason, nanos};

/// The decisions for one operation: told of each failure, it answers with a wait or a
/// reason to stop.
///
/// A run has no clock and no randomness of its own. The same failures, times and bits
/// give the same answers, so a recorded run can be replayed; [`Policy::resume`] picks one
/// up in the middle.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Backoff, Failure, Next, Origin, Policy, SeededEntropy};
///
/// let policy = Policy::new(Backoff::exponential(Duration::from_millis(250)));
/// let mut entropy = SeededEntropy::new(7);
/// let mut run = policy.run();
///
/// let busy = Failure::rate_limited(Some(Duration::from_secs(5)));
/// let next = run.on_failure(busy, Duration::from_millis(80), &mut entropy);
/// assert!(matches!(
///     next,
///     Next::Retry { after, attempt: 1, origin: Origin::Hint, .. } if after == Duration::from_secs(5)
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct Run<'p> {
    policy: &'p Policy,
    /// The last wait in nanoseconds, zero at first: where decorrelated jitter goes on.
    previous: u64,
    made: u32,
}

impl Policy {
    /// Starts the decisions for one operation.
    #[must_use]
    pub const fn run(&self) -> Run<'_> {
        Run { policy: self, previous: 0, made: 0 }
    }

    /// Picks up a run that has made `made` attempts and last waited `previous`.
    ///
    /// Both numbers are what [`Run::attempts`] and [`Run::previous`] said; only
    /// [decorrelated](crate::Jitter::Decorrelated) jitter looks at the second.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Failure, Policy};
    ///
    /// let policy = Policy::default();
    /// let mut run = policy.run();
    /// let _ = run.on_failure(Failure::transient(), Duration::ZERO, &mut || 0);
    /// let mut stored = policy.resume(run.attempts(), run.previous());
    ///
    /// let failure = Failure::transient();
    /// assert_eq!(
    ///     stored.on_failure(failure, Duration::ZERO, &mut || 0),
    ///     run.on_failure(failure, Duration::ZERO, &mut || 0),
    /// );
    /// ```
    #[must_use]
    pub const fn resume(&self, made: u32, previous: Duration) -> Run<'_> {
        Run { policy: self, previous: nanos::at_least(previous), made }
    }
}

impl Run<'_> {
    /// Decides what follows a failed attempt.
    ///
    /// `elapsed` is the time since the first attempt began, on whatever clock the caller
    /// has; [`Duration::ZERO`] where no limit on it is set. `entropy` is drawn from once,
    /// and only if the wait has a range to choose from.
    ///
    /// The checks come in this order: is the failure retryable, are attempts left, is the
    /// hint acceptable, does the wait fit into the time.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Failure, Next, Policy, StopReason};
    ///
    /// let policy = Policy::default();
    /// let mut run = policy.run();
    /// let next = run.on_failure(Failure::permanent(), Duration::ZERO, &mut || 0);
    /// assert_eq!(next, Next::Stop(StopReason::NotRetryable));
    /// ```
    #[inline]
    pub fn on_failure(
        &mut self,
        failure: Failure,
        elapsed: Duration,
        entropy: &mut (impl Entropy + ?Sized),
    ) -> Next {
        let retry = self.made;
        self.made = self.made.saturating_add(1);
        if !failure.is_retryable() {
            return Next::Stop(StopReason::NotRetryable);
        }
        if self.policy.max_attempts().is_some_and(|most| most.get() <= self.made) {
            return Next::Stop(StopReason::Attempts { made: self.made });
        }
        if failure.hint().is_some() || self.policy.limits_time() {
            return self.weigh(retry, failure.hint(), elapsed, entropy);
        }
        // What `weigh` would do with neither a hint nor a limit, in a few instructions.
        self.previous = self.policy.draw(retry, self.previous, entropy);
        let after = nanos::duration(self.previous);
        Next::Retry { after, attempt: self.made, origin: Origin::Schedule }
    }

    /// The attempts reported so far, all of them failed.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.made
    }

    /// The wait of the last retry; zero before the first.
    #[must_use]
    pub const fn previous(&self) -> Duration {
        nanos::duration(self.previous)
    }

    /// Decides with a hint or a limit on the time.
    #[inline(never)]
    fn weigh(
        &mut self,
        retry: u32,
        hint: Option<Duration>,
        elapsed: Duration,
        entropy: &mut (impl Entropy + ?Sized),
    ) -> Next {
        let heeded = match hint.map(|hint| self.heed(hint)) {
            Some(Err(reason)) => return Next::Stop(reason),
            Some(Ok(heeded)) => heeded,
            None => None,
        };
        let Plan { wait, origin } = heeded.unwrap_or_else(|| Plan {
            wait: Wait::Within(self.policy.scheduled(retry, self.previous)),
            origin: Origin::Schedule,
        });
        // The shortest wait decides alone if even that is too long.
        if let Some(reason) = self.too_late(elapsed, wait.shortest()) {
            return Next::Stop(reason);
        }
        let after = wait.draw(entropy);
        if let Some(reason) = self.too_late(elapsed, after) {
            return Next::Stop(reason);
        }
        self.previous = nanos::at_least(after);
        Next::Retry { after, attempt: self.made, origin }
    }

    /// What a hint makes of the wait, or nothing if it does not count.
    fn heed(&self, hint: Duration) -> Result<Option<Plan>, StopReason> {
        let policy = self.policy;
        match policy.retry_after() {
            RetryAfterRule::Ignore => return Ok(None),
            RetryAfterRule::Exact => {
                let wait = Wait::Exactly(hint.max(policy.floor()));
                return Ok(Some(Plan { wait, origin: Origin::Hint }));
            }
            RetryAfterRule::GiveUpAbove(limit) if limit < hint => {
                return Err(StopReason::HintTooLong { hint, limit });
            }
            RetryAfterRule::GiveUpAbove(_) | RetryAfterRule::Clamp => (),
        }
        let cap = policy.backoff().cap();
        let origin = if cap < hint { Origin::ClampedHint } else { Origin::Hint };
        Ok(Some(Plan { wait: Wait::Within(policy.hinted(hint.min(cap))), origin }))
    }

    /// Why no attempt may start after this wait, if so.
    fn too_late(&self, elapsed: Duration, wait: Duration) -> Option<StopReason> {
        let limit = self.policy.max_elapsed();
        let reason = StopReason::Elapsed { elapsed, wait, limit };
        (limit < elapsed.saturating_add(wait)).then_some(reason)
    }
}

/// A wait that is decided up to the draw.
struct Plan {
    wait: Wait,
    origin: Origin,
}

enum Wait {
    Exactly(Duration),
    Within(Range),
}

impl Wait {
    fn shortest(&self) -> Duration {
        match self {
            Self::Exactly(after) => *after,
            Self::Within(range) => nanos::duration(range.shortest()),
        }
    }

    fn draw(&self, entropy: &mut (impl Entropy + ?Sized)) -> Duration {
        match self {
            Self::Exactly(after) => *after,
            Self::Within(range) => nanos::duration(range.draw(entropy)),
        }
    }
}
