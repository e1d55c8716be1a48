//! How a server spells filters.

use serde::{Deserialize, Serialize};

/// How a server spells filters, and with them what can be pushed to it.
///
/// In configuration the names are lower-case: `hasura`, `generic`.
///
/// # Examples
///
/// ```
/// use vantage_graphql::FilterDialect;
///
/// assert_eq!(FilterDialect::default(), FilterDialect::Generic);
/// assert_eq!(serde_json::to_string(&FilterDialect::Hasura).unwrap(), r#""hasura""#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FilterDialect {
    /// One argument with a flat object of equalities: `find: {country: "DE"}`.
    #[default]
    Generic,
    /// Operator objects that nest: `where: {country: {_eq: "DE"}}`, with
    /// `order_by` and an aggregate field.
    Hasura,
}

impl FilterDialect {
    /// The argument a filter goes into when none is configured.
    pub(crate) fn default_filter_arg(self) -> &'static str {
        match self {
            Self::Generic => "find",
            Self::Hasura => "where",
        }
    }
}
