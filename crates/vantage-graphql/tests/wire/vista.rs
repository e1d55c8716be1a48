//! Vistas over typed tables: capabilities, narrowing, windows, previews.

use serde_json::json;
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{
    CountMode, FilterDialect, GraphqlApi, GraphqlApiVistaFactory, GraphqlCondition, Supports,
};
use vantage_table::{
    column::{core::Column, flags::ColumnFlag as TableFlag},
    sorting::OrderBy,
    table::Table,
};
use vantage_types::EmptyEntity;
use vantage_vista::{Capability, CborValue, ColumnFlag, FilterOp, SortDirection, Vista};

use crate::support::Endpoint;

fn airports(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    Table::new("airports", api)
        .with_id_column("code")
        .with_column(Column::<String>::new("name").with_flag(TableFlag::Searchable))
        .with_column(Column::<i64>::new("elevation").with_alias("elevationFt"))
        .with_column_of::<String>("city.name")
        .with_many("departures", "origin", |api| {
            Table::<_, EmptyEntity>::new("flights", api)
                .with_id_column("id")
                .with_column_of::<String>("origin")
        })
}

fn vista(api: &GraphqlApi) -> Vista {
    GraphqlApiVistaFactory::new(api.clone()).from_table(airports(api.clone())).expect("a Vista")
}

fn paged(url: &str) -> GraphqlApi {
    GraphqlApi::builder(url)
        .dialect(FilterDialect::Hasura)
        .supports(Supports::default().with_paginate(true).with_count(CountMode::Aggregate))
        .build()
}

const URL: &str = "http://localhost/graphql";
const SELECTION: &str = "{ code name elevation: elevationFt city { name } }";

async fn endpoint() -> Endpoint {
    Endpoint::with_data(json!({
        "airports": [
            {"code": "TXL", "name": "Tegel", "elevation": 122, "city": {"name": "Berlin"}},
            {"code": "MUC", "name": "Strauß", "elevation": 1487, "city": null},
        ],
        "airports_aggregate": {"aggregate": {"count": 42}},
    }))
    .await
}

#[test]
fn a_vista_says_what_its_table_is() {
    let vista = vista(&GraphqlApi::builder(URL).dialect(FilterDialect::Hasura).build());
    assert_eq!((vista.name(), vista.driver_name()), ("airports", "graphql"));
    assert_eq!(vista.id_column(), Some("code"));
    let flags = |name: &str| vista.column(name).unwrap().clone();
    assert!(flags("code").has_flag(ColumnFlag::Id));
    assert!(flags("name").has_flag(ColumnFlag::Searchable));
    for (column, orderable) in
        [("code", true), ("name", true), ("elevation", true), ("city.name", false)]
    {
        assert_eq!(flags(column).has_flag(ColumnFlag::Orderable), orderable, "{column}");
    }
    let departures = vista.reference("departures").unwrap();
    assert_eq!(departures.target, "flights");
}

#[test]
fn capabilities_follow_the_api() {
    use Capability::{Cursor, FilterOps, Order, Search, Traverse, Window};
    let built = |dialect, supports| {
        let api = GraphqlApi::builder(URL).dialect(dialect).supports(supports).build();
        vista(&api).capabilities().iter().collect::<Vec<_>>()
    };
    let none = Supports::default();
    for (dialect, supports, expected) in [
        (FilterDialect::Generic, none, vec![Traverse]),
        (FilterDialect::Hasura, none, vec![Order, Search, FilterOps, Traverse]),
        (FilterDialect::Hasura, none.with_filter(false), vec![Order, Traverse]),
        (FilterDialect::Generic, none.with_paginate(true), vec![Window, Traverse]),
    ] {
        assert_eq!(built(dialect, supports), expected, "{dialect:?} {supports:?}");
    }
    let _ = Cursor;
}

#[tokio::test]
async fn reads_rows_as_cbor_under_their_ids() {
    let endpoint = endpoint().await;
    let vista = vista(&endpoint.hasura());

    let rows = vista.list_values().await.unwrap();
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["TXL", "MUC"]);
    assert_eq!(rows["TXL"]["elevation"], CborValue::Integer(122.into()));
    assert_eq!(rows["MUC"]["city.name"], CborValue::Null);

    let row = vista.get_value("MUC").await.unwrap().unwrap();
    assert_eq!(row["name"], CborValue::Text("Strauß".into()));
    assert!(vista.get_value("ZZZ").await.unwrap().is_none());
    assert_eq!(vista.count().await.unwrap(), 2);
}

#[tokio::test]
async fn every_operator_is_sent_as_the_dialect_spells_it() {
    let endpoint = endpoint().await;
    let list = |values: &[i64]| {
        CborValue::Array(values.iter().map(|value| CborValue::from(*value)).collect())
    };
    for (column, op, value, filter) in [
        ("name", FilterOp::Eq, "x".into(), r#"{name: {_eq: "x"}}"#),
        ("name", FilterOp::Ne, "x".into(), r#"{name: {_neq: "x"}}"#),
        ("elevation", FilterOp::Gt, CborValue::from(1), "{elevationFt: {_gt: 1}}"),
        ("elevation", FilterOp::Gte, CborValue::from(1), "{elevationFt: {_gte: 1}}"),
        ("elevation", FilterOp::Lt, CborValue::from(1), "{elevationFt: {_lt: 1}}"),
        ("elevation", FilterOp::Lte, CborValue::from(1), "{elevationFt: {_lte: 1}}"),
        ("elevation", FilterOp::Eq, "122".into(), "{elevationFt: {_eq: 122}}"),
        ("elevation", FilterOp::InSet, list(&[1, 2]), "{elevationFt: {_in: [1, 2]}}"),
        ("elevation", FilterOp::InSet, CborValue::from(1), "{elevationFt: {_in: [1]}}"),
        ("elevation", FilterOp::NotInSet, list(&[]), "{elevationFt: {_nin: []}}"),
        ("name", FilterOp::Like, "5%".into(), r#"{name: {_ilike: "%5\\%%"}}"#),
        ("undeclared", FilterOp::Eq, true.into(), "{undeclared: {_eq: true}}"),
    ] {
        let narrowed = vista(&endpoint.hasura()).with_condition(column, op, value).unwrap();
        narrowed.list_values().await.unwrap();
        let query = endpoint.queries().pop().unwrap();
        assert_eq!(query, format!("query {{ airports(where: {filter}) {SELECTION} }}"));
    }
}

#[test]
fn refused_clauses_say_why_and_change_nothing() {
    let generic = vista(&GraphqlApi::new(URL));
    let hasura = vista(&GraphqlApi::builder(URL).dialect(FilterDialect::Hasura).build());
    let shown = generic.preview();

    let operator = generic.clone().with_condition("name", FilterOp::Gt, "x").unwrap_err();
    assert!(operator.is_unsupported());
    let search = generic.clone().with_search("x").unwrap_err();
    assert!(search.is_unsupported());
    let order = generic.clone().with_order("name", SortDirection::Ascending).unwrap_err();
    assert!(order.is_unsupported());

    let text = hasura.clone().with_condition("elevation", FilterOp::Eq, "high").unwrap_err();
    assert_eq!(
        text.to_string(),
        "Value is not an integer for an integer column (value: \"high\", column: \"elevation\")"
    );
    let path = hasura.clone().with_condition("name.first", FilterOp::Eq, "x").unwrap_err();
    assert!(path.is_unimplemented());
    let declared_path = hasura.clone().with_condition("city.name", FilterOp::Eq, "x").unwrap_err();
    assert!(declared_path.is_unimplemented());
    let unknown_path = hasura.clone().with_condition("no.such", FilterOp::Eq, "x").unwrap_err();
    assert_eq!(unknown_path.to_string(), "Unknown column for condition (field: \"no.such\")");

    let dotted = hasura.clone().with_order("city.name", SortDirection::Ascending).unwrap_err();
    assert!(dotted.is_unsupported());
    let unknown = hasura.with_order("nope", SortDirection::Ascending).unwrap_err();
    assert!(!unknown.is_unsupported());
    assert_eq!(generic.preview(), shown);
}

#[tokio::test]
async fn orders_and_searches_replace_one_another() {
    let endpoint = endpoint().await;
    let mut vista = vista(&endpoint.hasura());
    let sent = async |vista: &Vista| {
        vista.list_values().await.unwrap();
        endpoint.queries().pop().unwrap().replace(SELECTION, "…")
    };
    vista.set_order(Some(("name", SortDirection::Ascending))).unwrap();
    vista.set_order(Some(("elevation", SortDirection::Descending))).unwrap();
    assert_eq!(sent(&vista).await, "query { airports(order_by: [{elevationFt: desc}]) … }");
    vista.set_search(Some("a")).unwrap();
    vista.set_search(Some("b")).unwrap();
    assert_eq!(
        sent(&vista).await,
        r#"query { airports(where: {name: {_ilike: "%b%"}}, order_by: [{elevationFt: desc}]) … }"#
    );
    vista.set_search(None).unwrap();
    vista.set_order(None).unwrap();
    assert_eq!(sent(&vista).await, "query { airports … }");
}

#[tokio::test]
async fn an_order_of_the_tables_own_returns_when_the_vistas_is_cleared() {
    let endpoint = endpoint().await;
    let api = endpoint.hasura();
    let mut table = airports(api.clone());
    table.add_order(OrderBy::ascending(GraphqlCondition::eq("name", json!(null))));
    let mut vista = api.vista_factory().from_table(table).unwrap();
    let own = vista.preview();
    vista.set_order(Some(("code", SortDirection::Ascending))).unwrap();
    assert_ne!(vista.preview(), own);
    vista.set_order(None).unwrap();
    assert_eq!(vista.preview(), own);
}

#[tokio::test]
async fn windows_are_cut_by_the_server_in_the_order_of_ids() {
    let endpoint = endpoint().await;
    let vista = vista(&paged(&endpoint.url()));

    let page = vista.fetch_window(7, 2).await.unwrap();

    assert_eq!((page.rows.len(), page.total), (2, None));
    assert_eq!(
        endpoint.bodies(),
        [json!({
            "query": format!(
                "query ($limit: Int, $offset: Int) {{ airports(order_by: [{{code: asc}}], \
                 limit: $limit, offset: $offset) {SELECTION} }}"
            ),
            "variables": {"limit": 2, "offset": 7},
        })]
    );
    let by_name = vista.with_order("name", SortDirection::Descending).unwrap();
    by_name.fetch_window(0, 1).await.unwrap();
    assert!(endpoint.queries()[1].contains("order_by: [{name: desc}]"));
    assert_eq!(by_name.count().await.unwrap(), 42);
}

#[tokio::test]
async fn windows_at_the_edges_do_not_wrap() {
    let endpoint = endpoint().await;
    let vista = vista(&paged(&endpoint.url()));
    assert!(vista.fetch_window(0, 0).await.unwrap().rows.is_empty());
    assert!(endpoint.bodies().is_empty());
    vista.fetch_window(0, usize::MAX).await.unwrap();
    assert_eq!(endpoint.bodies()[0]["variables"], json!({"limit": 2_147_483_647, "offset": 0}));
    assert!(vista.fetch_window(usize::MAX, 1).await.is_err());
    assert_eq!(endpoint.bodies().len(), 1);
}

#[tokio::test]
async fn without_paging_the_leading_window_is_cut_from_a_listing() {
    let endpoint = endpoint().await;
    let vista = vista(&endpoint.api());
    let page = vista.fetch_window(0, 1).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, Some(2)));
    assert!(vista.fetch_window(1, 1).await.unwrap_err().is_unsupported());
    let (id, _) = vista.get_some_value().await.unwrap().unwrap();
    assert_eq!(id, "TXL");
}

#[test]
fn previews_show_what_the_next_listing_sends() {
    let api = GraphqlApi::builder("http://me:pw@localhost/graphql?key=s3cret")
        .dialect(FilterDialect::Hasura)
        .root_args(json!({"live": true}))
        .response_path("nodes")
        .build();
    let preview = vista(&api)
        .with_condition("elevation", FilterOp::Gt, 100)
        .unwrap()
        .with_order("name", SortDirection::Descending)
        .unwrap()
        .preview();
    assert_eq!(
        preview.query.as_deref(),
        Some(
            "POST http://…@localhost/graphql?key=…\n\
             query { airports(live: true, where: {elevationFt: {_gt: 100}}, \
             order_by: [{name: desc}]) \
             { nodes { code name elevation: elevationFt city { name } } } }"
        )
    );
    assert_eq!(preview.note, None);

    let deferred = airports(api.clone()).get_ref_as::<EmptyEntity>("departures").unwrap();
    let narrowed = api
        .vista_factory()
        .from_table(deferred)
        .unwrap()
        .with_condition("origin", FilterOp::Ne, "ZZZ")
        .unwrap();
    let query = narrowed.preview().query.unwrap();
    assert!(query.contains("**deferred(origin Eq)"), "{query}");
    assert!(query.contains("{origin: {_neq: \"ZZZ\"}}"), "{query}");
}

#[test]
fn what_is_filtered_here_is_noted_and_not_shown_as_sent() {
    let api = GraphqlApi::builder(URL).supports(Supports::default().with_filter(false)).build();
    let preview = vista(&api).with_condition("name", FilterOp::Eq, "x").unwrap().preview();
    assert_eq!(preview.query.unwrap(), format!("POST {URL}\nquery {{ airports {SELECTION} }}"));
    assert_eq!(preview.note.unwrap(), "filtered after the fetch: name = \"x\"");
}

#[tokio::test]
async fn relations_lead_to_narrowed_vistas() {
    let endpoint = endpoint().await;
    let vista = vista(&endpoint.hasura());
    let row = vista.get_value("TXL").await.unwrap().unwrap();

    let departures = vista.get_ref("departures", Some(&row)).unwrap();
    assert_eq!(departures.name(), "flights");
    assert!(departures.is_narrowed());
    assert!(
        departures
            .preview()
            .query
            .unwrap()
            .ends_with("query { flights(where: {origin: {_eq: \"TXL\"}}) { id origin } }")
    );
    assert!(!vista.get_ref("departures", None).unwrap().is_narrowed());
    assert!(vista.get_ref("nope", None).unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_clone_is_narrowed_on_its_own() {
    let endpoint = endpoint().await;
    let vista = vista(&endpoint.hasura());
    let before = vista.preview();
    let narrowed = vista.clone().with_condition("name", FilterOp::Eq, "x").unwrap();
    assert_eq!(vista.preview(), before);
    assert_ne!(narrowed.preview(), before);
    assert_eq!(narrowed.clone().preview(), narrowed.preview());
}
