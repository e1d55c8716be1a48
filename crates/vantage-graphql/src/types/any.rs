//! The erased value in expressions, and as text.

use std::fmt;

use vantage_expressions::{Expression, Expressive, ExpressiveEnum};

use super::system::AnyGraphqlType;

/// The value as JSON text.
impl fmt::Display for AnyGraphqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl Expressive<Self> for AnyGraphqlType {
    fn expr(&self) -> Expression<Self> {
        Expression::new("{}", vec![ExpressiveEnum::Scalar(self.clone())])
    }
}

macro_rules! expressive {
    ($($scalar:ty),*) => {$(
        impl Expressive<AnyGraphqlType> for $scalar {
            fn expr(&self) -> Expression<AnyGraphqlType> {
                AnyGraphqlType::new_ref(self).expr()
            }
        }
    )*};
}

expressive!(bool, i32, i64, f64, String);

impl Expressive<AnyGraphqlType> for &str {
    fn expr(&self) -> Expression<AnyGraphqlType> {
        AnyGraphqlType::from(*self).expr()
    }
}
