//! What a single call may choose.

use core::fmt;
use std::{borrow::Cow, sync::Arc, time::Duration};

use crate::queue::QueueClass;

/// Where a call runs, and whether it is repeated.
///
/// The default is one attempt in the default group. `E` is the operation's error.
///
/// # Examples
///
/// ```
/// use std::{io, time::Duration};
/// use api_pool::RunOptions;
///
/// // Up to four attempts, with the built-in delays between them.
/// let patient = RunOptions::<io::Error>::new().group("search").retry(3);
///
/// // The first wait is 1 s, the second 2 s, and a timeout is repeated at once.
/// let own = RunOptions::new().retry(2).retry_delay_with(|failures, error: &io::Error| {
///     if error.kind() == io::ErrorKind::TimedOut {
///         return Duration::ZERO;
///     }
///     Duration::from_secs(failures.into())
/// });
/// # let _ = (patient, own);
/// ```
#[must_use = "options do nothing until a call is given them"]
pub struct RunOptions<E> {
    pub(super) group: Option<Cow<'static, str>>,
    pub(super) class: QueueClass,
    pub(super) rules: RetryRules<E>,
}

/// Whether and when a failed attempt is repeated.
pub(super) struct RetryRules<E> {
    pub(super) repeats: u32,
    /// Whether a failure is worth a repeat. `None`: each one is.
    pub(super) condition: Option<Condition<E>>,
    pub(super) delay: Delay<E>,
}

type Condition<E> = Arc<dyn Fn(&E) -> bool + Send + Sync>;

/// How long a call waits before a repeat.
pub(super) enum Delay<E> {
    /// 1 s, doubling up to 30 s, with full jitter.
    BuiltIn,
    Fixed(Duration),
    Function(DelayFunction<E>),
}

type DelayFunction<E> = Arc<dyn Fn(u32, &E) -> Duration + Send + Sync>;

impl<E> RunOptions<E> {
    /// One attempt, in the default group.
    pub const fn new() -> Self {
        let rules = RetryRules { repeats: 0, condition: None, delay: Delay::BuiltIn };
        Self { group: None, class: QueueClass::Background, rules }
    }

    /// Runs in the group of this name; in the default group if there is none. Default: the
    /// default group.
    pub fn group(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { group: Some(name.into()), ..self }
    }

    /// Waits in this class's line. Default: [`QueueClass::Background`], so that a group whose
    /// calls choose nothing is served in order of arrival.
    pub fn class(self, class: QueueClass) -> Self {
        Self { class, ..self }
    }

    /// Repeats a failed attempt up to `repeats` times after the first one, so at most
    /// `repeats + 1` attempts are made. Default: 0, off.
    pub fn retry(mut self, repeats: u32) -> Self {
        self.rules.repeats = repeats;
        self
    }

    /// Makes one attempt only.
    pub fn no_retry(self) -> Self {
        self.retry(0)
    }

    /// Repeats only failures for which `condition` is true; another one ends the call at once.
    /// Default: every failure.
    pub fn retry_if(mut self, condition: impl Fn(&E) -> bool + Send + Sync + 'static) -> Self {
        self.rules.condition = Some(Arc::new(condition));
        self
    }

    /// Waits exactly `delay` before each repeat, without jitter.
    ///
    /// Default: a bound of 1 s that doubles with each failure up to 30 s, and a wait between 0 and
    /// that bound.
    pub fn retry_delay(mut self, delay: Duration) -> Self {
        self.rules.delay = Delay::Fixed(delay);
        self
    }

    /// Waits exactly as long as `delay` says, without jitter.
    ///
    /// It is given the number of attempts of this call that have failed so far, 1 at first, and
    /// the error of the last one.
    pub fn retry_delay_with(
        mut self,
        delay: impl Fn(u32, &E) -> Duration + Send + Sync + 'static,
    ) -> Self {
        self.rules.delay = Delay::Function(Arc::new(delay));
        self
    }
}

impl<E> Default for RunOptions<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Clone for RunOptions<E> {
    fn clone(&self) -> Self {
        let Self { group, class, rules } = self;
        Self { group: group.clone(), class: *class, rules: rules.clone() }
    }
}

impl<E> fmt::Debug for RunOptions<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, class, rules } = self;
        f.debug_struct("RunOptions")
            .field("group", group)
            .field("class", class)
            .field("rules", rules)
            .finish()
    }
}

impl<E> Clone for RetryRules<E> {
    fn clone(&self) -> Self {
        let Self { repeats, condition, delay } = self;
        Self { repeats: *repeats, condition: condition.clone(), delay: delay.clone() }
    }
}

impl<E> fmt::Debug for RetryRules<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryRules")
            .field("repeats", &self.repeats)
            .field("conditional", &self.condition.is_some())
            .field("delay", &self.delay)
            .finish()
    }
}

impl<E> Clone for Delay<E> {
    fn clone(&self) -> Self {
        match self {
            Self::BuiltIn => Self::BuiltIn,
            Self::Fixed(delay) => Self::Fixed(*delay),
            Self::Function(delay) => Self::Function(Arc::clone(delay)),
        }
    }
}

impl<E> fmt::Debug for Delay<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("BuiltIn"),
            Self::Fixed(delay) => f.debug_tuple("Fixed").field(delay).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}
