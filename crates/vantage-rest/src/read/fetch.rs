//! Asking for one page of rows.

use api_pool::{CallPolicy, TransportEvent};
use vantage_core::{Result, VantageError, error};
use vantage_table::pagination::Pagination;
use vantage_transport::{RequestFailure, current_policy};

use super::{Branch, Filter, Read, Rows};
use crate::{
    api::{Answer, Get, Purpose},
    conditions,
    config::{PaginationMode, Paging, TotalSource},
    decode::{self, Row},
    fingerprint::fingerprint,
    lower::Pair,
    paging::{PageFacts, PageRequest, cursor::Place, link},
};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Whatever the server gives without paging parameters.
    Unpaged,
    /// A range of rows.
    Page(PageRequest),
    /// A page of a listing that follows cursors.
    Follow { place: Place, limit: usize },
}

/// A page as the server returned it.
#[derive(Debug)]
pub(super) struct RawPage {
    pub(super) rows: Vec<Row>,
    pub(super) total: Option<u64>,
    /// Where the next page is, for a listing that follows cursors.
    pub(super) next: Option<String>,
}

impl RawPage {
    pub(super) fn facts(&self) -> PageFacts {
        PageFacts { rows: self.rows.len(), total: self.total, fingerprint: fingerprint(&self.rows) }
    }
}

impl Read {
    /// The page a table's own pagination asks for, in one request.
    pub(super) fn first_window(&self, page: Pagination) -> Ask {
        let offset = usize::try_from(page.skip()).unwrap_or(0);
        let limit = usize::try_from(page.limit()).unwrap_or(1).max(1);
        match self.api.config().paging {
            Paging::Off => Ask::Unpaged,
            _ if !self.api.config().params.is_random_access() => {
                Ask::Follow { place: Place::First, limit }
            }
            _ => Ask::Page(PageRequest { offset, limit }),
        }
    }

    /// The URL that asks `branch` for this.
    pub(super) fn url(&self, branch: &Branch, ask: &Ask) -> String {
        if let (Ask::Follow { place: Place::After(url), .. }, PaginationMode::Link) =
            (ask, self.api.config().params.mode)
        {
            return url.clone();
        }
        let paging = self.paging_params(ask);
        let params = paging.iter().chain(&self.order).chain(&branch.params);
        branch.target.url(params)
    }

    fn paging_params(&self, ask: &Ask) -> Vec<Pair> {
        let params = &self.api.config().params;
        let limit = |limit: usize| (params.limit.clone(), limit.to_string());
        match ask {
            Ask::Unpaged => Vec::new(),
            Ask::Page(request) => {
                let page = match params.mode {
                    PaginationMode::Skip => request.offset,
                    _ => (request.offset / request.limit).saturating_add(1),
                };
                vec![(params.page.clone(), page.to_string()), limit(request.limit)]
            }
            Ask::Follow { place: Place::After(cursor), limit: rows } => {
                vec![(params.page.clone(), cursor.clone()), limit(*rows)]
            }
            Ask::Follow { place: Place::First, limit: rows } => vec![limit(*rows)],
        }
    }

    async fn answer(
        &self,
        branch: &Branch,
        ask: &Ask,
        purpose: Purpose,
        policy: &CallPolicy,
    ) -> Result<(Answer, String)> {
        let url = self.url(branch, ask);
        let get = Get { url: &url, table: &self.table, purpose };
        Ok((self.api.fetch_json(get, policy).await?, url))
    }

    /// Fetches what is asked for.
    pub(super) async fn fetch(&self, branch: &Branch, ask: &Ask) -> Result<RawPage> {
        self.fetch_under(branch, ask, &current_policy()).await
    }

    /// [`fetch`](Self::fetch) under a policy of its own.
    pub(super) async fn fetch_under(
        &self,
        branch: &Branch,
        ask: &Ask,
        policy: &CallPolicy,
    ) -> Result<RawPage> {
        let (answer, url) = self.answer(branch, ask, Purpose::Rows, policy).await?;
        let config = self.api.config();
        let total = answer.total(config.total.as_ref());
        let next = match (ask, config.params.mode) {
            (Ask::Follow { .. }, PaginationMode::Link) => next_link(&answer, &url)?,
            (Ask::Follow { .. }, _) => decode::cursor(&answer.body, &config.params.cursor_key),
            _ => None,
        };
        let (body, shown) = answer.into_body();
        let rows = decode::rows(body, &config.shape, &self.table)
            .map_err(|error| Answer::blame(&shown, error))?;
        Ok(RawPage { rows, total, next })
    }

    /// The keys of `rows`, the first of them at `position` of the set, without
    /// the rows that are filtered out here. Reports what was pulled.
    pub(super) fn keep(&self, branch: &Branch, rows: Vec<Row>, position: usize) -> Result<Rows> {
        self.keep_by(&branch.here, rows, position)
    }

    fn keep_by(&self, filter: &Filter, rows: Vec<Row>, position: usize) -> Result<Rows> {
        let mut keyed = decode::keyed(rows, self.id_field.as_deref(), position)?;
        if !filter.is_empty() {
            keyed.retain(|_, row| self.passes(filter, row));
        }
        self.api.client().report(TransportEvent::rows_pulled(keyed.len()));
        Ok(keyed)
    }

    fn passes(&self, filter: &Filter, row: &Row) -> bool {
        let is_expected = |field: &String| self.row_fields.contains(field);
        let equal = filter.equals.iter().all(|(field, text)| match row.get(field) {
            Some(value) => conditions::param_text(value).as_ref() == Some(text),
            None => !is_expected(field),
        });
        equal
            && filter.compares.iter().all(|condition| {
                conditions::holds(condition, row)
                    || (!row.contains_key(&condition.column)
                        && !condition.column.contains('.')
                        && !is_expected(&condition.column))
            })
    }

    /// The size of the set, asked for with a window of one row; `None` where
    /// no total is configured or this crate filters the rows itself.
    ///
    /// # Errors
    ///
    /// "`total_key` missing or not an integer in API response".
    pub(crate) async fn total(&self) -> Result<Option<i64>> {
        let config = self.api.config();
        let (Some(source), Some(branch)) = (&config.total, self.plain_branch()) else {
            return Ok(None);
        };
        let ask = match config.paging {
            Paging::Off => Ask::Unpaged,
            _ if !config.params.is_random_access() => Ask::Follow { place: Place::First, limit: 1 },
            _ => Ask::Page(PageRequest { offset: 0, limit: 1 }),
        };
        let (answer, _) = self.answer(branch, &ask, Purpose::Count, &current_policy()).await?;
        let total = answer.total(Some(source)).and_then(|total| i64::try_from(total).ok());
        total.map(Some).ok_or_else(|| no_total(source))
    }

    /// Row `id`, asked for by its own path; `None` when the server has none, or
    /// one that is not in the set. A set that is searched is listed: only the
    /// server knows what its search finds.
    pub(crate) async fn item(&self, id: &str) -> Result<Option<Row>> {
        if self.searches {
            return Ok(self.list().await?.swap_remove(id));
        }
        for branch in &self.branches {
            let target = branch.target.item(id)?;
            let url = target.url(&[]);
            let get = Get { url: &url, table: &self.table, purpose: Purpose::Rows };
            let answer = match self.api.fetch_json(get, &current_policy()).await {
                Ok(answer) => answer,
                Err(error) if is_status(&error, 404) => continue,
                Err(error) => return Err(error),
            };
            let (body, shown) = answer.into_body();
            let row = decode::item(body, &self.api.config().shape, &self.table)
                .ok_or_else(|| Answer::blame(&shown, error!("API item is not an object")))?;
            let kept = self.keep_by(&branch.all, vec![row], 0)?;
            if let Some((key, row)) = kept.into_iter().next()
                && (self.id_field.is_none() || key == id)
            {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }
}

/// Whether `error` is an answer with this status.
pub(super) fn is_status(error: &VantageError, status: u16) -> bool {
    RequestFailure::of(error).and_then(|failure| failure.status()) == Some(status)
}

fn next_link(answer: &Answer, url: &str) -> Result<Option<String>> {
    let lines = answer.headers.get_all("link").iter().filter_map(|line| line.to_str().ok());
    link::next(lines, url)
}

fn no_total(source: &TotalSource) -> VantageError {
    let key = match source {
        TotalSource::Key(key) | TotalSource::Header(key) => key,
    };
    error!("total_key missing or not an integer in API response", total_key = key)
}
