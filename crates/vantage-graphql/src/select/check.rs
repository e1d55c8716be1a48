//! Every name of a document, checked before the document is written.

use serde_json::Value as Json;
use vantage_core::{Result, error};

use super::part::Part;
use crate::{literal, name::NameKind};

/// Refuses a document that has no root, no selection, or a name that is none.
pub(super) fn document(part: &Part<'_>) -> Result<()> {
    let select = part.select;
    let root = select
        .root_field
        .as_deref()
        .ok_or_else(|| error!("GraphqlSelect: root_field is required"))?;
    NameKind::RootField.check(root)?;
    if let Some(name) = &select.operation_name {
        NameKind::OperationName.check(name)?;
    }
    check_part(part, root)
}

/// Refuses a count whose root arguments or filter hold a name that is none.
pub(super) fn count(part: &Part<'_>) -> Result<()> {
    if let Some(name) = &part.select.operation_name {
        NameKind::OperationName.check(name)?;
    }
    check_args(part)
}

fn check_part(part: &Part<'_>, name: &str) -> Result<()> {
    let select = part.select;
    if select.fields.is_empty() && part.nested.is_empty() {
        return Err(error!(
            "GraphqlSelect: selection set is empty",
            root = name,
            hint = "declare at least one column, or let the API select `id` by default"
        ));
    }
    check_args(part)?;
    for (field, _) in &select.orders {
        NameKind::OrderField.check(crate::condition::node::Names::field(&select.aliases, field))?;
    }
    select.fields.check()?;
    for (column, field) in &select.aliases.0 {
        NameKind::Field.check(column)?;
        NameKind::Field.check(field)?;
    }
    for segment in &select.response_path {
        NameKind::ResponsePathSegment.check(segment)?;
    }
    for (name, nested) in &part.nested {
        NameKind::Field.check(name)?;
        check_part(nested, name)?;
    }
    Ok(())
}

fn check_args(part: &Part<'_>) -> Result<()> {
    let select = part.select;
    if let Some(Json::Object(args)) = &select.root_args {
        for (name, value) in args {
            NameKind::RootArgument.check(name)?;
            literal::check_keys(NameKind::RootArgumentKey, value)?;
        }
    }
    if let Some(filter) = &part.filter {
        NameKind::FilterArgument.check(select.filter_arg_name())?;
        if let Some(type_name) = &select.filter_type {
            NameKind::FilterType.check(type_name.strip_suffix('!').unwrap_or(type_name))?;
        }
        filter.check_names()?;
    }
    if let Some(page) = &select.connection {
        NameKind::CursorArgument.check(page.args.first())?;
        NameKind::CursorArgument.check(page.args.after())?;
    }
    Ok(())
}
