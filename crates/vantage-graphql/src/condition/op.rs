//! One comparison of one field.

use serde_json::Value as Json;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GraphqlOp {
    /// `field = value`. The only operator of [`FilterDialect::Generic`](crate::FilterDialect::Generic).
    Eq,
    /// `field != value`.
    Ne,
    /// `field > value`.
    Gt,
    /// `field >= value`.
    Gte,
    /// `field < value`.
    Lt,
    /// `field <= value`.
    Lte,
    /// `field` is one of a list.
    In,
    /// `field` is none of a list.
    NotIn,
    /// `field` matches a pattern, where `%` is any text and `_` any character.
    Like,
    /// As [`Like`](Self::Like), ignoring case.
    ILike,
    /// `field` is null. The condition's value is not used.
    IsNull,
    /// `field` is not null. The condition's value is not used.
    IsNotNull,
}

impl GraphqlOp {
    /// The operator's key in the Hasura spelling.
    ///
    /// [`IsNull`](Self::IsNull) and [`IsNotNull`](Self::IsNotNull) share
    /// `_is_null`; they differ in its value, `true` or `false`.
    ///
    /// # Examples
    ///
    /// ```
    /// use vantage_graphql::GraphqlOp;
    ///
    /// assert_eq!(GraphqlOp::NotIn.hasura_key(), Some("_nin"));
    /// ```
    #[must_use]
    pub fn hasura_key(&self) -> Option<&'static str> {
        Some(self.key())
    }

    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Eq => "_eq",
            Self::Ne => "_neq",
            Self::Gt => "_gt",
            Self::Gte => "_gte",
            Self::Lt => "_lt",
            Self::Lte => "_lte",
            Self::In => "_in",
            Self::NotIn => "_nin",
            Self::Like => "_like",
            Self::ILike => "_ilike",
            Self::IsNull | Self::IsNotNull => "_is_null",
        }
    }

    /// The operator as people write it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::Ne => "!=",
            Self::Gt => ">",
            Self::Gte => ">=",
            Self::Lt => "<",
            Self::Lte => "<=",
            Self::In => "IN",
            Self::NotIn => "NOT IN",
            Self::Like => "LIKE",
            Self::ILike => "ILIKE",
            Self::IsNull => "IS NULL",
            Self::IsNotNull => "IS NOT NULL",
        }
    }
}

/// A field, an operator and a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldCondition {
    /// The column, by the table's own name for it.
    pub field: String,
    /// How the field is compared.
    pub op: GraphqlOp,
    /// What the field is compared with; a list for
    /// [`In`](GraphqlOp::In) and [`NotIn`](GraphqlOp::NotIn).
    pub value: Json,
}

impl FieldCondition {
    /// A condition on `field`.
    ///
    /// # Examples
    ///
    /// ```
    /// use serde_json::json;
    /// use vantage_graphql::{FieldCondition, GraphqlOp};
    ///
    /// let high = FieldCondition::new("elevation", GraphqlOp::Gt, json!(1000));
    /// assert_eq!(high.field, "elevation");
    /// ```
    #[must_use]
    pub fn new(field: impl Into<String>, op: GraphqlOp, value: impl Into<Json>) -> Self {
        Self { field: field.into(), op, value: value.into() }
    }
}
