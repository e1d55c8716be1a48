//! What the next listing would send.

use vantage_table::{table::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;
use vantage_vista::Preview;

use crate::{api::GraphqlApi, lower};

/// The request that lists `table`, and what it leaves out.
pub(super) fn of(table: &Table<GraphqlApi, EmptyEntity>) -> Preview {
    let api = table.data_source();
    let document = lower::listing(table).preview();
    let preview =
        Preview::new().with_query(format!("POST {}\n{document}", api.shown_endpoint().as_str()));
    if api.can_filter() {
        return preview;
    }
    let local: Vec<String> =
        table.conditions().map(|condition| api.describe_condition(condition)).collect();
    if local.is_empty() {
        return preview;
    }
    preview.with_note(format!("filtered after the fetch: {}", local.join(", ")))
}
