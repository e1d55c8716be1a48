//! The document, written in one pass.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use vantage_core::Result;
use vantage_expressions::{Nulls, Order};

use super::{
    GraphqlSelect, OrderStyle, RenderedQuery, arguments::Arguments, part::Part,
    selection::Selection,
};
use crate::{
    condition::{
        emit,
        node::{Names as _, Node},
    },
    dialect::FilterDialect,
    literal,
};

/// Where the limits and filters of the root field go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Paging {
    /// Into the document: for people, and in sub-selections.
    Inline,
    /// Into variables, so that one document serves every page.
    Variables,
}

/// Writes one document.
pub(super) struct Writer {
    paging: Paging,
    body: String,
    declarations: String,
    variables: Map<String, Json>,
}

impl Writer {
    pub(super) fn new(paging: Paging) -> Self {
        Self {
            paging,
            body: String::with_capacity(256),
            declarations: String::new(),
            variables: Map::new(),
        }
    }

    /// The document of a part whose names have been checked.
    ///
    /// # Errors
    ///
    /// If the dialect cannot spell the filter.
    pub(super) fn document(mut self, part: &Part<'_>) -> Result<RenderedQuery> {
        self.body.push_str(part.select.root_field().unwrap_or_default());
        self.arguments(part, self.paging)?;
        self.selection_set(part)?;
        Ok(self.finish(part.select))
    }

    /// The document that counts what `part` would read.
    ///
    /// # Errors
    ///
    /// If the dialect cannot spell the filter.
    pub(super) fn count(mut self, part: &Part<'_>, count_field: &str) -> Result<RenderedQuery> {
        self.body.push_str(count_field);
        let mut args = Arguments::default();
        self.root_args(part.select, &mut args);
        self.filter(part, self.paging, &mut args)?;
        args.close(&mut self.body);
        self.body.push_str(" { aggregate { count } }");
        Ok(self.finish(part.select))
    }

    /// The document as well as it can be shown.
    pub(super) fn preview(mut self, part: &Part<'_>) -> String {
        self.body.push_str(part.select.root_field().unwrap_or("<no root_field>"));
        // Nothing fails inline: what cannot be spelled is shown as such.
        let _ = self.arguments(part, Paging::Inline).and_then(|()| self.selection_set(part));
        self.finish(part.select).query
    }

    fn finish(self, select: &GraphqlSelect) -> RenderedQuery {
        let Self { paging: _, body, declarations, variables } = self;
        let name = select.operation_name().unwrap_or_default();
        let mut query = String::with_capacity(body.len() + declarations.len() + name.len() + 16);
        query.push_str("query ");
        query.push_str(name);
        if !declarations.is_empty() {
            query.push('(');
            query.push_str(&declarations);
            query.push(')');
        }
        if !query.ends_with(' ') {
            query.push(' ');
        }
        query.push_str("{ ");
        query.push_str(&body);
        query.push_str(" }");
        RenderedQuery { query, variables }
    }

    fn arguments(&mut self, part: &Part<'_>, paging: Paging) -> Result<()> {
        let select = part.select;
        let mut args = Arguments::default();
        self.root_args(select, &mut args);
        self.filter(part, paging, &mut args)?;
        self.order_by(select, &mut args);
        for (name, value) in [("limit", select.limit), ("offset", select.offset)] {
            if let Some(value) = value {
                self.paged(&mut args, paging, (name, name), "Int", value.into());
            }
        }
        if let Some(page) = &select.connection {
            let first = (page.args.first(), "first");
            self.paged(&mut args, paging, first, "Int", page.first.into());
            if let Some(after) = &page.after {
                let after_arg = (page.args.after(), "after");
                self.paged(&mut args, paging, after_arg, "String", after.as_str().into());
            }
        }
        args.close(&mut self.body);
        Ok(())
    }

    fn root_args(&mut self, select: &GraphqlSelect, args: &mut Arguments) {
        let Some(Json::Object(root_args)) = &select.root_args else { return };
        for (name, value) in root_args {
            args.name(&mut self.body, name);
            literal::write_value(&mut self.body, value);
        }
    }

    fn filter(&mut self, part: &Part<'_>, paging: Paging, args: &mut Arguments) -> Result<()> {
        let select = part.select;
        let Some(filter) = &part.filter else { return Ok(()) };
        args.name(&mut self.body, select.filter_arg_name());
        match (&select.filter_type, paging, self.paging) {
            (Some(type_name), Paging::Variables, _) => {
                let value = emit::to_json(filter, select.dialect)?;
                self.variable("filter", type_name, value);
                self.body.push_str("$filter");
            }
            (_, _, Paging::Variables) => emit::write(&mut self.body, filter, select.dialect)?,
            (_, _, Paging::Inline) => self.shown_filter(filter, select.dialect),
        }
        Ok(())
    }

    /// A filter in a preview, where a refusal is shown in its place.
    fn shown_filter(&mut self, filter: &Node<'_>, dialect: FilterDialect) {
        let start = self.body.len();
        if let Err(refusal) = emit::write(&mut self.body, filter, dialect) {
            self.body.truncate(start);
            let _ = write!(self.body, "<unrenderable: {refusal}>");
        }
    }

    fn order_by(&mut self, select: &GraphqlSelect, args: &mut Arguments) {
        if select.dialect != FilterDialect::Hasura || select.orders.is_empty() {
            return;
        }
        args.name(&mut self.body, "order_by");
        let (between, direction): (_, fn(Order) -> &'static str) = match select.order_style {
            OrderStyle::Merged => (", ", plain_direction),
            OrderStyle::Separate => ("}, {", full_direction),
        };
        self.body.push_str("[{");
        for (index, (column, order)) in select.orders.iter().enumerate() {
            if index > 0 {
                self.body.push_str(between);
            }
            self.body.push_str(select.aliases.field(column));
            self.body.push_str(": ");
            self.body.push_str(direction(*order));
        }
        self.body.push_str("}]");
    }

    fn paged(
        &mut self,
        args: &mut Arguments,
        paging: Paging,
        (argument, variable): (&str, &str),
        type_name: &str,
        value: Json,
    ) {
        args.name(&mut self.body, argument);
        match paging {
            Paging::Inline => literal::write_value(&mut self.body, &value),
            Paging::Variables => {
                self.variable(variable, type_name, value);
                self.body.push('$');
                self.body.push_str(variable);
            }
        }
    }

    fn variable(&mut self, name: &str, type_name: &str, value: Json) {
        if !self.declarations.is_empty() {
            self.declarations.push_str(", ");
        }
        let _ = write!(self.declarations, "${name}: {type_name}");
        self.variables.insert(name.to_owned(), value);
    }

    fn selection_set(&mut self, part: &Part<'_>) -> Result<()> {
        let select = part.select;
        for segment in &select.response_path {
            self.body.push_str(" { ");
            self.body.push_str(segment);
        }
        self.body.push_str(" { ");
        self.fields(part)?;
        self.body.push_str(" }");
        for (depth, _) in select.response_path.iter().enumerate() {
            if depth + 1 == select.response_path.len() {
                self.page_info(select);
            }
            self.body.push_str(" }");
        }
        Ok(())
    }

    fn fields(&mut self, part: &Part<'_>) -> Result<()> {
        let select = part.select;
        let nested = |name: &str| part.nested.iter().any(|(known, _)| *known == name);
        // A sub-selection stands for the field of the same name.
        let whole = select.fields.iter().map(String::as_str).filter(|field| !nested(field));
        let selection = Selection::of(whole);
        if selection.is_empty() && part.nested.is_empty() {
            self.body.push_str("<empty selection set>");
        }
        self.write_selection(&selection, Some(select));
        for (index, (name, sub)) in part.nested.iter().enumerate() {
            if index > 0 || !selection.is_empty() {
                self.body.push(' ');
            }
            self.body.push_str(name);
            self.alias(select, name);
            self.arguments(sub, Paging::Inline)?;
            self.selection_set(sub)?;
        }
        if select.response_path.is_empty() {
            self.page_info(select);
        }
        Ok(())
    }

    fn write_selection(&mut self, selection: &Selection<'_>, top: Option<&GraphqlSelect>) {
        for (index, (name, within)) in selection.iter().enumerate() {
            if index > 0 {
                self.body.push(' ');
            }
            self.body.push_str(name);
            if let Some(select) = top {
                self.alias(select, name);
            }
            if !within.is_empty() {
                self.body.push_str(" { ");
                self.write_selection(within, None);
                self.body.push_str(" }");
            }
        }
    }

    /// After the name of a column, the server's name for it where that differs.
    fn alias(&mut self, select: &GraphqlSelect, column: &str) {
        if let Some(field) = select.aliases.0.get(column) {
            self.body.push_str(": ");
            self.body.push_str(field);
        }
    }

    fn page_info(&mut self, select: &GraphqlSelect) {
        if select.connection.is_some() {
            self.body.push_str(" pageInfo { hasNextPage endCursor }");
        }
    }
}

fn plain_direction(order: Order) -> &'static str {
    if order.ascending { "asc" } else { "desc" }
}

fn full_direction(order: Order) -> &'static str {
    match (order.ascending, order.nulls) {
        (true, None) => "asc",
        (true, Some(Nulls::First)) => "asc_nulls_first",
        (true, Some(Nulls::Last)) => "asc_nulls_last",
        (false, None) => "desc",
        (false, Some(Nulls::First)) => "desc_nulls_first",
        (false, Some(Nulls::Last)) => "desc_nulls_last",
    }
}
