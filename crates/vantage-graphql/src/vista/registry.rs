//! Where specs are found by name.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use vantage_vista::SpecResolver;

use super::spec::GraphqlApiVistaSpec;
use crate::api::GraphqlApi;

/// What a factory and every Vista it built share: the API as it was given,
/// and the specs of related tables, found when a relation is followed.
#[derive(Clone)]
pub(super) struct Registry {
    pub(super) api: GraphqlApi,
    resolver: Option<Arc<dyn SpecResolver<GraphqlApiVistaSpec>>>,
    specs: Arc<RwLock<HashMap<String, Arc<GraphqlApiVistaSpec>>>>,
}

impl Registry {
    pub(super) fn new(api: GraphqlApi) -> Self {
        Self { api, resolver: None, specs: Arc::default() }
    }

    pub(super) fn with_resolver(
        self,
        resolver: Arc<dyn SpecResolver<GraphqlApiVistaSpec>>,
    ) -> Self {
        Self { resolver: Some(resolver), ..self }
    }

    /// Adds a spec, in place of one of the same name.
    pub(super) fn add(&self, spec: GraphqlApiVistaSpec) {
        let mut specs = self.specs.write().unwrap_or_else(PoisonError::into_inner);
        specs.insert(spec.name.clone(), Arc::new(spec));
    }

    /// The current spec of `name`: the resolver's, else a registered one.
    pub(super) fn find(&self, name: &str) -> Option<Arc<GraphqlApiVistaSpec>> {
        if let Some(spec) = self.resolver.as_ref().and_then(|resolver| resolver.resolve(name)) {
            return Some(Arc::new(spec));
        }
        self.specs.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}
