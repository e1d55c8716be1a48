//! What the next read of a Vista would send, as text.

use ciborium::Value as Cbor;
use vantage_expressions::Expression;
use vantage_table::table::Table;
use vantage_types::EmptyEntity;
use vantage_vista::Preview;

use crate::{
    api::RestApi,
    conditions::{self, Clause},
    lower,
    read::{Order, Read},
};

/// The request a listing of `table` in this order starts with. Nothing is
/// sent, and no credential is asked for or shown.
pub(super) fn preview(table: &Table<RestApi, EmptyEntity>, order: Option<&Order>) -> Preview {
    let (deferred, known): (Vec<_>, Vec<_>) =
        table.conditions().cloned().partition(conditions::is_deferred);
    let mut notes = Vec::new();
    let shown = match Read::resolved(table, &known) {
        Ok(read) => {
            let (urls, filters) = read.with_order(order).outline();
            if !filters.is_empty() {
                notes.push(format!("filtered after the fetch: {}", filters.join(", ")));
            }
            urls.into_iter().next()
        }
        Err(_) if !deferred.is_empty() => {
            notes.push("unresolved placeholder: its value is known when the table is read".into());
            lower::join(table.data_source().base_url(), table.table_name()).ok()
        }
        Err(error) => {
            notes.push(error.to_string());
            None
        }
    };
    notes.extend(unrendered(&deferred, &known));
    let mut preview = Preview::new();
    if let Some(url) = shown {
        preview = preview.with_query(request(table.data_source(), &url));
    }
    if notes.is_empty() { preview } else { preview.with_note(notes.join("; ")) }
}

fn request(api: &RestApi, url: &str) -> String {
    let url = api.redaction().url(url);
    match api.credentials().label() {
        Some(label) => format!("GET {url}\nAuthorization: {label}"),
        None => format!("GET {url}"),
    }
}

/// A note on the conditions the request does not show.
fn unrendered(deferred: &[Expression<Cbor>], known: &[Expression<Cbor>]) -> Option<String> {
    let opaque = known.iter().filter(|c| matches!(Clause::read(c), Clause::Opaque(_)));
    let all: Vec<String> = deferred.iter().chain(opaque).map(conditions::describe).collect();
    if all.is_empty() {
        return None;
    }
    Some(format!("{} condition(s) not rendered; {}", all.len(), all.join(", ")))
}
