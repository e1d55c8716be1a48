//! Executing a select that was put together by hand.

use serde_json::Value as Json;
use vantage_core::{Result, error};
use vantage_expressions::{
    DeferredFn, ExprDataSource, Expression, Selectable as _, SelectableDataSource, defer_execute,
};

use crate::{
    api::GraphqlApi, condition::GraphqlCondition, select::GraphqlSelect, types::AnyGraphqlType,
};

/// GraphQL has no expression language: executing one always fails, naming
/// [`GraphqlSelect`].
impl ExprDataSource<AnyGraphqlType> for GraphqlApi {
    async fn execute(&self, _expr: &Expression<AnyGraphqlType>) -> Result<AnyGraphqlType> {
        Err(error!("GraphqlApi does not support Expression-based execution; use GraphqlSelect"))
    }

    fn defer(&self, expr: Expression<AnyGraphqlType>) -> DeferredFn<AnyGraphqlType> {
        defer_execute(self, expr)
    }
}

impl SelectableDataSource<AnyGraphqlType, GraphqlCondition> for GraphqlApi {
    type Select = GraphqlSelect;

    /// A select of nothing yet, in this API's dialect.
    fn select(&self) -> GraphqlSelect {
        self.spelled(GraphqlSelect::new())
    }

    /// The objects under the root field: of a list each, a lone one, none of
    /// null. A response path is not followed.
    async fn execute_select(&self, select: &GraphqlSelect) -> Result<Vec<AnyGraphqlType>> {
        let rendered = select.render().await?;
        let data = self.post_rendered(select, &rendered).await?;
        let root = select.root_field().unwrap_or_default();
        let rows = match data {
            Json::Object(mut fields) => fields.swap_remove(root),
            _ => None,
        };
        let rows = match rows {
            Some(Json::Array(rows)) => rows,
            Some(row @ Json::Object(_)) => vec![row],
            Some(Json::Null) => Vec::new(),
            _ => return Err(error!("GraphQL response missing expected root field", field = root)),
        };
        self.client().report(api_pool::TransportEvent::rows_pulled(rows.len()));
        Ok(rows.into_iter().map(AnyGraphqlType::untyped).collect())
    }

    /// Selects a field named `alias`; an expression without one is dropped.
    fn add_select_column(
        &self,
        select: &mut GraphqlSelect,
        _expression: Expression<AnyGraphqlType>,
        alias: Option<&str>,
    ) {
        if let Some(alias) = alias {
            select.add_field(alias);
        }
    }
}
