//! Kubernetes Events as entries, from a view of the newest ones.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use informer_engine::OrderBy;
use informer_engine::columns::Cell;
use leptos::prelude::*;

use super::entries::{Entry, EntryKind};
use crate::loading::PageState;
use crate::namespaces::names;
use crate::rows::{Row, Rows};
use crate::scoped_informer::ScopedInformer;
use crate::view::{LastRows, Query};

/// Maximum number of Events that are shown.
const MAX_EVENTS: usize = 200;

/// Follows the newest Events of the chosen namespaces while they are needed, until the owner is cleaned up.
pub(super) fn follow(page: PageState, is_needed: Memo<bool>) -> RwSignal<Arc<Vec<Arc<Entry>>>> {
    let chosen = page.navigator.namespaces;
    let ScopedInformer { informer, scope, .. } =
        ScopedInformer::open_while(page.cluster, "v1/events", "", chosen, is_needed);
    let entries = RwSignal::new(Arc::<Vec<Arc<Entry>>>::default());
    let current = StoredValue::new_local(None);
    Effect::new(move || {
        current.set_value(None);
        entries.set(Arc::default());
        let view_namespaces =
            chosen.get().filter(|_| scope.with(|scope| scope.namespace.is_none())).unwrap_or_default();
        let query = Query {
            order_by: vec![OrderBy::ascending("Last Seen")],
            namespaces: names(&view_namespaces).map(str::to_owned).collect(),
            ..Query::default()
        };
        let known = RefCell::new((LastRows::default(), Rows::default()));
        let view = informer.get().and_then(|informer| {
            informer.view(&query, MAX_EVENTS, move |view| {
                let (last_rows, known) = &mut *known.borrow_mut();
                let columns: Vec<String> = view.columns().iter().map(|header| header.name()).collect();
                let (totals, window, changed) = last_rows.update(&view.snapshot());
                known.patch(totals, &window, changed);
                let rows = (0..totals.total.min(MAX_EVENTS)).filter_map(|at| known.get(at).cloned());
                entries.try_set(Arc::new(rows.filter_map(|row| entry(&row, &columns)).map(Arc::new).collect()));
            })
        });
        current.set_value(view);
    });
    on_cleanup(move || drop(current.try_update_value(Option::take)));
    entries
}

/// The entry of an Event; none without a time.
fn entry(row: &Row, columns: &[String]) -> Option<Entry> {
    let cell = |name: &str| columns.iter().position(|column| column == name).and_then(|at| row.cells.get(at));
    let text = |name: &str| match cell(name) {
        Some(Cell::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let Some(Cell::Time(time)) = cell("Last Seen") else { return None };
    // An Event that repeats has another time: it is another entry.
    let mut id = DefaultHasher::new();
    (&row.key, time.to_bits()).hash(&mut id);
    Some(Entry {
        id: (0, id.finish()),
        time: Some(*time),
        resource: "v1/events".to_owned(),
        key: row.key.clone(),
        name: text("Object"),
        kind: EntryKind::Event { is_warning: text("Type") == "Warning" },
        line: format!("{}: {}", text("Reason"), text("Message")),
        uid: String::new(),
        fields: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_reason_and_its_object() {
        let columns = ["Last Seen", "Type", "Reason", "Object", "Message"].map(str::to_owned);
        let texts = ["Warning", "BackOff", "pod/web-0", "failed"].map(|text| Cell::Text(text.to_owned()));
        let cells: Vec<Cell> = [Cell::Time(5.0)].into_iter().chain(texts).collect();
        let row = |cells| Row { index: 0, key: "shop/web-0.1".to_owned(), gone: false, cells };
        let shown_entry = entry(&row(cells.clone()), &columns).expect("a time");
        assert_eq!(
            (shown_entry.time, shown_entry.name.as_str(), shown_entry.line.as_str()),
            (Some(5.0), "pod/web-0", "BackOff: failed")
        );
        assert_eq!(shown_entry.kind, EntryKind::Event { is_warning: true });
        let mut later = cells;
        later[0] = Cell::Time(6.0);
        assert_ne!(entry(&row(later), &columns).expect("a time").id, shown_entry.id);
        assert_eq!(entry(&row(Vec::new()), &columns), None);
    }
}
