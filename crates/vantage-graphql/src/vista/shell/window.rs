//! Parts of a listing.

use ciborium::Value as Cbor;
use vantage_core::{Result, error};
use vantage_dataset::traits::ReadableValueSet;
use vantage_table::{column::core::Column, pagination::Pagination, sorting::OrderBy, table::Table};
use vantage_types::EmptyEntity;
use vantage_vista::Page;

use super::cbor;
use crate::{
    api::GraphqlApi,
    operation::order_key,
    source::{Cursor, Read},
};

/// The largest value GraphQL's `Int` holds.
const MAX_INT: usize = 2_147_483_647;

/// Rows `[offset, offset + limit)` of `table`.
pub(super) async fn fetch(
    table: &Table<GraphqlApi, EmptyEntity>,
    offset: usize,
    limit: usize,
) -> Result<Page> {
    let api = table.data_source();
    if limit == 0 {
        return Ok(Page::new(Vec::new()));
    }
    if api.can_page() {
        return page(table, offset, limit).await;
    }
    if api.settings().connection.is_some() && offset == 0 {
        let (page, _) = follow(table, None, limit).await?;
        return Ok(page);
    }
    let rows = table.list_values().await?;
    Ok(Page::from_listing(
        rows.into_iter().map(|(id, row)| (id, cbor(row))).collect::<Vec<_>>(),
        offset,
        limit,
    ))
}

/// A window the server cuts, in an order that makes windows fit together.
async fn page(table: &Table<GraphqlApi, EmptyEntity>, offset: usize, limit: usize) -> Result<Page> {
    if offset > MAX_INT {
        return Err(error!("GraphQL offset does not fit an Int", offset = offset));
    }
    let mut window = table.clone();
    let size = |rows: usize| i64::try_from(rows.min(MAX_INT)).unwrap_or(i64::MAX);
    window.set_pagination(Some(Pagination::window(size(offset), size(limit))));
    let id = table.id_field().map(Column::name).filter(|name| !name.contains('.'));
    if let Some(id) = id
        && table.data_source().can_order()
        && table.orders().next().is_none()
    {
        window.add_order(OrderBy::ascending(order_key(id)));
    }
    let rows = window.list_values().await?;
    Ok(Page::new(rows.into_iter().map(|(id, row)| (id, cbor(row))).collect()))
}

/// Up to `limit` rows after `token`, and where to go on.
pub(super) async fn follow(
    table: &Table<GraphqlApi, EmptyEntity>,
    token: Option<Cbor>,
    limit: usize,
) -> Result<(Page, Option<Cbor>)> {
    table.check_read().await?;
    if limit == 0 {
        return Ok((Page::new(Vec::new()), token));
    }
    let start = match token {
        None => Cursor::start(),
        Some(Cbor::Text(after)) => Cursor::after(after),
        Some(_) => {
            return Err(error!("GraphQL cursor is not one this driver gave").mark_incorrect_usage());
        }
    };
    let read = Read::of(table);
    let (rows, end) = start.read_rows(&read, limit).await?;
    let mut page = Vec::with_capacity(rows.len());
    for (id, mut row) in rows {
        table.apply_lazy_expressions(&mut row).await?;
        page.push((id, cbor(row)));
    }
    let next = end.token().map(|after| Cbor::Text(after.to_owned()));
    Ok((Page::new(page), next))
}
