//! What the tests of the client share: a recorder of events, and clients over a script.

#![allow(dead_code, reason = "each test binary uses a part of it")]

mod grammar;
pub(crate) mod issuer;
pub(crate) mod timeline;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{ResilientClientBuilder, TransportEvent, TransportObserver, WaitStage};
use grammar::Grammar;

pub(crate) const URL: &str = "http://api.test/airports";

/// Records what a client reports, one short line each. Dropped, it fails the test if the events
/// are none that a client may report.
#[derive(Default)]
pub(crate) struct Recorder {
    grammar: Grammar,
    lines: Mutex<Vec<String>>,
    lengths: Mutex<Vec<Option<u64>>>,
    waits: Mutex<Vec<(WaitStage, Duration)>>,
}

impl Recorder {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("no test panics while recording").clone()
    }

    /// What each success told of the length of its body.
    pub(crate) fn lengths(&self) -> Vec<Option<u64>> {
        self.lengths.lock().expect("no test panics while recording").clone()
    }

    pub(crate) fn waits(&self) -> Vec<(WaitStage, Duration)> {
        self.waits.lock().expect("no test panics while recording").clone()
    }

    pub(crate) fn count(&self, prefix: &str) -> usize {
        self.lines().iter().filter(|line| line.starts_with(prefix)).count()
    }

    /// How many terminal events there were.
    pub(crate) fn ended(&self) -> usize {
        self.count("succeeded") + self.count("failed") + self.count("cancelled")
    }

    /// Every `Started` has had its one terminal event.
    #[track_caller]
    pub(crate) fn assert_paired(&self) {
        assert_eq!(self.count("started"), self.ended(), "{:#?}", self.lines());
    }
}

impl TransportObserver for Recorder {
    fn on_event(&self, _key: &str, event: TransportEvent) {
        self.grammar.take(&event);
        if let TransportEvent::Succeeded { bytes, .. } = event {
            self.lengths.lock().expect("no test panics while recording").push(bytes);
        }
        let line = match event {
            TransportEvent::Started => "started".to_owned(),
            TransportEvent::Succeeded { status, ms, .. } => format!("succeeded {status} {ms}ms"),
            TransportEvent::Failed { error, ms, .. } => format!("failed {error} {ms}ms"),
            TransportEvent::Cancelled => "cancelled".to_owned(),
            TransportEvent::RetryScheduled { after, attempt, .. } => {
                format!("retry {attempt} in {after:?}")
            }
            TransportEvent::BreakerOpened { cooldown, .. } => format!("opened for {cooldown:?}"),
            TransportEvent::BreakerClosed => "closed".to_owned(),
            other => format!("{other:?}"),
        };
        self.lines.lock().expect("no test panics while recording").push(line);
    }

    fn on_wait(&self, _key: &str, stage: WaitStage, waited: Duration) {
        self.waits.lock().expect("no test panics while recording").push((stage, waited));
    }
}

/// A client over a script, without jitter, watched by a recorder.
pub(crate) fn watched(script: &Script, recorder: &Arc<Recorder>) -> ResilientClientBuilder<Script> {
    api_pool::ResilientClient::builder()
        .transport(script.clone())
        .entropy(|| 0)
        .observer("test", recorder.clone())
}

/// Replies of these statuses, without bodies.
pub(crate) fn statuses(statuses: impl IntoIterator<Item = u16>) -> Script {
    Script::new(statuses.into_iter().map(Reply::status))
}

/// The paused clock.
#[expect(clippy::disallowed_methods, reason = "tests read the paused clock")]
pub(crate) fn now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

/// Lets the paused clock go on.
#[expect(clippy::disallowed_methods, reason = "tests wait on the paused clock")]
pub(crate) async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}

pub(crate) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}
