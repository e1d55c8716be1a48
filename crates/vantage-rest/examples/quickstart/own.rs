//! One table of the reader's own API.

use futures_util::TryStreamExt;
use vantage_core::Priority;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{PaginationParams, RestApi};
use vantage_table::prelude::Table;
use vantage_types::{EmptyEntity, PlainDialect, record_to_json};

use crate::{Outcome, args::OwnApi};

/// Rows shown; the others are only counted.
const SHOWN: usize = 5;

/// Streams the table, shows how it begins, and tells how many rows there are. In
/// the background, so that an API that does not work fails at once instead of
/// being tried for ever.
pub(crate) async fn run(own: &OwnApi) -> Outcome<usize> {
    let mut api = RestApi::builder(&own.url).response_shape(own.shape.clone());
    if let Some(rows) = own.page_size {
        api = api.pagination_params(PaginationParams::default()).page_size(rows);
    }
    let table = Table::<_, EmptyEntity>::new(&own.table, api.build())
        .with_column_of::<String>(&own.id)
        .with(|table| table.set_id_field(&own.id));
    let read = async {
        let mut count = 0_usize;
        let mut rows = table.stream_values();
        while let Some((id, row)) = rows.try_next().await? {
            if count < SHOWN {
                println!("{id}: {}", record_to_json(&PlainDialect, row));
            }
            count += 1;
        }
        Ok::<_, vantage_core::VantageError>(count)
    };
    Ok(Priority::Background.scope(read).await?)
}

#[cfg(test)]
mod tests;
