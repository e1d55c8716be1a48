//! The endpoint, its builder and what a server supports.

use vantage_graphql::{
    CountMode, ErrorCodes, GraphqlApi, GraphqlApiBuilder, GraphqlErrors, LocalComparison,
    ResponseError, RowMode, Supports,
};

use crate::{shared, value};

#[test]
fn values_are_copied_shown_and_shared() {
    value::<GraphqlApi>();
    value::<GraphqlApiBuilder>();
    value::<Supports>();
    value::<CountMode>();
    value::<ErrorCodes>();
    value::<GraphqlErrors>();
    value::<ResponseError>();
    value::<RowMode>();
    value::<LocalComparison>();
    shared::<GraphqlApi>();
}

#[test]
fn a_read_can_be_spawned() {
    fn sent<T: Send>(_: T) {}
    let api = GraphqlApi::new("http://localhost");
    let variables = serde_json::Map::new();
    sent(api.post_graphql("query { a }", &variables));
    let table = vantage_table::table::Table::<_, vantage_types::EmptyEntity>::new("a", api.clone());
    sent(vantage_dataset::traits::ReadableValueSet::list_values(&table));
    sent(table.get_count());
}

#[test]
fn supports_is_set_field_by_field() {
    let supports = Supports::default()
        .with_filter(true)
        .with_order(false)
        .with_search(true)
        .with_paginate(false)
        .with_count(CountMode::Aggregate);
    assert_eq!(supports.filter, Some(true));
    assert_eq!(supports.order, Some(false));
    assert_eq!(supports.search, Some(true));
    assert_eq!(supports.paginate, Some(false));
    assert_eq!(supports.count, CountMode::Aggregate);
    let copy = supports;
    assert_eq!(copy, supports);
}

#[test]
fn count_modes_are_spelled_in_lower_case() {
    assert_eq!(serde_json::to_string(&CountMode::List).unwrap(), "\"list\"");
    assert_eq!(serde_json::from_str::<CountMode>("\"aggregate\"").unwrap(), CountMode::Aggregate);
    assert!(serde_json::from_str::<CountMode>("\"List\"").is_err());
}
