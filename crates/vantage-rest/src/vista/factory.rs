//! Making Vistas of tables and of YAML.

use std::sync::{Arc, PoisonError, RwLock};

use ciborium::Value as Cbor;
use indexmap::IndexMap;
use vantage_core::{Result, error};
use vantage_table::{
    column::core::Column,
    table::{Orderable, Table, VistaMetadataOptions},
};
use vantage_types::{EmptyEntity, Entity};
use vantage_vista::{ColumnSpec, Vista, VistaFactory, VistaMetadata, VistaResolver};

use super::{
    shell::{Relations, RestApiTableShell},
    spec::{ApiColumnExtras, ApiReferenceExtras, ApiTableExtras, RestApiVistaSpec},
};
use crate::{api::RestApi, types};

/// Makes Vistas over one API.
///
/// # Examples
///
/// ```
/// use vantage_rest::RestApi;
///
/// let api = RestApi::new("https://api.example.com");
/// let mut factory = api.vista_factory();
/// factory.register_yaml(
///     "
/// name: users
/// columns:
///   id: { type: int, flags: [id] }
///   name: { type: string, flags: [title] }
/// references:
///   albums: { table: albums, kind: has_many, foreign_key: userId }
/// ",
/// )?;
/// factory.register_yaml(
///     "
/// name: albums
/// columns:
///   id: { type: int }
///   userId: { type: int }
/// api: { endpoint: 'v2/albums' }
/// ",
/// )?;
/// let users = factory.build("users")?;
/// assert_eq!(users.id_column(), Some("id"));
/// assert_eq!(users.driver_name(), "rest-api");
/// assert!(users.get_ref("albums", None).is_ok());
/// # Ok::<(), vantage_core::VantageError>(())
/// ```
pub struct RestApiVistaFactory {
    targets: Targets,
}

/// Where the targets of YAML references come from. Shared by the factory and
/// every shell it made.
#[derive(Clone)]
pub(super) struct Targets {
    api: RestApi,
    resolver: Option<Arc<dyn VistaResolver>>,
    registry: Arc<RwLock<IndexMap<String, RestApiVistaSpec>>>,
}

impl RestApiVistaFactory {
    /// A factory over `api`, with no registered spec.
    #[must_use]
    pub fn new(api: RestApi) -> Self {
        Self { targets: Targets { api, resolver: None, registry: Arc::default() } }
    }

    /// The API of every Vista made here.
    #[must_use]
    pub fn api(&self) -> &RestApi {
        &self.targets.api
    }

    /// Builds the targets of YAML references with `resolver` instead of the
    /// registered specs.
    #[must_use]
    pub fn with_model_resolver(self, resolver: Arc<dyn VistaResolver>) -> Self {
        Self { targets: Targets { resolver: Some(resolver), ..self.targets } }
    }

    /// Registers a spec under its name, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// "Failed to parse RestApiVistaSpec YAML", with the parser's `detail`.
    pub fn register_yaml(&mut self, yaml: &str) -> Result<()> {
        let spec = parse(yaml)?;
        let mut registry = self.targets.registry.write().unwrap_or_else(PoisonError::into_inner);
        registry.insert(spec.name.clone(), spec);
        Ok(())
    }

    /// The Vista of the spec registered as `name`.
    ///
    /// # Errors
    ///
    /// "No registered spec for model name" (not found), or what is wrong with
    /// the spec.
    pub fn build(&self, name: &str) -> Result<Vista> {
        self.targets.registered(name)
    }

    /// The Vista of a typed table, with its relations.
    ///
    /// # Errors
    ///
    /// None at present.
    pub fn from_table<E: Entity<Cbor> + 'static>(&self, table: Table<RestApi, E>) -> Result<Vista> {
        self.targets.typed(table.into_entity())
    }
}

impl RestApi {
    /// Makes Vistas over this API.
    #[must_use]
    pub fn vista_factory(&self) -> RestApiVistaFactory {
        RestApiVistaFactory::new(self.clone())
    }
}

impl VistaFactory for RestApiVistaFactory {
    type TableExtras = ApiTableExtras;
    type ColumnExtras = ApiColumnExtras;
    type ReferenceExtras = ApiReferenceExtras;

    fn build_from_spec(&self, spec: RestApiVistaSpec) -> Result<Vista> {
        self.targets.specified(&spec)
    }

    fn from_yaml(&self, yaml: &str) -> Result<Vista> {
        self.targets.specified(&parse(yaml)?)
    }
}

impl std::fmt::Debug for RestApiVistaFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RestApiVistaFactory")
            .field("api", &self.targets.api)
            .finish_non_exhaustive()
    }
}

fn parse(yaml: &str) -> Result<RestApiVistaSpec> {
    serde_yaml_ng::from_str(yaml)
        .map_err(|e| error!("Failed to parse RestApiVistaSpec YAML", detail = e.to_string()))
}

impl Targets {
    /// The Vista a reference named `name` leads to.
    pub(super) fn target(&self, name: &str) -> Result<Vista> {
        match &self.resolver {
            Some(resolver) => resolver.vista(name),
            None => self.registered(name),
        }
    }

    fn registered(&self, name: &str) -> Result<Vista> {
        let registry = self.registry.read().unwrap_or_else(PoisonError::into_inner);
        let spec = registry.get(name).cloned();
        drop(registry);
        match spec {
            Some(spec) => self.specified(&spec),
            None => Err(error!("No registered spec for model name", name = name).mark_not_found()),
        }
    }

    pub(super) fn typed(&self, table: Table<RestApi, EmptyEntity>) -> Result<Vista> {
        let name = table.table_name().to_owned();
        let metadata = metadata(&table);
        Ok(Vista::new(
            name,
            RestApiTableShell::new(table, metadata, Relations::Typed(self.clone())),
        ))
    }

    fn specified(&self, spec: &RestApiVistaSpec) -> Result<Vista> {
        let block = spec.driver.api.clone().unwrap_or_default();
        let api = self.api.with_config(block.apply(self.api.config()));
        let endpoint = block.endpoint.as_ref().unwrap_or(&spec.name);
        let mut table = Table::<RestApi, EmptyEntity>::new(endpoint, api);
        table.add_spec_columns(&spec.columns, column)?;
        let id = spec.resolve_id_column("id");
        table.set_spec_id_field(&id)?;
        let table = table.with_contained_specs(&spec.contained, column)?;
        let mut metadata = metadata(&table);
        for (relation, reference) in &spec.references {
            metadata = metadata.with_reference(reference.to_reference(relation, &id)?);
        }
        let relations = Relations::Named(self.clone());
        Ok(Vista::new(&spec.name, RestApiTableShell::new(table, metadata, relations)))
    }
}

fn metadata(table: &Table<RestApi, EmptyEntity>) -> VistaMetadata {
    let orders = table.data_source().ordering().is_some();
    table.vista_metadata(VistaMetadataOptions {
        orderable: if orders { Orderable::All } else { Orderable::None },
        id_flag: true,
        references: true,
        contained: true,
        ..VistaMetadataOptions::default()
    })
}

fn column(name: &str, spec: &ColumnSpec<ApiColumnExtras>) -> Result<Column<Cbor>> {
    Column::from_spec(name, spec, None, types::column)
}
