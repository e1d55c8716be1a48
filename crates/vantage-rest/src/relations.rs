//! The values a relation or a column stands for, read from its table.

use ciborium::Value as Cbor;
use indexmap::IndexMap;
use vantage_core::{Result, error};
use vantage_expressions::{DeferredFn, ExpressiveEnum};
use vantage_table::{table::Table, traits::table_source::TableSource};
use vantage_types::Entity;

use crate::{api::RestApi, conditions};

/// What `column` of `table` joins to, read when it is asked for.
pub(crate) fn deferred_join<E>(table: &Table<RestApi, E>, column: &str) -> DeferredFn<Cbor>
where
    E: Entity<Cbor> + 'static,
{
    let (table, column) = (table.clone(), column.to_owned());
    DeferredFn::new(move || {
        let (table, column) = (table.clone(), column.clone());
        Box::pin(async move { join_values(&table, &column).await })
    })
}

/// Every value of `column` of `table` as one array, read when it is asked for.
pub(crate) fn deferred_column<E>(table: &Table<RestApi, E>, column: &str) -> DeferredFn<Cbor>
where
    E: Entity<Cbor> + 'static,
{
    let (table, column) = (table.clone(), column.to_owned());
    DeferredFn::new(move || {
        let (table, column) = (table.clone(), column.clone());
        Box::pin(async move {
            let values = column_values(&table, &column).await?;
            Ok(ExpressiveEnum::Scalar(Cbor::Array(values)))
        })
    })
}

/// The value of `column` in every row that has one.
async fn column_values<E>(table: &Table<RestApi, E>, column: &str) -> Result<Vec<Cbor>>
where
    E: Entity<Cbor>,
{
    let rows = table.data_source().list_table_values(table).await?;
    Ok(rows.into_values().filter_map(|mut row| row.swap_remove(column)).collect())
}

/// The distinct values of `column` a relation follows, null being none.
async fn join_values<E>(table: &Table<RestApi, E>, column: &str) -> Result<ExpressiveEnum<Cbor>>
where
    E: Entity<Cbor>,
{
    let mut distinct: IndexMap<String, Cbor> = IndexMap::new();
    for value in column_values(table, column).await? {
        if let Some(text) = conditions::param_text(&value) {
            distinct.entry(text).or_insert(value);
        }
    }
    let mut values: Vec<Cbor> = distinct.into_values().collect();
    match values.len() {
        0 => Err(error!(
            "Deferred FK resolve: parent yielded no row or column missing",
            table = table.table_name(),
            column = column
        )),
        1 => Ok(ExpressiveEnum::Scalar(values.swap_remove(0))),
        _ => Ok(conditions::several(values)),
    }
}
