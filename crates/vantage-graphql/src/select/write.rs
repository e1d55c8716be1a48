//! The document, written in one pass.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use vantage_core::Result;
use vantage_expressions::{Nulls, Order};

use super::{GraphqlSelect, OrderStyle, RenderedQuery, arguments::Arguments, part::Part};
use crate::{
    condition::{
        emit,
        node::{Names as _, Node},
    },
    dialect::FilterDialect,
    literal,
};

/// What every document begins with.
const OPERATION: &str = "query";

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
    /// The document, as if it had neither a name nor variables.
    pub(super) out: String,
    declarations: String,
    variables: Map<String, Json>,
}

impl Writer {
    pub(super) fn new(paging: Paging, part: &Part<'_>) -> Self {
        let mut out = String::with_capacity(expected_length(part.select));
        out.push_str(OPERATION);
        out.push_str(" { ");
        Self { paging, out, declarations: String::new(), variables: Map::new() }
    }

    /// The document of a part whose names have been checked.
    ///
    /// # Errors
    ///
    /// If the dialect cannot spell the filter.
    pub(super) fn document(mut self, part: &Part<'_>) -> Result<RenderedQuery> {
        self.out.push_str(part.select.root_field().unwrap_or_default());
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
        self.out.push_str(count_field);
        let mut args = Arguments::default();
        self.root_args(part.select, &mut args);
        self.filter(part, self.paging, &mut args)?;
        args.close(&mut self.out);
        self.out.push_str(" { aggregate { count } }");
        Ok(self.finish(part.select))
    }

    /// The document as well as it can be shown.
    pub(super) fn preview(mut self, part: &Part<'_>) -> String {
        self.out.push_str(part.select.root_field().unwrap_or("<no root_field>"));
        // Nothing fails inline: what cannot be spelled is shown as such.
        let _ = self.arguments(part, Paging::Inline).and_then(|()| self.selection_set(part));
        self.finish(part.select).query
    }

    fn finish(self, select: &GraphqlSelect) -> RenderedQuery {
        let Self { paging: _, mut out, declarations, variables } = self;
        out.push_str(" }");
        let name = select.operation_name().unwrap_or_default();
        if !name.is_empty() || !declarations.is_empty() {
            let mut head = String::with_capacity(name.len() + declarations.len() + 3);
            head.push(' ');
            head.push_str(name);
            if !declarations.is_empty() {
                head.push('(');
                head.push_str(&declarations);
                head.push(')');
            }
            out.insert_str(OPERATION.len(), &head);
        }
        RenderedQuery { query: out, variables }
    }

    pub(super) fn arguments(&mut self, part: &Part<'_>, paging: Paging) -> Result<()> {
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
        args.close(&mut self.out);
        Ok(())
    }

    fn root_args(&mut self, select: &GraphqlSelect, args: &mut Arguments) {
        let Some(Json::Object(root_args)) = &select.root_args else { return };
        for (name, value) in root_args {
            args.name(&mut self.out, name);
            literal::write_value(&mut self.out, value);
        }
    }

    fn filter(&mut self, part: &Part<'_>, paging: Paging, args: &mut Arguments) -> Result<()> {
        let select = part.select;
        let Some(filter) = &part.filter else { return Ok(()) };
        args.name(&mut self.out, select.filter_arg_name());
        match (&select.filter_type, paging, self.paging) {
            (Some(type_name), Paging::Variables, _) => {
                let value = emit::to_json(filter, select.dialect)?;
                self.variable("filter", type_name, value);
                self.out.push_str("$filter");
            }
            (_, _, Paging::Variables) => emit::write(&mut self.out, filter, select.dialect)?,
            (_, _, Paging::Inline) => self.shown_filter(filter, select.dialect),
        }
        Ok(())
    }

    /// A filter in a preview, where a refusal is shown in its place.
    fn shown_filter(&mut self, filter: &Node<'_>, dialect: FilterDialect) {
        let start = self.out.len();
        if let Err(refusal) = emit::write(&mut self.out, filter, dialect) {
            self.out.truncate(start);
            let _ = write!(self.out, "<unrenderable: {refusal}>");
        }
    }

    fn order_by(&mut self, select: &GraphqlSelect, args: &mut Arguments) {
        if select.dialect != FilterDialect::Hasura || select.orders.is_empty() {
            return;
        }
        args.name(&mut self.out, "order_by");
        let (between, direction): (_, fn(Order) -> &'static str) = match select.order_style {
            OrderStyle::Merged => (", ", plain_direction),
            OrderStyle::Separate => ("}, {", full_direction),
        };
        self.out.push_str("[{");
        for (index, (column, order)) in select.orders.iter().enumerate() {
            if index > 0 {
                self.out.push_str(between);
            }
            self.out.push_str(select.aliases.field(column));
            self.out.push_str(": ");
            self.out.push_str(direction(*order));
        }
        self.out.push_str("}]");
    }

    fn paged(
        &mut self,
        args: &mut Arguments,
        paging: Paging,
        (argument, variable): (&str, &str),
        type_name: &str,
        value: Json,
    ) {
        args.name(&mut self.out, argument);
        match paging {
            Paging::Inline => literal::write_value(&mut self.out, &value),
            Paging::Variables => {
                self.variable(variable, type_name, value);
                self.out.push('$');
                self.out.push_str(variable);
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
}

/// About how long the document becomes: enough for one allocation in the usual case.
fn expected_length(select: &GraphqlSelect) -> usize {
    let fields: usize = select.fields.iter().map(|field| field.len() + 1).sum();
    64 + fields + 64 * (select.conditions.len() + select.sub_selections.len())
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
