//! Settings beyond the plain document, each off by default.

use serde_json::json;
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{
    AuthRefresher, CountMode, ErrorCodes, FilterDialect, GraphqlApi, GraphqlCondition, OrderStyle,
    Priority, RowMode, Supports,
};
use vantage_table::{
    column::core::Column, prelude::OrderByExt as _, sorting::OrderBy, table::Table,
};
use vantage_transport::{FailureKind, RequestFailure};
use vantage_types::EmptyEntity;
use vantage_vista::FilterOp;

use crate::support::Endpoint;

fn airports(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    Table::new("airports", api)
        .with_id_column("code")
        .with_condition(GraphqlCondition::eq("country", "DE"))
}

async fn endpoint() -> Endpoint {
    Endpoint::with_data(json!({
        "airports": [{"code": "TXL"}],
        "airports_aggregate": {"aggregate": {"count": 1}},
    }))
    .await
}

#[tokio::test]
async fn filters_as_variables_keep_one_document_for_every_value() {
    let endpoint = endpoint().await;
    let api = GraphqlApi::builder(endpoint.url())
        .dialect(FilterDialect::Hasura)
        .supports(Supports::default().with_count(CountMode::Aggregate))
        .filter_variables()
        .build();
    let table = airports(api);

    table.list_values().await.unwrap();
    table.get_value("TXL").await.unwrap().unwrap();
    table.get_count().await.unwrap();

    let document = "query ($filter: airports_bool_exp!) { airports(where: $filter) { code } }";
    let counting = "query ($filter: airports_bool_exp!) { airports_aggregate(where: $filter) \
                    { aggregate { count } } }";
    let german = json!({"country": {"_eq": "DE"}});
    assert_eq!(
        endpoint.bodies(),
        [
            json!({"query": document, "variables": {"filter": german}}),
            json!({"query": document, "variables": {"filter": {
                "country": {"_eq": "DE"}, "code": {"_eq": "TXL"},
            }}}),
            json!({"query": counting, "variables": {"filter": german}}),
        ]
    );
}

#[tokio::test]
async fn a_flat_filter_is_a_variable_only_of_a_type_that_is_named() {
    let endpoint = endpoint().await;
    let builder = || GraphqlApi::builder(endpoint.url());
    for (api, query) in [
        (
            builder().filter_variables().build(),
            "query { airports(find: {country: \"DE\"}) { code } }",
        ),
        (
            builder().filter_type("AirportFind").build(),
            "query ($filter: AirportFind) { airports(find: $filter) { code } }",
        ),
    ] {
        airports(api).list_values().await.unwrap();
        assert_eq!(endpoint.queries().pop().unwrap(), query);
    }
}

#[tokio::test]
async fn several_orders_keep_their_order() {
    let endpoint = endpoint().await;
    let ordered = |style| {
        let api = GraphqlApi::builder(endpoint.url())
            .dialect(FilterDialect::Hasura)
            .order_style(style)
            .build();
        let mut table: Table<_, EmptyEntity> = Table::new("airports", api).with_id_column("code");
        table.add_order(OrderBy::ascending(GraphqlCondition::eq("country", json!(null))));
        table.add_order(Column::<String>::new("name").descending());
        table
    };
    for (style, orders) in [
        (OrderStyle::Merged, "[{country: asc, name: desc}]"),
        (OrderStyle::Separate, "[{country: asc}, {name: desc}]"),
    ] {
        ordered(style).list_values().await.unwrap();
        let query = endpoint.queries().pop().unwrap();
        assert_eq!(query, format!("query {{ airports(order_by: {orders}) {{ code }} }}"));
    }
}

#[tokio::test]
async fn one_bad_row_need_not_hide_the_page() {
    let endpoint = Endpoint::with_data(json!({"airports": [
        {"code": "TXL"}, {"code": "TXL"}, 7, {"name": "no code"}, {"code": "MUC"},
    ]}))
    .await;
    assert!(airports(endpoint.api()).list_values().await.is_err());
    let lenient = GraphqlApi::builder(endpoint.url()).row_mode(RowMode::Lenient).build();
    let rows = airports(lenient).list_values().await.unwrap();
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["TXL", "~row:3", "MUC"]);
}

#[tokio::test]
async fn named_operations_carry_their_name_twice() {
    let endpoint = endpoint().await;
    let api = GraphqlApi::builder(endpoint.url()).named_operations().build();

    airports(api).list_values().await.unwrap();

    assert_eq!(
        endpoint.bodies(),
        [json!({
            "query": "query airports { airports(find: {country: \"DE\"}) { code } }",
            "variables": {},
            "operationName": "airports",
        })]
    );
}

#[tokio::test]
async fn codes_in_a_200_count_as_the_status_they_mean() {
    let answers = std::sync::Mutex::new(vec!["UNAUTHENTICATED", "THROTTLED"]);
    let endpoint = Endpoint::new(move |_| match answers.lock().expect("not poisoned").pop() {
        Some(code) => json!({"errors": [{"message": "no", "extensions": {"code": code}}]}),
        None => json!({"data": {"airports": [{"code": "TXL"}]}}),
    })
    .await;
    let refreshed = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = refreshed.clone();
    let refresher: AuthRefresher = std::sync::Arc::new(move || {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Box::pin(async { Ok("token".to_owned()) })
    });
    let api = GraphqlApi::builder(endpoint.url())
        .error_codes(ErrorCodes::common())
        .auth_refresher(refresher)
        .build();

    let rows = Priority::Essential.scope(async { airports(api).list_values().await }).await;

    assert_eq!(rows.unwrap().len(), 1);
    assert_eq!(endpoint.bodies().len(), 3, "throttled, unauthenticated, answered");
    assert_eq!(refreshed.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_throttled_poll_gets_the_error_of_the_status() {
    let endpoint = Endpoint::new(
        |_| json!({"errors": [{"message": "no", "extensions": {"code": "THROTTLED"}}]}),
    )
    .await;
    let api = GraphqlApi::builder(endpoint.url()).error_codes(ErrorCodes::common()).build();
    let error = airports(api).list_values().await.unwrap_err();
    let failure = RequestFailure::of(&error).unwrap();
    assert_eq!(failure.kind(), FailureKind::Status(429));
    assert!(failure.body().unwrap().contains("THROTTLED"));
    assert_eq!(endpoint.bodies().len(), 1);
}

#[test]
fn strict_columns_refuse_what_a_vista_does_not_declare() {
    let vista = |api: GraphqlApi| {
        let table: Table<_, EmptyEntity> =
            Table::new("airports", api.clone()).with_id_column("code");
        api.vista_factory().from_table(table).unwrap()
    };
    let lax = vista(GraphqlApi::new("http://localhost/graphql"));
    assert!(lax.with_condition("cuontry", FilterOp::Eq, "DE").is_ok());

    let strict = GraphqlApi::builder("http://localhost/graphql").strict_columns().build();
    let error = vista(strict).with_condition("cuontry", FilterOp::Eq, "DE").unwrap_err();
    assert_eq!(error.to_string(), "Unknown column for condition (field: \"cuontry\")");
    assert!(!error.is_unsupported() && !error.is_unimplemented());
}
