//! The column types of YAML specs.

use ciborium::Value as Cbor;
use vantage_core::{Result, error};
use vantage_table::column::core::Column;

/// Values of these types stay as the server wrote them, as text: the type says
/// how to read it.
macro_rules! text_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        struct $name;)*
    };
}

text_types! {
    /// A calendar date.
    Date;
    /// A date and a time.
    DateTime;
    /// A time of day.
    Time;
    /// A UUID.
    Uuid;
    /// A decimal number.
    Decimal;
}

/// The column `name` of the type YAML calls `ty`.
///
/// # Errors
///
/// "Unknown YAML column type", with the `column` and the `ty`.
pub(crate) fn column(name: &str, ty: &str) -> Result<Column<Cbor>> {
    Ok(match ty {
        "int" | "integer" | "i64" | "i32" => Column::from_column(Column::<i64>::new(name)),
        "float" | "double" | "f64" | "f32" => Column::from_column(Column::<f64>::new(name)),
        "bool" | "boolean" => Column::from_column(Column::<bool>::new(name)),
        "string" | "text" | "str" => Column::from_column(Column::<String>::new(name)),
        "json" | "any" => Column::new(name),
        "date" => Column::from_column(Column::<Date>::new(name)),
        "datetime" | "timestamp" => Column::from_column(Column::<DateTime>::new(name)),
        "time" => Column::from_column(Column::<Time>::new(name)),
        "uuid" => Column::from_column(Column::<Uuid>::new(name)),
        "decimal" | "numeric" => Column::from_column(Column::<Decimal>::new(name)),
        _ => return Err(error!("Unknown YAML column type", column = name, ty = ty)),
    })
}
