//! Conditions: how they are built, what they say, how they read.

use ciborium::Value as Cbor;
use vantage_core::{Result, error};
use vantage_expressions::{DeferredFn, Expression, ExpressiveEnum};
use vantage_table::conditions::unquote_identifier;
use vantage_vista::{Condition, FilterOp, VistaMetadata, operand_text};

use crate::decode::Row;

/// The condition `field == value`, of any scalar.
///
/// # Examples
///
/// ```
/// use vantage_rest::{RestApi, eq_condition};
/// use vantage_table::prelude::Table;
/// use vantage_types::EmptyEntity;
///
/// let api = RestApi::new("https://api.example.com");
/// let mine = Table::<_, EmptyEntity>::new("albums", api)
///     .with_condition(eq_condition("userId", 7));
/// ```
pub fn eq_condition(field: &str, value: impl Into<Cbor>) -> Expression<Cbor> {
    equality(field, ExpressiveEnum::Scalar(value.into()))
}

/// The condition `field == <what `value` yields when the table is read>`.
pub(crate) fn deferred_equality(field: &str, value: DeferredFn<Cbor>) -> Expression<Cbor> {
    equality(field, ExpressiveEnum::Deferred(value))
}

fn equality(field: &str, value: ExpressiveEnum<Cbor>) -> Expression<Cbor> {
    Expression::new(
        "{} = {}",
        vec![
            ExpressiveEnum::Nested(Expression::new(field, vec![])),
            ExpressiveEnum::Nested(Expression::new("{}", vec![value])),
        ],
    )
}

/// The condition `field op value`, for a parameter the server filters by.
pub(crate) fn comparison(field: &str, op: FilterOp, value: Cbor) -> Option<Expression<Cbor>> {
    let template = format!("{{}} {} {{}}", symbol(op)?);
    let field = ExpressiveEnum::Nested(Expression::new(field, vec![]));
    Some(Expression::new(template, vec![field, ExpressiveEnum::Scalar(value)]))
}

/// The template of a search the server runs.
const SEARCH: &str = "search {}";

/// A search the server runs.
pub(crate) fn search(text: &str) -> Expression<Cbor> {
    Expression::new(SEARCH, vec![ExpressiveEnum::Scalar(Cbor::from(text))])
}

/// A search nothing can run: reading a table that carries it is refused.
pub(crate) fn unsupported_search() -> Expression<Cbor> {
    let refuse = DeferredFn::new(|| {
        Box::pin(async {
            Err(error!("REST data source cannot search; declare a search parameter")
                .mark_unsupported())
        })
    });
    Expression::new(SEARCH, vec![ExpressiveEnum::Deferred(refuse)])
}

/// Several values in the place of one: what a relation from several parents
/// resolves to.
pub(crate) fn several(values: Vec<Cbor>) -> ExpressiveEnum<Cbor> {
    let template = vec!["{}"; values.len()].join(", ");
    let values = values.into_iter().map(ExpressiveEnum::Scalar).collect();
    ExpressiveEnum::Nested(Expression::new(template, values))
}

/// What a condition says, once its deferred parts are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clause {
    /// `field == value`, the value as a parameter spells it.
    Equals { field: String, value: Cbor, text: String },
    /// `field` is one of these values, each read on its own.
    OneOf { field: String, values: Vec<Cbor> },
    /// A comparison a row can be held against.
    Compares(Condition),
    /// A search the server runs.
    Search(String),
    /// Nothing this crate can read.
    Opaque(String),
}

impl Clause {
    /// What `condition` says.
    pub(crate) fn read(condition: &Expression<Cbor>) -> Self {
        if let ([ExpressiveEnum::Scalar(text)], SEARCH) =
            (condition.parameters.as_slice(), condition.template.as_str())
        {
            return Self::Search(operand_text(text));
        }
        Self::comparison(condition).unwrap_or_else(|| Self::Opaque(describe(condition)))
    }

    fn comparison(condition: &Expression<Cbor>) -> Option<Self> {
        let [ExpressiveEnum::Nested(left), right] = condition.parameters.as_slice() else {
            return None;
        };
        let operator = condition.template.trim().strip_prefix("{}")?.trim();
        let field = field_name(left)?;
        if operator == "= {}" {
            return Some(match values(right)? {
                Operand::One(value) => Self::equals(field, value),
                Operand::Many(values) => Self::OneOf { field, values },
            });
        }
        let (op, list) = operator_of(operator)?;
        let value = match (values(right)?, list) {
            (Operand::One(list @ Cbor::Array(_)), true) => list,
            (Operand::One(value), true) => Cbor::Array(vec![value]),
            (Operand::Many(values), true) => Cbor::Array(values),
            (Operand::One(value), false) => value,
            (Operand::Many(_), false) => return None,
        };
        Some(Self::Compares(Condition::new(field, op, value)))
    }

    /// `field == value`: sent when the value has a parameter form, held
    /// against the rows otherwise.
    pub(crate) fn equals(field: String, value: Cbor) -> Self {
        match (param_text(&value), value) {
            (Some(text), value) => Self::Equals { field, value, text },
            (None, list @ Cbor::Array(_)) => {
                Self::Compares(Condition::new(field, FilterOp::InSet, list))
            }
            (None, value) => Self::Compares(Condition::new(field, FilterOp::Eq, value)),
        }
    }
}

/// Whether `row` satisfies `condition`. A null is also an absent field.
pub(crate) fn holds(condition: &Condition, row: &Row) -> bool {
    let is_null = condition.op == FilterOp::Eq && condition.value.is_null();
    (is_null && !row.contains_key(&condition.column))
        || condition.matches(row, &VistaMetadata::new())
}

/// A value as a parameter spells it; null, bytes, arrays, maps and tags have
/// no form.
pub(crate) fn param_text(value: &Cbor) -> Option<String> {
    match value {
        Cbor::Text(text) => Some(text.clone()),
        Cbor::Bool(value) => Some(value.to_string()),
        Cbor::Integer(value) => Some(i128::from(*value).to_string()),
        Cbor::Float(value) => Some(value.to_string()),
        _ => None,
    }
}

/// The one field `condition` compares with a value it already knows.
pub(crate) fn known_equality(condition: &Expression<Cbor>) -> Option<(String, Cbor)> {
    match Clause::read(condition) {
        Clause::Equals { field, value, .. } => Some((field, value)),
        _ => None,
    }
}

/// Whether part of `condition` is only known when the table is read.
pub(crate) fn is_deferred(condition: &Expression<Cbor>) -> bool {
    condition.parameters.iter().any(|parameter| match parameter {
        ExpressiveEnum::Scalar(_) => false,
        ExpressiveEnum::Deferred(_) => true,
        ExpressiveEnum::Nested(inner) => is_deferred(inner),
    })
}

/// `condition` as text for people, e.g. `parent = "p1"`.
pub(crate) fn describe(condition: &Expression<Cbor>) -> String {
    let mut parts = condition.template.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for parameter in &condition.parameters {
        text.push_str(&describe_parameter(parameter));
        text.push_str(parts.next().unwrap_or_default());
    }
    text
}

fn describe_parameter(parameter: &ExpressiveEnum<Cbor>) -> String {
    match parameter {
        ExpressiveEnum::Scalar(Cbor::Text(text)) => format!("{text:?}"),
        ExpressiveEnum::Scalar(value) => operand_text(value),
        ExpressiveEnum::Nested(inner) => describe(inner),
        ExpressiveEnum::Deferred(_) => "**deferred()".to_owned(),
    }
}

/// The field an order or a left operand names. Any text without placeholders
/// is a name: an API's parameters need not be identifiers.
pub(crate) fn field_name(expression: &Expression<Cbor>) -> Option<String> {
    let name = expression.template.trim();
    if !expression.parameters.is_empty() || name.is_empty() || name.contains("{}") {
        return None;
    }
    Some(unquote_identifier(name).unwrap_or_else(|| name.to_owned()))
}

enum Operand {
    One(Cbor),
    Many(Vec<Cbor>),
}

/// The value or values of a right operand: a scalar, a list of scalars, or
/// either inside any number of `{}`.
fn values(operand: &ExpressiveEnum<Cbor>) -> Option<Operand> {
    match operand {
        ExpressiveEnum::Scalar(value) => Some(Operand::One(value.clone())),
        ExpressiveEnum::Deferred(_) => None,
        ExpressiveEnum::Nested(inner) => match inner.parameters.as_slice() {
            [only] if inner.template.trim() == "{}" => values(only),
            many if many.len() > 1 && inner.template.split(',').all(|t| t.trim() == "{}") => {
                let scalar = |parameter: &ExpressiveEnum<Cbor>| match parameter {
                    ExpressiveEnum::Scalar(value) => Some(value.clone()),
                    _ => None,
                };
                many.iter().map(scalar).collect::<Option<_>>().map(Operand::Many)
            }
            _ => None,
        },
    }
}

/// The comparison a template spells after its left operand, and whether its
/// operand is a list.
fn operator_of(text: &str) -> Option<(FilterOp, bool)> {
    let operator = text.trim_end_matches(')').trim_end().strip_suffix("{}")?;
    let operator = operator.trim_end().trim_end_matches('(').trim();
    Some(match operator.to_ascii_uppercase().as_str() {
        "=" => (FilterOp::Eq, false),
        "!=" | "<>" => (FilterOp::Ne, false),
        ">" => (FilterOp::Gt, false),
        ">=" => (FilterOp::Gte, false),
        "<" => (FilterOp::Lt, false),
        "<=" => (FilterOp::Lte, false),
        "IN" => (FilterOp::InSet, true),
        "NOT IN" => (FilterOp::NotInSet, true),
        "~" => (FilterOp::Like, false),
        _ => return None,
    })
}

fn symbol(op: FilterOp) -> Option<&'static str> {
    Some(match op {
        FilterOp::Eq => "=",
        FilterOp::Ne => "!=",
        FilterOp::Gt => ">",
        FilterOp::Gte => ">=",
        FilterOp::Lt => "<",
        FilterOp::Lte => "<=",
        FilterOp::InSet => "IN",
        FilterOp::NotInSet => "NOT IN",
        FilterOp::Like => "~",
        _ => return None,
    })
}

/// The equality with exactly one value that a list of values amounts to.
///
/// # Errors
///
/// "a REST filter takes exactly one value" (unsupported) for any other count.
pub(crate) fn in_values(field: &str, mut values: Vec<Cbor>) -> Result<Expression<Cbor>> {
    match (values.pop(), values.len()) {
        (Some(value), 0) => Ok(eq_condition(field, value)),
        (last, rest) => Err(error!(
            "a REST filter takes exactly one value",
            field = field,
            values = rest + usize::from(last.is_some())
        )
        .mark_unsupported()),
    }
}

#[cfg(test)]
mod tests;
