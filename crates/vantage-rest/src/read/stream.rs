//! Reading page by page, holding no more than a few pages.

use std::collections::VecDeque;

use futures_util::{
    FutureExt, Stream, StreamExt, TryStreamExt,
    future::BoxFuture,
    stream::{self, FuturesOrdered},
};
use vantage_core::Result;

use super::{
    Read, Rows,
    cursors::Trail,
    fetch::{Ask, RawPage},
};
use crate::{
    config::Paging,
    decode::Row,
    paging::{
        PageRequest, ShortPage, Walk,
        cursor::{CursorWalk, Place},
    },
};

/// A stream's place in the set.
struct Progress {
    read: Read,
    branch: usize,
    source: Source,
}

/// Where the pages of the current branch come from.
enum Source {
    /// The branch has not begun.
    Unopened,
    Cursors(Trail),
    Pages {
        walk: Walk,
        ahead: Ahead,
    },
    /// The branch is read to its end.
    Spent,
}

/// Pages requested ahead, in their order.
#[derive(Default)]
struct Ahead {
    requests: VecDeque<PageRequest>,
    pages: FuturesOrdered<BoxFuture<'static, Result<RawPage>>>,
}

impl Read {
    /// The rows the table asks for, page by page.
    ///
    /// Nothing is fetched before the stream is polled, and at most the page
    /// being given out and the pages requested ahead are held.
    pub(crate) fn stream(self) -> impl Stream<Item = Result<(String, Row)>> + Send {
        let start = Progress { read: self, branch: 0, source: Source::Unopened };
        stream::try_unfold(start, Progress::step)
            .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
            .try_flatten()
    }
}

impl Progress {
    async fn step(mut self) -> Result<Option<(Rows, Self)>> {
        Ok(self.next_page().await?.map(|page| (page, self)))
    }

    async fn next_page(&mut self) -> Result<Option<Rows>> {
        loop {
            let Some(branch) = self.read.branches.get(self.branch) else { return Ok(None) };
            let page_size = self.read.api.config().page_size;
            let page = match &mut self.source {
                Source::Unopened => {
                    let (page, source) = self.read.open(self.branch).await?;
                    self.source = source;
                    page
                }
                Source::Cursors(trail) => self.read.follow(branch, trail, page_size).await?,
                Source::Pages { walk, ahead } => {
                    self.read.next_of_walk(self.branch, walk, ahead).await?
                }
                Source::Spent => None,
            };
            match page {
                Some(rows) => return Ok(Some(rows)),
                None if matches!(self.source, Source::Unopened) => (),
                // A page of the whole set spans all branches.
                None if self.read.pagination.is_some() => self.branch = self.read.branches.len(),
                None => {
                    self.branch += 1;
                    self.source = Source::Unopened;
                }
            }
        }
    }
}

impl Read {
    /// Begins a branch: perhaps with a page already, and where the next ones
    /// come from.
    async fn open(&self, branch: usize) -> Result<(Option<Rows>, Source)> {
        let config = self.api.config();
        if self.pagination.is_some() {
            return Ok((Some(self.list().await?), Source::Spent));
        }
        if config.follows_cursors() {
            let walk = CursorWalk::new(config, Place::First);
            return Ok((Some(Rows::new()), Source::Cursors(Trail::new(walk))));
        }
        if config.serves_windows() {
            let walk = Walk::new(config, 0, config.page_size).with_short_page(ShortPage::Asks);
            return Ok((Some(Rows::new()), Source::Pages { walk, ahead: Ahead::default() }));
        }
        let Some(branch) = self.branches.get(branch) else { return Ok((None, Source::Spent)) };
        let page = self.fetch(branch, &Ask::Unpaged).await?;
        let walk = match (config.paging, page.total) {
            (Paging::Off, _) | (_, None) => None,
            _ => Some(Walk::after_listing(config, page.facts())),
        };
        let source = match walk {
            Some(walk) => Source::Pages { walk, ahead: Ahead::default() },
            None => Source::Spent,
        };
        Ok((Some(self.keep(branch, page.rows, 0)?), source))
    }

    async fn next_of_walk(
        &self,
        branch: usize,
        walk: &mut Walk,
        ahead: &mut Ahead,
    ) -> Result<Option<Rows>> {
        let Some(request) = walk.next()? else { return Ok(None) };
        if ahead.requests.front().is_some_and(|first| *first != request) {
            // The walk went another way than expected: what was requested
            // ahead is of no use.
            *ahead = Ahead::default();
        }
        if ahead.requests.is_empty() {
            self.request_ahead(branch, request, ahead);
        }
        for next in walk.ahead(self.api.config().prefetch) {
            if !ahead.requests.contains(&next) {
                self.request_ahead(branch, next, ahead);
            }
        }
        ahead.requests.pop_front();
        let Some(page) = ahead.pages.next().await.transpose()? else { return Ok(None) };
        let Some(branch) = self.branches.get(branch) else { return Ok(None) };
        let fresh = walk.arrived(page.facts())?;
        let unread = page.rows.into_iter().skip(fresh).collect();
        self.keep(branch, unread, request.offset.saturating_add(fresh)).map(Some)
    }

    fn request_ahead(&self, branch: usize, request: PageRequest, ahead: &mut Ahead) {
        let read = self.clone();
        let page = async move {
            match read.branches.get(branch) {
                Some(branch) => read.fetch(branch, &Ask::Page(request)).await,
                None => Ok(RawPage { rows: Vec::new(), total: None, next: None }),
            }
        };
        ahead.requests.push_back(request);
        ahead.pages.push_back(page.boxed());
    }
}
