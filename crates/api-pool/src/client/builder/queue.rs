//! Settings of the queue.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::ResilientClientBuilder;
use crate::runtime::QueueGroup;
use crate::transport::Transport;

impl<T: Transport> ResilientClientBuilder<T> {
    /// Limits the attempts that run at one time. Attempts over the limit wait, essential before
    /// background, in order of arrival inside each class. Default: 8. 0 becomes 1.
    pub fn max_parallel(mut self, limit: usize) -> Self {
        if limit == 0 {
            tracing::warn!("max_parallel(0) is taken as 1");
        }
        self.limits.limit = NonZeroUsize::new(limit.max(1));
        self
    }

    /// Limits the attempts that wait for a slot. One more fails at once with
    /// [`ErrorKind::QueueFull`](crate::ErrorKind::QueueFull). Default: no limit.
    pub fn max_waiting(mut self, limit: usize) -> Self {
        self.limits.max_waiting = Some(limit);
        self
    }

    /// Limits the time that an attempt waits for a slot, after which it fails with
    /// [`ErrorKind::QueueTimeout`](crate::ErrorKind::QueueTimeout). Default: no limit.
    pub fn max_wait(mut self, limit: Duration) -> Self {
        self.limits.max_wait = Some(limit);
        self
    }

    /// Takes slots from `group` of a [`RequestRuntime`](crate::RequestRuntime), which other
    /// clients and other work share. The group's limits then hold, in place of
    /// [`max_parallel`](Self::max_parallel), [`max_waiting`](Self::max_waiting) and
    /// [`max_wait`](Self::max_wait), and the client's counts of attempts in flight and waiting are
    /// the group's. Calls after the runtime's disposal end with
    /// [`ErrorKind::Disposed`](crate::ErrorKind::Disposed). Default: slots of its own.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::{RequestRuntime, ResilientClient};
    ///
    /// let runtime = RequestRuntime::builder("shop").group("catalogue", 4).build()?;
    /// let client = ResilientClient::builder().group(runtime.group("catalogue")).build();
    /// # drop(client);
    /// # Ok::<_, api_pool::RuntimeBuildError>(())
    /// ```
    pub fn group(mut self, group: QueueGroup) -> Self {
        self.group = Some(group);
        self
    }
}
