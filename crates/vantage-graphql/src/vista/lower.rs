//! From a spec to a table: names checked, types mapped, overrides applied.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde_json::Value as Json;
use uuid::Uuid;
use vantage_core::{Result, error};
use vantage_table::{column::core::Column, table::Table};
use vantage_types::EmptyEntity;
use vantage_vista::ColumnSpec;

use super::spec::{GraphqlApiVistaSpec, GraphqlBlock, GraphqlColumnExtras};
use crate::{
    api::{ConnectionPaging, FilterType, GraphqlApi, Settings, segments},
    literal,
    name::NameKind,
    types::AnyGraphqlType,
};

/// The table a spec describes over `api`, without its relations.
///
/// # Errors
///
/// If a name is not a GraphQL name, a type is unknown, an alias or a key list
/// cannot be expressed, or the id column is not declared.
pub(super) fn table(
    spec: &GraphqlApiVistaSpec,
    api: &GraphqlApi,
) -> Result<Table<GraphqlApi, EmptyEntity>> {
    refuse_key_lists(spec)?;
    let block = spec.driver.graphql.as_ref();
    let root = block.and_then(|block| block.root_field.as_deref()).unwrap_or(&spec.name);
    NameKind::RootField.check(root)?;
    let api = match block {
        Some(block) => api.with_settings(overridden(api.settings(), block)?),
        None => api.clone(),
    };
    let mut table = Table::new(root, api);
    table.add_spec_columns(&spec.columns, column)?;
    table.set_spec_id_field(&spec.resolve_id_column("id"))?;
    for contained in spec.contained.values() {
        NameKind::Field.check(&contained.host_column)?;
    }
    table.with_contained_specs(&spec.contained, column)
}

/// The API's settings with the block's in place of them, key by key.
fn overridden(settings: &Settings, block: &GraphqlBlock) -> Result<Settings> {
    let mut own = settings.clone();
    if let Some(name) = &block.count_field {
        NameKind::CountField.check(name)?;
        own.count_field = Some(name.clone());
    }
    if let Some(dialect) = block.dialect {
        own.dialect = dialect;
    }
    if let Some(name) = &block.filter_arg {
        NameKind::FilterArgument.check(name)?;
        own.filter_arg = Some(name.clone());
    }
    if let Some(args) = &block.args {
        check_args(args)?;
        own.root_args = Some(args.clone());
    }
    if let Some(name) = &block.filter_type {
        NameKind::FilterType.check(name.strip_suffix('!').unwrap_or(name))?;
        own.filter_type = FilterType::Named(name.clone());
    }
    if let Some(rows) = block.page_size {
        own.connection =
            Some(ConnectionPaging { page_size: rows, ..own.connection.unwrap_or_default() });
    }
    if let Some(path) = &block.response_path {
        own.response_path = segments(path);
        own.response_path
            .iter()
            .try_for_each(|segment| NameKind::ResponsePathSegment.check(segment))?;
    } else if own.connection.is_some() && own.response_path.is_empty() {
        own.response_path = segments("edges.node");
    }
    if let Some(style) = block.order_style {
        own.order_style = style;
    }
    let supports = &mut own.supports;
    supports.filter = block.filter.or(supports.filter);
    supports.order = block.order.or(supports.order);
    supports.search = block.search.or(supports.search);
    supports.paginate = block.paginate.or(supports.paginate);
    supports.count = block.count.unwrap_or(supports.count);
    Ok(own)
}

fn check_args(args: &Json) -> Result<()> {
    let Json::Object(args) = args else { return Ok(()) };
    args.iter().try_for_each(|(name, value)| {
        NameKind::RootArgument.check(name)?;
        literal::check_keys(NameKind::RootArgumentKey, value)
    })
}

fn refuse_key_lists(spec: &GraphqlApiVistaSpec) -> Result<()> {
    match spec.references.iter().find(|(_, reference)| reference.keys.len() > 1) {
        Some((relation, _)) => Err(error!(
            "GraphQL references with multi-column `keys:` are not supported",
            relation = relation
        )
        .mark_unsupported()),
        None => Ok(()),
    }
}

fn column(name: &str, spec: &ColumnSpec<GraphqlColumnExtras>) -> Result<Column<AnyGraphqlType>> {
    NameKind::Field.check_path(name)?;
    if spec.expr.is_some() {
        return Err(error!(
            "GraphQL columns take no `expr:`; GraphQL has no expressions",
            column = name
        )
        .mark_unsupported());
    }
    let alias = spec.driver.graphql.as_ref().and_then(|block| block.field.clone());
    if let Some(field) = &alias {
        if name.contains('.') || field.contains('.') {
            return Err(error!(
                "GraphQL column `field` takes plain names; dotted paths are not supported",
                column = name,
                field = field
            )
            .mark_unsupported());
        }
        NameKind::Field.check(field)?;
    }
    Column::from_spec(name, spec, alias, typed)
}

fn typed(name: &str, ty: &str) -> Result<Column<AnyGraphqlType>> {
    fn of<T: vantage_table::column::core::ColumnType>(name: &str) -> Column<AnyGraphqlType> {
        Column::from_column(Column::<T>::new(name))
    }
    Ok(match ty {
        "int" | "integer" | "i32" => of::<i32>(name),
        "bigint" | "i64" | "long" => of::<i64>(name),
        "float" | "double" | "f64" | "f32" => of::<f64>(name),
        "bool" | "boolean" => of::<bool>(name),
        "string" | "text" | "str" | "id" => of::<String>(name),
        "datetime" | "timestamp" | "timestamptz" => of::<DateTime<Utc>>(name),
        "date" => of::<NaiveDate>(name),
        "time" => of::<NaiveTime>(name),
        "uuid" => of::<Uuid>(name),
        "json" => of::<Json>(name),
        _ => {
            return Err(error!(
                "Unknown YAML column type for GraphQL Vista",
                column = name,
                ty = ty
            ));
        }
    })
}
