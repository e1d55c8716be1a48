//! Which call policy a priority asks for.

use api_pool::CallPolicy;
use vantage_core::Priority;

/// The policy of a call with this priority: [`CallPolicy::essential`] when
/// someone waits for the answer, [`CallPolicy::background`] otherwise.
///
/// # Examples
///
/// ```
/// use api_pool::BreakerMode;
/// use vantage_core::Priority;
/// use vantage_transport::policy_for;
///
/// assert_eq!(policy_for(Priority::Essential).breaker, BreakerMode::WaitForProbe);
/// assert_eq!(policy_for(Priority::Background).breaker, BreakerMode::FailFast);
/// ```
#[must_use]
pub fn policy_for(priority: Priority) -> CallPolicy {
    match priority {
        Priority::Essential => CallPolicy::essential(),
        Priority::Background => CallPolicy::background(),
    }
}

/// The policy of the current task's [`Priority`], read now.
#[must_use]
pub fn current_policy() -> CallPolicy {
    policy_for(Priority::current())
}
