//! Rows of a card: a label and a number, each a link to the table with exactly these objects.

use informer::GroupVersionResource;
use informer_engine::OrderBy;
use leptos::prelude::*;

use super::states::State;
use crate::age::thousands;
use crate::list_freeze::ListFreeze;
use crate::route::Route;
use crate::tone::Tone;
use crate::visible::visible;

/// Row of a card.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) tone: Option<Tone>,
    pub(super) number: String,
    /// Amount after the number.
    pub(super) more: Option<String>,
    pub(super) href: Option<String>,
}

impl Entry {
    /// Row of a state of a kind, in the chosen namespaces or in all.
    pub(super) fn new(state: State, resource: &str, namespaces: Option<&String>) -> Self {
        let href = state.filter.and_then(|filter| href(resource, namespaces, filter));
        let State { id, label, tone, count, .. } = state;
        Self { id, label, tone, number: thousands(count), more: None, href }
    }
}

/// Link to the table of a kind.
pub(super) fn href(resource: &str, namespaces: Option<&String>, filter: String) -> Option<String> {
    let sort = if filter == super::counts::WITH_RESTARTS {
        vec![OrderBy { column: "restarts".to_owned(), descending: true }]
    } else {
        Vec::new()
    };
    let resource: GroupVersionResource = resource.parse().ok()?;
    Some(Route { resource, namespaces: namespaces.cloned(), filter, sort, ..Route::default() }.to_hash())
}

/// List of rows. A row keeps its element while its number changes. While the pointer or the focus is in the list, rows
/// keep their places.
pub(super) fn rows(label: &'static str, entries: impl Fn() -> Vec<Entry> + Send + Sync + 'static) -> impl IntoView {
    let freeze = ListFreeze::new();
    let entries = Memo::new(move |before: Option<&Vec<Entry>>| {
        let entries = entries();
        if freeze.is_frozen() { keep_order(before.map_or(&[], Vec::as_slice), entries) } else { entries }
    });
    let shown = move || -> Vec<(String, String)> {
        entries.with(|all| all.iter().map(|entry| (entry.id.clone(), entry.label.clone())).collect())
    };
    view! {
        <ul
            class="rows"
            aria-label=label
            on:pointerenter=move |_| freeze.set_pointer_over(true)
            on:pointerleave=move |_| freeze.set_pointer_over(false)
            on:focusin=move |_| freeze.focus_entered()
            on:focusout=move |event| freeze.focus_left(&event)
        >
            <For each=shown key=|(id, _)| id.clone() children=move |(id, label)| row(id, &label, entries) />
        </ul>
    }
}

/// The previous rows in their order, with their new numbers, then new rows.
fn keep_order(before: &[Entry], mut entries: Vec<Entry>) -> Vec<Entry> {
    let index_before = |entry: &Entry| before.iter().position(|known| known.id == entry.id).unwrap_or(usize::MAX);
    entries.sort_by_key(index_before);
    entries
}

fn row(id: String, label: &str, entries: Memo<Vec<Entry>>) -> impl IntoView + use<> {
    let shown = visible(label).into_owned();
    let entry = Memo::new(move |_| entries.with(|entries| entries.iter().find(|entry| entry.id == id).cloned()));
    let href = move || entry.with(|entry| entry.as_ref()?.href.clone());
    let tone = move || entry.with(|entry| entry.as_ref()?.tone).map(Tone::name);
    let number = move || entry.with(|entry| entry.as_ref().map(|entry| entry.number.clone()));
    let more = move || {
        let more = entry.with(|entry| entry.as_ref()?.more.clone());
        more.map(|more| view! { <span class="more">{more}</span> })
    };
    view! {
        <li>
            // Without an address it is no link, and no tab stop.
            <a href=href data-tone=tone>
                <span class="label" title=shown.clone()>{shown.clone()}</span>
                <span class="number">{number}</span>
                {more}
            </a>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(label: &str, count: u64) -> Entry {
        Entry::new(State::new(label, None, count, String::new()), "v1/pods", None)
    }

    #[test]
    fn frozen_rows_keep_their_positions() {
        let before = [entry("a", 9), entry("b", 8)];
        let after = keep_order(&before, vec![entry("b", 10), entry("c", 9), entry("a", 9)]);
        assert_eq!(after, [entry("a", 9), entry("b", 10), entry("c", 9)]);
    }

    #[test]
    fn a_row_leads_to_the_table_of_its_objects() {
        let state = State::new("Pending", None, 1_234, "status=Pending".to_owned());
        let entry = Entry::new(state, "v1/pods", Some(&"shop".to_owned()));
        assert_eq!(entry.number, "1,234");
        assert_eq!(entry.href.as_deref(), Some("#/v1/pods?namespace=shop&filter=status%3DPending"));
        let restarted = href("v1/pods", None, "restarts>0".to_owned());
        assert_eq!(restarted.as_deref(), Some("#/v1/pods?filter=restarts%3E0&sort=restarts-desc"));
    }
}
