//! Tables as Vistas: from typed tables, or from YAML.

pub mod factory;
mod lower;
mod reference;
mod registry;
mod shell;
pub mod spec;

pub use factory::GraphqlApiVistaFactory;
pub use shell::GraphqlApiTableShell;
pub use spec::{
    GraphqlApiVistaSpec, GraphqlBlock, GraphqlColumnBlock, GraphqlColumnExtras, GraphqlTableExtras,
};
