//! A REST table as a Vista: factory, YAML specs, shell.

pub mod factory;
mod preview;
mod shell;
pub mod spec;

pub use factory::RestApiVistaFactory;
pub use shell::RestApiTableShell;
pub use spec::{
    ApiColumnExtras, ApiReferenceExtras, ApiTableBlock, ApiTableExtras, RestApiVistaSpec,
};
