//! What a Vista says about itself.

use vantage_core::Result;
use vantage_table::table::{Table, vista_metadata::VistaMetadataOptions};
use vantage_types::EmptyEntity;
use vantage_vista::{Capability, ColumnFlag, VistaCapabilities, VistaMetadata};

use super::super::{reference, spec::GraphqlApiVistaSpec};
use crate::api::GraphqlApi;

/// The metadata of a typed table.
pub(super) fn of_table(table: &Table<GraphqlApi, EmptyEntity>) -> VistaMetadata {
    columns(table, VistaMetadataOptions { references: true, ..OPTIONS })
}

/// The metadata of a table built from `spec`.
pub(super) fn of_spec(
    table: &Table<GraphqlApi, EmptyEntity>,
    spec: &GraphqlApiVistaSpec,
) -> Result<VistaMetadata> {
    let mut metadata = columns(table, OPTIONS);
    for (name, column) in &mut metadata.columns {
        // Flags of layers above are carried, not interpreted.
        let flags = spec.columns.get(name).map(|column| column.flags.as_slice());
        for flag in flags.unwrap_or_default() {
            if matches!(flag, ColumnFlag::Other(_)) {
                *column = column.clone().with_flag(flag.clone());
            }
        }
    }
    Ok(reference::references(spec)?.into_iter().fold(metadata, VistaMetadata::with_reference))
}

const OPTIONS: VistaMetadataOptions = VistaMetadataOptions {
    orderable: vantage_table::table::vista_metadata::Orderable::None,
    calculated: true,
    column_flags: true,
    id_flag: true,
    searchable_titles: false,
    references: false,
    contained: true,
};

/// Columns, with those flagged that the server can order by.
fn columns(table: &Table<GraphqlApi, EmptyEntity>, options: VistaMetadataOptions) -> VistaMetadata {
    let mut metadata = table.vista_metadata(options);
    if table.data_source().can_order() {
        for (name, column) in &mut metadata.columns {
            if !name.contains('.') && !column.has_flag(ColumnFlag::Calculated) {
                *column = column.clone().with_flag(ColumnFlag::Orderable);
            }
        }
    }
    metadata
}

/// What a table over `api` can do.
pub(super) fn capabilities(api: &GraphqlApi) -> VistaCapabilities {
    [
        (Capability::Traverse, true),
        (Capability::Order, api.can_order()),
        (Capability::Search, api.can_search()),
        (Capability::FilterOps, api.can_filter_operators()),
        (Capability::Window, api.can_page()),
        (Capability::Cursor, api.settings().connection.is_some()),
    ]
    .into_iter()
    .filter(|(_, has)| *has)
    .fold(VistaCapabilities::default(), |all, (capability, _)| all.with(capability))
}
