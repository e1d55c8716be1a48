//! Where a page of a connection ends.

use serde_json::Value as Json;
use vantage_core::{Result, error};

use crate::local_filter::at_path;

/// Whether more pages follow, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageInfo {
    /// This was the last page.
    Last,
    /// More rows follow this cursor.
    More(String),
}

impl PageInfo {
    /// Reads `pageInfo` of the connection that the root field holds.
    ///
    /// # Errors
    ///
    /// If there is none, or if it announces more rows without saying from where.
    pub(crate) fn read(value: &Json, root: &str) -> Result<Self> {
        if value.is_null() {
            return Ok(Self::Last);
        }
        let info = at_path(value, "pageInfo");
        let more = at_path(info, "hasNextPage")
            .as_bool()
            .ok_or_else(|| error!("GraphQL connection has no pageInfo.hasNextPage", root = root))?;
        if !more {
            return Ok(Self::Last);
        }
        match at_path(info, "endCursor") {
            Json::String(cursor) => Ok(Self::More(cursor.clone())),
            _ => {
                Err(error!("GraphQL connection announces more rows without endCursor", root = root))
            }
        }
    }
}
