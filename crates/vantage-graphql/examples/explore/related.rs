//! The same relation as two tables: narrowed, counted, followed both ways.

use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{GraphqlApi, GraphqlOperation};
use vantage_types::EmptyEntity;

use crate::{Outcome, tables::airports};

pub(crate) async fn show(api: &GraphqlApi, code: &str) -> Outcome<()> {
    let all = airports(api.clone());
    let one = all.clone().with_id(code)?;
    let departures = one.get_ref_as::<EmptyEntity>("departures")?;
    println!("{} flights leave from {code}", departures.get_count().await?);

    let late = departures.clone().with_condition(departures["delay"].gt(30));
    for (id, flight) in late.list_values().await? {
        println!(
            "  flight {id} to {} was {} minutes late",
            flight["destination_airport.city"].value(),
            flight["delay"].value(),
        );
    }

    let texas = all.clone().with_condition(all["state"].eq("TX"));
    let from_texas = texas.get_ref_as::<EmptyEntity>("departures")?;
    println!("{} flights leave from Texas\n", from_texas.get_count().await?);
    Ok(())
}
