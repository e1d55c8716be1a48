//! Reading a listing that follows cursors or links.

use api_pool::{CallPolicy, RetryMode, RetryPolicy};
use ciborium::Value as Cbor;
use vantage_core::{Result, VantageError, error};
use vantage_transport::{FailureKind, RequestFailure, current_policy};

use super::{
    Branch, Read, Rows,
    fetch::{Ask, RawPage},
};
use crate::paging::cursor::{CursorWalk, Place};

/// A position in a listing that follows cursors.
#[derive(Debug)]
pub(super) struct Trail {
    walk: CursorWalk,
    /// Rows read so far, for rows that are keyed by their position.
    position: usize,
}

impl Trail {
    pub(super) fn new(walk: CursorWalk) -> Self {
        Self { walk, position: 0 }
    }
}

/// What a failed request says about the cursor it carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspicion {
    /// The server does not know it.
    Forgotten,
    /// The failure has another reason, which may pass.
    Passing,
    /// The failure has another reason, which stays.
    Unrelated,
}

impl Read {
    pub(super) async fn list_along_cursors(&self, branch: &Branch, rows: &mut Rows) -> Result<()> {
        let config = self.api.config();
        let mut trail = Trail::new(CursorWalk::new(config, Place::First));
        while let Some(page) = self.follow(branch, &mut trail, config.page_size).await? {
            super::list::append(rows, page);
        }
        Ok(())
    }

    /// The next page of a listing, without rows already given out; `None` at
    /// its end. Starts the listing again where the server forgot the cursor.
    pub(super) async fn follow(
        &self,
        branch: &Branch,
        trail: &mut Trail,
        limit: usize,
    ) -> Result<Option<Rows>> {
        let Some(place) = trail.walk.next()? else { return Ok(None) };
        let ask = Ask::Follow { place, limit };
        let page = match self.fetch_place(branch, &ask).await {
            Ok(page) => page,
            Err(error) => {
                let forgotten = suspicion(&error) != Suspicion::Unrelated;
                if !forgotten || !trail.walk.forgotten() {
                    return Err(error);
                }
                tracing::info!(table = self.table, "the server forgot a cursor: listing again");
                trail.position = 0;
                return Ok(Some(Rows::new()));
            }
        };
        let read = page.rows.len();
        trail.walk.arrived(page.next)?;
        let mut rows = self.keep(branch, page.rows, trail.position)?;
        trail.position = trail.position.saturating_add(read);
        rows.retain(|key, _| trail.walk.give(key));
        Ok(Some(rows))
    }

    /// Fetches a page. A request with a cursor is not repeated for ever: a
    /// cursor the server no longer knows fails for ever, too.
    async fn fetch_place(&self, branch: &Branch, ask: &Ask) -> Result<RawPage> {
        let policy = current_policy();
        let has_cursor = matches!(ask, Ask::Follow { place: Place::After(_), .. });
        if !has_cursor || policy.retry == RetryMode::None {
            return self.fetch_under(branch, ask, &policy).await;
        }
        let once = with_retry(&policy, RetryMode::None);
        match self.fetch_under(branch, ask, &once).await {
            Err(error) if suspicion(&error) == Suspicion::Passing => {
                let patient = with_retry(&policy, RetryMode::Bounded(RetryPolicy::default()));
                self.fetch_under(branch, ask, &patient).await
            }
            page => page,
        }
    }
}

impl Read {
    /// Up to `limit` rows behind `token`, and the token of the rows behind
    /// those; `None` at the end.
    ///
    /// # Errors
    ///
    /// "Not a cursor of this table" (incorrect usage) for another token, and
    /// what the server answers to a cursor it no longer knows: the caller
    /// starts again.
    pub(crate) async fn after(
        &self,
        token: Option<Cbor>,
        limit: usize,
    ) -> Result<(Rows, Option<Cbor>)> {
        let mut mark = match token {
            None => Mark { place: Place::First, given: 0, position: 0 },
            Some(token) => Mark::read(&token)
                .ok_or_else(|| error!("Not a cursor of this table").mark_incorrect_usage())?,
        };
        let mut rows = Rows::new();
        let Some(branch) = self.branches.first() else { return Ok((rows, None)) };
        let mut walk = CursorWalk::new(self.api.config(), mark.place.clone());
        while rows.len() < limit {
            let Some(place) = walk.next()? else { return Ok((rows, None)) };
            mark.place = place.clone();
            let room = limit - rows.len();
            let ask = Ask::Follow { place, limit: room.saturating_add(mark.given) };
            let page = self.fetch_place(branch, &ask).await?;
            let read = page.rows.len();
            walk.arrived(page.next)?;
            let kept = self.keep(branch, page.rows, mark.position)?;
            let more = kept.len() > mark.given.saturating_add(room);
            rows.extend(kept.into_iter().skip(mark.given).take(room));
            if more {
                mark.given = mark.given.saturating_add(room);
                return Ok((rows, Some(mark.token())));
            }
            mark.given = 0;
            mark.position = mark.position.saturating_add(read);
        }
        let next = walk.next()?.map(|place| Mark { place, ..mark }.token());
        Ok((rows, next))
    }
}

/// What a cursor token says: a page, the rows of it already given out, and the
/// rows before it.
struct Mark {
    place: Place,
    given: usize,
    position: usize,
}

impl Mark {
    fn token(&self) -> Cbor {
        let cursor = match &self.place {
            Place::First => Cbor::Null,
            Place::After(cursor) => Cbor::from(cursor.as_str()),
        };
        let count = |rows: usize| Cbor::from(u64::try_from(rows).unwrap_or(u64::MAX));
        Cbor::Array(vec![cursor, count(self.given), count(self.position)])
    }

    fn read(token: &Cbor) -> Option<Self> {
        let [cursor, given, position] = token.as_array()?.as_slice() else { return None };
        let place = match cursor {
            Cbor::Null => Place::First,
            Cbor::Text(cursor) => Place::After(cursor.clone()),
            _ => return None,
        };
        let count = |value: &Cbor| usize::try_from(i128::from(value.as_integer()?)).ok();
        Some(Self { place, given: count(given)?, position: count(position)? })
    }
}

fn with_retry(policy: &CallPolicy, retry: RetryMode) -> CallPolicy {
    let mut policy = policy.clone();
    policy.retry = retry;
    policy
}

fn suspicion(error: &VantageError) -> Suspicion {
    match RequestFailure::of(error).map(|failure| failure.kind()) {
        Some(FailureKind::Status(401 | 403)) => Suspicion::Unrelated,
        Some(FailureKind::Status(408 | 429 | 502..=504) | FailureKind::Transport) => {
            Suspicion::Passing
        }
        Some(FailureKind::Status(_)) => Suspicion::Forgotten,
        _ => Suspicion::Unrelated,
    }
}
