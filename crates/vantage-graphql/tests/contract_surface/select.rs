//! Selects and what they render to.

use serde_json::json;
use vantage_expressions::{Expressive, Order, Selectable};
use vantage_graphql::{
    AnyGraphqlType, ConnectionArgs, FilterDialect, GraphqlCondition, GraphqlSelect, OrderStyle,
    RenderedQuery,
};

use crate::value;

#[test]
fn values_are_copied_shown_and_shared() {
    value::<GraphqlSelect>();
    value::<RenderedQuery>();
    value::<ConnectionArgs>();
    value::<OrderStyle>();
    fn framework<T: Selectable<AnyGraphqlType, GraphqlCondition> + Expressive<AnyGraphqlType>>() {}
    framework::<GraphqlSelect>();
}

#[tokio::test]
async fn every_builder_has_its_part_in_the_document() {
    let select = GraphqlSelect::new()
        .with_root_field("a")
        .with_operation_name("Name")
        .with_dialect(FilterDialect::Hasura)
        .with_filter_arg_name("filter")
        .with_field("id")
        .with_root_args(json!({"x": 1}))
        .with_response_path(vec!["nodes".to_owned()])
        .with_sub_selection("b", GraphqlSelect::new().with_field("id"))
        .with_condition(GraphqlCondition::eq("c", 1))
        .with_order("d", Order::Desc)
        .with_limit(Some(2), Some(4));
    let rendered: RenderedQuery = select.render().await.unwrap();
    assert_eq!(
        rendered.query,
        "query Name($limit: Int, $offset: Int) { a(x: 1, filter: {c: {_eq: 1}}, \
         order_by: [{d: desc}], limit: $limit, offset: $offset) { nodes { id b { id } } } }"
    );
    assert_eq!(rendered.variables["limit"], 2);
    assert_eq!(rendered.variables["offset"], 4);
    assert_eq!(rendered.clone(), rendered);
    assert!(select.preview().contains("limit: 2, offset: 4"));
    assert_eq!(select.expr().template, select.preview());
}

#[test]
fn a_select_is_empty_by_default() {
    let select = GraphqlSelect::default();
    assert_eq!(select.root_field(), None);
    assert!(select.fields().is_empty() && select.conditions().is_empty());
    assert_eq!(select.dialect(), FilterDialect::Generic);
}
