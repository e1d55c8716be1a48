//! Reading a connection page by page.

use serde_json::Value as Json;
use vantage_core::{Result, error};

use super::{read::Read, trail::Trail};
use crate::{
    decode::{PageInfo, Rows},
    local_filter::LocalFilter,
};

/// The rows of one response, and whether more follow.
pub(crate) struct Page {
    pub(crate) rows: Vec<Json>,
    pub(crate) info: PageInfo,
}

/// A place in a read, moving forward. A table that is no connection is one
/// page.
pub(crate) struct Cursor {
    next: Next,
    /// A cursor that comes back would go on for ever.
    trail: Trail,
    pages: u32,
    rows: usize,
}

enum Next {
    Start,
    After(String),
    End,
}

impl Cursor {
    /// Before the first row.
    pub(crate) fn start() -> Self {
        Self { next: Next::Start, trail: Trail::default(), pages: 0, rows: 0 }
    }

    /// After the row that `token` names.
    pub(crate) fn after(token: String) -> Self {
        Self { trail: Trail::from(token.clone()), next: Next::After(token), ..Self::start() }
    }

    /// What to go on from, if anything follows.
    pub(crate) fn token(&self) -> Option<&str> {
        match &self.next {
            Next::After(cursor) => Some(cursor),
            Next::Start | Next::End => None,
        }
    }

    /// The next page, of up to `wanted` rows where the server cuts pages;
    /// `None` past the last.
    ///
    /// # Errors
    ///
    /// If the request fails; if the server repeats a cursor, or goes on beyond
    /// the configured number of pages.
    pub(crate) async fn next(&mut self, read: &Read, wanted: u32) -> Result<Option<Page>> {
        let after = match &self.next {
            Next::Start => None,
            Next::After(cursor) => Some(cursor.clone()),
            Next::End => return Ok(None),
        };
        let mut select = read.select.clone();
        if let Some(paging) = &read.api().settings().connection {
            let root = read.root();
            let pages = paging.max_pages.get();
            if self.pages >= pages {
                return Err(error!(
                    "GraphQL connection has too many pages",
                    root = root,
                    pages = pages
                ));
            }
            let first = wanted.min(paging.page_size.get());
            select = select.with_connection_page(paging.args.clone(), first.into(), after);
        }
        let page = read.fetch(select).await?;
        self.pages = self.pages.saturating_add(1);
        self.next = match &page.info {
            PageInfo::Last => Next::End,
            PageInfo::More(cursor) => {
                if self.trail.repeats(cursor) {
                    let root = read.root();
                    return Err(error!("GraphQL connection repeats a cursor", root = root));
                }
                Next::After(cursor.clone())
            }
        };
        Ok(Some(page))
    }

    /// Every row from here on.
    pub(crate) async fn read_all(self, read: &Read) -> Result<Rows> {
        Ok(self.read_rows(read, usize::MAX).await?.0)
    }

    /// Rows from here on until there are `wanted`, and where the read stopped.
    pub(crate) async fn read_rows(mut self, read: &Read, wanted: usize) -> Result<(Rows, Self)> {
        let filter = read.local_filter().await?;
        let mut known = Rows::new();
        while known.len() < wanted {
            let missing = missing(wanted, known.len());
            if !self.read_page(read, missing, filter.as_ref(), &mut known).await? {
                break;
            }
        }
        Ok((known, self))
    }

    /// Adds the rows of the next page to `known`. False past the last.
    pub(super) async fn read_page(
        &mut self,
        read: &Read,
        wanted: u32,
        filter: Option<&LocalFilter<'_>>,
        known: &mut Rows,
    ) -> Result<bool> {
        let Some(page) = self.next(read, wanted).await? else { return Ok(false) };
        let count = page.rows.len();
        read.decode_filtered(known, page.rows, self.rows, filter)?;
        self.rows = self.rows.saturating_add(count);
        Ok(true)
    }
}

/// How many rows a page should bring.
fn missing(wanted: usize, known: usize) -> u32 {
    u32::try_from(wanted.saturating_sub(known)).unwrap_or(u32::MAX)
}
