//! A stream holds no more than a few pages, however long the set is.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test")]

use std::num::NonZeroUsize;

use futures_util::TryStreamExt;
use mockito::{Matcher, Server, ServerGuard};
use serde_json::{Value, json};
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{PaginationParams, ResponseShape, RestApi};
use vantage_table::{pagination::Pagination, prelude::Table};
use vantage_types::EmptyEntity;

const PAGE: usize = 500;

type Rows = Table<RestApi, EmptyEntity>;

fn rows(range: std::ops::Range<usize>) -> Value {
    let row =
        |id| json!({"id": id, "name": format!("row number {id}"), "size": 0.5, "tags": ["a"]});
    range.map(row).collect()
}

/// A server of `total` rows, answering from a thread of its own.
fn server(total: usize) -> ServerGuard {
    let mut server = Server::new();
    let mock = server.mock("GET", Matcher::Any).with_body_from_request(move |request| {
        let query = request.path_and_query();
        let skip = query.split("skip=").nth(1).unwrap().split('&').next().unwrap();
        let skip: usize = skip.parse().unwrap();
        rows(skip..total.min(skip + PAGE)).to_string().into_bytes()
    });
    mock.create();
    server
}

fn table(server: &ServerGuard) -> Rows {
    let api = RestApi::builder(server.url())
        .response_shape(ResponseShape::BareArray)
        .pagination_params(PaginationParams::skip_limit("skip", "take"))
        .page_size(NonZeroUsize::new(PAGE).unwrap())
        .build();
    Table::new("rows", api).with_id_column("id")
}

/// The most bytes held at one time while `table` is read, once its client and
/// connection exist.
fn peak(table: &Rows, read: impl AsyncFn(&Rows) -> usize, expected: usize) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut first = table.clone();
    first.set_pagination(Some(Pagination::window(0, 1)));
    runtime.block_on(first.list_values()).unwrap();
    let held = allocation_counter::measure(|| {
        assert_eq!(runtime.block_on(read(table)), expected);
    });
    held.bytes_max
}

async fn stream(table: &Rows) -> usize {
    let count = |count, _| async move { Ok(count + 1) };
    table.stream_values().try_fold(0, count).await.unwrap()
}

async fn list(table: &Rows) -> usize {
    table.list_values().await.unwrap().len()
}

#[test]
fn a_stream_holds_less_than_three_pages_whatever_the_total() {
    let short = server(2 * PAGE);
    let mut one_page = table(&short);
    one_page.set_pagination(Some(Pagination::window(0, i64::try_from(PAGE).unwrap())));
    let page = peak(&one_page, list, PAGE);

    for pages in [4, 40] {
        let server = server(pages * PAGE);
        let held = peak(&table(&server), stream, pages * PAGE);
        assert!(held < 3 * page, "{pages} pages: {held} bytes held, a page takes {page}");
    }
}
