//! Query of the table: what the route selects.

use leptos::prelude::*;

use super::counted::columns_of;
use crate::filter;
use crate::layouts::Layouts;
use crate::namespaces;
use crate::navigator::Navigator;
use crate::sort;
use crate::source::Source;
use crate::view::Query;
use crate::view_state::ViewState;

/// Returns the query of the route, as far as the view is known to support it.
pub(super) fn table_query(navigator: Navigator, source: Source, state: ViewState, layouts: Layouts) -> Query {
    let (order, one_namespace) = (navigator.sort.get(), source.one_namespace.get());
    let custom_columns = layouts.custom_columns();
    let (order_by, counts) = state.columns.with(|columns| {
        // Columns that the user has removed stay in the headers until the next view has rows.
        let (kinds, users) = columns.split_at(columns.len().saturating_sub(state.custom_count.get()));
        let users = users.iter().filter(|header| custom_columns.iter().any(|(name, _)| *name == header.name));
        let columns: Vec<_> = kinds.iter().chain(users).cloned().collect();
        // Until the headers are known, the link's order is used; the engine rejects unknown columns.
        let order = match order.as_slice() {
            [] => navigator.resource.with(sort::usual),
            _ if columns.is_empty() => order,
            order => sort::known(order, &columns),
        };
        (order, columns_of(&columns, columns.len() - kinds.len(), one_namespace))
    });
    let view_namespaces = source.view_namespaces.get().unwrap_or_default();
    let namespaces = namespaces::names(&view_namespaces).map(str::to_owned).collect();
    Query { filter: filter::finished(navigator, state), order_by, counts, namespaces, custom_columns }
}
