//! The driver side of a REST Vista.

use async_trait::async_trait;
use ciborium::Value as Cbor;
use indexmap::IndexMap;
use vantage_core::{Result, error};
use vantage_table::{
    conditions::ConditionHandle, sorting::SortDirection as TableDirection, table::Table,
};
use vantage_types::{EmptyEntity, Record};
use vantage_vista::{
    Capability, Condition, FilterOp, Page, Preview, SortDirection, TableShell, Transaction, Vista,
    VistaCapabilities, VistaMetadata, condition_column_error, direct, unknown_relation,
    unsupported,
};

use super::{factory::Targets, preview::preview};
use crate::{
    api::RestApi,
    conditions,
    config::ItemLookup,
    lower,
    read::{Checkpoints, Order, Read, Rows},
    row_keys::id_text,
};

/// One REST table behind a Vista. Made by
/// [`RestApiVistaFactory`](crate::RestApiVistaFactory).
#[derive(Clone)]
pub struct RestApiTableShell {
    table: Table<RestApi, EmptyEntity>,
    metadata: VistaMetadata,
    capabilities: VistaCapabilities,
    order: Option<Order>,
    search: Option<ConditionHandle>,
    relations: Relations,
    checkpoints: Checkpoints,
}

/// How the targets of relations are built.
#[derive(Clone)]
pub(super) enum Relations {
    /// By the typed table's own relations.
    Typed(Targets),
    /// By the names a YAML spec gives.
    Named(Targets),
}

impl RestApiTableShell {
    pub(super) fn new(
        table: Table<RestApi, EmptyEntity>,
        metadata: VistaMetadata,
        relations: Relations,
    ) -> Self {
        let capabilities = capabilities(table.data_source());
        Self {
            table,
            metadata,
            capabilities,
            order: None,
            search: None,
            relations,
            checkpoints: Checkpoints::default(),
        }
    }

    async fn read(&self) -> Result<Read> {
        self.table.check_read().await?;
        Ok(Read::of(&self.table).await?.with_order(self.order.as_ref()))
    }

    /// `rows` with the table's lazy expressions.
    async fn complete(&self, mut rows: Rows) -> Result<Rows> {
        for row in rows.values_mut() {
            self.table.apply_lazy_expressions(row).await?;
        }
        Ok(rows)
    }

    /// Takes the set as another one: what was learnt about it no longer holds.
    fn narrowed(&mut self, condition: vantage_expressions::Expression<Cbor>) {
        self.table.add_condition(condition);
        self.checkpoints = Checkpoints::default();
    }

    fn takes(&self, column: &str) -> bool {
        self.metadata.columns.contains_key(column)
            || lower::placeholders(self.table.table_name()).any(|name| name == column)
    }

    fn row_id(&self, row: &Record<Cbor>) -> String {
        let id = self.metadata.id_column.as_deref().and_then(|id| row.get(id));
        id.and_then(id_text).unwrap_or_default()
    }
}

fn capabilities(api: &RestApi) -> VistaCapabilities {
    let config = api.config();
    let declared = [
        (Capability::Traverse, true),
        (Capability::Window, config.serves_windows()),
        (Capability::Cursor, config.follows_cursors()),
        (Capability::Order, config.ordering.is_some()),
        (Capability::Search, config.search_param.is_some()),
        (Capability::FilterOps, !config.filter_params.is_empty()),
    ];
    declared.into_iter().filter_map(|(capability, has)| has.then_some(capability)).collect()
}

#[async_trait]
impl TableShell for RestApiTableShell {
    fn metadata(&self) -> &VistaMetadata {
        &self.metadata
    }

    fn capabilities(&self) -> &VistaCapabilities {
        &self.capabilities
    }

    fn driver_name(&self) -> &'static str {
        "rest-api"
    }

    fn preview(&self) -> Preview {
        preview(&self.table, self.order.as_ref())
    }

    async fn list(&self) -> Result<IndexMap<String, Record<Cbor>>> {
        self.complete(self.read().await?.list().await?).await
    }

    async fn get(&self, id: &str) -> Result<Option<Record<Cbor>>> {
        let read = self.read().await?;
        let row = match self.table.data_source().config().item {
            ItemLookup::Path => read.item(id).await?,
            ItemLookup::Listing => read.list().await?.swap_remove(id),
        };
        let Some(mut row) = row else { return Ok(None) };
        self.table.apply_lazy_expressions(&mut row).await?;
        Ok(Some(row))
    }

    async fn count(&self) -> Result<i64> {
        let read = self.read().await?;
        match read.total().await? {
            Some(total) => Ok(total),
            None => Ok(i64::try_from(read.list().await?.len()).unwrap_or(i64::MAX)),
        }
    }

    async fn fetch_window(&self, offset: usize, limit: usize) -> Result<Page> {
        let read = self.read().await?;
        let config = self.table.data_source().config();
        if !config.serves_windows() && !config.follows_cursors() {
            let rows = self.complete(read.list().await?).await?;
            return Ok(Page::from_listing(rows, offset, limit));
        }
        let window = read.window(offset, limit, Some(&self.checkpoints)).await?;
        let page = Page::new(self.complete(window.rows).await?.into_iter().collect());
        Ok(match window.total.and_then(|total| i64::try_from(total).ok()) {
            Some(total) => page.with_total(total),
            None => page,
        })
    }

    async fn fetch_cursor(
        &self,
        token: Option<Cbor>,
        limit: usize,
    ) -> Result<(Page, Option<Cbor>)> {
        if !self.capabilities.has(Capability::Cursor) {
            return unsupported(Capability::Cursor);
        }
        let (rows, next) = self.read().await?.after(token, limit).await?;
        Ok((Page::new(self.complete(rows).await?.into_iter().collect()), next))
    }

    /// Takes equality on a declared column or an endpoint placeholder. With
    /// declared filter parameters it takes every operator: what the server
    /// cannot be asked for is applied to its rows.
    fn add_condition(&mut self, condition: &Condition) -> Result<()> {
        if !self.takes(&condition.column) {
            return Err(condition_column_error(&self.metadata, &condition.column));
        }
        let any = self.capabilities.has(Capability::FilterOps);
        let sent = conditions::param_text(&condition.value).is_some();
        let (column, value) = (condition.column.as_str(), condition.value.clone());
        let clause = match condition.op {
            FilterOp::Eq if sent || any => Some(conditions::eq_condition(column, value)),
            op if any => conditions::comparison(column, op, value),
            _ => None,
        };
        match clause {
            Some(clause) => {
                self.narrowed(clause);
                Ok(())
            }
            None => unsupported(Capability::FilterOps),
        }
    }

    fn set_search(&mut self, text: Option<&str>) -> Result<()> {
        if !self.capabilities.has(Capability::Search) {
            return unsupported(Capability::Search);
        }
        let search = text.map(conditions::search);
        self.search = self.table.replace_temp_condition(self.search, search)?;
        self.checkpoints = Checkpoints::default();
        Ok(())
    }

    fn set_order(&mut self, order: Option<(&str, SortDirection)>) -> Result<()> {
        let order = match order {
            None => None,
            Some(_) if !self.capabilities.has(Capability::Order) => {
                return unsupported(Capability::Order);
            }
            Some((column, _)) if !self.metadata.columns.contains_key(column) => {
                return Err(error!("Unknown column for order", field = column));
            }
            Some((column, SortDirection::Ascending)) => {
                Some((column.to_owned(), TableDirection::Ascending))
            }
            Some((column, SortDirection::Descending)) => {
                Some((column.to_owned(), TableDirection::Descending))
            }
        };
        self.order = order;
        self.checkpoints = Checkpoints::default();
        Ok(())
    }

    fn get_ref(&self, relation: &str, row: Option<&Record<Cbor>>) -> Result<Vista> {
        let Some(reference) = self.metadata.references.get(relation) else {
            return Err(unknown_relation(relation));
        };
        let (Relations::Typed(targets) | Relations::Named(targets)) = &self.relations;
        if reference.kind.is_contained() {
            let parent = row.map(|row| (row, self.row_id(row)));
            let wrap = targets.clone();
            return self.table.get_contained_ref(
                relation,
                parent,
                move |table| wrap.typed(table),
                |host| Some(host.clone()),
                |collection| collection,
            );
        }
        if let Relations::Typed(_) = self.relations {
            return self.table.traverse_erased(reference, row, |table| targets.typed(table));
        }
        let target = targets.target(&reference.target)?;
        match row {
            Some(row) => reference.narrow(target, row),
            None => Ok(target),
        }
    }

    /// A REST API has no transactions: inside one it reads as it always does.
    fn rebind(&self, _tx: &Transaction) -> Result<Box<dyn TableShell>> {
        Ok(direct(Box::new(self.clone())))
    }
}

impl std::fmt::Debug for RestApiTableShell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RestApiTableShell").field("table", &self.table).finish_non_exhaustive()
    }
}
