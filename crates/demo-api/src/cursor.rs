//! Cursors: opaque texts that name a place in one listing, and may expire.

use std::time::Duration;

use crate::{
    config::{ExpiredCursor, Lifetime},
    mix::mix,
};

/// Why a cursor leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CursorError {
    /// It was good once.
    Expired(ExpiredCursor),
    /// It was not issued here, or for another listing.
    Unknown,
}

/// Issues and opens cursors. All that is known about a cursor is in its text.
#[derive(Debug)]
pub(crate) struct CursorBook {
    lifetime: Lifetime,
    answer: ExpiredCursor,
    seed: u64,
    opened: u64,
    epoch: u64,
}

/// What a cursor's text holds.
struct Place {
    offset: u64,
    opened: u64,
    issued: u64,
    epoch: u64,
}

impl CursorBook {
    pub(crate) fn new(lifetime: Lifetime, answer: ExpiredCursor, seed: u64) -> Self {
        Self { lifetime, answer, seed, opened: 0, epoch: 0 }
    }

    /// A cursor for this place of the listing that `scope` stands for.
    pub(crate) fn issue(&self, offset: usize, scope: u64, now: Duration) -> String {
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        let issued = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let place = Place { offset, opened: self.opened, issued, epoch: self.epoch };
        self.encode(&place, scope)
    }

    /// The place a cursor names.
    pub(crate) fn open(
        &mut self,
        text: &str,
        scope: u64,
        now: Duration,
    ) -> Result<usize, CursorError> {
        let place = self.decode(text, scope).ok_or(CursorError::Unknown)?;
        let age = now.saturating_sub(Duration::from_millis(place.issued));
        let opened = self.opened.saturating_sub(place.opened);
        self.opened += 1;
        if place.epoch != self.epoch || !self.lifetime.covers(opened, age) {
            return Err(CursorError::Expired(self.answer));
        }
        usize::try_from(place.offset).map_err(|_| CursorError::Unknown)
    }

    /// Ends every cursor issued so far, and sets how that is told.
    pub(crate) fn expire(&mut self, answer: ExpiredCursor) {
        self.epoch += 1;
        self.answer = answer;
    }

    /// Scrambled hexadecimal digits between characters that a URL must encode.
    fn encode(&self, place: &Place, scope: u64) -> String {
        let words = [place.offset, place.opened, place.issued, place.epoch];
        let mut text = String::from("c/");
        for (key, word) in self.keys().zip(words) {
            text.push_str(&format!("{:016x}", word ^ key));
        }
        text.push_str(&format!("{:016x}==", self.check(words, scope)));
        text
    }

    fn decode(&self, text: &str, scope: u64) -> Option<Place> {
        let digits = text.strip_prefix("c/")?.strip_suffix("==")?;
        let mut words = [0_u64; 5];
        if digits.len() != words.len() * 16 {
            return None;
        }
        for (index, word) in words.iter_mut().enumerate() {
            *word = u64::from_str_radix(digits.get(index * 16..(index + 1) * 16)?, 16).ok()?;
        }
        let [places @ .., check] = &mut words;
        for (key, word) in self.keys().zip(places.iter_mut()) {
            *word ^= key;
        }
        let place @ [offset, opened, issued, epoch] = *places;
        (self.check(place, scope) == *check).then_some(Place { offset, opened, issued, epoch })
    }

    fn keys(&self) -> impl Iterator<Item = u64> + use<> {
        let seed = self.seed;
        (1..).map(move |index| mix(seed ^ mix(index)))
    }

    fn check(&self, words: [u64; 4], scope: u64) -> u64 {
        words.iter().fold(mix(self.seed ^ scope), |check, word| mix(check ^ word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_millis(5);

    #[test]
    fn a_cursor_leads_to_its_place_in_its_listing_only() {
        let mut book = CursorBook::new(Lifetime::unlimited(), ExpiredCursor::Gone, 7);
        let cursor = book.issue(60, 1, NOW);
        assert_eq!(book.open(&cursor, 1, NOW), Ok(60));
        assert_eq!(book.open(&cursor, 2, NOW), Err(CursorError::Unknown));
        for wrong in ["", "c/==", "c/zz==", &cursor.replace('c', "d"), "c/é=="] {
            assert_eq!(book.open(wrong, 1, NOW), Err(CursorError::Unknown), "{wrong}");
        }
    }

    #[test]
    fn a_cursor_expires_by_requests_and_by_time() {
        let lifetime = Lifetime::requests(1).with_time(Duration::from_millis(10));
        let mut book = CursorBook::new(lifetime, ExpiredCursor::ServerError, 7);
        let expired = Err(CursorError::Expired(ExpiredCursor::ServerError));
        let cursor = book.issue(60, 1, NOW);
        assert_eq!(book.open(&cursor, 1, NOW), Ok(60));
        assert_eq!(book.open(&cursor, 1, NOW), expired);
        let cursor = book.issue(60, 1, NOW);
        assert_eq!(book.open(&cursor, 1, NOW + Duration::from_millis(10)), expired);
    }

    #[test]
    fn all_cursors_can_be_ended_at_once() {
        let mut book = CursorBook::new(Lifetime::unlimited(), ExpiredCursor::ServerError, 7);
        let old = book.issue(60, 1, NOW);
        book.expire(ExpiredCursor::Gone);
        let expired = Err(CursorError::Expired(ExpiredCursor::Gone));
        assert_eq!(book.open(&old, 1, NOW), expired);
        let fresh = book.issue(60, 1, NOW);
        assert_eq!(book.open(&fresh, 1, NOW), Ok(60));
    }
}
