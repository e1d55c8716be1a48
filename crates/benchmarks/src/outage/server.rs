//! The server that is down for a minute and then serves a limited rate.

use std::time::Duration;

use tokio::time::Instant;

/// How long it is down.
pub(crate) const OUTAGE: Duration = Duration::from_secs(60);

/// Requests per second that it serves afterwards, and how many of them at once.
pub(crate) const CAPACITY: f64 = 50.0;
const BURST: f64 = 10.0;

/// The server.
pub(super) struct Server {
    start: Instant,
    tokens: f64,
    refilled: Duration,
    entropy: u64,
    pub(super) requests: Vec<Request>,
}

/// A request that came.
pub(crate) struct Request {
    /// Since the start.
    pub(crate) at: Duration,
    pub(crate) served: bool,
}

/// What the server answers.
pub(super) struct Answer {
    pub(super) served: bool,
    pub(super) latency: Duration,
}

impl Server {
    pub(super) const fn new(start: Instant) -> Self {
        Self { start, tokens: BURST, refilled: OUTAGE, entropy: 7, requests: Vec::new() }
    }

    /// Takes a request and answers after 5 to 15 ms.
    pub(super) fn answer(&mut self) -> Answer {
        let at = now() - self.start;
        self.entropy = step(self.entropy);
        let latency = Duration::from_millis(5 + (self.entropy >> 33) % 11);
        let served = OUTAGE <= at && self.take(at);
        self.requests.push(Request { at, served });
        Answer { served, latency }
    }

    fn take(&mut self, at: Duration) -> bool {
        let since = at.saturating_sub(self.refilled);
        self.tokens = (self.tokens + since.as_secs_f64() * CAPACITY).min(BURST);
        self.refilled = at;
        let served = 1.0 <= self.tokens;
        if served {
            self.tokens -= 1.0;
        }
        served
    }
}

/// The next state of a generator whose upper bits are random enough.
pub(super) const fn step(state: u64) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1)
}

/// The paused clock.
#[expect(clippy::disallowed_methods, reason = "the paused clock is what runs here")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Lets the paused clock go on.
#[expect(clippy::disallowed_methods, reason = "the paused clock is what runs here")]
pub(crate) async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}
