//! Retries for any asynchronous operation with a typed error.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use retry_core::{DefaultEntropy, Entropy, Failure, Next, Policy, Retryable};

use crate::clock;
use crate::executor::{self, Operation, Step};

/// Attempts `operation` until it succeeds, its error is not transient, or `policy` stops.
///
/// `operation` is called afresh for each attempt. The error says for itself whether it is
/// transient and how long the server asks to wait: see [`Retryable`].
///
/// [`Policy::default`] suits batch jobs: 4 attempts, 200 ms doubling to 10 s, no jitter, and a
/// server's hint always wins.
///
/// # Errors
///
/// The error of the last attempt.
///
/// # Panics
///
/// Outside a Tokio runtime whose time driver is enabled.
///
/// # Cancel safety
///
/// Dropping the future drops the attempt in progress, or the wait before the next one; nothing
/// goes on in the background.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use api_pool::{Policy, Retryable, with_retry};
///
/// #[derive(Debug)]
/// struct Busy;
///
/// impl Retryable for Busy {
///     fn is_transient(&self) -> bool {
///         true
///     }
///     fn retry_after(&self) -> Option<Duration> {
///         None
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
/// # .block_on(async {
/// let mut attempts = 0;
/// let page = with_retry(Policy::default(), || {
///     attempts += 1;
///     let answer = if attempts < 3 { Err(Busy) } else { Ok("page 1") };
///     async move { answer }
/// })
/// .await;
/// assert_eq!(page.unwrap(), "page 1");
/// # });
/// ```
pub fn with_retry<F, Fut, T, E>(
    policy: impl Into<Policy>,
    operation: F,
) -> impl Future<Output = Result<T, E>>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: Retryable,
{
    // Seeded at each draw, so that the future need not hold a generator.
    with_retry_using(policy, || DefaultEntropy::new().next_u64(), operation)
}

/// As [`with_retry`], drawing jitter from `entropy`.
///
/// # Errors
///
/// The error of the last attempt.
///
/// # Panics
///
/// As [`with_retry`].
///
/// # Cancel safety
///
/// As [`with_retry`].
pub fn with_retry_using<F, Fut, T, E>(
    policy: impl Into<Policy>,
    entropy: impl Entropy,
    operation: F,
) -> impl Future<Output = Result<T, E>>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: Retryable,
{
    executor::execute(Retried {
        operation,
        policy: policy.into(),
        entropy,
        started: None,
        decided: 0,
        previous: Duration::ZERO,
    })
}

/// An operation whose error decides, and what its policy has decided so far.
struct Retried<F, N> {
    operation: F,
    policy: Policy,
    entropy: N,
    /// Read only where the policy asks how much time has passed.
    started: Option<Instant>,
    decided: u32,
    /// The last wait.
    previous: Duration,
}

impl<F, N, Fut, T, E> Operation for Retried<F, N>
where
    F: FnMut() -> Fut,
    N: Entropy,
    Fut: Future<Output = Result<T, E>>,
    E: Retryable,
{
    type Attempt = Option<Fut>;
    type Output = T;
    type Error = E;
    type Loan<'l> = ();

    #[inline]
    fn start(&mut self, (): (), mut attempt: Pin<&mut Option<Fut>>) {
        if self.started.is_none() && self.policy.max_elapsed() != Duration::MAX {
            self.started = Some(clock::now());
        }
        attempt.set(Some((self.operation)()));
    }

    #[inline]
    fn poll(
        &mut self,
        (): (),
        mut attempt: Pin<&mut Option<Fut>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<T, E>> {
        let Some(future) = attempt.as_mut().as_pin_mut() else { return Poll::Pending };
        let polled = future.poll(context);
        if let Poll::Ready(Err(_)) = polled {
            attempt.set(None);
        }
        polled
    }

    #[inline]
    fn decide(&mut self, error: E) -> Step<E> {
        let elapsed = self
            .started
            .map_or(Duration::ZERO, |started| clock::now().saturating_duration_since(started));
        let mut run = self.policy.resume(self.decided, self.previous);
        let next = run.on_failure(Failure::of(&error), elapsed, &mut self.entropy);
        self.decided = run.attempts();
        self.previous = run.previous();
        match next {
            Next::Retry { after, .. } => Step::After(after),
            Next::Stop(_) => Step::Stop(error),
        }
    }
}
