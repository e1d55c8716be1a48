//! One object as a record.

use serde_json::{Map, Value as Json};
use vantage_types::Record;

use crate::{local_filter::at_path, types::AnyGraphqlType};

/// The columns of a read, and how each is found in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns(Vec<(String, Source)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A field that no other column needs.
    Field,
    /// A path into nested objects, or a field whose parts are columns too.
    Path,
}

impl Columns {
    pub(crate) fn new(names: &[String]) -> Self {
        let shared = |name: &str| {
            names
                .iter()
                .any(|other| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
        };
        let source = |name: &str| {
            if name.contains('.') || shared(name) { Source::Path } else { Source::Field }
        };
        Self(names.iter().map(|name| (name.clone(), source(name))).collect())
    }

    /// The selected columns of `row`, absent ones null. Values claim no type.
    pub(crate) fn record(&self, row: Json) -> Record<AnyGraphqlType> {
        // Paths are read first: taking a field ends the order of the others.
        let mut paths = self
            .0
            .iter()
            .filter(|(_, source)| *source == Source::Path)
            .map(|(name, _)| at_path(&row, name).clone())
            .collect::<Vec<_>>()
            .into_iter();
        let mut fields = match row {
            Json::Object(fields) => fields,
            _ => Map::new(),
        };
        let mut record = Record::with_capacity(self.0.len());
        for (name, source) in &self.0 {
            let value = match source {
                Source::Field => fields.swap_remove(name),
                Source::Path => paths.next(),
            };
            record.insert(name.clone(), AnyGraphqlType::untyped(value.unwrap_or_default()));
        }
        record
    }
}
