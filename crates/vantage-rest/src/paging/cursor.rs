//! A listing that follows cursors or links: a machine without I/O.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use vantage_core::{Result, error};

use crate::config::Config;

/// Restarts in a row that brought no new row before a listing gives up.
const MAX_FUTILE_RESTARTS: u32 = 3;

/// Where a page of a listing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the beginning.
    First,
    /// Behind this cursor, or at this link.
    After(String),
}

/// A walk along cursors, from the beginning to the end of a listing.
///
/// A server may forget a cursor while a listing is read. The listing then
/// starts again, and rows already given out are left out: the walk remembers
/// eight bytes of each row's key for that.
#[derive(Clone, Debug)]
pub(crate) struct CursorWalk {
    place: Option<Place>,
    followed: HashSet<u64>,
    given: HashSet<u64>,
    futile_restarts: u32,
    requests: usize,
    max_requests: usize,
}

impl CursorWalk {
    /// A walk from `place`.
    pub(crate) fn new(config: &Config, place: Place) -> Self {
        Self {
            place: Some(place),
            followed: HashSet::new(),
            given: HashSet::new(),
            futile_restarts: 0,
            requests: 0,
            max_requests: config.max_requests,
        }
    }

    /// The page to ask for next; `None` at the end.
    ///
    /// # Errors
    ///
    /// "API read needs more requests than allowed" once the cap is reached.
    pub(crate) fn next(&mut self) -> Result<Option<Place>> {
        if self.place.is_some() && self.requests >= self.max_requests {
            return Err(error!(
                "API read needs more requests than allowed",
                max_requests = self.max_requests
            ));
        }
        self.requests += 1;
        Ok(self.place.clone())
    }

    /// Takes in the page asked for last, and where the next one is.
    ///
    /// # Errors
    ///
    /// "API repeats a cursor" when the listing leads back to itself.
    pub(crate) fn arrived(&mut self, next: Option<String>) -> Result<()> {
        self.place = match next {
            None => None,
            Some(cursor) if self.followed.insert(hash(&cursor)) => Some(Place::After(cursor)),
            Some(_) => return Err(error!("API repeats a cursor", requests = self.requests)),
        };
        Ok(())
    }

    /// Whether a row with this key was not given out before; it now is.
    pub(crate) fn give(&mut self, key: &str) -> bool {
        let fresh = self.given.insert(hash(key));
        if fresh {
            self.futile_restarts = 0;
        }
        fresh
    }

    /// Takes in that the server does not know the cursor asked for last.
    /// Whether the listing starts again: it does not when it was at its
    /// beginning, or when the last restarts brought nothing new.
    pub(crate) fn forgotten(&mut self) -> bool {
        if !matches!(self.place, Some(Place::After(_))) {
            return false;
        }
        if self.futile_restarts >= MAX_FUTILE_RESTARTS {
            return false;
        }
        self.futile_restarts += 1;
        self.place = Some(Place::First);
        self.followed.clear();
        true
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{CursorWalk, MAX_FUTILE_RESTARTS, Place};
    use crate::config::Config;

    fn walk() -> CursorWalk {
        CursorWalk::new(&Config::new("http://h".to_owned()), Place::First)
    }

    fn after(cursor: &str) -> Option<Place> {
        Some(Place::After(cursor.to_owned()))
    }

    #[test]
    fn follows_cursors_to_the_end() {
        let mut walk = walk();
        assert_eq!(walk.next().unwrap(), Some(Place::First));
        walk.arrived(Some("a".to_owned())).unwrap();
        assert_eq!(walk.next().unwrap(), after("a"));
        walk.arrived(None).unwrap();
        assert_eq!(walk.next().unwrap(), None);
    }

    #[test]
    fn a_cursor_that_leads_back_is_an_error() {
        let mut walk = walk();
        walk.arrived(Some("a".to_owned())).unwrap();
        walk.arrived(Some("b".to_owned())).unwrap();
        let err = walk.arrived(Some("a".to_owned())).unwrap_err();
        assert_eq!(err.message(), "API repeats a cursor");
    }

    #[test]
    fn a_forgotten_cursor_starts_the_listing_again_without_giving_rows_twice() {
        let mut walk = walk();
        assert!(walk.give("1"));
        walk.arrived(Some("a".to_owned())).unwrap();
        assert!(walk.forgotten());
        assert_eq!(walk.next().unwrap(), Some(Place::First));
        assert!(!walk.give("1"));
        walk.arrived(Some("a".to_owned())).unwrap();
        assert_eq!(walk.next().unwrap(), after("a"));
        assert!(walk.give("2"));
    }

    #[test]
    fn a_first_page_that_fails_is_not_a_forgotten_cursor() {
        assert!(!walk().forgotten());
    }

    #[test]
    fn restarts_without_a_new_row_end() {
        let mut walk = walk();
        for _ in 0..MAX_FUTILE_RESTARTS {
            walk.arrived(Some("a".to_owned())).unwrap();
            assert!(walk.forgotten());
        }
        walk.arrived(Some("a".to_owned())).unwrap();
        assert!(!walk.forgotten());
    }

    #[test]
    fn a_new_row_allows_restarts_again() {
        let mut walk = walk();
        for round in 0..3 {
            for _ in 0..MAX_FUTILE_RESTARTS {
                walk.arrived(Some("a".to_owned())).unwrap();
                assert!(walk.forgotten());
            }
            assert!(walk.give(&round.to_string()));
        }
    }

    #[test]
    fn fresh_cursors_for_ever_end_at_the_cap() {
        let mut config = Config::new("http://h".to_owned());
        config.max_requests = 5;
        let mut walk = CursorWalk::new(&config, Place::First);
        for n in 0..5 {
            walk.next().unwrap();
            walk.arrived(Some(n.to_string())).unwrap();
        }
        assert!(walk.next().is_err());
    }
}
