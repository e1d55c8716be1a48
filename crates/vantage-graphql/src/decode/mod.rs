//! A response as rows: JSON in, records out.

use indexmap::{IndexMap, map::Entry};
use serde_json::Value as Json;
use vantage_core::{Result, error};
use vantage_types::Record;

use crate::{condition::node::kind_of, local_filter::at_path, types::AnyGraphqlType};

mod page_info;
mod row;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use page_info::PageInfo;
pub(crate) use row::Columns;
pub(crate) use walk::{rows, rows_or_one, taken};

/// The rows of one read, by id, in the server's order.
pub(crate) type Rows = IndexMap<String, Record<AnyGraphqlType>>;

/// What happens to a row that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowMode {
    /// The whole read fails: nothing is hidden.
    #[default]
    Strict,
    /// The read goes on. A row without its id is known by its position, as is
    /// one whose id another row has; of equal rows one is kept; what is not an
    /// object is left out. Each is logged.
    Lenient,
}

/// How the rows of one read become records.
pub(crate) struct Decoder<'a> {
    /// The id column, if the table has one.
    pub(crate) id: Option<&'a str>,
    pub(crate) columns: &'a Columns,
    pub(crate) mode: RowMode,
    /// The position of the first row within the set.
    pub(crate) offset: usize,
}

impl Decoder<'_> {
    /// Adds `rows` to `known`. Each comes with its position in the response.
    ///
    /// # Errors
    ///
    /// In [`RowMode::Strict`]: if a row is no object, has no id field, or
    /// shares its id with another.
    pub(crate) fn decode_into(
        &self,
        known: &mut Rows,
        rows: impl IntoIterator<Item = (usize, Json)>,
    ) -> Result<()> {
        for (index, row) in rows {
            let position = self.offset.saturating_add(index);
            self.add(known, position, row)?;
        }
        Ok(())
    }

    fn add(&self, known: &mut Rows, position: usize, row: Json) -> Result<()> {
        if !row.is_object() {
            let got = kind_of(&row);
            return self.tolerate(error!("Expected JSON object for row", got = got));
        }
        let id = match self.id_of(&row) {
            Ok(id) => id,
            Err(refusal) => {
                self.tolerate(refusal)?;
                None
            }
        };
        let record = self.columns.record(row);
        let id = id.unwrap_or_else(|| position_id(position));
        let taken = match known.entry(id) {
            Entry::Vacant(free) => {
                free.insert(record);
                return Ok(());
            }
            Entry::Occupied(taken) => taken,
        };
        let differs = *taken.get() != record;
        self.tolerate(error!("Two rows in the response share an id", id = taken.key()))?;
        if differs {
            known.insert(position_id(position), record);
        }
        Ok(())
    }

    /// The row's id; `None` when it is null or empty.
    fn id_of(&self, row: &Json) -> Result<Option<String>> {
        match self.id {
            Some(column) if !has_path(row, column) => {
                Err(error!("Row missing id field", field = column))
            }
            Some(column) => Ok(id_text(at_path(row, column))),
            None => Ok(id_text(at_path(row, "id"))),
        }
    }

    fn tolerate(&self, refusal: vantage_core::VantageError) -> Result<()> {
        match self.mode {
            RowMode::Strict => Err(refusal),
            RowMode::Lenient => {
                tracing::warn!(%refusal, "a row does not fit and is kept as well as it can be");
                Ok(())
            }
        }
    }
}

/// An id as text; `None` for one that names nothing.
pub(crate) fn id_text(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::String(text) => (!text.is_empty()).then(|| text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether every object on `path` has the next segment, whatever it holds.
fn has_path(row: &Json, path: &str) -> bool {
    let (parent, leaf) = match path.rsplit_once('.') {
        Some((parent, leaf)) => (at_path(row, parent), leaf),
        None => (row, path),
    };
    parent.get(leaf).is_some()
}

/// The key of a row that has no id of its own.
fn position_id(position: usize) -> String {
    format!("~row:{position}")
}
