//! Narrowing a table by the rows of another.

use indexmap::IndexMap;
use serde_json::Value as Json;
use vantage_core::{Result, error};
use vantage_dataset::traits::ReadableValueSet;
use vantage_expressions::DeferredFn;
use vantage_table::table::Table;
use vantage_types::{EmptyEntity, Entity, Record};

use crate::{
    api::GraphqlApi,
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    dialect::FilterDialect,
    types::AnyGraphqlType,
};

/// The condition that `target_field` is a `source_column` of `source`.
///
/// A source that is narrowed to one value of the column gives that value and
/// costs nothing. Otherwise its rows are listed when a request is sent: all of
/// their values count where membership can be expressed, the first row's value
/// where it cannot.
pub(super) fn condition<E: Entity<AnyGraphqlType> + 'static>(
    target_field: &str,
    source: &Table<GraphqlApi, E>,
    source_column: &str,
) -> GraphqlCondition {
    for condition in source.conditions() {
        if let GraphqlCondition::Field(FieldCondition { field, op: GraphqlOp::Eq, value }) =
            condition
            && field == source_column
        {
            return GraphqlCondition::eq(target_field, value.clone());
        }
    }
    let source = source.clone().into_entity::<EmptyEntity>();
    let column = source_column.to_owned();
    let value_fn = DeferredFn::from_fn(move || {
        let (source, column) = (source.clone(), column.clone());
        async move { join_value(&source, &column).await }
    });
    GraphqlCondition::deferred_field(target_field, GraphqlOp::Eq, value_fn)
}

/// All values of `column` in `table`'s rows, as a list, when asked for.
pub(super) fn column_values<E: Entity<AnyGraphqlType> + 'static>(
    table: &Table<GraphqlApi, E>,
    column: &str,
) -> DeferredFn<AnyGraphqlType> {
    let table = table.clone().into_entity::<EmptyEntity>();
    let column = column.to_owned();
    DeferredFn::from_fn(move || {
        let (table, column) = (table.clone(), column.clone());
        async move {
            let rows = table.list_values().await?;
            let values = rows.into_values().filter_map(|row| taken(row, &column));
            Ok(AnyGraphqlType::untyped(values.collect()))
        }
    })
}

async fn join_value(
    source: &Table<GraphqlApi, EmptyEntity>,
    column: &str,
) -> Result<AnyGraphqlType> {
    let rows = source.list_values().await?;
    let mut values = rows.into_values().map(|row| taken(row, column));
    let Some(first) = values.next().flatten() else {
        return Err(error!(
            "Deferred FK resolve: parent yielded no row or column missing",
            table = source.table_name(),
            column = column
        ));
    };
    let distinct: IndexMap<String, Json> = std::iter::once(first.clone())
        .chain(values.flatten())
        .filter(|value| !value.is_null())
        .map(|value| (value.to_string(), value))
        .collect();
    let api = source.data_source();
    if api.dialect() == FilterDialect::Hasura || !api.can_filter() {
        return Ok(AnyGraphqlType::untyped(distinct.into_values().collect()));
    }
    if distinct.len() > 1 {
        tracing::warn!(
            table = source.table_name(),
            column,
            rows = distinct.len(),
            "a flat filter cannot join several parent rows: the first one is used"
        );
    }
    Ok(AnyGraphqlType::untyped(first))
}

fn taken(mut row: Record<AnyGraphqlType>, column: &str) -> Option<Json> {
    row.swap_remove(column).map(AnyGraphqlType::into_value)
}
