//! Rows as they come.

use std::pin::Pin;

use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use vantage_core::{Result, VantageError};
use vantage_table::table::Table;
use vantage_types::{Entity, Record};

use super::{
    pages::Cursor,
    read::{self, Read},
};
use crate::{api::GraphqlApi, decode::Rows, types::AnyGraphqlType};

/// Rows with their ids, as the framework streams them.
pub(super) type RowStream<'a> =
    Pin<Box<dyn Stream<Item = Result<(String, Record<AnyGraphqlType>)>> + Send + 'a>>;

/// The rows of `table`, one page in memory at a time where it comes in pages.
pub(super) fn rows<'a, E: Entity<AnyGraphqlType> + 'a>(
    table: Table<GraphqlApi, E>,
) -> RowStream<'a> {
    let read = Read::of(&table);
    if !read.streams() {
        let listing = async move { read::list(&table).await.map(each) };
        return stream::once(listing).try_flatten().boxed();
    }
    let pages = stream::try_unfold((read, Cursor::start()), |(read, mut cursor)| async move {
        let mut page = Rows::new();
        let more = cursor.read_page(&read, u32::MAX, None, &mut page).await?;
        Ok::<_, VantageError>(more.then(|| (each(page), (read, cursor))))
    });
    pages.try_flatten().boxed()
}

fn each(rows: Rows) -> impl Stream<Item = Result<(String, Record<AnyGraphqlType>)>> {
    stream::iter(rows.into_iter().map(Ok))
}
