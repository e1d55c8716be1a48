//! Counting rows.

use vantage_core::{Context as _, Result, error};
use vantage_table::table::Table;
use vantage_types::Entity;

use super::read;
use crate::{
    api::{GraphqlApi, GraphqlErrors},
    condition::node::kind_of,
    decode,
    local_filter::at_path,
    lower,
    types::AnyGraphqlType,
};

/// How many rows `table` has, whatever page of it is set.
pub(super) async fn count<E: Entity<AnyGraphqlType>>(table: &Table<GraphqlApi, E>) -> Result<i64> {
    if table.data_source().counts_on_server() {
        return aggregate(table).await;
    }
    let mut whole = table.clone();
    whole.set_pagination(None);
    let rows = read::list(&whole).await?;
    Ok(i64::try_from(rows.len()).unwrap_or(i64::MAX))
}

async fn aggregate<E: Entity<AnyGraphqlType>>(table: &Table<GraphqlApi, E>) -> Result<i64> {
    let api = table.data_source();
    let select = lower::select(table);
    let field = api.count_field(table.table_name());
    let rendered = select.render_count(&field).await?;
    let data = match api.post_rendered(&select, &rendered).await {
        Ok(data) => data,
        Err(failure) => {
            let Some(reported) = GraphqlErrors::of(&failure) else { return Err(failure) };
            let errors = reported.messages();
            return Err(failure).context(error!(
                "GraphQL server rejected the aggregate count; set `count: list` if it has no aggregate field",
                field = field,
                errors = errors
            ));
        }
    };
    let value = decode::taken(data, &field)?;
    let count = at_path(&value, "aggregate.count");
    count.as_i64().ok_or_else(|| {
        error!(
            "GraphQL aggregate response missing aggregate.count",
            field = field,
            got = kind_of(count)
        )
    })
}
