//! The spelling of a condition in each dialect.

use serde_json::Value as Json;
use vantage_core::{Result, error};

use super::{
    GraphqlOp,
    node::Node,
    sink::{JsonSink, Sink, TextSink},
};
use crate::{dialect::FilterDialect, distinct::Distinct};

/// Appends `node` to a document.
///
/// # Errors
///
/// If `dialect` cannot spell it. `out` may then hold a part of it.
pub(crate) fn write(out: &mut String, node: &Node<'_>, dialect: FilterDialect) -> Result<()> {
    emit(node, dialect, &mut TextSink::new(out))
}

/// `node` as JSON.
///
/// # Errors
///
/// If `dialect` cannot spell it.
pub(crate) fn to_json(node: &Node<'_>, dialect: FilterDialect) -> Result<Json> {
    let mut sink = JsonSink::default();
    emit(node, dialect, &mut sink)?;
    Ok(sink.finish())
}

fn emit(node: &Node<'_>, dialect: FilterDialect, sink: &mut impl Sink) -> Result<()> {
    match dialect {
        FilterDialect::Hasura => {
            hasura(node, sink);
            Ok(())
        }
        FilterDialect::Generic => generic(node, sink),
    }
}

fn hasura(node: &Node<'_>, sink: &mut impl Sink) {
    if let Node::Marker(marker) = node {
        sink.value(&Json::String(marker.clone()));
        return;
    }
    sink.open_object();
    hasura_entries(node, sink);
    sink.close_object();
}

/// The entries of the object `node` renders to.
fn hasura_entries(node: &Node<'_>, sink: &mut impl Sink) {
    match node {
        Node::Field { field, op, value } => {
            let value = match op {
                GraphqlOp::IsNull => &Json::Bool(true),
                GraphqlOp::IsNotNull => &Json::Bool(false),
                _ => value.as_ref(),
            };
            sink.comparison(field, op.key(), value);
        }
        Node::And(parts) if merges(parts) => {
            for part in parts {
                hasura_entries(part, sink);
            }
        }
        Node::And(parts) => hasura_list("_and", parts, sink),
        Node::Or(parts) => hasura_list("_or", parts, sink),
        Node::Not(part) => {
            sink.key("_not");
            hasura(part, sink);
        }
        Node::Verbatim(fields) => {
            for (key, value) in fields {
                sink.key(key);
                sink.value(value);
            }
        }
        Node::Marker(_) => (),
    }
}

fn hasura_list(key: &str, parts: &[Node<'_>], sink: &mut impl Sink) {
    sink.key(key);
    sink.open_list();
    for part in parts {
        hasura(part, sink);
    }
    sink.close_list();
}

/// Whether `parts` fit into one object: every part has keys, and no key comes twice.
fn merges(parts: &[Node<'_>]) -> bool {
    let mut seen = Distinct::default();
    let apart = |part: &Node<'_>| matches!(part, Node::Field { field, .. } if seen.admits(field));
    if parts.iter().all(apart) {
        return true;
    }
    let mut keys = Vec::with_capacity(parts.len());
    if !parts.iter().all(|part| push_keys(part, &mut keys)) {
        return false;
    }
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair.first() != pair.last())
}

/// Adds the keys of the object `node` renders to. False if it renders to none.
fn push_keys<'n>(node: &'n Node<'_>, keys: &mut Vec<&'n str>) -> bool {
    match node {
        Node::Field { field, .. } => keys.push(field),
        Node::And(parts) if merges(parts) => {
            return parts.iter().all(|part| push_keys(part, keys));
        }
        Node::And(_) => keys.push("_and"),
        Node::Or(_) => keys.push("_or"),
        Node::Not(_) => keys.push("_not"),
        Node::Verbatim(fields) => keys.extend(fields.keys().map(String::as_str)),
        Node::Marker(_) => return false,
    }
    true
}

/// The parts of a flat object.
#[derive(Default)]
struct Flat<'n> {
    entries: Vec<(&'n str, &'n Json)>,
    markers: Vec<&'n str>,
}

fn generic(node: &Node<'_>, sink: &mut impl Sink) -> Result<()> {
    let mut flat = Flat::default();
    flatten(node, &mut flat)?;
    if flat.markers.is_empty() {
        write_entries(&flat, sink);
        return Ok(());
    }
    // Only in a preview: a marker has no key, so the parts stand side by side.
    if let ([marker], []) = (flat.markers.as_slice(), flat.entries.as_slice()) {
        sink.value(&Json::String((*marker).to_owned()));
        return Ok(());
    }
    sink.open_list();
    if !flat.entries.is_empty() {
        write_entries(&flat, sink);
    }
    for marker in &flat.markers {
        sink.value(&Json::String((*marker).to_owned()));
    }
    sink.close_list();
    Ok(())
}

fn write_entries(flat: &Flat<'_>, sink: &mut impl Sink) {
    sink.open_object();
    for (key, value) in &flat.entries {
        sink.key(key);
        sink.value(value);
    }
    sink.close_object();
}

fn flatten<'n>(node: &'n Node<'_>, flat: &mut Flat<'n>) -> Result<()> {
    match node {
        Node::Field { field, op: GraphqlOp::Eq, value } => flat.push(field, value.as_ref()),
        Node::Field { field, op, .. } => Err(error!(
            "Generic dialect supports only equality; filter locally or use the Hasura dialect",
            field = field,
            op = op
        )),
        Node::And(parts) => parts.iter().try_for_each(|part| flatten(part, flat)),
        Node::Or(_) => Err(error!(
            "Generic dialect does not support OR; filter locally or use the Hasura dialect"
        )),
        Node::Not(_) => Err(error!(
            "Generic dialect does not support NOT; filter locally or use the Hasura dialect"
        )),
        Node::Verbatim(fields) => fields.iter().try_for_each(|(key, value)| flat.push(key, value)),
        Node::Marker(marker) => {
            flat.markers.push(marker);
            Ok(())
        }
    }
}

impl<'n> Flat<'n> {
    /// Adds an equality. The same one twice is one.
    fn push(&mut self, field: &'n str, value: &'n Json) -> Result<()> {
        match self.entries.iter().find(|(known, _)| *known == field) {
            None => self.entries.push((field, value)),
            Some((_, known)) if *known == value => (),
            Some(_) => {
                return Err(error!(
                    "Generic dialect can't express two conditions on the same field",
                    field = field
                ));
            }
        }
        Ok(())
    }
}
