//! The observer that remembers the last events and how attempts went.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use api_pool::{ClientError, ErrorKind, Fate, TransportEvent, TransportObserver};

use crate::{
    clock,
    history::History,
    model::{Entry, Step, Tone},
    text,
};

/// How many events are kept.
const ENTRIES: usize = 64;

/// How many of the last entries are looked through for the same event.
const NEAR: usize = 12;

/// What all clients did lately.
#[derive(Debug)]
pub struct Log {
    started: Instant,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    entries: VecDeque<Entry>,
    apis: BTreeMap<String, Past>,
}

/// What one API did lately.
#[derive(Debug, Default)]
struct Past {
    history: History,
    /// The last failure that the API had a part in, and when.
    failure: Option<(String, Duration)>,
}

impl Log {
    /// A log that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { started: clock::now(), notes: Mutex::default() }
    }

    /// The time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        clock::now().saturating_duration_since(self.started)
    }

    /// The last events, the latest last.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries.iter().cloned().collect()
    }

    /// How the attempts of one API went, up to now.
    #[must_use]
    pub fn history(&self, api: &str) -> Vec<Step> {
        let now = self.elapsed();
        let mut notes = self.lock();
        notes.apis.get_mut(api).map(|past| past.history.steps(now)).unwrap_or_default()
    }

    /// The last failure that the API had a part in, and its age.
    #[must_use]
    pub fn last_failure(&self, api: &str) -> Option<(String, Duration)> {
        let now = self.elapsed();
        let (text, at) = self.lock().apis.get(api)?.failure.clone()?;
        Some((text, now.saturating_sub(at)))
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TransportObserver for Log {
    fn on_event(&self, api: &str, event: TransportEvent) {
        let at = self.elapsed();
        let mut notes = self.lock();
        if !notes.apis.contains_key(api) {
            notes.apis.insert(api.to_owned(), Past::default());
        }
        if let Some(past) = notes.apis.get_mut(api) {
            past.note(&event, at);
        }
        if let Some((tone, words)) = describe(&event) {
            notes.add(Entry { at, api: api.to_owned(), tone, text: words, times: 1 });
        }
    }
}

impl Past {
    fn note(&mut self, event: &TransportEvent, at: Duration) {
        match event {
            TransportEvent::Succeeded { ms, .. } => self.history.answered(at, *ms),
            TransportEvent::Failed { error, ms, .. } => {
                match error.status() {
                    Some(_) if error.is_final() => self.history.answered(at, *ms),
                    _ => self.history.failed(at),
                }
                if was_sent(error) {
                    self.failure = Some((failure(error), at));
                }
            }
            _ => (),
        }
    }
}

impl Notes {
    /// Adds an entry, or counts it where the same thing has just happened. News always count.
    fn add(&mut self, entry: Entry) {
        let near = self.entries.len().saturating_sub(NEAR);
        let same = |old: &Entry| {
            entry.tone == Tone::Plain && old.api == entry.api && old.text == entry.text
        };
        if let Some(old) = self.entries.iter_mut().skip(near).find(|old| same(old)) {
            old.times = old.times.saturating_add(1);
            return;
        }
        if self.entries.len() == ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }
}

/// Whether the API, and not the client alone, had a part in the failure.
fn was_sent(error: &ClientError) -> bool {
    matches!(
        error.kind,
        ErrorKind::Auth(_)
            | ErrorKind::BodyTooLarge(_)
            | ErrorKind::Status(_)
            | ErrorKind::Transport(_)
    )
}

/// An event in words. What goes well is not worth a line.
fn describe(event: &TransportEvent) -> Option<(Tone, String)> {
    match event {
        TransportEvent::BreakerClosed => {
            Some((Tone::Good, "breaker closed, waiters released at a pace".to_owned()))
        }
        TransportEvent::BreakerOpened { cooldown, .. } => {
            Some((Tone::Bad, format!("breaker open for {}", text::duration(*cooldown))))
        }
        TransportEvent::Cancelled => Some((Tone::Plain, "dropped by its caller".to_owned())),
        TransportEvent::Failed { error, .. } => Some((Tone::Plain, failure(error))),
        TransportEvent::RetryScheduled { .. } => Some((Tone::Plain, "retry scheduled".to_owned())),
        _ => None,
    }
}

/// A failure in words: its status or its kind, nothing that a server wrote.
fn failure(error: &ClientError) -> String {
    match &error.kind {
        ErrorKind::Auth(_) => "no token".to_owned(),
        ErrorKind::BreakerOpen => "not sent: breaker open".to_owned(),
        ErrorKind::Deadline => "out of time".to_owned(),
        ErrorKind::QueueFull => "not sent: queue full".to_owned(),
        ErrorKind::QueueTimeout => "not sent: too long in the queue".to_owned(),
        ErrorKind::Status(status) => format!("answered {status}"),
        ErrorKind::Transport(_) if error.fate() == Fate::NotSent => "not reached".to_owned(),
        ErrorKind::Transport(_) => "no answer".to_owned(),
        other => other.name().replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(api: &str, text: &str, times: u32) -> Entry {
        let (api, text) = (api.to_owned(), text.to_owned());
        Entry { at: Duration::ZERO, api, tone: Tone::Plain, text, times }
    }

    #[test]
    fn the_same_event_is_counted_while_it_is_near() {
        let mut notes = Notes::default();
        for text in ["a", "b", "a", "b", "b"] {
            notes.add(entry("x", text, 1));
        }
        notes.add(entry("y", "b", 1));
        assert_eq!(notes.entries, [entry("x", "a", 2), entry("x", "b", 3), entry("y", "b", 1)]);

        (0..NEAR).for_each(|number| notes.add(entry("x", &number.to_string(), 1)));
        notes.add(entry("x", "a", 1));
        assert_eq!(notes.entries.back(), Some(&entry("x", "a", 1)));
    }

    #[test]
    fn news_has_a_line_each_time() {
        let mut notes = Notes::default();
        let news = Entry { tone: Tone::Bad, ..entry("x", "breaker open for 1.0 s", 1) };
        notes.add(news.clone());
        notes.add(news.clone());
        assert_eq!(notes.entries, [news.clone(), news]);
    }

    #[test]
    fn the_list_of_events_does_not_grow_for_ever() {
        let mut notes = Notes::default();
        (0..1_000).for_each(|number| notes.add(entry("x", &number.to_string(), 1)));
        assert_eq!(notes.entries.len(), ENTRIES);
        assert_eq!(notes.entries.back(), Some(&entry("x", "999", 1)));
    }
}
