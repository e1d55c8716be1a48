//! Conditions from columns: `table["country"].eq("DE")`.

use serde_json::Value as Json;
use vantage_expressions::Expressive;
use vantage_table::{
    column::core::{Column, ColumnType},
    prelude::OrderByExt,
    sorting::OrderBy,
};

use crate::{
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    types::AnyGraphqlType,
};

/// Comparisons of a column, for everything that is an expression.
///
/// The column is the operand's expression template, so a column or a bare
/// expression compares as one would read it. A dialect that cannot spell an
/// operator says so when the condition is rendered, not here.
///
/// # Examples
///
/// ```
/// use serde_json::json;
/// use vantage_graphql::{AnyGraphqlType, FilterDialect, GraphqlOperation};
/// use vantage_table::column::core::Column;
///
/// let elevation = Column::<AnyGraphqlType>::new("elevation");
/// let high = elevation.gt(1000);
///
/// assert_eq!(
///     high.render_preview(FilterDialect::Hasura).unwrap(),
///     json!({"elevation": {"_gt": 1000}}),
/// );
/// ```
pub trait GraphqlOperation<T>: Expressive<T> {
    /// The operand equals `value`.
    #[must_use]
    fn eq(&self, value: impl Into<AnyGraphqlType>) -> GraphqlCondition {
        scalar(self, GraphqlOp::Eq, value)
    }

    /// The operand differs from `value`.
    #[must_use]
    fn ne(&self, value: impl Into<AnyGraphqlType>) -> GraphqlCondition {
        scalar(self, GraphqlOp::Ne, value)
    }

    /// The operand is above `value`.
    #[must_use]
    fn gt(&self, value: impl Into<AnyGraphqlType>) -> GraphqlCondition {
        scalar(self, GraphqlOp::Gt, value)
    }

    /// The operand is `value` or above.
    #[must_use]
    fn gte(&self, value: impl Into<AnyGraphqlType>) -> GraphqlCondition {
        scalar(self, GraphqlOp::Gte, value)
    }

    /// The operand is below `value`.
    #[must_use]
    fn lt(&self, value: impl Into<AnyGraphqlType>) -> GraphqlCondition {
        scalar(self, GraphqlOp::Lt, value)
    }

    /// The operand is `value` or below.
    #[must_use]
    fn lte(&self, value: impl Into<AnyGraphqlType>) -> GraphqlCondition {
        scalar(self, GraphqlOp::Lte, value)
    }

    /// The operand is one of `values`.
    #[must_use]
    fn in_<I>(&self, values: I) -> GraphqlCondition
    where
        I: IntoIterator,
        I::Item: Into<AnyGraphqlType>,
    {
        list(self, GraphqlOp::In, values)
    }

    /// The operand is none of `values`.
    #[must_use]
    fn not_in<I>(&self, values: I) -> GraphqlCondition
    where
        I: IntoIterator,
        I::Item: Into<AnyGraphqlType>,
    {
        list(self, GraphqlOp::NotIn, values)
    }

    /// The operand matches `pattern`, where `%` is any text.
    #[must_use]
    fn like(&self, pattern: impl Into<String>) -> GraphqlCondition {
        comparison(self, GraphqlOp::Like, Json::String(pattern.into()))
    }

    /// The operand matches `pattern`, ignoring case.
    #[must_use]
    fn ilike(&self, pattern: impl Into<String>) -> GraphqlCondition {
        comparison(self, GraphqlOp::ILike, Json::String(pattern.into()))
    }

    /// The operand is null.
    #[must_use]
    fn is_null(&self) -> GraphqlCondition {
        comparison(self, GraphqlOp::IsNull, Json::Bool(true))
    }

    /// The operand is not null.
    #[must_use]
    fn is_not_null(&self) -> GraphqlCondition {
        comparison(self, GraphqlOp::IsNotNull, Json::Bool(true))
    }
}

impl<T, E: Expressive<T> + ?Sized> GraphqlOperation<T> for E {}

/// Orders by a column: `table.add_order(table["name"].descending())`.
///
/// # Examples
///
/// ```
/// use vantage_graphql::{FilterDialect, GraphqlApi};
/// use vantage_table::prelude::{OrderByExt, Table};
/// use vantage_types::EmptyEntity;
///
/// # fn main() -> vantage_core::Result<()> {
/// let api = GraphqlApi::builder("http://localhost/graphql").dialect(FilterDialect::Hasura).build();
/// let mut airports = Table::<_, EmptyEntity>::new("airports", api.clone())
///     .with_id_column("code")
///     .with_column_of::<String>("name");
/// let by_name = airports["name"].descending();
/// airports.add_order(by_name);
///
/// let preview = api.vista_factory().from_table(airports)?.preview();
/// assert!(preview.query.unwrap().contains("order_by: [{name: desc}]"));
/// # Ok(())
/// # }
/// ```
impl<T: ColumnType> OrderByExt<GraphqlCondition> for Column<T> {
    fn ascending(&self) -> OrderBy<GraphqlCondition> {
        OrderBy::ascending(order_key(self.name()))
    }

    fn descending(&self) -> OrderBy<GraphqlCondition> {
        OrderBy::descending(order_key(self.name()))
    }
}

/// `column` as a table's orders carry it.
pub(crate) fn order_key(column: &str) -> GraphqlCondition {
    GraphqlCondition::eq(column, Json::Null)
}

fn comparison<T>(
    operand: &(impl Expressive<T> + ?Sized),
    op: GraphqlOp,
    value: Json,
) -> GraphqlCondition {
    FieldCondition::new(operand.expr().template, op, value).into()
}

fn scalar<T>(
    operand: &(impl Expressive<T> + ?Sized),
    op: GraphqlOp,
    value: impl Into<AnyGraphqlType>,
) -> GraphqlCondition {
    comparison(operand, op, value.into().into_value())
}

fn list<T, I>(operand: &(impl Expressive<T> + ?Sized), op: GraphqlOp, values: I) -> GraphqlCondition
where
    I: IntoIterator,
    I::Item: Into<AnyGraphqlType>,
{
    let values = values.into_iter().map(|value| value.into().into_value()).collect();
    comparison(operand, op, Json::Array(values))
}
