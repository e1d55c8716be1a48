//! What a document selects.

use vantage_core::Result;

use super::{
    GraphqlSelect,
    part::Part,
    selection::Selection,
    write::{Paging, Writer},
};

impl Writer {
    /// The braces of `part` and what is in them.
    ///
    /// # Errors
    ///
    /// If a dialect cannot spell the filter of a sub-selection.
    pub(super) fn selection_set(&mut self, part: &Part<'_>) -> Result<()> {
        let select = part.select;
        for segment in &select.response_path {
            self.out.push_str(" { ");
            self.out.push_str(segment);
        }
        self.out.push_str(" { ");
        self.fields(part)?;
        self.out.push_str(" }");
        for (depth, _) in select.response_path.iter().enumerate() {
            if depth + 1 == select.response_path.len() {
                self.page_info(select);
            }
            self.out.push_str(" }");
        }
        Ok(())
    }

    fn fields(&mut self, part: &Part<'_>) -> Result<()> {
        let select = part.select;
        // A sub-selection stands for the field of the same name.
        let nested = |name: &str| part.nested.iter().any(|(known, _)| *known == name);
        let whole = || select.fields.iter().filter(|field| !nested(field));
        if whole().next().is_none() && part.nested.is_empty() {
            self.out.push_str("<empty selection set>");
        }
        if select.fields.is_flat() {
            self.write_flat(whole(), select);
        } else {
            self.write_selection(&Selection::of(whole()), Some(select));
        }
        for (index, (name, sub)) in part.nested.iter().enumerate() {
            if index > 0 || whole().next().is_some() {
                self.out.push(' ');
            }
            self.out.push_str(name);
            self.alias(select, name);
            self.arguments(sub, Paging::Inline)?;
            self.selection_set(sub)?;
        }
        if select.response_path.is_empty() {
            self.page_info(select);
        }
        Ok(())
    }

    /// Fields that need no grouping, as they come.
    fn write_flat<'f>(&mut self, fields: impl Iterator<Item = &'f str>, select: &GraphqlSelect) {
        for (index, field) in fields.enumerate() {
            if index > 0 {
                self.out.push(' ');
            }
            self.out.push_str(field);
            self.alias(select, field);
        }
    }

    fn write_selection(&mut self, selection: &Selection<'_>, top: Option<&GraphqlSelect>) {
        for (index, (name, within)) in selection.iter().enumerate() {
            if index > 0 {
                self.out.push(' ');
            }
            self.out.push_str(name);
            if let Some(select) = top {
                self.alias(select, name);
            }
            if !within.is_empty() {
                self.out.push_str(" { ");
                self.write_selection(within, None);
                self.out.push_str(" }");
            }
        }
    }

    /// After the name of a column, the server's name for it where that differs.
    fn alias(&mut self, select: &GraphqlSelect, column: &str) {
        if let Some(field) = select.aliases.0.get(column) {
            self.out.push_str(": ");
            self.out.push_str(field);
        }
    }

    fn page_info(&mut self, select: &GraphqlSelect) {
        if select.connection.is_some() {
            self.out.push_str(" pageInfo { hasNextPage endCursor }");
        }
    }
}
