//! Reading a range of rows.

use std::sync::{Arc, Mutex, PoisonError};

use vantage_core::Result;

use super::{Branch, Read, Rows, cursors::Trail, fetch::Ask};
use crate::{
    config::Paging,
    paging::{
        Walk,
        cursor::{CursorWalk, Place},
    },
};

/// Rows of a set in its order, and the set's size where the server told it.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) rows: Rows,
    pub(crate) total: Option<u64>,
}

/// A limit above this is "the rest of the set", read page by page: no server
/// is asked for so many rows at once.
const LARGEST_LIMIT: usize = i32::MAX as usize;

/// Where in the server's set the n-th row that passes the filters is, as far
/// as earlier windows found out: a window deep in a filtered set starts there
/// instead of at the beginning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoints(Arc<Mutex<Vec<Checkpoint>>>);

#[derive(Clone, Copy, Debug, Default)]
struct Checkpoint {
    /// Rows that pass before [`offset`](Self::offset).
    matched: usize,
    offset: usize,
}

/// The most places remembered per set.
const MAX_CHECKPOINTS: usize = 4096;

impl Checkpoints {
    /// The last known place at or before the `matched`-th passing row.
    fn before(&self, matched: usize) -> Checkpoint {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let after = known.partition_point(|place| place.matched <= matched);
        after.checked_sub(1).and_then(|last| known.get(last)).copied().unwrap_or_default()
    }

    fn remember(&self, place: Checkpoint) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_next = known.last().is_none_or(|last| last.offset < place.offset);
        if is_next && known.len() < MAX_CHECKPOINTS {
            known.push(place);
        }
    }
}

impl Read {
    /// The rows `[offset, offset + limit)` of the set.
    ///
    /// One request, or two for a range that lies across two pages; more where
    /// the server returns less than asked for although there is more, or where
    /// rows are filtered out here.
    pub(crate) async fn window(
        &self,
        offset: usize,
        limit: usize,
        checkpoints: Option<&Checkpoints>,
    ) -> Result<Window> {
        let config = self.api.config();
        if config.paging == Paging::Off {
            return self.first_response(offset).await;
        }
        if !config.params.is_random_access() {
            return self.window_along_cursors(offset, limit).await;
        }
        match (self.plain_branch(), self.branches.as_slice()) {
            (Some(branch), _) => self.plain_window(branch, offset, limit).await,
            (None, [branch]) => self.filtered_window(branch, offset, limit, checkpoints).await,
            (None, _) => {
                let rows = self.clone().without_pagination().list_all().await?;
                let total = u64::try_from(rows.len()).ok();
                Ok(Window { rows: rows.into_iter().skip(offset).take(limit).collect(), total })
            }
        }
    }

    /// Without paging, the first window is the whole response.
    async fn first_response(&self, offset: usize) -> Result<Window> {
        if offset > 0 {
            return Ok(Window::default());
        }
        Ok(Window { rows: self.clone().without_pagination().list_all().await?, total: None })
    }

    /// [`list`](Self::list), boxed: a window of several branches lists, and a
    /// listing of one page is a window.
    fn list_all(self) -> std::pin::Pin<Box<dyn Future<Output = Result<Rows>> + Send>> {
        Box::pin(async move { self.list().await })
    }

    async fn plain_window(&self, branch: &Branch, offset: usize, limit: usize) -> Result<Window> {
        let end = offset.saturating_add(limit);
        let mut walk = Walk::new(self.api.config(), offset, self.page_limit(limit));
        let mut rows = Rows::new();
        while walk.position() < end {
            let Some(request) = walk.next()? else { break };
            let page = self.fetch(branch, &Ask::Page(request)).await?;
            let fresh = walk.arrived(page.facts())?;
            let start = request.offset.saturating_add(fresh);
            let wanted = end.saturating_sub(start);
            let unread = page.rows.into_iter().skip(fresh).take(wanted).collect();
            super::list::append(&mut rows, self.keep(branch, unread, start)?);
        }
        Ok(Window { rows, total: walk.total() })
    }

    async fn filtered_window(
        &self,
        branch: &Branch,
        offset: usize,
        limit: usize,
        checkpoints: Option<&Checkpoints>,
    ) -> Result<Window> {
        let config = self.api.config();
        let from = checkpoints.map(|known| known.before(offset)).unwrap_or_default();
        let mut walk =
            Walk::new(config, from.offset, self.page_limit(limit)).with_growth(config.page_size);
        let mut matched = from.matched;
        let mut rows = Rows::new();
        while rows.len() < limit {
            let Some(request) = walk.next()? else { break };
            let page = self.fetch(branch, &Ask::Page(request)).await?;
            let fresh = walk.arrived(page.facts())?;
            let start = request.offset.saturating_add(fresh);
            let unread = page.rows.into_iter().skip(fresh).collect();
            let kept = self.keep(branch, unread, start)?;
            let passed = kept.len();
            let skip = offset.saturating_sub(matched);
            let room = limit.saturating_sub(rows.len());
            rows.extend(kept.into_iter().skip(skip).take(room));
            matched = matched.saturating_add(passed);
            if let Some(known) = checkpoints {
                known.remember(Checkpoint { matched, offset: walk.position() });
            }
        }
        Ok(Window { rows, total: None })
    }

    async fn window_along_cursors(&self, offset: usize, limit: usize) -> Result<Window> {
        let end = offset.saturating_add(limit);
        let size = self.page_limit(end);
        let mut rows = Rows::new();
        for branch in &self.branches {
            let mut trail = Trail::new(CursorWalk::new(self.api.config(), Place::First));
            while rows.len() < end {
                let Some(page) = self.follow(branch, &mut trail, size).await? else { break };
                rows.extend(page);
            }
        }
        Ok(Window { rows: rows.into_iter().skip(offset).take(limit).collect(), total: None })
    }

    /// Rows to ask for per request to read `limit` rows.
    fn page_limit(&self, limit: usize) -> usize {
        if limit > LARGEST_LIMIT { self.api.config().page_size } else { limit }
    }
}
