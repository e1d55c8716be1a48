//! Rows: many of them, listed through a table.

mod by_hand;

use std::hint::black_box;

use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{GraphqlApi, GraphqlApiBuilder, Supports};
use vantage_rest::{ResponseShape, RestApi};
use vantage_table::{pagination::Pagination, table::Table};
use vantage_types::EmptyEntity;

use super::{block_on, wire::http};
use crate::{
    experiment::{Experiment, Subject},
    server::Server,
};

const FEATURES: &str = "adapters";

pub(crate) const REST: Experiment = Experiment {
    id: "rest",
    title: "10,000 rows of a JSON API are listed",
    floor: "serde_json::Value, by hand",
    features: FEATURES,
    repeats: (1, 2),
    subjects: &[
        Subject::new("serde_json::Value, by hand", |times| by_hand::rest(FEW, times)),
        Subject::new("vantage-rest", |times| rest(FEW, times)),
    ],
};

pub(crate) const REST_TEN_TIMES: Experiment = Experiment {
    id: "rest-ten-times",
    title: "100,000 rows of a JSON API are listed",
    floor: "vantage-rest",
    features: FEATURES,
    repeats: (1, 2),
    subjects: &[Subject::new("vantage-rest", |times| rest(MANY, times))],
};

pub(crate) const GRAPHQL: Experiment = Experiment {
    id: "graphql",
    title: "10,000 rows of a GraphQL API are listed",
    floor: "serde_json::Value, by hand",
    features: FEATURES,
    repeats: (1, 2),
    subjects: &[
        Subject::new("serde_json::Value, by hand", |times| by_hand::graphql(FEW, times)),
        Subject::new("vantage-graphql", |times| graphql(FEW, times)),
        Subject::new("vantage-graphql: pages of 1,000", |times| graphql_in_pages(FEW, times)),
    ],
};

pub(crate) const GRAPHQL_TEN_TIMES: Experiment = Experiment {
    id: "graphql-ten-times",
    title: "100,000 rows of a GraphQL API are listed",
    floor: "vantage-graphql",
    features: FEATURES,
    repeats: (1, 2),
    subjects: &[Subject::new("vantage-graphql", |times| graphql(MANY, times))],
};

const FEW: u64 = 10_000;
const MANY: u64 = 100_000;
const PAGE: u32 = 1_000;

type Rows<T> = Table<T, EmptyEntity>;

fn rest_table(server: &Server) -> Rows<RestApi> {
    let base = server.url().trim_end_matches("/airports");
    let api = RestApi::builder(base).http_client(http()).response_shape(ResponseShape::BareArray);
    Table::new("airports", api.one_request_listings().build()).with_id_column("id")
}

/// In one answer.
fn rest(rows: u64, times: u64) {
    let server = Server::of_rows(rows, "array");
    let table = rest_table(&server);
    block_on(async {
        for _ in 0..times {
            let listed = table.list_values().await.expect("the server answers");
            assert_eq!(listed.len() as u64, rows);
            black_box(listed);
        }
    });
}

fn graphql_table(
    server: &Server,
    build: impl FnOnce(GraphqlApiBuilder) -> GraphqlApiBuilder,
) -> Rows<GraphqlApi> {
    let api = GraphqlApi::builder(server.url()).http_client(http());
    Table::new("airports", build(api).build())
        .with_id_column("id")
        .with_column_of::<String>("name")
        .with_column_of::<String>("city")
        .with_column_of::<f64>("size")
        .with_column_of::<bool>("open")
}

fn graphql(rows: u64, times: u64) {
    let server = Server::of_rows(rows, "graphql");
    let table = graphql_table(&server, |api| api);
    block_on(async {
        for _ in 0..times {
            let listed = table.list_values().await.expect("the server answers");
            assert_eq!(listed.len() as u64, rows);
            black_box(listed);
        }
    });
}

/// Window by window, which for this adapter the caller asks for.
fn graphql_in_pages(rows: u64, times: u64) {
    let server = Server::of_rows(rows, "graphql");
    let mut table =
        graphql_table(&server, |api| api.supports(Supports::default().with_paginate(true)));
    block_on(async {
        for _ in 0..times {
            let mut pages = Vec::new();
            for page in 0..rows / u64::from(PAGE) {
                let skip = i64::try_from(page * u64::from(PAGE)).expect("it is small");
                table.set_pagination(Some(Pagination::window(skip, PAGE.into())));
                let listed = table.list_values().await.expect("the server answers");
                assert_eq!(listed.len() as u32, PAGE);
                pages.push(listed);
            }
            black_box(pages);
        }
    });
}
