//! A Vista's clauses as conditions and orders of the table.

use ciborium::Value as Cbor;
use serde_json::Value as Json;
use vantage_core::{Result, error};
use vantage_table::{table::Table, traits::column_like::ColumnLike};
use vantage_types::{EmptyEntity, PlainDialect, cbor_to_json};
use vantage_vista::{
    Capability, Condition, FilterOp, VistaMetadata, condition_column_error, operand_text,
    unsupported,
};

use crate::{
    api::{ColumnCheck, GraphqlApi},
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    lower,
    source::containing,
};

/// `condition` for `table`.
///
/// # Errors
///
/// Unsupported for an operator the server does not take; unimplemented for a
/// path it cannot filter on; plain for an unknown column or a value that is
/// not of the column's type.
pub(super) fn condition(
    table: &Table<GraphqlApi, EmptyEntity>,
    metadata: &VistaMetadata,
    condition: &Condition,
) -> Result<GraphqlCondition> {
    let api = table.data_source();
    let column = condition.column.as_str();
    let undeclared = !metadata.columns.contains_key(column);
    let strict = api.settings().column_check == ColumnCheck::Declared;
    // Sent as it is, a dotted name would be no GraphQL name.
    let unsendable = api.can_filter() && column.contains('.');
    if unsendable || (undeclared && strict) {
        return Err(condition_column_error(metadata, column));
    }
    if condition.op != FilterOp::Eq && !api.can_filter_operators() {
        return unsupported(Capability::FilterOps);
    }
    let (op, value) = operand(condition.op, &condition.value)?;
    let value = if is_integer(table, column) { integers(column, value)? } else { value };
    Ok(FieldCondition::new(column, op, value).into())
}

fn operand(op: FilterOp, value: &Cbor) -> Result<(GraphqlOp, Json)> {
    let json = || cbor_to_json(&PlainDialect, value.clone());
    let list = || match json() {
        list @ Json::Array(_) => list,
        only => Json::Array(vec![only]),
    };
    Ok(match op {
        FilterOp::Eq => (GraphqlOp::Eq, json()),
        FilterOp::Ne => (GraphqlOp::Ne, json()),
        FilterOp::Gt => (GraphqlOp::Gt, json()),
        FilterOp::Gte => (GraphqlOp::Gte, json()),
        FilterOp::Lt => (GraphqlOp::Lt, json()),
        FilterOp::Lte => (GraphqlOp::Lte, json()),
        FilterOp::InSet => (GraphqlOp::In, list()),
        FilterOp::NotInSet => (GraphqlOp::NotIn, list()),
        FilterOp::Like => (GraphqlOp::ILike, Json::String(containing(&operand_text(value)))),
        _ => return unsupported(Capability::FilterOps),
    })
}

fn is_integer(table: &Table<GraphqlApi, EmptyEntity>, column: &str) -> bool {
    table.columns().get(column).is_some_and(|column| lower::is_integer(column.get_type()))
}

/// `value` with text in it read as integers.
fn integers(column: &str, value: Json) -> Result<Json> {
    match value {
        Json::String(text) => lower::integer(&text).ok_or_else(|| {
            error!("Value is not an integer for an integer column", value = text, column = column)
        }),
        Json::Array(items) => items
            .into_iter()
            .map(|item| integers(column, item))
            .collect::<Result<_>>()
            .map(Json::Array),
        other => Ok(other),
    }
}

/// Refuses an order by a column that is not declared, or that is a path.
pub(super) fn check_order(metadata: &VistaMetadata, column: &str) -> Result<()> {
    if !metadata.columns.contains_key(column) {
        return Err(error!("Unknown column for order", field = column));
    }
    if column.contains('.') {
        return Err(
            error!("GraphQL cannot order by a dotted column", field = column).mark_unsupported()
        );
    }
    Ok(())
}
