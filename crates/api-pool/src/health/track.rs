//! What is known of one key: a machine that is given events and the time.

use std::time::{Duration, Instant};

use super::snapshot::{BreakerHealth, KeyHealth, LastError, Latency, StageWaits, WaitTotals};
use super::window::{Ending, Waits, Window};
use crate::error::{ClientError, ErrorKind};
use crate::event::{TransportEvent, WaitStage};

/// The longest text of an error that is kept, in bytes.
pub(super) const TEXT: usize = 256;

/// The shortest time over which a rate is told: a first request is not a thousand per second.
const SECOND: Duration = Duration::from_secs(1);

const MILLISECOND: Duration = Duration::from_millis(1);

/// The state of one key. Its size does not depend on what happens.
#[derive(Clone, Debug)]
pub(super) struct Track {
    window: Window,
    breaker: Breaker,
    in_flight: u64,
    last_error: Option<Failure>,
}

#[derive(Clone, Copy, Debug)]
enum Breaker {
    Closed,
    /// From when, and for how long. The sum may be more than an instant holds.
    Open {
        since: Instant,
        cooldown: Duration,
    },
}

#[derive(Clone, Debug)]
struct Failure {
    kind: &'static str,
    status: Option<u16>,
    text: String,
    at: Instant,
}

impl Track {
    pub(super) fn new(window: Duration, now: Instant) -> Self {
        Self {
            window: Window::new(window, now),
            breaker: Breaker::Closed,
            in_flight: 0,
            last_error: None,
        }
    }

    pub(super) fn on_event(&mut self, event: &TransportEvent, now: Instant) {
        match event {
            TransportEvent::Started => self.in_flight = self.in_flight.saturating_add(1),
            TransportEvent::Succeeded { ms, .. } => self.end(Ending::Succeeded { ms: *ms }, now),
            TransportEvent::Cancelled => self.end(Ending::Cancelled, now),
            TransportEvent::Failed { error, ms } => {
                self.end(ending(error, *ms), now);
                self.last_error = Some(Failure {
                    kind: error.kind_name(),
                    status: error.status(),
                    text: text(error),
                    at: now,
                });
            }
            TransportEvent::RetryScheduled { .. } => self.window.retry(now),
            TransportEvent::BreakerOpened { cooldown } => {
                self.breaker = Breaker::Open { since: now, cooldown: *cooldown };
            }
            TransportEvent::BreakerClosed => self.breaker = Breaker::Closed,
            TransportEvent::RowsPulled { .. } | TransportEvent::WritePushed => (),
        }
    }

    pub(super) fn on_wait(&mut self, stage: WaitStage, waited: Duration, now: Instant) {
        self.window.wait(stage, waited, now);
    }

    fn end(&mut self, ending: Ending, now: Instant) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.window.end(ending, now);
    }

    pub(super) fn snapshot(&self, key: &str, now: Instant) -> KeyHealth {
        let (counts, covered) = self.window.sum(now);
        let stage = |stage| {
            let Waits { count, total } = counts.waits(stage);
            StageWaits { count, total: whole_ms(total) }
        };
        let quantile = |percent| counts.latency.quantile(percent).map(Duration::from_millis);
        let latency = quantile(50).zip(quantile(95)).zip(quantile(99));
        let answered = counts.succeeded.saturating_add(counts.rejected);
        let ended = answered.saturating_add(counts.failed);
        KeyHealth {
            key: key.to_owned(),
            covered: whole_ms(covered),
            succeeded: counts.succeeded,
            rejected: counts.rejected,
            failed: counts.failed,
            refused: counts.refused,
            cancelled: counts.cancelled,
            retries: counts.retries,
            requests_per_second: per_second(ended.saturating_add(counts.cancelled), covered),
            error_share: share(counts.failed, ended),
            latency: latency.map(|((p50, p95), p99)| Latency { p50, p95, p99 }),
            waits: WaitTotals {
                gate: stage(WaitStage::Gate),
                credential: stage(WaitStage::Credential),
                rate_token: stage(WaitStage::RateToken),
                slot: stage(WaitStage::Slot),
            },
            breaker: self.breaker(now),
            in_flight: self.in_flight,
            last_error: self.last_error.as_ref().map(|failure| LastError {
                kind: failure.kind.into(),
                status: failure.status,
                text: failure.text.clone(),
                age: whole_ms(now.saturating_duration_since(failure.at)),
            }),
        }
    }

    fn breaker(&self, now: Instant) -> BreakerHealth {
        match self.breaker {
            Breaker::Closed => BreakerHealth::Closed,
            Breaker::Open { cooldown: Duration::MAX, .. } => {
                BreakerHealth::Open { remaining: Duration::MAX }
            }
            Breaker::Open { since, cooldown } => {
                let remaining = cooldown.saturating_sub(now.saturating_duration_since(since));
                if remaining.is_zero() {
                    BreakerHealth::HalfOpen
                } else {
                    BreakerHealth::Open { remaining: whole_ms(remaining).max(MILLISECOND) }
                }
            }
        }
    }
}

/// Whose fault a failed attempt was.
fn ending(error: &ClientError, ms: u64) -> Ending {
    match error.kind {
        ErrorKind::Auth(_) => Ending::Failed { ms: None },
        _ if error.came_before_sending() => Ending::Refused,
        ErrorKind::BodyTooLarge(_) => Ending::Rejected { ms },
        ErrorKind::Status(status) if !retry_core::http::is_retryable(status) => {
            Ending::Rejected { ms }
        }
        _ => Ending::Failed { ms: Some(ms) },
    }
}

/// The error's text up to a limit. What a token source says is its own, and may hold anything.
fn text(error: &ClientError) -> String {
    let mut text = match error.kind {
        ErrorKind::Auth(_) => "auth refresh failed".to_owned(),
        _ => error.to_string(),
    };
    let mut end = text.len().min(TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.shrink_to_fit();
    text
}

/// Cuts what nobody reads off: a snapshot is for people and dashboards.
fn whole_ms(duration: Duration) -> Duration {
    duration.saturating_sub(Duration::from_nanos(u64::from(duration.subsec_nanos() % 1_000_000)))
}

fn per_second(count: u64, covered: Duration) -> f64 {
    count as f64 / covered.max(SECOND).as_secs_f64()
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_takes_at_most_17_kib() {
        assert!(size_of::<Track>() <= 17 << 10, "{} bytes", size_of::<Track>());
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let long = "é".repeat(TEXT);
        let error = ClientError::new(ErrorKind::Transport(format!("x{long}")), 1);
        assert_eq!(text(&error), format!("x{}", "é".repeat(TEXT / 2 - 1)));
    }

    #[test]
    fn only_whole_milliseconds_are_told() {
        let precise = Duration::from_nanos(1_234_567_891);
        assert_eq!(whole_ms(precise), Duration::from_millis(1_234));
        assert_eq!(whole_ms(Duration::from_nanos(999_999)), Duration::ZERO);
    }
}
