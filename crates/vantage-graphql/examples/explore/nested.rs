//! An airport and its latest flights in one document.

use vantage_expressions::{Order, SelectableDataSource};
use vantage_graphql::{
    FieldCondition, FilterDialect, GraphqlApi, GraphqlCondition, GraphqlOp, GraphqlSelect,
};

use crate::Outcome;

pub(crate) async fn show(api: &GraphqlApi, code: &str) -> Outcome<()> {
    let late = GraphqlSelect::new()
        .with_dialect(FilterDialect::Hasura)
        .with_field("delay")
        .with_field("destination_airport.city")
        .with_condition(FieldCondition::new("delay", GraphqlOp::Gt, 30))
        .with_order("delay", Order::Desc)
        .with_limit(Some(3), None);
    let select = api
        .select()
        .with_root_field("airports")
        .with_field("name")
        .with_condition(GraphqlCondition::eq("iata", code))
        .with_sub_selection("flights", late);
    println!("{}\n", select.preview());

    for airport in api.execute_select(&select).await? {
        println!("{}\n", serde_json::to_string_pretty(airport.value())?);
    }
    Ok(())
}
