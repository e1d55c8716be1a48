//! A blocking call with a policy, put together from parts.

use core::fmt;
use core::time::Duration;

#[cfg(feature = "std")]
use crate::DefaultEntropy;
use crate::{BySelf, Classify, Entropy, Next, Origin, Policy, nanos};

pub use error::CallError;
pub use parts::{Listen, NoSleep, Silent, Time, WaitsOnly, When};

mod error;
mod parts;

/// A blocking call under a [`Policy`]: made by [`Policy::call`], told how to judge errors
/// and how to sleep, then run.
///
/// | part | default |
/// |---|---|
/// | [`sleep`](Self::sleep) | none: it must be given |
/// | [`when`](Self::when) or [`classify`](Self::classify) | the error judges [itself](crate::Retryable) |
/// | [`notify`](Self::notify) | nobody is told |
/// | [`clock`](Self::clock) | only the waits count as time |
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Backoff, Policy, StopReason};
///
/// let policy = Policy::new(Backoff::exponential(Duration::from_millis(100)));
/// let mut waits = Vec::new();
/// let mut notices = 0;
///
/// let error = policy
///     .call(|| "x".parse::<u32>())
///     .when(|_error| true)
///     .sleep(|wait| waits.push(wait))
///     .notify(|notice| notices += notice.attempt)
///     .run_using(&mut || u64::MAX)
///     .unwrap_err();
///
/// assert_eq!(error.reason(), StopReason::Attempts { made: 4 });
/// assert_eq!(waits, [100, 200, 400].map(Duration::from_millis));
/// assert_eq!(notices, 1 + 2 + 3);
/// ```
#[derive(Clone)]
#[must_use = "a call does nothing until it is run"]
pub struct Call<'p, Op, Judge = BySelf, Sleep = NoSleep, Notify = Silent, Clock = WaitsOnly> {
    policy: &'p Policy,
    op: Op,
    judge: Judge,
    sleep: Sleep,
    notify: Notify,
    clock: Clock,
}

/// A retry that is about to be waited for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Scheduled<'e, E> {
    /// Why the attempt before it failed.
    pub error: &'e E,
    /// The wait.
    pub after: Duration,
    /// The number of the retry: 1 for the first.
    pub attempt: u32,
    /// Where the wait came from.
    pub origin: Origin,
}

impl Policy {
    /// Prepares a blocking call of `op` under this policy.
    ///
    /// See [`Call`] for the parts it can be given and for an example.
    pub const fn call<T, E, Op>(&self, op: Op) -> Call<'_, Op>
    where
        Op: FnMut() -> Result<T, E>,
    {
        Call { policy: self, op, judge: BySelf, sleep: NoSleep, notify: Silent, clock: WaitsOnly }
    }
}

impl<'p, Op, Judge, Sleep, Notify, Clock> Call<'p, Op, Judge, Sleep, Notify, Clock> {
    /// Retries the errors for which `predicate` holds. Hints are not known this way; see
    /// [`classify`](Self::classify).
    pub fn when<T, E, P>(self, predicate: P) -> Call<'p, Op, When<P>, Sleep, Notify, Clock>
    where
        Op: FnMut() -> Result<T, E>,
        P: Fn(&E) -> bool,
    {
        let Self { policy, op, judge: _, sleep, notify, clock } = self;
        Call { policy, op, judge: When::new(predicate), sleep, notify, clock }
    }

    /// Judges errors with `judge`: any [`Classify`], such as a closure from `&E` to
    /// [`Failure`](crate::Failure). Default: [`BySelf`].
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::{Failure, Policy};
    ///
    /// let error = Policy::default()
    ///     .call(|| "x".parse::<u32>())
    ///     .classify(|_: &core::num::ParseIntError| Failure::permanent())
    ///     .sleep(|_wait| ())
    ///     .run_using(&mut || 0)
    ///     .unwrap_err();
    /// assert_eq!(error.attempts(), 1);
    /// ```
    pub fn classify<T, E, J>(self, judge: J) -> Call<'p, Op, J, Sleep, Notify, Clock>
    where
        Op: FnMut() -> Result<T, E>,
        J: Classify<E>,
    {
        let Self { policy, op, judge: _, sleep, notify, clock } = self;
        Call { policy, op, judge, sleep, notify, clock }
    }

    /// Waits with `sleep`, such as `std::thread::sleep` or a timer of one's own.
    pub fn sleep<S>(self, sleep: S) -> Call<'p, Op, Judge, S, Notify, Clock>
    where
        S: FnMut(Duration),
    {
        let Self { policy, op, judge, sleep: _, notify, clock } = self;
        Call { policy, op, judge, sleep, notify, clock }
    }

    /// Tells `notify` of each retry, before the wait. Default: nobody is told.
    pub fn notify<T, E, N>(self, notify: N) -> Call<'p, Op, Judge, Sleep, N, Clock>
    where
        Op: FnMut() -> Result<T, E>,
        N: FnMut(&Scheduled<'_, E>),
    {
        let Self { policy, op, judge, sleep, notify: _, clock } = self;
        Call { policy, op, judge, sleep, notify, clock }
    }

    /// Measures the time of the call with `clock`, which tells the time since any origin.
    ///
    /// It is read under [`Policy::with_max_elapsed`] only: before the first attempt and after
    /// each failure. Default: the sum of the waits, so that the time of the attempts
    /// themselves does not count.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Backoff, Policy, StopReason};
    ///
    /// let policy = Policy::new(Backoff::constant(Duration::from_secs(1)))
    ///     .unbounded()
    ///     .with_max_elapsed(Duration::from_secs(15));
    /// let mut seconds = 0..;
    ///
    /// let error = policy
    ///     .call(|| Err::<(), _>("busy"))
    ///     .when(|_error| true)
    ///     .sleep(|_wait| ())
    ///     .clock(|| Duration::from_secs(5) * seconds.next().unwrap_or(0))
    ///     .run_using(&mut || u64::MAX)
    ///     .unwrap_err();
    ///
    /// assert!(matches!(error.reason(), StopReason::Elapsed { .. }));
    /// assert_eq!(error.attempts(), 3);
    /// ```
    pub fn clock<K>(self, clock: K) -> Call<'p, Op, Judge, Sleep, Notify, K>
    where
        K: FnMut() -> Duration,
    {
        let Self { policy, op, judge, sleep, notify, clock: _ } = self;
        Call { policy, op, judge, sleep, notify, clock }
    }

    /// Makes attempts until one succeeds or the policy stops, with the default source of
    /// randomness.
    ///
    /// # Errors
    ///
    /// [`CallError`] with the error of the last attempt and the reason to stop.
    #[cfg(feature = "std")]
    #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
    pub fn run<T, E>(self) -> Result<T, CallError<E>>
    where
        Op: FnMut() -> Result<T, E>,
        Judge: Classify<E>,
        Sleep: FnMut(Duration),
        Notify: Listen<E>,
        Clock: Time,
    {
        self.run_using(&mut DefaultEntropy::new())
    }

    /// Like `run`, drawing jitter from `entropy`.
    ///
    /// # Errors
    ///
    /// [`CallError`] with the error of the last attempt and the reason to stop.
    pub fn run_using<T, E>(
        mut self,
        entropy: &mut (impl Entropy + ?Sized),
    ) -> Result<T, CallError<E>>
    where
        Op: FnMut() -> Result<T, E>,
        Judge: Classify<E>,
        Sleep: FnMut(Duration),
        Notify: Listen<E>,
        Clock: Time,
    {
        let mut run = self.policy.run();
        let timed = self.policy.limits_time();
        let mut waited = Duration::ZERO;
        let begin = if timed { self.clock.now(waited) } else { waited };
        loop {
            let error = match (self.op)() {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let failure = self.judge.classify(&error);
            let elapsed = if timed { nanos::between(begin, self.clock.now(waited)) } else { begin };
            match run.on_failure(failure, elapsed, entropy) {
                Next::Retry { after, attempt, origin } => {
                    self.notify.tell(&Scheduled { error: &error, after, attempt, origin });
                    (self.sleep)(after);
                    if timed {
                        waited = waited.saturating_add(after);
                    }
                }
                Next::Stop(reason) => {
                    return Err(CallError::new(error, reason, run.attempts()));
                }
            }
        }
    }
}

impl<Op, Judge, Sleep, Notify, Clock> fmt::Debug for Call<'_, Op, Judge, Sleep, Notify, Clock> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("policy", &self.policy).finish_non_exhaustive()
    }
}
