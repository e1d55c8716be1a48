//! What a server that knows keys did: each operation, how often, and what it looked like.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The operations of a run.
#[derive(Debug, Default)]
pub(super) struct Book(Mutex<HashMap<u64, Entry>>);

/// What the server knows of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// How often it was executed.
    pub(super) executed: u32,
    /// How often it arrived complete.
    pub(super) arrived: u32,
    /// Whether a repetition had another body, or another key.
    pub(super) altered: bool,
    body: u64,
    key: Option<u64>,
}

impl Book {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A complete request arrived. It is executed unless its key was seen before.
    pub(super) fn arrive(&self, request: &[u8]) {
        let Some((head, body)) = split(request) else { return };
        let Some(operation) = number(body) else { return };
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let key = lines.filter(|(name, _)| name.eq_ignore_ascii_case("idempotency-key"));
        let (key, body) = (key.map(|(_, value)| hash(value)).next(), hash(body));
        let mut book = self.lock();
        let entry = book.entry(operation).or_default();
        entry.arrived += 1;
        if entry.arrived == 1 {
            (entry.key, entry.body) = (key, body);
        } else if (entry.key, entry.body) != (key, body) {
            entry.altered = true;
        }
        if entry.executed == 0 || key.is_none() || entry.key != key {
            entry.executed += 1;
        }
    }

    pub(super) fn entry(&self, operation: u64) -> Entry {
        self.lock().get(&operation).copied().unwrap_or_default()
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.lock().values().copied().collect()
    }

    /// How many keys belong to more than one operation.
    pub(super) fn shared_keys(&self) -> usize {
        let mut keys: Vec<u64> = self.lock().values().filter_map(|entry| entry.key).collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        all - keys.len()
    }
}

fn split(request: &[u8]) -> Option<(&str, &str)> {
    std::str::from_utf8(request).ok()?.split_once("\r\n\r\n")
}

/// The number of the operation in a body: `{"op":7,…`.
fn number(body: &str) -> Option<u64> {
    body.strip_prefix("{\"op\":")?.split_once(',')?.0.parse().ok()
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(key: &str, body: &str) -> Vec<u8> {
        format!("POST / HTTP/1.1\r\n{key}\r\n\r\n{body}").into_bytes()
    }

    #[test]
    fn a_repetition_is_executed_unless_it_has_the_key_of_the_first() {
        let book = Book::default();
        book.arrive(&request("a: b", "{\"op\":1,x}"));
        book.arrive(&request("a: b", "{\"op\":1,x}"));
        assert_eq!((book.entry(1).executed, book.entry(1).altered), (2, false));

        book.arrive(&request("Idempotency-Key: k", "{\"op\":2,x}"));
        book.arrive(&request("idempotency-key: k", "{\"op\":2,x}"));
        assert_eq!((book.entry(2).executed, book.entry(2).arrived), (1, 2));
    }

    #[test]
    fn a_repetition_that_differs_is_noticed() {
        let book = Book::default();
        book.arrive(&request("Idempotency-Key: k", "{\"op\":3,x}"));
        book.arrive(&request("Idempotency-Key: k", "{\"op\":3,y}"));
        assert!(book.entry(3).altered);
        book.arrive(&request("Idempotency-Key: k", "{\"op\":4,x}"));
        assert_eq!(book.shared_keys(), 1);
    }
}
