//! Quick search over a table's text.

use vantage_table::{
    column::{core::Column, flags::ColumnFlag},
    table::Table,
    traits::column_like::ColumnLike,
};
use vantage_types::Entity;

use crate::{
    api::GraphqlApi,
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    types::AnyGraphqlType,
};

/// The rows of `table` in which a text column contains `text`, ignoring case.
///
/// Columns flagged searchable are searched; without any, text columns other
/// than the id. Dotted columns are left out of either. If none is left,
/// nothing matches.
pub(super) fn condition<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
    text: &str,
) -> GraphqlCondition {
    let pattern = containing(text);
    let mut parts: Vec<GraphqlCondition> = columns(table)
        .into_iter()
        .filter(|column| !column.name().contains('.'))
        .filter(|column| !table.is_calculated_column(column.name()))
        .map(|column| FieldCondition::new(column.name(), GraphqlOp::ILike, pattern.as_str()).into())
        .collect();
    match (parts.pop(), parts.is_empty()) {
        (None, _) => GraphqlCondition::Not(Box::new(GraphqlCondition::And(Vec::new()))),
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            GraphqlCondition::Or(parts)
        }
    }
}

fn columns<E: Entity<AnyGraphqlType>>(
    table: &Table<GraphqlApi, E>,
) -> Vec<&Column<AnyGraphqlType>> {
    let flagged: Vec<_> = table
        .columns()
        .values()
        .filter(|column| column.flags().contains(&ColumnFlag::Searchable))
        .collect();
    if !flagged.is_empty() {
        return flagged;
    }
    let id = table.id_field().map(Column::name);
    let text = std::any::type_name::<String>();
    table
        .columns()
        .values()
        .filter(|column| column.get_type() == text && Some(column.name()) != id)
        .collect()
}

/// The pattern of texts that contain `text`.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
