//! The table source: what the framework asks of a backend.

use async_trait::async_trait;
use indexmap::IndexMap;
use serde_json::Value as Json;
use vantage_core::{Result, VantageError, error};
use vantage_expressions::{
    AssociatedExpression, Expression, ExpressiveEnum, traits::datasource::DataSource,
};
use vantage_table::{
    column::core::{Column, ColumnType},
    table::Table,
    traits::table_source::TableSource,
};
use vantage_types::{Entity, Record};

use crate::{
    api::GraphqlApi,
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    types::AnyGraphqlType,
};

mod count;
mod pages;
mod read;
mod relation;
mod search;
mod selectable;
mod stream;
mod trail;

pub(crate) use pages::Cursor;
pub(crate) use read::Read;
pub(crate) use search::containing;
use stream::RowStream;

impl DataSource for GraphqlApi {}

/// The refusal of what is not a read.
fn reads_only(method: &'static str) -> VantageError {
    error!("GraphQL data source supports reads and count only", method = method).mark_unsupported()
}

#[async_trait]
impl TableSource for GraphqlApi {
    type Column<Type>
        = Column<Type>
    where
        Type: ColumnType;
    type AnyType = AnyGraphqlType;
    type Value = AnyGraphqlType;
    type Id = String;
    type Source = String;
    type Condition = GraphqlCondition;

    fn eq_condition(field: &str, value: &str) -> Result<GraphqlCondition> {
        Ok(GraphqlCondition::eq(field, value))
    }

    fn eq_value_condition(&self, field: &str, value: AnyGraphqlType) -> Result<GraphqlCondition> {
        Ok(GraphqlCondition::eq(field, value.into_value()))
    }

    fn in_values_condition(
        &self,
        field: &str,
        values: Vec<AnyGraphqlType>,
    ) -> Result<GraphqlCondition> {
        let values: Vec<Json> = values.into_iter().map(AnyGraphqlType::into_value).collect();
        Ok(FieldCondition::new(field, GraphqlOp::In, values).into())
    }

    fn describe_condition(&self, condition: &GraphqlCondition) -> String {
        condition.describe()
    }

    fn condition_column(&self, condition: &GraphqlCondition) -> Option<String> {
        condition.narrowed_column().map(str::to_owned)
    }

    fn create_column<Type: ColumnType>(&self, name: &str) -> Column<Type> {
        Column::new(name)
    }

    fn to_any_column<Type: ColumnType>(&self, column: Column<Type>) -> Column<AnyGraphqlType> {
        Column::from_column(column)
    }

    fn convert_any_column<Type: ColumnType>(
        &self,
        any_column: Column<AnyGraphqlType>,
    ) -> Option<Column<Type>> {
        Some(Column::from_column(any_column))
    }

    fn expr(
        &self,
        template: impl Into<String>,
        parameters: Vec<ExpressiveEnum<AnyGraphqlType>>,
    ) -> Expression<AnyGraphqlType> {
        Expression::new(template, parameters)
    }

    fn search_table_condition<E: Entity<AnyGraphqlType>>(
        &self,
        table: &Table<Self, E>,
        search_value: &str,
    ) -> GraphqlCondition {
        search::condition(table, search_value)
    }

    async fn list_table_values<E: Entity<AnyGraphqlType>>(
        &self,
        table: &Table<Self, E>,
    ) -> Result<IndexMap<String, Record<AnyGraphqlType>>> {
        read::list(table).await
    }

    async fn get_table_value<E: Entity<AnyGraphqlType>>(
        &self,
        table: &Table<Self, E>,
        id: &String,
    ) -> Result<Option<Record<AnyGraphqlType>>> {
        read::get(table, id).await
    }

    async fn get_table_some_value<E: Entity<AnyGraphqlType>>(
        &self,
        table: &Table<Self, E>,
    ) -> Result<Option<(String, Record<AnyGraphqlType>)>> {
        read::first(table).await
    }

    /// The rows of a connection one page at a time, so that memory does not grow
    /// with the set; an id that two pages share is not noticed. Other tables are
    /// listed first.
    fn stream_table_values<'a, E>(&'a self, table: &Table<Self, E>) -> RowStream<'a>
    where
        E: Entity<AnyGraphqlType> + 'a,
    {
        stream::rows(table.clone())
    }

    async fn get_table_count<E: Entity<AnyGraphqlType>>(
        &self,
        table: &Table<Self, E>,
    ) -> Result<i64> {
        count::count(table).await
    }

    async fn get_table_sum<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _column: &Column<AnyGraphqlType>,
    ) -> Result<AnyGraphqlType> {
        Err(reads_only("get_table_sum"))
    }

    async fn get_table_max<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _column: &Column<AnyGraphqlType>,
    ) -> Result<AnyGraphqlType> {
        Err(reads_only("get_table_max"))
    }

    async fn get_table_min<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _column: &Column<AnyGraphqlType>,
    ) -> Result<AnyGraphqlType> {
        Err(reads_only("get_table_min"))
    }

    async fn insert_table_value<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _id: &String,
        _record: &Record<AnyGraphqlType>,
    ) -> Result<Record<AnyGraphqlType>> {
        Err(reads_only("insert_table_value"))
    }

    async fn replace_table_value<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _id: &String,
        _record: &Record<AnyGraphqlType>,
    ) -> Result<Record<AnyGraphqlType>> {
        Err(reads_only("replace_table_value"))
    }

    async fn patch_table_value<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _id: &String,
        _partial: &Record<AnyGraphqlType>,
    ) -> Result<Record<AnyGraphqlType>> {
        Err(reads_only("patch_table_value"))
    }

    async fn delete_table_value<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _id: &String,
    ) -> Result<()> {
        Err(reads_only("delete_table_value"))
    }

    async fn delete_table_all_values<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
    ) -> Result<()> {
        Err(reads_only("delete_table_all_values"))
    }

    async fn insert_table_return_id_value<E: Entity<AnyGraphqlType>>(
        &self,
        _table: &Table<Self, E>,
        _record: &Record<AnyGraphqlType>,
    ) -> Result<String> {
        Err(reads_only("insert_table_return_id_value"))
    }

    fn related_in_condition<SourceE: Entity<AnyGraphqlType> + 'static>(
        &self,
        target_field: &str,
        source_table: &Table<Self, SourceE>,
        source_column: &str,
    ) -> GraphqlCondition {
        relation::condition(target_field, source_table, source_column)
    }

    fn column_table_values_expr<'a, E: Entity<AnyGraphqlType> + 'static, Type: ColumnType>(
        &'a self,
        table: &Table<Self, E>,
        column: &Column<Type>,
    ) -> AssociatedExpression<'a, Self, AnyGraphqlType, Vec<Type>> {
        let values = relation::column_values(table, column.name());
        AssociatedExpression::new(
            Expression::new("{}", vec![ExpressiveEnum::Deferred(values)]),
            self,
        )
    }
}
