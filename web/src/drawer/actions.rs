//! Actions of the open object: the menu in the drawer's header, and the dialog of the chosen action.

mod confirm;
mod delete;
mod labels;
mod part;
mod roll_back;
mod run;
mod scale;

use std::collections::HashMap;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::opened::Opened;
use crate::actions::table::{Action, Item, Right, items};
use crate::client::requests;
use crate::roving::{Axis, Roving};
use crate::visible::visible;
use crate::{focus, layers};
use run::{object, target};

/// What is known of a right. Without an answer the server decides when the request is made.
#[derive(Clone, Debug, PartialEq)]
enum Permission {
    Allowed,
    /// With the reason.
    Denied(String),
}

/// The button, the menu, and the open dialog.
#[component]
pub(super) fn Actions(opened: Opened) -> impl IntoView {
    let open = RwSignal::new(false);
    let chosen = RwSignal::new(None::<Action>);
    let rights = RwSignal::new(HashMap::<Action, Permission>::new());
    layers::follow(open, ".actions");
    let offered = Memo::new(move |_| {
        if open.get() {
            items(&opened.resource(), &opened.followed.json.with(|json| object(json.as_deref())))
        } else {
            Vec::new()
        }
    });
    let show = move || {
        open.set(true);
        for item in offered.get_untracked() {
            ask(opened, item, rights);
        }
        request_animation_frame(|| {
            focus::to(".actions [role=menuitem]");
        });
    };
    let choose = move |item: Item| {
        if matches!(rights.with_untracked(|rights| rights.get(&item.action).cloned()), Some(Permission::Denied(_))) {
            return;
        }
        open.set(false);
        // The focus is back on the button first: it returns there when the dialog closes.
        request_animation_frame(move || {
            chosen.try_set(Some(item.action));
        });
    };
    on_shortcut(show);
    let menu = NodeRef::<Div>::new();
    let roving = Roving::new(menu, "[role=menuitem]", Axis::Vertical);
    let on_key = move |event: KeyboardEvent| {
        let item = offered.with_untracked(|items| items.iter().find(|item| item.key == event.key()).copied());
        if let Some(item) = item.filter(|_| !event.ctrl_key() && !event.meta_key() && !event.alt_key()) {
            event.prevent_default();
            event.stop_propagation();
            return choose(item);
        }
        roving.on_key(&event);
    };
    let button = move |item: Item| {
        let reason = move || match rights.with(|rights| rights.get(&item.action).cloned()) {
            Some(Permission::Denied(reason)) => Some(reason),
            _ => None,
        };
        view! {
            <button
                type="button"
                role="menuitem"
                data-action=format!("{:?}", item.action)
                class:danger=item.action == Action::Delete
                aria-disabled=move || reason().map(|_| "true")
                on:click=move |_| choose(item)
            >
                <span>{item.label}</span>
                <kbd aria-hidden="true">{item.key}</kbd>
                {move || reason().map(|reason| view! { <small>{visible(&reason).into_owned()}</small> })}
            </button>
        }
    };
    let gone = opened.followed.deleted;
    view! {
        <div class="actions">
            <button
                class="button"
                type="button"
                aria-haspopup="menu"
                aria-expanded=move || if open.get() { "true" } else { "false" }
                title="Actions (a)"
                disabled=move || gone.get()
                on:click=move |_| if open.get_untracked() { open.set(false) } else { show() }
            >
                {"Actions"}
                <span aria-hidden="true">{" ▾"}</span>
            </button>
            <div
                class="menu"
                role="menu"
                aria-label="Actions"
                hidden=move || !open.get()
                node_ref=menu
                on:keydown=on_key
                on:focusin=move |event| roving.on_focus(&event)
            >
                <For each=move || offered.get() key=|item| item.action children=button />
            </div>
        </div>
        {move || chosen.get().map(|action| untrack(|| dialog_of(opened, action, chosen)))}
    }
}

/// Calls `show` for the key `a`, outside boxes and dialogs.
fn on_shortcut(show: impl Fn() + 'static) {
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let is_modified = event.ctrl_key() || event.meta_key() || event.alt_key();
        if event.key() != "a"
            || event.default_prevented()
            || is_modified
            || focus::is_typing()
            || focus::is_in("dialog")
        {
            return;
        }
        event.prevent_default();
        show();
    });
    on_cleanup(move || by_key.remove());
}

/// The open object, as the package's client names it.
pub(super) fn reference(opened: Opened) -> Value {
    target(opened).reference()
}

/// Asks whether the user has the right for an action. The package caches the answer.
fn ask(opened: Opened, item: Item, rights: RwSignal<HashMap<Action, Permission>>) {
    let Right { verb, resource, subresource, named } = item.right;
    let target = target(opened);
    let resource = resource.map_or(target.resource, str::to_owned);
    let mut options = serde_json::Map::new();
    options.extend(target.namespace.map(|namespace| ("namespace".to_owned(), Value::from(namespace))));
    options.extend(named.then(|| ("name".to_owned(), target.name.into())));
    options.extend(subresource.map(|subresource| ("subresource".to_owned(), subresource.into())));
    let what = subresource.map_or_else(|| resource.clone(), |subresource| format!("{resource}/{subresource}"));
    let factory = opened.cluster.factory();
    spawn_local(async move {
        let answer = requests::call(&factory, "access", &[verb.into(), resource.into(), options.into()]).await;
        let permission = match answer {
            Ok(answer) if answer["allowed"] == false => {
                let reason = answer["reason"].as_str().unwrap_or_default();
                let sentence = format!("You may not {verb} {what}.");
                Permission::Denied(if reason.is_empty() { sentence } else { format!("{sentence} {reason}") })
            }
            Err(failure) if failure.code == "forbidden" && failure.reason.is_empty() => {
                Permission::Denied("Read only: the proxy rejects writes (READONLY=1).".to_owned())
            }
            _ => Permission::Allowed,
        };
        rights.try_update(|rights| rights.insert(item.action, permission));
    });
}

fn dialog_of(opened: Opened, action: Action, chosen: RwSignal<Option<Action>>) -> AnyView {
    let close = Callback::new(move |()| {
        chosen.try_set(None);
    });
    match action {
        Action::Edit => part::edit(opened, close).into_any(),
        Action::Drain => part::drain(opened, close).into_any(),
        Action::Delete => delete::delete(opened, close).into_any(),
        Action::Scale => scale::scale(opened, close).into_any(),
        Action::RollBack => roll_back::roll_back(opened, close).into_any(),
        Action::Labels => labels::labels(opened, close).into_any(),
        other => confirm::confirm(opened, other, close).into_any(),
    }
}
