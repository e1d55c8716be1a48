//! A read of one table: what is asked of the server, and what of its answers
//! is kept.

use std::collections::HashSet;

use ciborium::Value as Cbor;
use indexmap::IndexMap;
use vantage_core::{Result, error};
use vantage_expressions::Expression;
use vantage_table::{
    column::flags::ColumnFlag, pagination::Pagination, sorting::SortDirection, table::Table,
};
use vantage_types::Entity;
use vantage_vista::{Condition, FilterOp};

mod cursors;
mod fetch;
mod list;
mod stream;
mod window;

use crate::{
    api::RestApi,
    conditions::{self, Clause},
    config::FilterStrategy,
    decode::Row,
    lower::{self, Pair, Target},
};

pub(crate) use window::Checkpoints;

/// The most parents a relation is followed from in one read: each costs
/// requests of its own.
const MAX_BRANCHES: usize = 1000;

/// Rows under their keys.
pub(crate) type Rows = IndexMap<String, Row>;

/// A read of one table, its conditions resolved.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    api: RestApi,
    table: String,
    id_field: Option<String>,
    /// The fields every row is expected to carry.
    row_fields: HashSet<String>,
    pagination: Option<Pagination>,
    order: Option<Pair>,
    searches: bool,
    /// One, except where a relation leads here from several parents.
    branches: Vec<Branch>,
}

/// One place to ask, and what to keep of its answers.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    target: Target,
    /// Conditions the server applies, as parameters.
    params: Vec<Pair>,
    /// Conditions applied here.
    here: Filter,
    /// Every condition but those in the path, for a row that was not asked
    /// for with parameters.
    all: Filter,
}

/// Conditions that are applied to rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Equalities, by their text.
    equals: Vec<Pair>,
    compares: Vec<Condition>,
}

impl Filter {
    fn is_empty(&self) -> bool {
        self.equals.is_empty() && self.compares.is_empty()
    }
}

/// An order: a column and its direction.
pub(crate) type Order = (String, SortDirection);

impl Read {
    /// The read `table` asks for; deferred conditions are resolved now, which
    /// may send requests.
    ///
    /// # Errors
    ///
    /// What resolving or lowering a condition fails with; nothing was sent for
    /// this table then.
    pub(crate) async fn of<E>(table: &Table<RestApi, E>) -> Result<Self>
    where
        E: Entity<Cbor>,
    {
        let mut resolved = Vec::new();
        for condition in table.conditions() {
            resolved.push(condition.resolve_deferred().await?);
        }
        Self::resolved(table, &resolved)
    }

    /// The read `table` asks for under `conditions`, none of them deferred.
    pub(crate) fn resolved<E>(
        table: &Table<RestApi, E>,
        conditions: &[Expression<Cbor>],
    ) -> Result<Self>
    where
        E: Entity<Cbor>,
    {
        let api = table.data_source();
        let name = table.table_name();
        let clauses = Clauses::read(conditions, name);
        let branches = clauses
            .equalities()?
            .into_iter()
            .map(|equalities| clauses.branch(api, name, &equalities))
            .collect::<Result<_>>()?;
        Ok(Self {
            api: api.clone(),
            table: name.to_owned(),
            id_field: table.id_field().map(|column| column.name().to_owned()),
            row_fields: row_fields(table),
            pagination: table.pagination().copied(),
            order: order_of(api, table),
            searches: !clauses.search.is_empty(),
            branches,
        })
    }

    /// This read in another order.
    pub(crate) fn with_order(mut self, order: Option<&Order>) -> Self {
        if let Some(order) = order {
            self.order = order_param(&self.api, std::slice::from_ref(order));
        }
        self
    }

    /// This read of the whole set, whatever page the table asks for.
    pub(crate) fn without_pagination(self) -> Self {
        Self { pagination: None, ..self }
    }

    /// The one branch whose rows are not filtered here, if this read is that
    /// simple: the server's own totals and offsets hold for it.
    fn plain_branch(&self) -> Option<&Branch> {
        match self.branches.as_slice() {
            [only] if only.here.is_empty() => Some(only),
            _ => None,
        }
    }

    /// The URLs a listing starts with, and the conditions applied here.
    pub(crate) fn outline(&self) -> (Vec<String>, Vec<String>) {
        let ask = match self.pagination {
            Some(page) => self.first_window(page),
            None => fetch::Ask::Unpaged,
        };
        let urls = self.branches.iter().map(|branch| self.url(branch, &ask)).collect();
        let here = self.branches.first().map(|branch| {
            let equals = branch.here.equals.iter().map(|(field, text)| format!("{field}={text}"));
            let compares = branch.here.compares.iter().map(|c| {
                let comparison = conditions::comparison(&c.column, c.op, c.value.clone());
                comparison.map_or_else(|| c.column.clone(), |c| conditions::describe(&c))
            });
            equals.chain(compares).collect()
        });
        (urls, here.unwrap_or_default())
    }
}

/// What the conditions of a table say.
struct Clauses {
    /// Equalities in order, each with the values it allows.
    equalities: Vec<(String, Vec<String>)>,
    compares: Vec<Condition>,
    search: Vec<String>,
}

impl Clauses {
    fn read(conditions: &[Expression<Cbor>], table: &str) -> Self {
        let mut clauses = Self { equalities: Vec::new(), compares: Vec::new(), search: Vec::new() };
        for condition in conditions {
            match Clause::read(condition) {
                Clause::Equals { field, text, .. } => clauses.equalities.push((field, vec![text])),
                Clause::OneOf { field, values } => {
                    let texts = values.iter().filter_map(conditions::param_text).collect();
                    clauses.equalities.push((field, texts));
                }
                Clause::Compares(condition) => clauses.compares.push(condition),
                Clause::Search(text) => clauses.search.push(text),
                Clause::Opaque(text) => tracing::warn!(
                    table,
                    condition = text,
                    "condition is neither sent nor applied: the set is wider than it says"
                ),
            }
        }
        clauses
    }

    /// Every combination of the equalities' values, in order.
    fn equalities(&self) -> Result<Vec<Vec<Pair>>> {
        let mut combinations = vec![Vec::new()];
        for (field, values) in &self.equalities {
            if combinations.len().saturating_mul(values.len()) > MAX_BRANCHES {
                return Err(error!(
                    "relation joins more parents than one read follows",
                    field = field,
                    parents = values.len(),
                    max = MAX_BRANCHES
                ));
            }
            combinations = combinations
                .iter()
                .flat_map(|combination: &Vec<Pair>| {
                    values.iter().map(|value| {
                        let mut longer = combination.clone();
                        longer.push((field.clone(), value.clone()));
                        longer
                    })
                })
                .collect();
        }
        Ok(combinations)
    }

    fn branch(&self, api: &RestApi, table: &str, equalities: &[Pair]) -> Result<Branch> {
        let config = api.config();
        let mut target = Target::of(&config.base_url, table, equalities)?;
        let all =
            Filter { equals: std::mem::take(&mut target.rest), compares: self.compares.clone() };
        let (mut params, mut here) = (Vec::new(), Filter::default());
        for (field, text) in &all.equals {
            match (config.filter_param(field, FilterOp::Eq), config.filters) {
                (Some(param), _) => params.push((param.to_owned(), text.clone())),
                (None, FilterStrategy::Query) => params.push((field.clone(), text.clone())),
                (None, FilterStrategy::Client) => here.equals.push((field.clone(), text.clone())),
            }
        }
        for condition in &all.compares {
            let sent = config
                .filter_param(&condition.column, condition.op)
                .zip(conditions::param_text(&condition.value));
            match sent {
                Some((param, text)) => params.push((param.to_owned(), text)),
                None => here.compares.push(condition.clone()),
            }
        }
        if let Some(param) = &config.search_param {
            params.extend(self.search.iter().map(|text| (param.clone(), text.clone())));
        }
        Ok(Branch { target, params, here, all })
    }
}

/// The fields a row is expected to carry: the declared columns, without
/// request parameters and endpoint placeholders.
fn row_fields<E: Entity<Cbor>>(table: &Table<RestApi, E>) -> HashSet<String> {
    let placeholders: HashSet<&str> = lower::placeholders(table.table_name()).collect();
    let is_row_field = |column: &vantage_table::column::core::Column<Cbor>| {
        !column.flags().contains(&ColumnFlag::RequestParam) && !placeholders.contains(column.name())
    };
    table
        .columns()
        .iter()
        .filter(|(_, column)| is_row_field(column))
        .map(|(name, _)| name.clone())
        .collect()
}

fn order_of<E: Entity<Cbor>>(api: &RestApi, table: &Table<RestApi, E>) -> Option<Pair> {
    let mut orders = Vec::new();
    for (expression, direction) in table.orders() {
        match conditions::field_name(expression) {
            Some(field) => orders.push((field, *direction)),
            None => tracing::warn!(table = table.table_name(), "order is not a column: ignored"),
        }
    }
    if !orders.is_empty() && api.ordering().is_none() {
        tracing::warn!(
            table = table.table_name(),
            "rows come in the server's order: no ordering parameter is configured"
        );
    }
    order_param(api, &orders)
}

/// The ordering parameter, several columns separated by commas.
fn order_param(api: &RestApi, orders: &[Order]) -> Option<Pair> {
    let ordering = api.ordering()?;
    let terms: Vec<String> = orders
        .iter()
        .map(|(column, direction)| match direction {
            SortDirection::Ascending => column.clone(),
            SortDirection::Descending => format!("{}{column}", ordering.desc_prefix),
        })
        .collect();
    (!terms.is_empty()).then(|| (ordering.param.clone(), terms.join(",")))
}
