//! List of the namespace chooser: saved sets, all namespaces, and each namespace with a mark, because several can be
//! chosen. Deferred code.
//!
//! The list is a listbox in the words of ARIA, whose box is in `namespace.rs`: the focus stays in the box. Marks apply
//! at once.

mod items;
mod missing;
mod option;

use std::collections::BTreeSet;

use informer::{ErrorCode, InformerStatus};
use informer_engine::OrderBy;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::capture::Capture;
use crate::cluster::{Cluster, Scope};
use crate::focus::{self, is_caret_at_end};
use crate::loading::PageState;
use crate::namespace::choose;
use crate::namespaces::{are_several, names as names_in};
use crate::navigator::Navigator;
use crate::saved::{self, Kind};
use crate::view::Query;
use items::{EnteredChoice, Item, MAX_NAMESPACES, entered_choice, first_active, is_several, items, toggled};
use missing::missing_note;
use option::option;

/// The box that the list belongs to.
const BOX: &str = ".namespace .field";

/// State of the list. Copies share it.
#[derive(Clone, Copy)]
struct List {
    navigator: Navigator,
    /// The typed text, while the list is open.
    typed: RwSignal<Option<String>>,
    items: Memo<Vec<Item>>,
    /// The item that a key has moved to, and the text that it was found for.
    moved_to: RwSignal<Option<(String, Item)>>,
    /// Index of the active item.
    active: Memo<usize>,
    /// Whether a mark has changed since the list was opened: the marks of one opening are one step of the history.
    has_history_entry: StoredValue<bool>,
}

/// The list, shown while the box has a text.
#[component]
pub(crate) fn NamespaceList(page: PageState, typed: RwSignal<Option<String>>) -> impl IntoView {
    let live = LiveNames::open(page.cluster);
    let names = live.names;
    let navigator = page.navigator;
    let items = Memo::new(move |_| {
        let Some(typed) = typed.get() else { return Vec::new() };
        let chosen = navigator.namespaces.get();
        names.with(|names| items(&saved::all(Kind::Set), names, &typed, chosen.as_deref()))
    });
    let moved_to = RwSignal::new(None::<(String, Item)>);
    let active = Memo::new(move |_| {
        let text = typed.get().unwrap_or_default();
        items.with(|items| {
            let moved_to = moved_to.with(|moved_to| {
                let (_, item) = moved_to.as_ref().filter(|(text_then, _)| *text_then == text)?;
                items.iter().position(|known| known == item)
            });
            moved_to
                .unwrap_or_else(|| navigator.namespaces.with(|chosen| first_active(items, &text, chosen.as_deref())))
        })
    });
    let list = List { navigator, typed, items, moved_to, active, has_history_entry: StoredValue::new(false) };
    report(page, live);
    let keys = Capture::listen("keydown", move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && typed.with_untracked(Option::is_some)
            && focus::is_in(BOX)
            && list.on_key(event)
        {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    StoredValue::new_local(keys);
    let open = Memo::new(move |_| typed.with(Option::is_some));
    Effect::new(move || {
        if !open.get() {
            moved_to.set(None);
            list.has_history_entry.set_value(false);
        }
    });
    Effect::new(move || {
        let open = open.get();
        list.describe(open);
        if open {
            // The active item is rendered in the next frame.
            request_animation_frame(reveal);
        }
    });
    move || open.get().then(|| untrack(|| shown(list, live)))
}

fn shown(list: List, live: LiveNames) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        let text = list.navigator.namespaces.get().unwrap_or_default();
        names_in(&text).map(str::to_owned).collect::<BTreeSet<_>>()
    });
    let is_chosen = move |item: &Item| chosen.with(|chosen| item.is_chosen(chosen));
    view! {
        // Chromium lets Tab focus a scrollable list, and the list closes when the box loses the focus.
        <ul
            class="options"
            id="namespaces"
            role="listbox"
            aria-multiselectable="true"
            tabindex="-1"
            aria-label="Namespaces"
            on:mousedown=|press| focus::keep_in_box(&press)
        >
            {move || hint(&live.status.get(), live.names.with(Vec::is_empty))}
            {move || {
                let items = list.items.get().into_iter().enumerate();
                items.map(|(at, item)| option(at, item, list, is_chosen)).collect_view()
            }}
            <li class="hint keys" role="presentation">
                <kbd>{"Space"}</kbd>
                {" marks several, "}
                <kbd>{"Enter"}</kbd>
                {" chooses one"}
            </li>
        </ul>
    }
}

impl List {
    /// Handles a key in the box. Returns whether it is a key of the list.
    fn on_key(self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() {
            return false;
        }
        let count = self.items.with_untracked(Vec::len);
        let at = self.active.get_untracked();
        let item = self.items.with_untracked(|items| items.get(at).cloned());
        let text = self.typed.get_untracked().unwrap_or_default();
        match (event.key().as_str(), item) {
            ("ArrowDown", _) => self.move_to(if at + 1 >= count { 0 } else { at + 1 }),
            ("ArrowUp", _) => self.move_to(at.checked_sub(1).unwrap_or(count.saturating_sub(1))),
            ("Enter", Some(Item::Save)) => self.save(),
            ("Enter", item) => {
                let entered_choice = entered_choice(&text, item.as_ref());
                self.close();
                match entered_choice {
                    EnteredChoice::Nothing => {}
                    EnteredChoice::All => choose(self.navigator, None),
                    EnteredChoice::Namespaces(names) => choose(self.navigator, Some(names)),
                }
            }
            // After a comma a space is typed.
            (" ", _) if is_several(&text) => return false,
            (" ", Some(Item::Save)) => self.save(),
            (" ", Some(item)) => self.toggle(&item),
            (" ", None) => {}
            ("Delete", Some(Item::Set(name, _))) if is_caret_at_end(event) => remove(&name),
            _ => return false,
        }
        true
    }

    fn move_to(self, at: usize) {
        let item = self.items.with_untracked(|items| items.get(at).cloned());
        self.moved_to.set(item.map(|item| (self.typed.get_untracked().unwrap_or_default(), item)));
    }

    fn close(self) {
        self.typed.set(None);
        focus::table();
    }

    /// Shows an item alone.
    fn choose(self, item: &Item) {
        if *item == Item::Save {
            return self.save();
        }
        self.close();
        choose(self.navigator, item.namespaces().map(str::to_owned));
    }

    /// Adds an item to the choice, or removes it. The list stays open, with all items.
    fn toggle(self, item: &Item) {
        if *item == Item::Save {
            return self.save();
        }
        let names = self.navigator.namespaces.with_untracked(|chosen| toggled(chosen.as_deref(), item));
        if self.has_history_entry.try_update_value(|has_history_entry| std::mem::replace(has_history_entry, true))
            == Some(true)
        {
            self.navigator.amend(|route| (route.namespaces, route.object) = (names, None));
        } else {
            choose(self.navigator, names);
        }
        self.typed.set(Some(String::new()));
        self.moved_to.set(Some((String::new(), item.clone())));
    }

    /// Opens the dialog for the name of a set with the chosen namespaces.
    fn save(self) {
        let Some(names) = self.navigator.namespaces.get_untracked() else { return };
        self.close();
        saved::open_save_dialog(Kind::Set, names);
    }

    /// Tells assistive technology about the list: the box is another file's. Tracked.
    fn describe(self, open: bool) {
        let active = self.active.get();
        let Ok(Some(field)) = document().query_selector(BOX) else { return };
        // Fails for an invalid name only.
        let _ = field.set_attribute("aria-expanded", if open { "true" } else { "false" });
        let _ = if open && self.items.with(|items| !items.is_empty()) {
            field.set_attribute("aria-activedescendant", &format!("namespace-{active}"))
        } else {
            field.remove_attribute("aria-activedescendant")
        };
    }
}

fn remove(set: &str) {
    saved::remove(Kind::Set, set);
}

/// Scrolls the active item into view.
fn reveal() {
    if let Ok(Some(active)) = document().query_selector("#namespaces .active") {
        let nearest = web_sys::ScrollIntoViewOptions::new();
        nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
        active.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}

fn hint(status: &InformerStatus, empty: bool) -> Option<impl IntoView + use<>> {
    let error = status.last_error.as_ref()?;
    let text = match error.code {
        ErrorCode::Forbidden | ErrorCode::Unauthorized if empty => {
            "You are not allowed to list namespaces. Type a name, or several with commas, and press Enter."
        }
        _ if empty => "Cannot list namespaces. Type a name and press Enter.",
        _ => return None,
    };
    Some(view! { <li class="hint" role="presentation">{text}</li> })
}

/// Reports which of several chosen namespaces are missing in the table.
fn report(page: PageState, live: LiveNames) {
    let PageState { navigator, source, .. } = page;
    Effect::new(move || {
        let chosen = navigator.namespaces.get().filter(|text| source.namespaced.get() && are_several(Some(text)));
        let are_known =
            live.are_complete.get() && live.status.with(|status| status.has_synced && status.last_error.is_none());
        let note = chosen.and_then(|chosen| {
            let label = source.label.get();
            live.names.with(|names| {
                let known = Some(names.as_slice()).filter(|_| are_known);
                source.status.with(|status| missing_note(&chosen, known, &status.namespaces, &label))
            })
        });
        if source.missing_note.with_untracked(|known| *known != note) {
            source.missing_note.set(note);
        }
    });
}

/// Names of the namespaces, updated by an informer of their own while the page is open. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct LiveNames {
    /// Sorted; the first [`MAX_NAMESPACES`].
    pub(crate) names: RwSignal<Vec<String>>,
    /// Whether `names` has all of them. The informer has synced before its view has the names.
    are_complete: RwSignal<bool>,
    status: RwSignal<InformerStatus>,
}

impl LiveNames {
    /// Opens the informer and its view, until the owner is cleaned up.
    pub(crate) fn open(cluster: Cluster) -> Self {
        let (names, are_complete) = (RwSignal::new(Vec::new()), RwSignal::new(false));
        let status = RwSignal::new(InformerStatus::default());
        let informer = cluster.informer("v1/namespaces", &Scope::default(), move |new| status.set(new));
        let query = Query { order_by: vec![OrderBy::ascending("Name")], ..Query::default() };
        let view = informer.view(&query, MAX_NAMESPACES, move |view| {
            let snapshot = view.snapshot();
            let sorted: Vec<String> = snapshot.rows().iter().map(|row| row.key()).collect();
            let has_all = snapshot.has_synced() && sorted.len() < MAX_NAMESPACES;
            // Namespaces change without a change of names.
            if names.with_untracked(|known| *known != sorted) {
                names.set(sorted);
            }
            if are_complete.get_untracked() != has_all {
                are_complete.set(has_all);
            }
        });
        StoredValue::new_local((informer, view));
        Self { names, are_complete, status }
    }
}
