//! A read as data: what is selected, from where, narrowed by what.

use serde_json::{Map, Value as Json};
use vantage_core::Result;
use vantage_expressions::Order;

use crate::{condition::GraphqlCondition, dialect::FilterDialect, name::NameKind};

mod aliases;
mod arguments;
mod check;
mod cursor;
mod fields;
mod part;
mod selectable;
mod selection;
#[cfg(test)]
mod tests;
mod write;
mod write_selection;

pub use cursor::{ConnectionArgs, OrderStyle};

use aliases::Aliases;
use fields::Fields;
use part::Part;
use write::{Paging, Writer};

/// A GraphQL query over one root field.
///
/// A plain value: nothing is checked while it is put together. [`render`]
/// checks every name and makes the document; [`preview`] shows it without
/// resolving or refusing anything.
///
/// [`render`]: Self::render
/// [`preview`]: Self::preview
///
/// # Examples
///
/// ```
/// use vantage_expressions::Order;
/// use vantage_graphql::{FilterDialect, GraphqlCondition, GraphqlSelect};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> vantage_core::Result<()> {
/// let select = GraphqlSelect::new()
///     .with_root_field("airports")
///     .with_dialect(FilterDialect::Hasura)
///     .with_field("code")
///     .with_field("city.name")
///     .with_condition(GraphqlCondition::eq("country", "DE"))
///     .with_order("code", Order::Asc)
///     .with_limit(Some(10), None);
///
/// let rendered = select.render().await?;
/// assert_eq!(
///     rendered.query,
///     "query ($limit: Int) { \
///      airports(where: {country: {_eq: \"DE\"}}, order_by: [{code: asc}], limit: $limit) \
///      { code city { name } } }",
/// );
/// assert_eq!(rendered.variables["limit"], 10);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct GraphqlSelect {
    root_field: Option<String>,
    operation_name: Option<String>,
    dialect: FilterDialect,
    filter_arg: Option<String>,
    filter_type: Option<String>,
    fields: Fields,
    aliases: Aliases,
    root_args: Option<Json>,
    response_path: Vec<String>,
    sub_selections: Vec<(String, Self)>,
    conditions: Vec<GraphqlCondition>,
    orders: Vec<(String, Order)>,
    order_style: OrderStyle,
    limit: Option<i64>,
    offset: Option<i64>,
    connection: Option<cursor::ConnectionPage>,
}

/// A document ready to be sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RenderedQuery {
    /// The document.
    pub query: String,
    /// The values of the variables it declares.
    pub variables: Map<String, Json>,
}

impl GraphqlSelect {
    /// A query of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The field of the query type that is read.
    #[must_use]
    pub fn root_field(&self) -> Option<&str> {
        self.root_field.as_deref()
    }

    /// The selected columns, dotted paths included, in order.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        self.fields.as_slice()
    }

    /// The conditions; all of them hold.
    #[must_use]
    pub fn conditions(&self) -> &[GraphqlCondition] {
        &self.conditions
    }

    /// How filters and orders are spelled.
    #[must_use]
    pub fn dialect(&self) -> FilterDialect {
        self.dialect
    }

    /// The operation's name, which [`render`](Self::render) writes after `query`.
    #[must_use]
    pub fn operation_name(&self) -> Option<&str> {
        self.operation_name.as_deref()
    }

    /// Reads `name` of the query type.
    #[must_use]
    pub fn with_root_field(self, name: impl Into<String>) -> Self {
        Self { root_field: Some(name.into()), ..self }
    }

    /// Names the operation: `query <name> { … }`. Default: unnamed.
    #[must_use]
    pub fn with_operation_name(self, name: impl Into<String>) -> Self {
        Self { operation_name: Some(name.into()), ..self }
    }

    /// Spells filters and orders as `dialect` does. Default:
    /// [`FilterDialect::Generic`].
    #[must_use]
    pub fn with_dialect(self, dialect: FilterDialect) -> Self {
        Self { dialect, ..self }
    }

    /// Passes the filter as argument `name`. Default: `where` for
    /// [`FilterDialect::Hasura`], `find` for [`FilterDialect::Generic`].
    #[must_use]
    pub fn with_filter_arg_name(self, name: impl Into<String>) -> Self {
        Self { filter_arg: Some(name.into()), ..self }
    }

    /// Sends the filter as a variable of the input type `type_name` instead of
    /// writing it into the document, so that one document serves every value.
    ///
    /// The type may end in `!`. Sub-selections keep their filters inline.
    #[must_use]
    pub fn with_filter_variable(self, type_name: impl Into<String>) -> Self {
        Self { filter_type: Some(type_name.into()), ..self }
    }

    /// Selects a column. A dotted path selects within nested objects.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.fields.push(field.into());
        self
    }

    /// Selects the server's `field` under the name `column`. Conditions and
    /// orders on `column` are sent for `field`.
    #[must_use]
    pub fn with_aliased_field(
        mut self,
        column: impl Into<String>,
        field: impl Into<String>,
    ) -> Self {
        let column = column.into();
        self.aliases.0.insert(column.clone(), field.into());
        self.fields.push(column);
        self
    }

    /// Adds arguments to the root field, as literals in object order.
    ///
    /// Anything but an object is ignored.
    #[must_use]
    pub fn with_root_args(self, args: Json) -> Self {
        Self { root_args: Some(args), ..self }
    }

    /// Wraps the selection: `["edges", "node"]` selects
    /// `{ edges { node { … } } }`.
    #[must_use]
    pub fn with_response_path(self, path: Vec<String>) -> Self {
        Self { response_path: path, ..self }
    }

    /// Nests a selection of related objects: `name(<args>) { … }`.
    ///
    /// Its filter, limit and offset are literals; its root field and its
    /// operation name do not apply.
    #[must_use]
    pub fn with_sub_selection(mut self, name: impl Into<String>, select: Self) -> Self {
        self.sub_selections.push((name.into(), select));
        self
    }

    /// Narrows the rows. Several conditions must all hold.
    #[must_use]
    pub fn with_condition(mut self, condition: impl Into<GraphqlCondition>) -> Self {
        self.conditions.push(condition.into());
        self
    }

    /// Orders the rows; [`FilterDialect::Hasura`] only. Several orders apply
    /// in turn, see [`OrderStyle`].
    #[must_use]
    pub fn with_order(mut self, field: impl Into<String>, order: Order) -> Self {
        self.orders.push((field.into(), order));
        self
    }

    /// Spells several orders as `style` says. Default: [`OrderStyle::Merged`].
    #[must_use]
    pub fn with_order_style(self, style: OrderStyle) -> Self {
        Self { order_style: style, ..self }
    }

    /// Limits the rows to `limit`, after skipping `offset`. They are sent as
    /// the variables `$limit` and `$offset`, each only if set.
    #[must_use]
    pub fn with_limit(self, limit: Option<i64>, offset: Option<i64>) -> Self {
        Self { limit, offset, ..self }
    }

    /// Reads one page of a connection: up to `first` rows after the cursor
    /// `after`, with `pageInfo { hasNextPage endCursor }` beside the rows.
    ///
    /// Both are variables, `$first: Int` and `$after: String`.
    #[must_use]
    pub fn with_connection_page(
        self,
        args: ConnectionArgs,
        first: i64,
        after: Option<String>,
    ) -> Self {
        Self { connection: Some(cursor::ConnectionPage { args, first, after }), ..self }
    }

    /// The document and its variables, with deferred values resolved.
    ///
    /// # Errors
    ///
    /// If there is no root field or nothing is selected; if a name is not a
    /// GraphQL name; if the dialect cannot spell the filter; if a deferred
    /// value fails.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the resolution of the deferred value it is
    /// at. Nothing is kept.
    pub async fn render(&self) -> Result<RenderedQuery> {
        let part = Part::resolve(self).await?;
        check::document(&part)?;
        Writer::new(Paging::Variables, &part).document(&part)
    }

    /// The document without names checked or values resolved: limits are
    /// inlined, deferred parts are markers, and what is missing or cannot be
    /// spelled is shown in angle brackets.
    #[must_use]
    pub fn preview(&self) -> String {
        let part = Part::preview(self);
        Writer::new(Paging::Inline, &part).preview(&part)
    }

    /// The document that counts the rows this select would read, without
    /// limits and orders, through the aggregate field `count_field`.
    pub(crate) async fn render_count(&self, count_field: &str) -> Result<RenderedQuery> {
        NameKind::CountField.check(count_field)?;
        let part = Part::resolve(self).await?;
        check::count(&part)?;
        Writer::new(Paging::Variables, &part).count(&part, count_field)
    }

    fn filter_arg_name(&self) -> &str {
        self.filter_arg.as_deref().unwrap_or_else(|| self.dialect.default_filter_arg())
    }
}
