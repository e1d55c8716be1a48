//! Everything the libraries under test write to `tracing` and to `log`.

use core::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    dispatcher::{self, DefaultGuard},
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
};

/// Collects all output at every level, fields of spans included.
///
/// [`start`](Self::start) captures what the current thread writes until the value is dropped;
/// that covers a test on a current-thread runtime. [`global`](Self::global) captures all threads
/// for the life of the process.
///
/// # Examples
///
/// ```
/// use test_support::Capture;
///
/// let capture = Capture::start();
/// tracing::trace!(url = "http://h/?key=…", "sending");
/// assert!(capture.text().contains("sending"));
/// capture.assert_free_of(&["s3cret"]);
/// ```
#[derive(Debug)]
pub struct Capture {
    buffer: Buffer,
    _scope: Option<DefaultGuard>,
}

impl Capture {
    /// Captures what this thread writes, until the value is dropped.
    ///
    /// Only one capture per thread sees it: the one started last.
    #[must_use = "dropping it ends the capture"]
    pub fn start() -> Self {
        forward_log();
        let buffer = Buffer::default();
        let dispatch = Dispatch::new(Recorder::new(buffer.clone()));
        let scope = dispatcher::set_default(&dispatch);
        Self { buffer, _scope: Some(scope) }
    }

    /// Captures what all threads write, from the first call to the end of the process.
    ///
    /// # Panics
    ///
    /// If another global subscriber has been set.
    #[must_use]
    pub fn global() -> Self {
        static BUFFER: OnceLock<Buffer> = OnceLock::new();
        let buffer = BUFFER.get_or_init(|| {
            forward_log();
            let buffer = Buffer::default();
            let dispatch = Dispatch::new(Recorder::new(buffer.clone()));
            dispatcher::set_global_default(dispatch).expect("no other global subscriber");
            buffer
        });
        Self { buffer: buffer.clone(), _scope: None }
    }

    /// All that was captured so far, one line per event or span.
    #[must_use]
    pub fn text(&self) -> String {
        self.buffer.lock().clone()
    }

    /// Forgets what was captured so far.
    pub fn clear(&self) {
        self.buffer.lock().clear();
    }

    /// Checks that none of these texts was captured.
    ///
    /// # Panics
    ///
    /// If one was; the message holds the line.
    #[track_caller]
    pub fn assert_free_of(&self, canaries: &[&str]) {
        let text = self.buffer.lock();
        for canary in canaries {
            let leak = text.lines().find(|line| line.contains(canary));
            assert_eq!(leak, None, "`{canary}` was written");
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Buffer(Arc<Mutex<String>>);

impl Buffer {
    fn lock(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one line; line ends in `fields` stay within it.
    fn write(&self, metadata: &Metadata<'_>, kind: &str, fields: &str) {
        let (level, target) = (metadata.level(), metadata.target());
        let fields = fields.replace('\n', "\\n");
        let line = format!("{level} {target} {kind} {}{fields}\n", metadata.name());
        self.lock().push_str(&line);
    }
}

/// The subscriber: enabled for everything, formats every field.
struct Recorder {
    buffer: Buffer,
    spans: AtomicU64,
}

impl Recorder {
    fn new(buffer: Buffer) -> Self {
        Self { buffer, spans: AtomicU64::new(1) }
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        span.record(&mut fields);
        self.buffer.write(span.metadata(), "span", &fields.0);
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        let line = format!("span {}{}\n", span.into_u64(), fields.0.replace('\n', "\\n"));
        self.buffer.lock().push_str(&line);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.buffer.write(event.metadata(), "event", &fields.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Fields as ` name=value` texts.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }

    // Without the quotes and escapes of `Debug`, so that a canary is found as it was written.
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push_str(&format!(" {}={value}", field.name()));
    }
}

/// Sends what libraries write to `log` to the `tracing` subscriber of the writing thread.
fn forward_log() {
    struct Forwarder;

    impl log::Log for Forwarder {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            true
        }

        fn log(&self, record: &log::Record<'_>) {
            let (origin, message) = (record.target(), record.args());
            tracing::trace!(target: "log", origin, %message);
        }

        fn flush(&self) {}
    }

    // An error means that a logger is there already: this one, or the test's own.
    if log::set_logger(&Forwarder).is_ok() {
        log::set_max_level(log::LevelFilter::Trace);
    }
}
