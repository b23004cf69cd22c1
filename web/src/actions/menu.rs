//! Menu of actions: a button, and the actions on one object or several.

use std::rc::Rc;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;

use super::commands::{self, Commands};
use super::key_command;
use super::permission::{self, Permissions};
use super::subject::{Subject, Subjects};
use super::table::{Action, Item, items};
use crate::keys::is_modified;
use crate::layers;
use crate::roving::{Axis, Roving};
use crate::visible::visible;

/// Entry of the menu: an action, and the objects that it applies to.
struct Entry {
    item: Item,
    list: Vec<Subject>,
}

/// The button, the menu, and the dialog of the chosen action.
#[component]
pub(crate) fn Menu(
    /// Whether the menu is open.
    open: RwSignal<bool>,
    /// CSS selector of the menu with its button.
    area: &'static str,
    /// The objects, as they are when the menu opens.
    subjects: Subjects,
    #[prop(into)] disabled: Signal<bool>,
    /// Keys of the marked rows, if the menu is for them.
    #[prop(optional)]
    marked: Option<RwSignal<Vec<String>>>,
) -> impl IntoView {
    let chosen = RwSignal::new(None::<Action>);
    let permissions = Permissions::new();
    let entries = StoredValue::new_local(Vec::<Entry>::new());
    let chosen_subjects = StoredValue::new_local(None::<Vec<Subject>>);
    let offered = RwSignal::new(Vec::<(Item, Option<String>)>::new());
    let menu = NodeRef::<Div>::new();
    let listed = RwSignal::new(false);
    layers::register(open, area);
    let choose = move |action: Action| {
        if permissions.reason(action).is_some() {
            return;
        }
        // The dialog keeps its objects when the marks change. The menu's other objects are no longer followed.
        let list_of = |entries: Vec<Entry>| Some(entries.into_iter().find(|entry| entry.item.action == action)?.list);
        chosen_subjects.set_value(entries.try_update_value(std::mem::take).and_then(list_of));
        open.set(false);
        // The focus is back on the button first: it returns there when the dialog closes.
        request_animation_frame(move || {
            chosen.try_set(Some(action));
        });
    };
    let choice = StoredValue::new_local(Rc::new(choose) as commands::Choose);
    let (is_for_marks, requested) = (marked.is_some(), RwSignal::new(None));
    let state = Commands {
        subjects,
        disabled,
        listed,
        offered,
        permissions,
        is_for_marks,
        open,
        area,
        requested,
        choose: choice,
    };
    list_actions(state, entries, marked, menu);
    commands::register(state);
    key_command::follow(state);
    let is_loaded = move || subjects.with(|list| list.iter().all(Subject::is_loaded));
    let roving = Roving::new(menu, "[role=menuitem]", Axis::Vertical);
    let on_key = move |event: KeyboardEvent| {
        let key = event.key();
        let item = offered.with_untracked(|items| items.iter().map(|(item, _)| *item).find(|item| item.key == key));
        if let Some(item) = item.filter(|_| !is_modified(&event)) {
            event.prevent_default();
            event.stop_propagation();
            return choose(item.action);
        }
        roving.on_key(&event);
    };
    let dialog = move |action| {
        let list = chosen_subjects.try_update_value(Option::take).flatten()?;
        let close = Callback::new(move |()| {
            chosen.try_set(None);
        });
        Some(super::dialog_of(subjects.with_list(list), action, close))
    };
    view! {
        <div class="actions">
            <button
                class="button"
                type="button"
                aria-haspopup="menu"
                aria-expanded=move || if open.get() { "true" } else { "false" }
                title="Actions (a)"
                disabled=move || disabled.get()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {"Actions"}
                <span aria-hidden="true">{" ▾"}</span>
            </button>
            <div
                class="menu"
                role="menu"
                aria-label="Actions"
                hidden=move || !open.get()
                class:pending=move || requested.with(Option::is_some)
                node_ref=menu
                on:keydown=on_key
                on:focusin=move |event| roving.on_focus(&event)
            >
                <Show when=move || open.get() && offered.with(Vec::is_empty)>
                    <p class="hint">{move || if is_loaded() { "No action applies to it." } else { "Loading …" }}</p>
                </Show>
                <For each=move || offered.get() key=|(item, part)| (item.action, part.clone()) children=move |(item, part)| button(item, part, permissions, choose) />
            </div>
        </div>
        {move || chosen.get().map(|action| untrack(|| dialog(action)))}
    }
}

/// One action of the menu; `part` is the number of objects that it applies to, if not all.
fn button(
    item: Item,
    part: Option<String>,
    permissions: Permissions,
    choose: impl Fn(Action) + 'static,
) -> impl IntoView {
    let reason = move || permissions.reason(item.action);
    view! {
        <button
            type="button"
            role="menuitem"
            data-action=format!("{:?}", item.action)
            class:danger=item.action == Action::Delete
            aria-disabled=move || reason().map(|_| "true")
            on:click=move |_| choose(item.action)
        >
            <span>{item.label} {part}</span>
            <kbd aria-hidden="true">{item.key}</kbd>
            {move || reason().map(|reason| view! { <small>{visible(&reason).into_owned()}</small> })}
        </button>
    }
}

/// Lists the actions of the subjects while the menu is open, or the palette lists them.
fn list_actions(
    state: Commands,
    entries: StoredValue<Vec<Entry>, LocalStorage>,
    marked: Option<RwSignal<Vec<String>>>,
    menu: NodeRef<Div>,
) {
    let Commands { subjects, listed, offered, permissions, open, .. } = state;
    Effect::new(move || {
        if open.get() || listed.get() {
            // The available actions depend on the objects: the menu waits until all are loaded.
            if !subjects.with(|list| list.iter().all(Subject::is_loaded)) {
                // The object that the menu waits for may be unmarked.
                if let Some(marked) = marked {
                    marked.track();
                }
                return;
            }
            // The discovery data may arrive or change while the menu is open.
            subjects.track_info();
            let found = untrack(|| entries_of(subjects));
            permissions.clear();
            for Entry { item, list } in &found {
                permission::request_permissions(&subjects.cluster.factory(), list, *item, permissions);
            }
            let total = subjects.len();
            let part = |count: usize| (count < total).then(|| format!(" ({count} of {total})"));
            offered.set(found.iter().map(|entry| (entry.item, part(entry.list.len()))).collect());
            entries.set_value(found);
            if open.get_untracked() {
                request_animation_frame(move || focus_first(menu));
            }
        } else {
            offered.set(Vec::new());
            entries.set_value(Vec::new());
        }
    });
}

/// The actions of the subjects, each with the subjects that it applies to.
fn entries_of(subjects: Subjects) -> Vec<Entry> {
    let offered = items(&subjects.resource(), subjects.info().as_ref(), &subjects.objects());
    let entry = |(item, indexes): (Item, Vec<usize>)| {
        let list = subjects.with(|list| indexes.into_iter().filter_map(|at| list.get(at)).cloned().collect());
        Entry { item, list }
    };
    offered.into_iter().map(entry).collect()
}

fn focus_first(menu: NodeRef<Div>) {
    let first =
        menu.try_get_untracked().flatten().and_then(|menu| menu.query_selector("[role=menuitem]").ok().flatten());
    if let Some(first) = first {
        // An item that is hidden again does not take the focus.
        let _ = wasm_bindgen::JsCast::unchecked_into::<web_sys::HtmlElement>(first).focus();
    }
}
