//! Option of the list of namespaces, by mouse: a press chooses it, one on its mark or with Ctrl adds it to the choice.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::items::Item;
use super::{List, remove};
use crate::focus;
use crate::namespace::ALL;
use crate::namespaces::short;
use crate::visible::visible;

/// The option at an index of the list.
pub(super) fn option(
    at: usize,
    item: Item,
    list: List,
    is_chosen: impl Fn(&Item) -> bool + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let (label, note) = match &item {
        Item::Set(name, text) => (visible(name).into_owned(), short(text)),
        Item::All => (ALL.to_owned(), String::new()),
        Item::Name(name) => (visible(name).into_owned(), String::new()),
        Item::Save => ("Save these as a set…".to_owned(), String::new()),
    };
    let is_save = item == Item::Save;
    let set = match &item {
        Item::Set(name, _) => Some(name.clone()),
        _ => None,
    };
    // The choice removes the list before the list receives the event.
    let press = {
        let (item, set) = (item.clone(), set.clone());
        move |event: MouseEvent| {
            focus::keep_in_box(&event);
            if event.button() != 0 {
                return;
            }
            match &set {
                Some(name) if focus::is_target_in(event.target(), ".remove") => remove(name),
                _ if event.ctrl_key() || event.meta_key() || focus::is_target_in(event.target(), ".check") => {
                    list.toggle(&item);
                }
                _ => list.choose(&item),
            }
        }
    };
    view! {
        <li
            id=format!("namespace-{at}")
            role="option"
            class:active=move || list.active.get() == at
            class:save=is_save
            aria-selected=move || if is_chosen(&item) { "true" } else { "false" }
            title=set.as_ref().map(|_| "A saved set of namespaces; Delete removes it")
            on:mousedown=press
        >
            {(!is_save).then(|| view! { <span class={"check"} aria-hidden="true"></span> })}
            <span class="name">{label}</span>
            {(!note.is_empty()).then(|| view! { " " <small>{note}</small> })}
            {set.as_ref().map(|_| view! { <span class="remove" aria-hidden="true" title="Remove the set (Delete)">{"✕"}</span> })}
        </li>
    }
}
