//! Relations of a spec: found by name and built when they are followed.

use vantage_core::{Context as _, Result, error};
use vantage_table::table::{Table, spec::spec_references};
use vantage_types::EmptyEntity;
use vantage_vista::{Reference, ReferenceKind};

use super::{lower, registry::Registry, spec::GraphqlApiVistaSpec};
use crate::api::GraphqlApi;

/// The table of `spec` over the registry's API, with its relations.
pub(super) fn table_with_relations(
    spec: &GraphqlApiVistaSpec,
    registry: &Registry,
) -> Result<Table<GraphqlApi, EmptyEntity>> {
    let mut table = lower::table(spec, &registry.api)?;
    for reference in references(spec)? {
        let registry = registry.clone();
        let Reference { name, target, kind, keys, .. } = reference;
        let Some(key) = keys.into_iter().next() else { continue };
        let build = {
            let (name, target) = (name.clone(), target.clone());
            // The parent's own settings stay with the parent.
            move |_parent: GraphqlApi| related_table(&registry, &name, &target)
        };
        table = match kind {
            ReferenceKind::HasMany => {
                let foreign_key = key.to.unwrap_or_default();
                table.try_with_many(&name, &foreign_key, &target, build)
            }
            _ => table.try_with_one(&name, &key.from, &target, build),
        };
    }
    Ok(table)
}

/// The relations of `spec`: its `references:` and what its columns reference.
pub(super) fn references(spec: &GraphqlApiVistaSpec) -> Result<Vec<Reference>> {
    spec_references(spec, &spec.resolve_id_column("id"))
}

/// The target of a relation, by its own current spec.
///
/// # Errors
///
/// Not-found if the target has no spec; otherwise why it cannot be built.
pub(super) fn related_spec<T>(
    registry: &Registry,
    relation: &str,
    target: &str,
    build: impl FnOnce(&GraphqlApiVistaSpec) -> Result<T>,
) -> Result<T> {
    let spec = registry.find(target).ok_or_else(|| {
        error!(
            "GraphQL reference target has no registered spec; register it or give the factory a resolver",
            relation = relation,
            target = target
        )
        .mark_not_found()
    })?;
    build(&spec).with_context(|| {
        error!("GraphQL reference target spec can't be built", relation = relation, target = target)
    })
}

fn related_table(
    registry: &Registry,
    relation: &str,
    target: &str,
) -> Result<Table<GraphqlApi, EmptyEntity>> {
    related_spec(registry, relation, target, |spec| table_with_relations(spec, registry))
}
