//! vantage-rest
mod conditions;
mod config;
mod decode;
mod json;
mod lower;
mod paging;
mod row_keys;
pub use conditions::eq_condition;
pub use config::*;
/// stub
#[derive(Clone, Debug)]
pub struct RestApi;
