//! A select made ready to be written, with its sub-selections.

use std::{future::Future, pin::Pin};

use vantage_core::Result;

use super::GraphqlSelect;
use crate::condition::{GraphqlCondition, node::Node};

/// A select whose filter has no open questions left.
pub(super) struct Part<'a> {
    pub(super) select: &'a GraphqlSelect,
    pub(super) filter: Option<Node<'a>>,
    pub(super) nested: Vec<(&'a str, Self)>,
}

type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Part<'a>>> + Send + 'a>>;

impl<'a> Part<'a> {
    /// The select with deferred values resolved, each once.
    ///
    /// # Errors
    ///
    /// If a deferred value fails or has the wrong shape.
    pub(super) async fn resolve(select: &'a GraphqlSelect) -> Result<Self> {
        if is_deferred(select) {
            Self::resolve_deferred(select).await
        } else {
            Ok(Self::preview(select))
        }
    }

    fn resolve_deferred(select: &'a GraphqlSelect) -> Resolving<'a> {
        Box::pin(async move {
            let mut nodes = Vec::with_capacity(select.conditions.len());
            for condition in &select.conditions {
                nodes.push(Node::resolve(condition, &select.aliases).await?);
            }
            let mut nested = Vec::with_capacity(select.sub_selections.len());
            for (name, sub) in &select.sub_selections {
                nested.push((name.as_str(), Self::resolve_deferred(sub).await?));
            }
            Ok(Self { select, filter: all_of(nodes), nested })
        })
    }

    /// The select with markers in place of deferred parts.
    pub(super) fn preview(select: &'a GraphqlSelect) -> Self {
        let nodes = select
            .conditions
            .iter()
            .map(|condition| Node::preview(condition, &select.aliases))
            .collect();
        let nested = select
            .sub_selections
            .iter()
            .map(|(name, sub)| (name.as_str(), Self::preview(sub)))
            .collect();
        Self { select, filter: all_of(nodes), nested }
    }
}

fn is_deferred(select: &GraphqlSelect) -> bool {
    select.conditions.iter().any(GraphqlCondition::is_deferred)
        || select.sub_selections.iter().any(|(_, sub)| is_deferred(sub))
}

/// One node for several conditions that must all hold.
fn all_of(mut nodes: Vec<Node<'_>>) -> Option<Node<'_>> {
    if nodes.len() > 1 { Some(Node::And(nodes)) } else { nodes.pop() }
}
