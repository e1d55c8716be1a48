//! From a table to the select that reads it.

use serde_json::Value as Json;
use vantage_core::{Result, error};
use vantage_expressions::Order;
use vantage_table::{sorting::SortDirection, table::Table, traits::column_like::ColumnLike};
use vantage_types::Entity;

use crate::{
    api::GraphqlApi,
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    decode::id_text,
    dialect::FilterDialect,
    select::GraphqlSelect,
    types::AnyGraphqlType,
};

/// The select that lists `table`: its columns, and of its conditions, orders
/// and pagination what the server takes.
pub(crate) fn select<E: Entity<AnyGraphqlType>>(table: &Table<GraphqlApi, E>) -> GraphqlSelect {
    let api = table.data_source();
    let mut select = with_columns(table, api.bare_select(table.table_name()));
    if api.can_filter() {
        for condition in table.conditions() {
            select = select.with_condition(condition.clone());
        }
    }
    if api.can_order() {
        for (column, order) in orders(table) {
            select = select.with_order(column, order);
        }
    }
    match table.pagination() {
        Some(page) if api.can_page() => select.with_limit(Some(page.limit()), Some(page.skip())),
        _ => select,
    }
}

/// The select whose document is the first that listing `table` sends.
pub(crate) fn listing<E: Entity<AnyGraphqlType>>(table: &Table<GraphqlApi, E>) -> GraphqlSelect {
    table.data_source().first_page(select(table))
}

/// The columns `table` orders by.
pub(crate) fn orders<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
) -> impl Iterator<Item = (&str, Order)> {
    table.orders().filter_map(|(key, direction)| match key {
        GraphqlCondition::Field(FieldCondition { field, .. }) => {
            let order = match direction {
                SortDirection::Ascending => Order::Asc,
                SortDirection::Descending => Order::Desc,
            };
            Some((field.as_str(), order))
        }
        _ => None,
    })
}

/// Selects the id column, then the other stored columns that are active.
fn with_columns<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
    mut select: GraphqlSelect,
) -> GraphqlSelect {
    // The framework keeps the active columns to itself; its own select shows them.
    let active = table.select();
    let id = table.id_field().map(ColumnLike::name);
    let stored = table.columns().values().filter(|column| {
        let shown = column.alias().unwrap_or_else(|| column.name());
        Some(column.name()) != id
            && !table.is_calculated_column(column.name())
            && active.fields().iter().any(|field| field == shown)
    });
    for column in table.id_field().into_iter().chain(stored) {
        select = match column.alias() {
            Some(field) => select.with_aliased_field(column.name(), field),
            None => select.with_field(column.name()),
        };
    }
    for relation in table.vista_contained() {
        select = with_contained(table, &relation.name, select);
    }
    if select.fields().is_empty() && table.data_source().selects_id_by_default() {
        select = select.with_field("id");
    }
    select
}

/// Selects what a contained relation's records hold, within the column that
/// holds them.
fn with_contained<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
    relation: &str,
    select: GraphqlSelect,
) -> GraphqlSelect {
    let Some(contained) = table.contained_relation(relation) else { return select };
    let host = contained.host_column();
    let records = contained.build_target(table.data_source().clone());
    let within = with_columns(&records, GraphqlSelect::new());
    let select = if select.fields().iter().any(|field| field == host) {
        select
    } else {
        select.with_field(host)
    };
    select.with_sub_selection(host, within)
}

/// What is asked for when one row is wanted.
pub(crate) struct ById {
    pub(crate) select: GraphqlSelect,
    /// The id as the server has it.
    pub(crate) literal: Json,
}

/// The select that reads row `id` of `table`; `None` when the table's own
/// conditions leave it out.
///
/// # Errors
///
/// If the id column holds integers and `id` is none.
pub(crate) fn by_id<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
    id: &str,
) -> Result<Option<ById>> {
    let api = table.data_source();
    let column = table.id_field_name();
    let literal = id_literal(table, &column, id)?;
    let mut select = with_columns(table, api.bare_select(table.table_name()));
    for condition in table.conditions() {
        match same_column_equality(condition, &column) {
            // A flat filter takes a column once, and the id is about to be it.
            Some(value) if api.dialect() == FilterDialect::Generic => {
                if id_text(value) != id_text(&literal) {
                    return Ok(None);
                }
            }
            _ => select = select.with_condition(condition.clone()),
        }
    }
    select = select.with_condition(GraphqlCondition::eq(column, literal.clone()));
    if api.can_order() {
        for (column, order) in orders(table) {
            select = select.with_order(column, order);
        }
    }
    if api.can_page() {
        select = select.with_limit(Some(1), None);
    }
    Ok(Some(ById { select, literal }))
}

fn same_column_equality<'c>(condition: &'c GraphqlCondition, column: &str) -> Option<&'c Json> {
    match condition {
        GraphqlCondition::Field(FieldCondition { field, op: GraphqlOp::Eq, value })
            if field == column =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// `id` as the id column's type has it on the server.
fn id_literal<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
    column: &str,
    id: &str,
) -> Result<Json> {
    match table.id_field() {
        Some(field) if is_integer(field.get_type()) => integer(id).ok_or_else(|| {
            error!("Id is not an integer for an integer id column", id = id, column = column)
        }),
        _ => Ok(Json::from(id)),
    }
}

/// Whether `type_name` is one of Rust's integers, optional or not.
pub(crate) fn is_integer(type_name: &str) -> bool {
    let bare = type_name
        .strip_prefix("core::option::Option<")
        .and_then(|rest| rest.strip_suffix('>'))
        .unwrap_or(type_name);
    matches!(bare, "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize")
}

/// `text` as an integer literal.
pub(crate) fn integer(text: &str) -> Option<Json> {
    text.parse::<i64>().map(Json::from).or_else(|_| text.parse::<u64>().map(Json::from)).ok()
}
