//! The token slot: which token is in use, and whether somebody should fetch another.

use std::time::{Duration, Instant};

/// The pause after the first failure in a row; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause between two attempts to fetch a token.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The most a token is replaced ahead of its expiry.
const LONGEST_MARGIN: Duration = Duration::from_secs(60);

/// The part of a token's life that is given up to replace it in time.
const MARGIN_PART: u32 = 10;

/// Which token of a client: the first fetched is 1, and each newer one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Generation(u64);

impl Generation {
    /// Before any token.
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn from_number(number: u64) -> Self {
        Self(number)
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }

    const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// What a caller that needs a token is to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Current<'a, T> {
    /// Fetch a token, not before that time, and report how it went.
    Refresh { not_before: Option<Instant> },
    /// Use this one.
    Use(&'a T, Generation),
    /// Wait for the one that is being fetched, not before that time.
    Wait { not_before: Option<Instant> },
}

/// The token in use and the state of its replacement.
///
/// A pure machine. Between [`Current::Refresh`] and the report of how that went, with
/// [`refreshed`](Self::refreshed), [`failed`](Self::failed) or [`abandoned`](Self::abandoned),
/// nobody else is told to refresh. A token that is due for replacement but still good stays in
/// use meanwhile by all but the one that replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TokenSlot<T> {
    held: Option<Held<T>>,
    newest: Generation,
    refreshing: bool,
    failures: u32,
    /// When the pause after the last failure ends.
    resume_at: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held<T> {
    token: T,
    generation: Generation,
    life: Option<Life>,
}

/// The known end of a token, and the time from which it is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Life {
    refresh_at: Instant,
    expires_at: Instant,
}

impl<T> TokenSlot<T> {
    pub(super) const fn new() -> Self {
        Self {
            held: None,
            newest: Generation::NONE,
            refreshing: false,
            failures: 0,
            resume_at: None,
        }
    }

    /// The token, if a caller is to use the one at hand.
    pub(super) fn at_hand(&self, now: Instant) -> Option<(&T, Generation)> {
        let replacing = self.refreshing || self.resume_at(now).is_some();
        Held::usable(&self.held, replacing, now)
    }

    /// Tells a caller what to do; a [`Current::Refresh`] makes it the one that does.
    pub(super) fn current(&mut self, now: Instant) -> Current<'_, T> {
        let resume_at = self.resume_at(now);
        let replacing = self.refreshing || resume_at.is_some();
        match Held::usable(&self.held, replacing, now) {
            Some((token, generation)) => Current::Use(token, generation),
            None if self.refreshing => Current::Wait { not_before: resume_at },
            None => {
                self.refreshing = true;
                Current::Refresh { not_before: resume_at }
            }
        }
    }

    fn resume_at(&self, now: Instant) -> Option<Instant> {
        self.resume_at.filter(|&at| now < at)
    }

    /// A token was fetched, good for `lifetime` from now.
    pub(super) fn refreshed(
        &mut self,
        token: T,
        lifetime: Option<Duration>,
        now: Instant,
    ) -> Generation {
        self.newest = self.newest.next();
        let life = lifetime.and_then(|lifetime| Life::new(lifetime, now));
        self.held = Some(Held { token, generation: self.newest, life });
        self.refreshing = false;
        self.failures = 0;
        self.resume_at = None;
        self.newest
    }

    /// No token could be fetched. Returns the one in use if it is still good.
    pub(super) fn failed(&mut self, now: Instant) -> Option<(&T, Generation)> {
        self.refreshing = false;
        let pause = FIRST_PAUSE
            .saturating_mul(1_u32.checked_shl(self.failures).unwrap_or(u32::MAX))
            .min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        self.resume_at = now.checked_add(pause);
        let held = self.held.as_ref().filter(|held| held.is_good(now))?;
        Some((&held.token, held.generation))
    }

    /// Whoever was to fetch a token gave up before there was an answer.
    pub(super) const fn abandoned(&mut self) {
        self.refreshing = false;
    }

    /// The server refused the token of that generation. Nothing changes if a newer one is held.
    pub(super) fn refused(&mut self, generation: Generation) {
        self.held = self.held.take().filter(|held| held.generation != generation);
    }

    #[cfg(test)]
    pub(super) fn signature(&self) -> String {
        let held = self.held.as_ref().map(|held| held.generation == self.newest);
        format!("{held:?} {} {}", self.refreshing, self.resume_at.is_some())
    }

    #[cfg(test)]
    pub(super) const fn is_refreshing(&self) -> bool {
        self.refreshing
    }
}

impl<T> Held<T> {
    /// The token to go on with: a fresh one, or one that is still good while it is replaced.
    fn usable(held: &Option<Self>, replacing: bool, now: Instant) -> Option<(&T, Generation)> {
        held.as_ref()
            .filter(|held| held.is_fresh(now) || (replacing && held.is_good(now)))
            .map(|held| (&held.token, held.generation))
    }

    fn is_fresh(&self, now: Instant) -> bool {
        self.life.is_none_or(|life| now < life.refresh_at)
    }

    fn is_good(&self, now: Instant) -> bool {
        self.life.is_none_or(|life| now < life.expires_at)
    }
}

impl Life {
    /// `None` where the clock cannot hold the end: such a token never expires.
    fn new(lifetime: Duration, now: Instant) -> Option<Self> {
        let margin = (lifetime / MARGIN_PART).min(LONGEST_MARGIN);
        let refresh_at = now.checked_add(lifetime.saturating_sub(margin))?;
        Some(Self { refresh_at, expires_at: now.checked_add(lifetime)? })
    }
}

#[cfg(test)]
mod history;
#[cfg(test)]
mod tests;
