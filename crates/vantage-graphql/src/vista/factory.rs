//! Making Vistas over one API.

use std::sync::Arc;

use vantage_core::{Result, error};
use vantage_table::table::Table;
use vantage_types::{EmptyEntity, Entity};
use vantage_vista::{NoExtras, SpecResolver, Vista, VistaFactory};

use super::{
    reference,
    registry::Registry,
    shell::GraphqlApiTableShell,
    spec::{GraphqlApiVistaSpec, GraphqlColumnExtras, GraphqlTableExtras},
};
use crate::{api::GraphqlApi, types::AnyGraphqlType};

/// Makes Vistas over one API: from typed tables, from YAML, or by the name of
/// a registered spec.
///
/// # Examples
///
/// ```
/// use vantage_graphql::GraphqlApi;
///
/// # fn main() -> vantage_core::Result<()> {
/// let mut factory = GraphqlApi::new("https://api.example/graphql").vista_factory();
/// factory.register_yaml("name: airports\ncolumns: { id: {}, name: {} }")?;
/// factory.register_yaml(
///     "name: flights\ncolumns: { id: {}, origin: { references: airports } }",
/// )?;
///
/// let flights = factory.build("flights")?;
/// assert_eq!(flights.reference("origin").unwrap().target, "airports");
/// assert_eq!(flights.get_ref("origin", None)?.name(), "airports");
/// # Ok(())
/// # }
/// ```
pub struct GraphqlApiVistaFactory {
    registry: Registry,
}

impl GraphqlApiVistaFactory {
    /// A factory over `api` that knows no specs yet.
    #[must_use]
    pub fn new(api: GraphqlApi) -> Self {
        Self { registry: Registry::new(api) }
    }

    /// The API every Vista of this factory reads from.
    #[must_use]
    pub fn api(&self) -> &GraphqlApi {
        &self.registry.api
    }

    /// Asks `resolver` for specs by name, before those that were registered.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn SpecResolver<GraphqlApiVistaSpec>>) -> Self {
        Self { registry: self.registry.with_resolver(resolver) }
    }

    /// Registers a spec under its name. Vistas built before see it too.
    ///
    /// # Errors
    ///
    /// If the YAML is no spec, unknown keys included.
    pub fn register_yaml(&mut self, yaml: &str) -> Result<()> {
        self.registry.add(parsed(yaml)?);
        Ok(())
    }

    /// The Vista of the spec `name`.
    ///
    /// # Errors
    ///
    /// Not-found if there is no such spec; otherwise as
    /// [`table_from_spec`](Self::table_from_spec).
    pub fn build(&self, name: &str) -> Result<Vista> {
        let spec = self.registry.find(name).ok_or_else(|| {
            error!("No registered spec for model name", name = name).mark_not_found()
        })?;
        GraphqlApiTableShell::vista_of_spec(&spec, &self.registry)
    }

    /// The typed table of `spec`, with its relations.
    ///
    /// # Errors
    ///
    /// Before any request: if a name is not a GraphQL name, a column type is
    /// unknown, the id column is not declared, or (as unsupported) an alias is
    /// dotted or a reference has several keys.
    pub fn table_from_spec(
        &self,
        spec: &GraphqlApiVistaSpec,
    ) -> Result<Table<GraphqlApi, EmptyEntity>> {
        reference::table_with_relations(spec, &self.registry)
    }

    /// The Vista of a typed table, with the relations the table declares.
    ///
    /// # Errors
    ///
    /// None today; a later check may refuse a table.
    pub fn from_table<E: Entity<AnyGraphqlType> + 'static>(
        &self,
        table: Table<GraphqlApi, E>,
    ) -> Result<Vista> {
        Ok(GraphqlApiTableShell::vista_of_table(table.into_entity()))
    }
}

impl VistaFactory for GraphqlApiVistaFactory {
    type TableExtras = GraphqlTableExtras;
    type ColumnExtras = GraphqlColumnExtras;
    type ReferenceExtras = NoExtras;

    fn build_from_spec(&self, spec: GraphqlApiVistaSpec) -> Result<Vista> {
        GraphqlApiTableShell::vista_of_spec(&spec, &self.registry)
    }

    fn from_yaml(&self, yaml: &str) -> Result<Vista> {
        self.build_from_spec(parsed(yaml)?)
    }
}

fn parsed(yaml: &str) -> Result<GraphqlApiVistaSpec> {
    serde_yaml_ng::from_str(yaml).map_err(|failure| {
        error!("Failed to parse GraphqlApiVistaSpec YAML", detail = failure.to_string())
    })
}

impl std::fmt::Debug for GraphqlApiVistaFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphqlApiVistaFactory").field("api", self.api()).finish_non_exhaustive()
    }
}
