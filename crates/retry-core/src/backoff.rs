//! How the wait grows from one retry to the next.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::duration_text::display as text;
use crate::nanos;
use crate::shape::Shape;

/// The cap of a schedule whose owner set none.
const DEFAULT_CAP: Duration = Duration::from_secs(60);

/// A schedule: how long to wait before each retry, before jitter.
///
/// Plain data, `Copy`, usable in a `const`. Retries are numbered from zero.
///
/// Every schedule has a cap, which no wait exceeds (see [`Policy`](crate::Policy) for how
/// it holds with jitter and with a server's hint). It is 60 s, or the base where that is
/// longer, until [`with_cap`](Self::with_cap) sets another; [`Duration::MAX`] means none.
///
/// Two schedules are equal if they were built alike; custom ones are compared by the address
/// of their function, which the compiler may merge or duplicate.
///
/// Durations are kept as nanoseconds in 64 bits. One of more than 584 years counts as no
/// limit where it is a base, and as 584 years where it is a cap.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::Backoff;
///
/// const SCHEDULE: Backoff =
///     Backoff::exponential(Duration::from_millis(250)).with_cap(Duration::from_secs(10));
///
/// assert_eq!(SCHEDULE.delay(0), Duration::from_millis(250));
/// assert_eq!(SCHEDULE.delay(3), Duration::from_secs(2));
/// assert_eq!(SCHEDULE.delay(u32::MAX), Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    shape: Shape,
    cap: u64,
}

impl Backoff {
    /// Waits `delay` before every retry.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let schedule = Backoff::constant(Duration::from_secs(2));
    /// assert_eq!(schedule.delay(0), schedule.delay(99));
    /// ```
    #[must_use]
    pub const fn constant(delay: Duration) -> Self {
        Self::with_default_cap(Shape::Constant { base: nanos::at_least(delay) })
    }

    /// Waits `base`, then 2 × `base`, then 3 × `base`, and so on.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let schedule = Backoff::linear(Duration::from_secs(2));
    /// assert_eq!(schedule.delay(2), Duration::from_secs(6));
    /// ```
    #[must_use]
    pub const fn linear(base: Duration) -> Self {
        Self::with_default_cap(Shape::Linear { base: nanos::at_least(base) })
    }

    /// Waits `base` first and doubles the wait with every retry.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let schedule = Backoff::exponential(Duration::from_millis(100));
    /// assert_eq!(schedule.delay(4), Duration::from_millis(1_600));
    /// ```
    #[must_use]
    pub const fn exponential(base: Duration) -> Self {
        const TWO: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);
        Self::exponential_with(base, TWO)
    }

    /// Waits `base` first and multiplies the wait by `factor` with every retry.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let three = NonZeroU32::new(3).unwrap();
    /// let schedule = Backoff::exponential_with(Duration::from_millis(50), three);
    /// assert_eq!(schedule.delay(3), Duration::from_millis(1_350));
    /// ```
    #[must_use]
    pub const fn exponential_with(base: Duration, factor: NonZeroU32) -> Self {
        Self::with_default_cap(Shape::Exponential { base: nanos::at_least(base), factor })
    }

    /// Waits `base` times 1, 1, 2, 3, 5, 8, and so on: grows slower than doubling.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let schedule = Backoff::fibonacci(Duration::from_secs(1));
    /// assert_eq!(schedule.delay(5), Duration::from_secs(8));
    /// ```
    #[must_use]
    pub const fn fibonacci(base: Duration) -> Self {
        Self::with_default_cap(Shape::Fibonacci { base: nanos::at_least(base) })
    }

    /// Waits what `delay` answers for the number of the retry.
    ///
    /// The cap holds for its answers too. A function pointer keeps the schedule `Copy`; it
    /// cannot be serialised.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// fn quick_then_slow(retry: u32) -> Duration {
    ///     Duration::from_secs(if retry < 3 { 1 } else { 30 })
    /// }
    ///
    /// let schedule = Backoff::custom(quick_then_slow);
    /// assert_eq!(schedule.delay(2), Duration::from_secs(1));
    /// assert_eq!(schedule.delay(3), Duration::from_secs(30));
    /// ```
    #[must_use]
    pub const fn custom(delay: fn(u32) -> Duration) -> Self {
        Self::with_default_cap(Shape::Custom(delay))
    }

    /// Limits every wait to `cap`. A base above it waits the cap.
    ///
    /// [`Duration::MAX`] means no limit. Default: 60 s, or the base where that is longer.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let schedule = Backoff::constant(Duration::from_secs(5)).with_cap(Duration::from_secs(1));
    /// assert_eq!(schedule.delay(0), Duration::from_secs(1));
    /// ```
    #[must_use]
    pub const fn with_cap(self, cap: Duration) -> Self {
        Self { cap: nanos::at_most(cap), ..self }
    }

    /// The longest wait of this schedule; [`Duration::MAX`] if there is no limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// assert_eq!(Backoff::exponential(Duration::from_secs(1)).cap(), Duration::from_secs(60));
    /// ```
    #[must_use]
    pub const fn cap(&self) -> Duration {
        nanos::duration(self.cap)
    }

    /// The wait before retry number `retry`, counting from zero, without jitter.
    ///
    /// Never above the cap, for any number, and never decreasing as the number grows
    /// (except where a custom function decreases).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let endless = Backoff::exponential(Duration::from_secs(1)).with_cap(Duration::MAX);
    /// assert_eq!(endless.delay(10), Duration::from_secs(1_024));
    /// assert_eq!(endless.delay(u32::MAX), Duration::MAX);
    /// ```
    #[must_use]
    pub fn delay(&self, retry: u32) -> Duration {
        nanos::duration(self.delay_nanos(retry))
    }

    #[inline(always)]
    pub(crate) fn delay_nanos(&self, retry: u32) -> u64 {
        self.shape.delay(retry).min(self.cap)
    }

    pub(crate) const fn base_nanos(&self) -> Option<u64> {
        self.shape.base()
    }

    #[cfg(feature = "serde")]
    pub(crate) const fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) const fn cap_nanos(&self) -> u64 {
        self.cap
    }

    const fn with_default_cap(shape: Shape) -> Self {
        let cap = nanos::at_most(DEFAULT_CAP);
        match shape.base() {
            Some(base) if cap < base => Self { shape, cap: base },
            Some(_) | None => Self { shape, cap },
        }
    }
}

impl fmt::Debug for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = match self.shape {
            Shape::Constant { .. } => f.debug_struct("Constant"),
            Shape::Linear { .. } => f.debug_struct("Linear"),
            Shape::Exponential { .. } => f.debug_struct("Exponential"),
            Shape::Fibonacci { .. } => f.debug_struct("Fibonacci"),
            Shape::Custom(_) => f.debug_struct("Custom"),
        };
        if let Some(base) = self.base_nanos() {
            fields.field("base", &format_args!("{}", text(nanos::duration(base))));
        }
        if let Shape::Exponential { factor, .. } = self.shape {
            fields.field("factor", &factor);
        }
        fields.field("cap", &format_args!("{}", text(self.cap()))).finish()
    }
}
