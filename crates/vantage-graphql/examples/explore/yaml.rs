//! The tables from YAML, as one type for every backend.

use vantage_graphql::GraphqlApi;
use vantage_vista::{FilterOp, SortDirection};

use crate::Outcome;

const AIRPORT: &str = "
name: airport
graphql: { root_field: airports }
columns:
  code: { flags: [id], graphql: { field: iata } }
  city: { flags: [searchable] }
  state: {}
references:
  departures: { table: flight, kind: has_many, foreign_key: origin }
";

const FLIGHT: &str = "
name: flight
graphql: { root_field: flights }
columns:
  id: { type: int }
  origin: { references: airport }
  distance: { type: int }
";

pub(crate) async fn show(api: &GraphqlApi) -> Outcome<()> {
    let mut factory = api.vista_factory();
    factory.register_yaml(AIRPORT)?;
    factory.register_yaml(FLIGHT)?;

    let airports = factory
        .build("airport")?
        .with_condition("state", FilterOp::Ne, "TX")?
        .with_search("san ")?
        .with_order("city", SortDirection::Ascending)?;
    println!("{}\n", airports.preview().query.unwrap_or_default());
    println!("{} airports of cities like San Diego", airports.count().await?);
    for (code, row) in airports.fetch_window(0, 3).await?.rows {
        let departures = airports.get_ref("departures", Some(&row))?;
        println!("  {code} has {} departures", departures.count().await?);
    }
    println!();
    Ok(())
}
