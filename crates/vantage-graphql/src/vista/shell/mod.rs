//! The driver behind a Vista: one table of one API, and how it is narrowed.

use async_trait::async_trait;
use ciborium::Value as Cbor;
use indexmap::IndexMap;
use vantage_core::Result;
use vantage_dataset::traits::ReadableValueSet;
use vantage_table::{
    conditions::ConditionHandle,
    sorting::{OrderBy, SortDirection as TableDirection},
    table::Table,
    traits::table_source::TableSource,
};
use vantage_types::{EmptyEntity, Record, cbor_id_to_string};
use vantage_vista::{
    Condition, Page, Preview, SortDirection, TableShell, Transaction, Vista, VistaCapabilities,
    VistaMetadata, direct, unknown_relation,
};

use super::{reference, registry::Registry, spec::GraphqlApiVistaSpec};
use crate::{
    api::GraphqlApi, condition::GraphqlCondition, operation::order_key, types::AnyGraphqlType,
};

mod metadata;
mod narrow;
mod preview;
mod window;

type Rec = Record<Cbor>;

/// A table of a GraphQL endpoint as Vistas drive it. Made by
/// [`GraphqlApiVistaFactory`](super::GraphqlApiVistaFactory).
#[derive(Clone)]
pub struct GraphqlApiTableShell {
    table: Table<GraphqlApi, EmptyEntity>,
    metadata: VistaMetadata,
    capabilities: VistaCapabilities,
    relations: Relations,
    search: Option<ConditionHandle>,
    /// The table's own orders, which apply when the Vista sets none.
    own_orders: Vec<OrderBy<GraphqlCondition>>,
}

/// Where the targets of relations come from.
#[derive(Clone)]
enum Relations {
    /// From the table's own declarations.
    Typed,
    /// From specs, by name.
    Specs(Registry),
}

impl GraphqlApiTableShell {
    pub(super) fn vista_of_table(table: Table<GraphqlApi, EmptyEntity>) -> Vista {
        let name = table.table_name().to_owned();
        let metadata = metadata::of_table(&table);
        Vista::new(name, Self::new(table, metadata, Relations::Typed))
    }

    pub(super) fn vista_of_spec(spec: &GraphqlApiVistaSpec, registry: &Registry) -> Result<Vista> {
        let table = reference::table_with_relations(spec, registry)?;
        let metadata = metadata::of_spec(&table, spec)?;
        let shell = Self::new(table, metadata, Relations::Specs(registry.clone()));
        Ok(Vista::new(spec.name.clone(), shell))
    }

    fn new(
        table: Table<GraphqlApi, EmptyEntity>,
        metadata: VistaMetadata,
        relations: Relations,
    ) -> Self {
        let capabilities = metadata::capabilities(table.data_source());
        let own_orders = table
            .orders()
            .map(|(key, direction)| OrderBy { expression: key.clone(), direction: *direction })
            .collect();
        Self { table, metadata, capabilities, relations, search: None, own_orders }
    }

    /// The id of one of this Vista's rows, as text.
    fn id_of(&self, row: &Rec) -> String {
        let id = self.metadata.id_column.as_deref().and_then(|column| row.get(column));
        id.and_then(cbor_id_to_string).unwrap_or_default()
    }
}

#[async_trait]
impl TableShell for GraphqlApiTableShell {
    fn metadata(&self) -> &VistaMetadata {
        &self.metadata
    }

    fn capabilities(&self) -> &VistaCapabilities {
        &self.capabilities
    }

    fn driver_name(&self) -> &'static str {
        "graphql"
    }

    fn preview(&self) -> Preview {
        preview::of(&self.table)
    }

    async fn list(&self) -> Result<IndexMap<String, Rec>> {
        let rows = self.table.list_values().await?;
        Ok(rows.into_iter().map(|(id, row)| (id, cbor(row))).collect())
    }

    async fn get(&self, id: &str) -> Result<Option<Rec>> {
        Ok(self.table.get_value(id).await?.map(cbor))
    }

    async fn count(&self) -> Result<i64> {
        self.table.get_count().await
    }

    async fn fetch_window(&self, offset: usize, limit: usize) -> Result<Page> {
        window::fetch(&self.table, offset, limit).await
    }

    async fn fetch_cursor(
        &self,
        token: Option<Cbor>,
        limit: usize,
    ) -> Result<(Page, Option<Cbor>)> {
        window::follow(&self.table, token, limit).await
    }

    fn add_condition(&mut self, condition: &Condition) -> Result<()> {
        let condition = narrow::condition(&self.table, &self.metadata, condition)?;
        self.table.add_condition(condition);
        Ok(())
    }

    fn set_search(&mut self, text: Option<&str>) -> Result<()> {
        let api = self.table.data_source();
        let condition = text.map(|text| api.search_table_condition(&self.table, text));
        self.search = self.table.replace_temp_condition(self.search, condition)?;
        Ok(())
    }

    fn set_order(&mut self, order: Option<(&str, SortDirection)>) -> Result<()> {
        let orders = match order {
            Some((column, direction)) => {
                narrow::check_order(&self.metadata, column)?;
                let direction = match direction {
                    SortDirection::Ascending => TableDirection::Ascending,
                    SortDirection::Descending => TableDirection::Descending,
                };
                vec![OrderBy { expression: order_key(column), direction }]
            }
            None => self.own_orders.clone(),
        };
        self.table.clear_orders();
        for order in orders {
            self.table.add_order(order);
        }
        Ok(())
    }

    fn get_ref(&self, relation: &str, row: Option<&Rec>) -> Result<Vista> {
        let reference =
            self.metadata.references.get(relation).ok_or_else(|| unknown_relation(relation))?;
        if reference.kind.is_contained() {
            return self.table.get_contained_ref(
                relation,
                row.map(|row| (row, self.id_of(row))),
                |table| Ok(Self::vista_of_table(table)),
                |host| Some(host.clone()),
                |records| records,
            );
        }
        match &self.relations {
            Relations::Typed => self
                .table
                .traverse_erased(reference, row, |target| Ok(Self::vista_of_table(target))),
            Relations::Specs(registry) => {
                let target =
                    reference::related_spec(registry, relation, &reference.target, |spec| {
                        Self::vista_of_spec(spec, registry)
                    })?;
                match row {
                    Some(row) => reference.narrow(target, row),
                    None => Ok(target),
                }
            }
        }
    }

    fn rebind(&self, _tx: &Transaction) -> Result<Box<dyn TableShell>> {
        Ok(direct(Box::new(self.clone())))
    }
}

impl std::fmt::Debug for GraphqlApiTableShell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphqlApiTableShell").field("table", &self.table).finish_non_exhaustive()
    }
}

/// A record as Vistas carry it.
fn cbor(record: Record<AnyGraphqlType>) -> Rec {
    record.into_iter().map(|(name, value)| (name, value.into())).collect()
}
