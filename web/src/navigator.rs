//! The route as signals: reads the address, writes it, and follows back and forward.

use informer::GroupVersionResource;
use informer_engine::OrderBy;
use leptos::ev;
use leptos::prelude::*;

use crate::positions;
use crate::route::{Route, Screen};

/// Current route of the page. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Navigator {
    route: RwSignal<Route>,
    note: RwSignal<Option<String>>,
    /// The shown screen: the table or another one.
    pub(crate) screen: Memo<Screen>,
    /// The kind in the table.
    pub(crate) resource: Memo<GroupVersionResource>,
    /// Names of namespaces, as `namespaces.rs` reads them; none for all.
    pub(crate) namespaces: Memo<Option<String>>,
    /// Filter of the rows.
    pub(crate) filter: Memo<String>,
    /// The order of the rows.
    pub(crate) sort: Memo<Vec<OrderBy>>,
    /// Layout of the columns, as text.
    pub(crate) columns: Memo<String>,
    /// Object whose surroundings the map shows.
    pub(crate) around: Memo<String>,
    /// Key of the object in the drawer.
    pub(crate) object: Memo<Option<String>>,
    /// Name of the drawer's tab.
    pub(crate) tab: Memo<Option<String>>,
    /// Whether the object takes the whole page.
    pub(crate) full: Memo<bool>,
}

impl Navigator {
    /// Starts from the page's address.
    pub(crate) fn new() -> Self {
        positions::start(entry(), js_sys::Date::now());
        let route = RwSignal::new(Route::default());
        let navigator = Self {
            route,
            note: RwSignal::new(None),
            screen: Memo::new(move |_| route.with(|route| route.screen)),
            resource: Memo::new(move |_| route.with(|route| route.resource.clone())),
            namespaces: Memo::new(move |_| route.with(|route| route.namespaces.clone())),
            filter: Memo::new(move |_| route.with(|route| route.filter.clone())),
            sort: Memo::new(move |_| route.with(|route| route.sort.clone())),
            columns: Memo::new(move |_| route.with(|route| route.columns.clone())),
            around: Memo::new(move |_| route.with(|route| route.around.clone())),
            object: Memo::new(move |_| route.with(|route| route.object.clone())),
            tab: Memo::new(move |_| route.with(|route| route.tab.clone())),
            full: Memo::new(move |_| route.with(|route| route.full)),
        };
        navigator.read();
        let follow = window_event_listener(ev::hashchange, move |_| navigator.read());
        let back = window_event_listener(ev::popstate, move |_| navigator.read());
        on_cleanup(move || {
            follow.remove();
            back.remove();
        });
        navigator
    }

    /// Error of the initial address.
    pub(crate) fn note(self) -> RwSignal<Option<String>> {
        self.note
    }

    /// Column that the rows are grouped by; empty without groups. Tracked.
    pub(crate) fn group(self) -> String {
        self.route.with(|route| route.group.clone())
    }

    /// Goes to another route, as a history entry that Back leaves.
    pub(crate) fn go(self, change: impl FnOnce(&mut Route)) {
        self.change(change, true);
    }

    /// Changes the route without a new history entry: for each letter of a filter.
    pub(crate) fn amend(self, change: impl FnOnce(&mut Route)) {
        self.change(change, false);
    }

    /// The hash of a changed route; for links.
    pub(crate) fn hash_with(self, change: impl FnOnce(&mut Route)) -> String {
        let mut route = self.route.get();
        change(&mut route);
        route.settle();
        route.to_hash()
    }

    fn change(self, change: impl FnOnce(&mut Route), step: bool) {
        let before = self.route.get_untracked();
        let mut route = before.clone();
        change(&mut route);
        route.settle();
        if route == before {
            return;
        }
        // A filter that is typed on another screen leads to the table.
        let step = step || route.screen != before.screen;
        let hash = route.to_hash();
        if let Ok(history) = window().history() {
            // Browsers reject it only if a page writes its history hundreds of times a second. The screen is correct
            // even then.
            let entry =
                positions::with(|positions| if step { positions.push_entry() } else { positions.replace_entry() });
            let (entry, hash) = (entry.into(), Some(hash.as_str()));
            let _ = if step {
                history.push_state_with_url(&entry, "", hash)
            } else {
                history.replace_state_with_url(&entry, "", hash)
            };
        }
        self.note.set(None);
        self.route.set(route);
    }

    fn read(self) {
        let before = entry();
        let now = positions::with(|positions| positions.traverse_to(before));
        if let Some((now, history)) = now.zip(window().history().ok()).filter(|_| before.is_none()) {
            // As in `change`.
            let _ = history.replace_state_with_url(&now.into(), "", None);
        }
        let hash = window().location().hash().unwrap_or_default();
        match Route::parse(&hash) {
            Ok(route) => {
                if self.route.with_untracked(|current| *current != route) {
                    self.route.set(route);
                }
            }
            Err(message) => {
                self.note
                    .set(Some(format!("The address of this page is invalid: {message}. The page shows pods instead.")));
                self.route.set(Route::default());
            }
        }
    }
}

/// The id of the current entry of the history, if the page gave it one.
fn entry() -> Option<f64> {
    window().history().ok()?.state().ok()?.as_f64()
}
