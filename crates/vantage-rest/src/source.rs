//! [`RestApi`] as the source of typed tables.

use std::pin::Pin;

use async_trait::async_trait;
use ciborium::Value as Cbor;
use futures_util::{Stream, TryFutureExt, TryStreamExt, stream};
use indexmap::IndexMap;
use vantage_core::{Result, VantageError, error};
use vantage_expressions::{
    AssociatedExpression, DeferredFn, ExprDataSource, Expression, ExpressiveEnum, defer_execute,
    traits::datasource::DataSource,
};
use vantage_table::{
    column::core::{Column, ColumnType},
    conditions::condition_column_of,
    table::Table,
    traits::{column_like::ColumnLike, table_source::TableSource},
};
use vantage_types::{Entity, Record};

use crate::{api::RestApi, conditions, config::ItemLookup, read::Read, relations};

impl DataSource for RestApi {}

impl ExprDataSource<Cbor> for RestApi {
    /// The value of an expression that needs no engine: text without
    /// parameters is itself, and `{}` is its scalar. Anything else is null.
    async fn execute(&self, expr: &Expression<Cbor>) -> Result<Cbor> {
        match (expr.template.as_str(), expr.parameters.as_slice()) {
            (text, []) => Ok(Cbor::from(text)),
            ("{}", [parameter]) => scalar(parameter).await,
            _ => Ok(Cbor::Null),
        }
    }

    fn defer(&self, expr: Expression<Cbor>) -> DeferredFn<Cbor> {
        defer_execute(self, expr)
    }
}

async fn scalar(parameter: &ExpressiveEnum<Cbor>) -> Result<Cbor> {
    match parameter {
        ExpressiveEnum::Scalar(value) => Ok(value.clone()),
        ExpressiveEnum::Deferred(deferred) => match deferred.call().await? {
            ExpressiveEnum::Scalar(value) => Ok(value),
            _ => Ok(Cbor::Null),
        },
        ExpressiveEnum::Nested(_) => Ok(Cbor::Null),
    }
}

/// The refusal of everything that is not a read.
fn reads_only(method: &'static str) -> VantageError {
    error!("REST data source supports reads only", method = method).mark_unsupported()
}

/// Reads through [`RestApi`]; every write and aggregate is refused as
/// unsupported, and nothing is sent for it.
#[async_trait]
impl TableSource for RestApi {
    type Column<Type>
        = Column<Type>
    where
        Type: ColumnType;
    type AnyType = Cbor;
    type Value = Cbor;
    type Id = String;
    type Source = String;
    type Condition = Expression<Cbor>;

    fn eq_condition(field: &str, value: &str) -> Result<Self::Condition> {
        Ok(conditions::eq_condition(field, value))
    }

    fn eq_value_condition(&self, field: &str, value: Cbor) -> Result<Self::Condition> {
        Ok(conditions::eq_condition(field, value))
    }

    fn in_values_condition(&self, field: &str, values: Vec<Cbor>) -> Result<Self::Condition> {
        conditions::in_values(field, values)
    }

    fn describe_condition(&self, condition: &Self::Condition) -> String {
        conditions::describe(condition)
    }

    fn condition_column(&self, condition: &Self::Condition) -> Option<String> {
        condition_column_of(condition)
    }

    fn create_column<Type: ColumnType>(&self, name: &str) -> Column<Type> {
        Column::new(name)
    }

    fn to_any_column<Type: ColumnType>(&self, column: Column<Type>) -> Column<Cbor> {
        Column::from_column(column)
    }

    fn convert_any_column<Type: ColumnType>(&self, column: Column<Cbor>) -> Option<Column<Type>> {
        Some(Column::from_column(column))
    }

    fn expr(
        &self,
        template: impl Into<String>,
        parameters: Vec<ExpressiveEnum<Cbor>>,
    ) -> Expression<Cbor> {
        Expression::new(template, parameters)
    }

    /// A search by the declared parameter; without one, reading the table is
    /// refused as unsupported.
    fn search_table_condition<E>(&self, _: &Table<Self, E>, search_value: &str) -> Expression<Cbor>
    where
        E: Entity<Cbor>,
    {
        match &self.config().search_param {
            Some(_) => conditions::search(search_value),
            None => conditions::unsupported_search(),
        }
    }

    async fn list_table_values<E>(
        &self,
        table: &Table<Self, E>,
    ) -> Result<IndexMap<String, Record<Cbor>>>
    where
        E: Entity<Cbor>,
    {
        Read::of(table).await?.list().await
    }

    async fn get_table_value<E>(
        &self,
        table: &Table<Self, E>,
        id: &String,
    ) -> Result<Option<Record<Cbor>>>
    where
        E: Entity<Cbor>,
    {
        let read = Read::of(table).await?;
        match table.data_source().config().item {
            ItemLookup::Path => read.item(id).await,
            ItemLookup::Listing => Ok(read.list().await?.swap_remove(id)),
        }
    }

    async fn get_table_some_value<E>(
        &self,
        table: &Table<Self, E>,
    ) -> Result<Option<(String, Record<Cbor>)>>
    where
        E: Entity<Cbor>,
    {
        Ok(Read::of(table).await?.list().await?.into_iter().next())
    }

    /// The number of rows of the whole set, whatever page the table asks for.
    async fn get_table_count<E>(&self, table: &Table<Self, E>) -> Result<i64>
    where
        E: Entity<Cbor>,
    {
        Read::of(table).await?.count().await
    }

    async fn get_table_sum<E>(&self, _: &Table<Self, E>, _: &Column<Cbor>) -> Result<Cbor>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("get_table_sum"))
    }

    async fn get_table_max<E>(&self, _: &Table<Self, E>, _: &Column<Cbor>) -> Result<Cbor>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("get_table_max"))
    }

    async fn get_table_min<E>(&self, _: &Table<Self, E>, _: &Column<Cbor>) -> Result<Cbor>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("get_table_min"))
    }

    async fn insert_table_value<E>(
        &self,
        _: &Table<Self, E>,
        _: &String,
        _: &Record<Cbor>,
    ) -> Result<Record<Cbor>>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("insert_table_value"))
    }

    async fn replace_table_value<E>(
        &self,
        _: &Table<Self, E>,
        _: &String,
        _: &Record<Cbor>,
    ) -> Result<Record<Cbor>>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("replace_table_value"))
    }

    async fn patch_table_value<E>(
        &self,
        _: &Table<Self, E>,
        _: &String,
        _: &Record<Cbor>,
    ) -> Result<Record<Cbor>>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("patch_table_value"))
    }

    async fn delete_table_value<E>(&self, _: &Table<Self, E>, _: &String) -> Result<()>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("delete_table_value"))
    }

    async fn delete_table_all_values<E>(&self, _: &Table<Self, E>) -> Result<()>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("delete_table_all_values"))
    }

    async fn insert_table_return_id_value<E>(
        &self,
        _: &Table<Self, E>,
        _: &Record<Cbor>,
    ) -> Result<String>
    where
        E: Entity<Cbor>,
    {
        Err(reads_only("insert_table_return_id_value"))
    }

    /// Streams page by page: a page is fetched when the stream needs its first
    /// row, and dropped when its last row is given out.
    fn stream_table_values<'a, E>(
        &'a self,
        table: &Table<Self, E>,
    ) -> Pin<Box<dyn Stream<Item = Result<(String, Record<Cbor>)>> + Send + 'a>>
    where
        E: Entity<Cbor> + 'a,
    {
        let table = table.clone();
        let read = async move { Read::of(&table).await }.map_ok(Read::stream);
        Box::pin(stream::once(read).try_flatten())
    }

    /// The target rows whose `target_field` is the source's `source_column`.
    ///
    /// A value the source is already narrowed to is taken as it is. Otherwise
    /// the source is listed, once per read of the target, and every distinct
    /// value of its rows is followed.
    fn related_in_condition<SourceE: Entity<Cbor> + 'static>(
        &self,
        target_field: &str,
        source_table: &Table<Self, SourceE>,
        source_column: &str,
    ) -> Expression<Cbor> {
        let known = source_table
            .conditions()
            .filter_map(conditions::known_equality)
            .find_map(|(field, value)| (field == source_column).then_some(value));
        if let Some(value) = known {
            return conditions::eq_condition(target_field, value);
        }
        let values = relations::deferred_join(source_table, source_column);
        conditions::deferred_equality(target_field, values)
    }

    fn column_table_values_expr<'a, E, Type: ColumnType>(
        &'a self,
        table: &Table<Self, E>,
        column: &Column<Type>,
    ) -> AssociatedExpression<'a, Self, Cbor, Vec<Type>>
    where
        E: Entity<Cbor> + 'static,
    {
        let values = relations::deferred_column(table, ColumnLike::name(column));
        AssociatedExpression::new(Expression::new("{}", vec![values.into()]), self)
    }
}
