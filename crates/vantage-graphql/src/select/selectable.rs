//! The framework's protocol for building a query.

use vantage_expressions::{
    Expression, Expressive, ExpressiveEnum, Order, Selectable, traits::selectable::SourceRef,
};

use super::GraphqlSelect;
use crate::{
    condition::{FieldCondition, GraphqlCondition},
    types::AnyGraphqlType,
};

/// GraphQL has no expressions, groups or distinct rows: adding one does
/// nothing, and the matching `has_` and `is_` answers stay false. Aggregates
/// are placeholders that say what would be asked for.
impl Selectable<AnyGraphqlType, GraphqlCondition> for GraphqlSelect {
    fn add_source(&mut self, source: impl Into<SourceRef<AnyGraphqlType>>, _alias: Option<String>) {
        if let ExpressiveEnum::Scalar(name) = source.into().into_expressive_enum()
            && let Some(name) = name.value().as_str()
        {
            self.root_field = Some(name.to_owned());
        }
    }

    fn add_field(&mut self, field: impl Into<String>) {
        self.fields.push(field.into());
    }

    fn add_expression(&mut self, _expression: impl Expressive<AnyGraphqlType>) {}

    fn add_where_condition(&mut self, condition: impl Into<GraphqlCondition>) {
        self.conditions.push(condition.into());
    }

    fn set_distinct(&mut self, _distinct: bool) {}

    fn add_order_by(&mut self, order: impl Into<GraphqlCondition>, direction: Order) {
        if let GraphqlCondition::Field(FieldCondition { field, .. }) = order.into() {
            self.orders.push((field, direction));
        }
    }

    fn add_group_by(&mut self, _expression: impl Expressive<AnyGraphqlType>) {}

    fn set_limit(&mut self, limit: Option<i64>, skip: Option<i64>) {
        self.limit = limit;
        self.offset = skip;
    }

    fn clear_fields(&mut self) {
        self.fields.clear();
        self.aliases.0.clear();
    }

    fn clear_where_conditions(&mut self) {
        self.conditions.clear();
    }

    fn clear_order_by(&mut self) {
        self.orders.clear();
    }

    fn clear_group_by(&mut self) {}

    fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    fn has_where_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    fn has_order_by(&self) -> bool {
        !self.orders.is_empty()
    }

    fn has_group_by(&self) -> bool {
        false
    }

    fn is_distinct(&self) -> bool {
        false
    }

    fn get_limit(&self) -> Option<i64> {
        self.limit
    }

    fn get_skip(&self) -> Option<i64> {
        self.offset
    }

    fn as_field(&self, _field: impl Into<String>) -> Expression<AnyGraphqlType> {
        self.expr()
    }

    fn as_count(&self) -> Expression<AnyGraphqlType> {
        self.aggregate("count")
    }

    fn as_sum(&self, column: impl Expressive<AnyGraphqlType>) -> Expression<AnyGraphqlType> {
        self.aggregate(&format!("sum {{ {} }}", column.expr().template))
    }

    fn as_max(&self, column: impl Expressive<AnyGraphqlType>) -> Expression<AnyGraphqlType> {
        self.aggregate(&format!("max {{ {} }}", column.expr().template))
    }

    fn as_min(&self, column: impl Expressive<AnyGraphqlType>) -> Expression<AnyGraphqlType> {
        self.aggregate(&format!("min {{ {} }}", column.expr().template))
    }
}

impl GraphqlSelect {
    fn aggregate(&self, of: &str) -> Expression<AnyGraphqlType> {
        let root = self.root_field().unwrap_or("<no root_field>");
        Expression::new(format!("{root}_aggregate {{ aggregate {{ {of} }} }}"), Vec::new())
    }
}

/// The [preview](GraphqlSelect::preview), as a bare template.
impl Expressive<AnyGraphqlType> for GraphqlSelect {
    fn expr(&self) -> Expression<AnyGraphqlType> {
        Expression::new(Self::preview(self), Vec::new())
    }
}
