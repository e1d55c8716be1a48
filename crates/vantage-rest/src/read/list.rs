//! Reading the whole set.

use vantage_core::Result;

use super::{Branch, Read, Rows, fetch::Ask};
use crate::{
    config::{Listing, Paging},
    paging::Walk,
};

impl Read {
    /// The rows the table asks for: its page when it has a pagination, else
    /// the whole set.
    ///
    /// The set is asked for in one request without paging parameters. Where
    /// the answer's total says that there is more, the missing pages are read.
    pub(crate) async fn list(&self) -> Result<Rows> {
        if let Some(page) = self.pagination {
            let offset = usize::try_from(page.skip()).unwrap_or(0);
            let limit = usize::try_from(page.limit()).unwrap_or(1);
            return Ok(self.window(offset, limit, None).await?.rows);
        }
        let mut rows = Rows::new();
        for branch in &self.branches {
            if self.api.config().follows_cursors() {
                self.list_along_cursors(branch, &mut rows).await?;
            } else {
                self.list_branch(branch, &mut rows).await?;
            }
        }
        Ok(rows)
    }

    async fn list_branch(&self, branch: &Branch, rows: &mut Rows) -> Result<()> {
        let config = self.api.config();
        let page = self.fetch(branch, &Ask::Unpaged).await?;
        let reads_on = config.listing == Listing::Whole && config.paging != Paging::Off;
        let first = (reads_on && page.total.is_some()).then(|| page.facts());
        append(rows, self.keep(branch, page.rows, 0)?);
        let Some(first) = first else { return Ok(()) };
        let mut walk = Walk::after_listing(config, first);
        while let Some(request) = walk.next()? {
            let page = self.fetch(branch, &Ask::Page(request)).await?;
            let fresh = walk.arrived(page.facts())?;
            let unread = page.rows.into_iter().skip(fresh).collect();
            append(rows, self.keep(branch, unread, request.offset.saturating_add(fresh))?);
        }
        Ok(())
    }

    /// The number of rows in the set: its total where the server tells it,
    /// else the length of the listing.
    pub(crate) async fn count(&self) -> Result<i64> {
        match self.total().await {
            Ok(Some(total)) => return Ok(total),
            Ok(None) => (),
            Err(error) if error.context.contains_key("total_key") => (),
            Err(error) => return Err(error),
        }
        let rows = self.clone().without_pagination().list().await?;
        Ok(i64::try_from(rows.len()).unwrap_or(i64::MAX))
    }
}

/// Adds `more`; a key seen again keeps its place and takes the later row.
pub(super) fn append(rows: &mut Rows, more: Rows) {
    if rows.is_empty() {
        *rows = more;
    } else {
        rows.extend(more);
    }
}
