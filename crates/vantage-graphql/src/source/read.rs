//! Listing rows, and getting one.

use serde_json::Value as Json;
use vantage_core::{Result, error};
use vantage_table::table::Table;
use vantage_types::{Entity, Record};

use super::pages::{Cursor, Page};
use crate::{
    api::GraphqlApi,
    condition::{GraphqlCondition, node::kind_of},
    decode::{self, Columns, Decoder, PageInfo, Rows, id_text},
    local_filter::{LocalFilter, at_path},
    lower::{self, ById},
    select::GraphqlSelect,
    types::AnyGraphqlType,
};

/// The rows of `table`, by id.
pub(super) async fn list<E: Entity<AnyGraphqlType>>(table: &Table<GraphqlApi, E>) -> Result<Rows> {
    let read = Read::of(table);
    if table.data_source().settings().connection.is_some() {
        return Cursor::start().read_all(&read).await;
    }
    let rows = read.fetch(read.select.clone()).await?.rows;
    let mut known = Rows::new();
    read.decode_into(&mut known, rows, 0).await?;
    Ok(known)
}

/// The first row of `table`'s listing.
pub(super) async fn first<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
) -> Result<Option<(String, Record<AnyGraphqlType>)>> {
    if table.data_source().settings().connection.is_none() {
        return Ok(list(table).await?.into_iter().next());
    }
    let (rows, _) = Cursor::start().read_rows(&Read::of(table), 1).await?;
    Ok(rows.into_iter().next())
}

/// Row `id` of `table`.
pub(super) async fn get<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
    id: &str,
) -> Result<Option<Record<AnyGraphqlType>>> {
    let read = Read::of(table);
    let column = table.id_field_name();
    // A dotted name cannot be a filter's key.
    if !table.data_source().can_filter() || column.contains('.') {
        let mut rows = Vec::new();
        let mut cursor = Cursor::start();
        while let Some(page) = cursor.next(&read, u32::MAX).await? {
            rows.extend(page.rows);
        }
        let filter = read.local_filter().await?;
        let row = rows.into_iter().find(|row| {
            filter.as_ref().is_none_or(|filter| filter.matches(row))
                && id_text(at_path(row, &column)).as_deref() == Some(id)
        });
        return row.map(|row| read.record(row)).transpose();
    }
    let Some(ById { select, literal }) = lower::by_id(table, id)? else { return Ok(None) };
    let root = table.table_name();
    let select = read.api.first_page(select);
    let value = decode::taken(read.post(&select).await?, root)?;
    let rows = decode::rows_or_one(value, root, table.data_source().response_path())?;
    let found = verified(rows, &column, &[Some(id), id_text(&literal).as_deref()], root)?;
    found.map(|row| read.record(row)).transpose()
}

/// Of the rows a server gave for an id, the one that has it: a server may
/// ignore a filter it does not know, and must not pass one row for another.
fn verified(
    rows: Vec<Json>,
    column: &str,
    ids: &[Option<&str>],
    root: &str,
) -> Result<Option<Json>> {
    let alone = rows.len() == 1;
    let answered = !rows.is_empty();
    for row in rows {
        if !row.is_object() {
            return Err(error!("Expected JSON object for row", got = kind_of(&row)));
        }
        let cell = at_path(&row, column);
        // A row whose id was not selected cannot be told from another.
        let unnamed = alone && cell.is_null();
        if unnamed || ids.contains(&id_text(cell).as_deref()) {
            return Ok(Some(row));
        }
    }
    if answered {
        tracing::warn!(root, column, "the server ignored the filter on the id: no row has it");
    }
    Ok(None)
}

/// One read of a table: what is asked, and how the answer becomes records.
pub(crate) struct Read {
    api: GraphqlApi,
    pub(super) select: GraphqlSelect,
    root: String,
    id: Option<String>,
    columns: Columns,
    /// Conditions the server does not apply.
    local: Vec<GraphqlCondition>,
}

impl Read {
    pub(crate) fn of<E: Entity<AnyGraphqlType>>(table: &Table<GraphqlApi, E>) -> Self {
        let api = table.data_source();
        let select = lower::select(table);
        let columns = Columns::new(select.fields());
        let local =
            if api.can_filter() { Vec::new() } else { table.conditions().cloned().collect() };
        Self {
            api: api.clone(),
            select,
            root: table.table_name().to_owned(),
            id: table.id_field().map(|column| column.name().to_owned()),
            columns,
            local,
        }
    }

    pub(super) fn api(&self) -> &GraphqlApi {
        &self.api
    }

    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Whether the answer comes in pages, each of which is complete by itself.
    pub(super) fn streams(&self) -> bool {
        self.api.settings().connection.is_some() && self.local.is_empty()
    }

    /// Sends `select` and takes the response's data.
    pub(super) async fn post(&self, select: &GraphqlSelect) -> Result<Json> {
        let rendered = select.render().await?;
        self.api.post_rendered(select, &rendered).await
    }

    /// Sends `select` and finds the rows in the answer.
    pub(super) async fn fetch(&self, select: GraphqlSelect) -> Result<Page> {
        let is_connection = self.api.settings().connection.is_some();
        let value = decode::taken(self.post(&select).await?, &self.root)?;
        let info = if is_connection { PageInfo::read(&value, &self.root)? } else { PageInfo::Last };
        let rows = decode::rows(value, &self.root, self.api.response_path())?;
        Ok(Page { rows, info })
    }

    /// The conditions the server does not apply, resolved.
    pub(super) async fn local_filter(&self) -> Result<Option<LocalFilter<'_>>> {
        if self.local.is_empty() {
            return Ok(None);
        }
        let comparison = self.api.settings().local_comparison;
        LocalFilter::resolve(&self.local, comparison).await.map(Some)
    }

    /// Adds those of `rows` that the conditions keep to `known`, and reports
    /// how many. The first of `rows` has position `offset` in what was read.
    pub(super) async fn decode_into(
        &self,
        known: &mut Rows,
        rows: Vec<Json>,
        offset: usize,
    ) -> Result<()> {
        let filter = self.local_filter().await?;
        self.decode_filtered(known, rows, offset, filter.as_ref())
    }

    /// As [`decode_into`](Self::decode_into), with the filter resolved before.
    pub(super) fn decode_filtered(
        &self,
        known: &mut Rows,
        rows: Vec<Json>,
        offset: usize,
        filter: Option<&LocalFilter<'_>>,
    ) -> Result<()> {
        let before = known.len();
        let skipped = usize::try_from(self.skip()).unwrap_or_default();
        let decoder = Decoder {
            id: self.id.as_deref(),
            columns: &self.columns,
            mode: self.api.settings().row_mode,
            offset: skipped.saturating_add(offset),
        };
        let kept = rows
            .into_iter()
            .enumerate()
            .filter(|(_, row)| filter.is_none_or(|filter| filter.matches(row)));
        decoder.decode_into(known, kept)?;
        self.report(known.len().saturating_sub(before));
        Ok(())
    }

    /// One row as a record, reported.
    fn record(&self, row: Json) -> Result<Record<AnyGraphqlType>> {
        if !row.is_object() {
            return Err(error!("Expected JSON object for row", got = kind_of(&row)));
        }
        self.report(1);
        Ok(self.columns.record(row))
    }

    fn report(&self, rows: usize) {
        self.api.client().report(api_pool::TransportEvent::rows_pulled(rows));
    }

    fn skip(&self) -> i64 {
        use vantage_expressions::Selectable as _;
        self.select.get_skip().unwrap_or_default()
    }
}
