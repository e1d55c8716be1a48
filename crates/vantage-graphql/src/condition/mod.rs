//! Conditions: what a table or a select is narrowed by.

use std::{future::Future, pin::Pin};

use serde_json::Value as Json;
use vantage_core::Result;
use vantage_expressions::{DeferredFn, Expression, Expressive};

use crate::{dialect::FilterDialect, types::AnyGraphqlType};

mod describe;
pub(crate) mod emit;
pub(crate) mod node;
mod op;
mod sink;
#[cfg(test)]
mod tests;

pub use op::{FieldCondition, GraphqlOp};

use node::Node;

/// A condition on the rows of a table.
///
/// Conditions are dialect-free; a dialect decides how one is spelled and which
/// ones it can spell at all. Build them with [`GraphqlOperation`] on a column,
/// or directly.
///
/// [`GraphqlOperation`]: crate::GraphqlOperation
///
/// # Examples
///
/// ```
/// use serde_json::json;
/// use vantage_graphql::{FilterDialect, GraphqlCondition};
///
/// let german = GraphqlCondition::eq("country", "DE");
/// assert_eq!(
///     german.render_preview(FilterDialect::Hasura).unwrap(),
///     json!({"country": {"_eq": "DE"}}),
/// );
/// assert_eq!(
///     german.render_preview(FilterDialect::Generic).unwrap(),
///     json!({"country": "DE"}),
/// );
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GraphqlCondition {
    /// All of the parts hold. Without parts: every row.
    And(Vec<Self>),
    /// An object in the server's own spelling, known when a request is sent.
    /// It is used as it is; column aliases do not apply to it.
    Deferred(DeferredFn<AnyGraphqlType>),
    /// A comparison whose value is known when a request is sent.
    ///
    /// An equality whose value resolves to a list means membership: one value
    /// is an equality with it, several are [`GraphqlOp::In`].
    #[non_exhaustive]
    DeferredField {
        /// The column, by the table's own name for it.
        field: String,
        /// How the field is compared.
        op: GraphqlOp,
        /// Produces the value, once per request.
        value_fn: DeferredFn<AnyGraphqlType>,
    },
    /// A comparison with a known value.
    Field(FieldCondition),
    /// The part does not hold.
    Not(Box<Self>),
    /// One of the parts holds.
    Or(Vec<Self>),
}

impl GraphqlCondition {
    /// `field = value`.
    #[must_use]
    pub fn eq(field: impl Into<String>, value: impl Into<Json>) -> Self {
        Self::Field(FieldCondition::new(field, GraphqlOp::Eq, value))
    }

    /// A comparison whose value `value_fn` produces when a request is sent.
    ///
    /// # Examples
    ///
    /// ```
    /// use serde_json::json;
    /// use vantage_expressions::DeferredFn;
    /// use vantage_graphql::{AnyGraphqlType, FilterDialect, GraphqlCondition, GraphqlOp};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> vantage_core::Result<()> {
    /// let home = DeferredFn::from_fn(|| async { Ok(AnyGraphqlType::from("DE")) });
    /// let condition = GraphqlCondition::deferred_field("country", GraphqlOp::Eq, home);
    ///
    /// assert_eq!(
    ///     condition.render(FilterDialect::Hasura).await?,
    ///     json!({"country": {"_eq": "DE"}}),
    /// );
    /// assert_eq!(
    ///     condition.render_preview(FilterDialect::Hasura)?,
    ///     json!("**deferred(country Eq)"),
    /// );
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn deferred_field(
        field: impl Into<String>,
        op: GraphqlOp,
        value_fn: DeferredFn<AnyGraphqlType>,
    ) -> Self {
        Self::DeferredField { field: field.into(), op, value_fn }
    }

    /// The condition as `dialect` spells it, with deferred values resolved.
    ///
    /// # Errors
    ///
    /// If the dialect cannot spell the condition; if a deferred value fails,
    /// is not a scalar, or (for [`Deferred`](Self::Deferred)) is not a JSON
    /// object.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the resolution of the deferred value it is
    /// at. Nothing is kept.
    pub fn render(
        &self,
        dialect: FilterDialect,
    ) -> Pin<Box<dyn Future<Output = Result<Json>> + Send>> {
        let condition = self.clone();
        Box::pin(async move { emit::to_json(&Node::resolve(&condition, &()).await?, dialect) })
    }

    /// The condition as `dialect` spells it, without resolving anything: a
    /// deferred part is the text `**deferred(<field> <Op>)` or `**deferred()`.
    ///
    /// # Errors
    ///
    /// If the dialect cannot spell the condition.
    pub fn render_preview(&self, dialect: FilterDialect) -> Result<Json> {
        emit::to_json(&Node::preview(self, &()), dialect)
    }

    /// Whether any part of the condition is known only when a request is sent.
    pub(crate) fn is_deferred(&self) -> bool {
        match self {
            Self::Field(_) => false,
            Self::Deferred(_) | Self::DeferredField { .. } => true,
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::is_deferred),
            Self::Not(part) => part.is_deferred(),
        }
    }

    /// The column this condition narrows to values, if it is one comparison
    /// that does.
    pub(crate) fn narrowed_column(&self) -> Option<&str> {
        let (field, op) = match self {
            Self::Field(FieldCondition { field, op, .. }) => (field, op),
            Self::DeferredField { field, op, .. } => (field, op),
            Self::And(_) | Self::Deferred(_) | Self::Not(_) | Self::Or(_) => return None,
        };
        match op {
            GraphqlOp::Ne | GraphqlOp::NotIn | GraphqlOp::IsNull | GraphqlOp::IsNotNull => None,
            GraphqlOp::Eq
            | GraphqlOp::Gt
            | GraphqlOp::Gte
            | GraphqlOp::Lt
            | GraphqlOp::Lte
            | GraphqlOp::In
            | GraphqlOp::Like
            | GraphqlOp::ILike => Some(field),
        }
    }
}

impl From<FieldCondition> for GraphqlCondition {
    fn from(condition: FieldCondition) -> Self {
        Self::Field(condition)
    }
}

/// The condition as text for people; see [`TableSource::describe_condition`].
///
/// [`TableSource::describe_condition`]: vantage_table::traits::table_source::TableSource::describe_condition
impl Expressive<AnyGraphqlType> for GraphqlCondition {
    fn expr(&self) -> Expression<AnyGraphqlType> {
        Expression::new(self.describe(), Vec::new())
    }
}
