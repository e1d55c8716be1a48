//! How the wait grows from one retry to the next.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::duration_text::display as text;
use crate::nanos;

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
#[derive(Clone, Copy)]
pub struct Backoff {
    shape: Shape,
    cap: u64,
}

/// The rule behind a schedule, and its base in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Constant { base: u64 },
    Linear { base: u64 },
    Exponential { base: u64, factor: NonZeroU32 },
    Fibonacci { base: u64 },
    Custom(fn(u32) -> Duration),
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

    /// The usual schedules need a handful of instructions; the others are kept out of line,
    /// so that this is inlined where it is called.
    #[inline(always)]
    pub(crate) fn delay_nanos(&self, retry: u32) -> u64 {
        let uncapped = match self.shape {
            Shape::Constant { base } => base,
            Shape::Exponential { base, factor } if factor.is_power_of_two() => {
                shifted(base, retry.saturating_mul(factor.trailing_zeros()))
            }
            _ => self.computed(retry),
        };
        uncapped.min(self.cap)
    }

    #[inline(never)]
    fn computed(&self, retry: u32) -> u64 {
        match self.shape {
            Shape::Constant { base } => base,
            Shape::Linear { base } => base.saturating_mul(u64::from(retry) + 1),
            Shape::Exponential { base, factor } => {
                base.saturating_mul(u64::from(factor.get()).saturating_pow(retry))
            }
            Shape::Fibonacci { base } => base.saturating_mul(fibonacci(retry)),
            Shape::Custom(delay) => nanos::at_least(delay(retry)),
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) const fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) const fn cap_nanos(&self) -> u64 {
        self.cap
    }

    /// The base; `None` where a custom function decides.
    pub(crate) const fn base_nanos(&self) -> Option<u64> {
        match self.shape {
            Shape::Constant { base }
            | Shape::Linear { base }
            | Shape::Exponential { base, .. }
            | Shape::Fibonacci { base } => Some(base),
            Shape::Custom(_) => None,
        }
    }

    const fn with_default_cap(shape: Shape) -> Self {
        let unlimited = Self { shape, cap: nanos::UNLIMITED };
        let cap = nanos::at_most(DEFAULT_CAP);
        match unlimited.base_nanos() {
            Some(base) if cap < base => Self { cap: base, ..unlimited },
            Some(_) | None => Self { cap, ..unlimited },
        }
    }
}

/// Two schedules are equal if they were built alike. Custom ones are compared by the
/// address of their function, which the compiler may merge or duplicate.
impl PartialEq for Backoff {
    fn eq(&self, other: &Self) -> bool {
        let shapes = match (self.shape, other.shape) {
            (Shape::Constant { base: a }, Shape::Constant { base: b })
            | (Shape::Linear { base: a }, Shape::Linear { base: b })
            | (Shape::Fibonacci { base: a }, Shape::Fibonacci { base: b }) => a == b,
            (
                Shape::Exponential { base: a, factor: f },
                Shape::Exponential { base: b, factor: g },
            ) => a == b && f == g,
            (Shape::Custom(a), Shape::Custom(b)) => core::ptr::fn_addr_eq(a, b),
            _ => false,
        };
        shapes && self.cap == other.cap
    }
}

impl Eq for Backoff {}

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

/// `base` times two to the power of `shift`, saturating.
#[inline(always)]
const fn shifted(base: u64, shift: u32) -> u64 {
    if shift <= base.leading_zeros() && shift < u64::BITS {
        base << shift
    } else if base == 0 {
        0
    } else {
        u64::MAX
    }
}

/// The Fibonacci numbers 1, 1, 2, 3, 5, …, saturating.
fn fibonacci(index: u32) -> u64 {
    let (mut current, mut next) = (1_u64, 1_u64);
    // The 93rd step saturates; more change nothing.
    for _ in 0..index.min(93) {
        (current, next) = (next, next.saturating_add(current));
    }
    current
}
