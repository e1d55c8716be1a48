//! Which page of a listing to ask for next: a machine without I/O.
//!
//! A [`Walk`] is told what each page held and says what to ask for. It ends by
//! itself on whatever a server does: a page that is short, empty, or the same
//! again; a total that is wrong; a set that grows while it is read.

use std::collections::HashSet;

use vantage_core::{Result, error};

pub(crate) mod cursor;
pub(crate) mod link;

use crate::config::{Config, PaginationMode};

/// The rows `[offset, offset + limit)` of the server's set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageRequest {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

/// What a page held, before any filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageFacts {
    pub(crate) rows: usize,
    /// The size of the whole set, where the response told it.
    pub(crate) total: Option<u64>,
    /// Equal for pages of equal content.
    pub(crate) fingerprint: u64,
}

/// What a short first page means where no total is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShortPage {
    /// The end of the set.
    Ends,
    /// Perhaps a server that gives fewer rows than asked for: one more request
    /// finds out.
    Asks,
}

/// A walk over the pages of a set, from a row to its end.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    mode: PaginationMode,
    limit: usize,
    short: ShortPage,
    /// The first row not yet read.
    at: usize,
    state: State,
    total: Option<u64>,
    seen: HashSet<u64>,
    full_pages: usize,
    largest: usize,
    requests: usize,
    max_requests: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    Ended,
}

impl Walk {
    /// A walk from row `at` in pages of at most `limit` rows.
    pub(crate) fn new(config: &Config, at: usize, limit: usize) -> Self {
        let cap = config.max_page_size.unwrap_or(usize::MAX).max(1);
        Self {
            mode: config.params.mode,
            limit: limit.clamp(1, cap),
            short: ShortPage::Ends,
            at,
            state: State::Reading,
            total: None,
            seen: HashSet::new(),
            full_pages: 0,
            largest: 0,
            requests: 0,
            max_requests: config.max_requests,
        }
    }

    /// The rest of a set whose first request, without paging parameters,
    /// returned `first`.
    pub(crate) fn after_listing(config: &Config, first: PageFacts) -> Self {
        let mut walk = Self::new(config, 0, first.rows.max(1));
        walk.requests = 1;
        walk.at = first.rows;
        walk.total = first.total;
        walk.seen.insert(first.fingerprint);
        if first.rows == 0 || !walk.total_says_more() {
            walk.state = State::Ended;
        }
        walk
    }

    /// This walk with another meaning of a short first page.
    pub(crate) fn with_short_page(self, short: ShortPage) -> Self {
        Self { short, ..self }
    }

    /// This walk with pages that double, up to `largest` rows, once four came
    /// back full: for a walk whose rows are mostly filtered out.
    pub(crate) fn with_growth(self, largest: usize) -> Self {
        Self { largest, ..self }
    }

    /// The page to ask for next; `None` at the end of the set.
    ///
    /// # Errors
    ///
    /// "API read needs more requests than allowed" once the cap is reached.
    pub(crate) fn next(&mut self) -> Result<Option<PageRequest>> {
        if self.state == State::Ended {
            return Ok(None);
        }
        if self.requests >= self.max_requests {
            return Err(error!(
                "API read needs more requests than allowed",
                max_requests = self.max_requests,
                rows = self.at
            ));
        }
        self.requests += 1;
        Ok(Some(self.request()))
    }

    /// The pages behind the one asked for last, as far as the total says they
    /// exist and as if each page came back full.
    pub(crate) fn ahead(&self, pages: usize) -> Vec<PageRequest> {
        let Some(total) = self.total.and_then(|total| usize::try_from(total).ok()) else {
            return Vec::new();
        };
        let first = self.request();
        let allowed = self.max_requests.saturating_sub(self.requests);
        (1..=pages.min(allowed))
            .map(|page| first.offset.saturating_add(page.saturating_mul(first.limit)))
            .take_while(|offset| *offset < total)
            .map(|offset| PageRequest { offset, limit: first.limit })
            .collect()
    }

    fn request(&self) -> PageRequest {
        let offset = match self.mode {
            PaginationMode::Page => self.at / self.limit * self.limit,
            _ => self.at,
        };
        PageRequest { offset, limit: self.limit }
    }

    /// Takes in the page asked for last: the index of its first row that was
    /// not read before. A page of rows that all were read before has none.
    ///
    /// # Errors
    ///
    /// "API repeats a page of rows" when the page was already seen although
    /// the total says there is more: the server ignores the paging parameters,
    /// and the rest of the set cannot be reached.
    pub(crate) fn arrived(&mut self, page: PageFacts) -> Result<usize> {
        let request = self.request();
        self.total = page.total.or(self.total);
        let fresh = self.at.saturating_sub(request.offset).min(page.rows);
        if page.rows > fresh && !self.seen.insert(page.fingerprint) {
            return self.repeated(page);
        }
        self.at = self.at.max(request.offset.saturating_add(page.rows));
        if page.rows == 0 {
            self.state = State::Ended;
        } else if page.rows < request.limit {
            self.after_short_page(page.rows);
        } else if page.rows <= fresh {
            self.state = State::Ended;
        } else {
            self.after_full_page();
        }
        Ok(fresh)
    }

    fn repeated(&mut self, page: PageFacts) -> Result<usize> {
        self.state = State::Ended;
        if self.total_says_more() {
            return Err(error!(
                "API repeats a page of rows",
                rows = self.at,
                total = self.total.unwrap_or_default()
            ));
        }
        Ok(page.rows)
    }

    fn after_short_page(&mut self, rows: usize) {
        let first = self.full_pages == 0 && self.seen.len() <= 1;
        let more = match self.total {
            Some(_) => self.total_says_more(),
            None => first && self.short == ShortPage::Asks,
        };
        if more {
            self.limit = rows;
        } else {
            self.state = State::Ended;
        }
    }

    fn after_full_page(&mut self) {
        if u64::try_from(self.at).ok() == self.total {
            self.state = State::Ended;
        }
        self.full_pages += 1;
        let doubled = self.limit.saturating_mul(2);
        if self.full_pages >= 4 && doubled <= self.largest && self.at.is_multiple_of(doubled) {
            self.limit = doubled;
            self.full_pages = 1;
        }
    }

    fn total_says_more(&self) -> bool {
        self.total.is_some_and(|total| u64::try_from(self.at).is_ok_and(|at| at < total))
    }

    /// The first row not yet read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The size of the whole set, where a response told it.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }
}

#[cfg(test)]
mod tests;
