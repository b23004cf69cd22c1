//! Links to other objects, and text and moments of the cluster.

use std::cell::Cell;

use informer::GroupVersionResource;
use kube_objects::Link;
use leptos::prelude::*;

use super::opened::Opened;
use crate::age::age;
use crate::discovery::resource_of;
use crate::namespaces;
use crate::route::Route;
use crate::visible::{Part, parts};

thread_local! {
    /// Whether the next object is opened by a link of the drawer, or by a command that opens its panel.
    static FOLLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Marks the next object as opened by a link, or by a command that opens its panel.
pub(crate) fn follow() {
    FOLLOWED.set(true);
}

/// Returns and clears the mark of [`follow`].
pub(super) fn take_followed() -> bool {
    FOLLOWED.take()
}

/// Target of a link.
#[derive(Clone, PartialEq)]
struct Target {
    resource: GroupVersionResource,
    key: String,
}

impl Target {
    fn of(opened: Opened, link: &Link) -> Option<Self> {
        opened.resources.with(|resources| {
            let info = resource_of(resources, &link.group, &link.kind)?;
            let namespace = if info.namespaced { link.namespace.clone() } else { String::new() };
            let key = if namespace.is_empty() { link.name.clone() } else { format!("{namespace}/{}", link.name) };
            Some(Self { resource: info.gvr(), key })
        })
    }
}

/// Opens an object by its key. The table shows its kind, in the chosen namespaces if they contain it, otherwise in its own.
pub(crate) fn to_object(route: &mut Route, resource: &GroupVersionResource, key: &str) {
    if route.resource != *resource {
        let (namespaces, around) = (route.namespaces.take(), std::mem::take(&mut route.around));
        // The map stays beside the object; `settle` replaces other screens.
        let (screen, full) = (route.screen, route.full);
        *route = Route { screen, resource: resource.clone(), namespaces, around, full, ..Route::default() };
    }
    if let Some((namespace, _)) = key.split_once('/')
        && !namespaces::has(route.namespaces.as_deref(), namespace)
    {
        route.namespaces = Some(namespace.to_owned());
    }
    (route.object, route.tab) = (Some(key.to_owned()), None);
}

/// A link to another object; plain text while discovery does not list its kind.
pub(super) fn link(opened: Opened, to: &Link, label: &str) -> impl IntoView + use<> {
    let (to, label) = (to.clone(), label.to_owned());
    let target = Memo::new(move |_| Target::of(opened, &to));
    move || match target.get() {
        Some(target) => {
            let href = move || opened.navigator.hash_with(|route| to_object(route, &target.resource, &target.key));
            view! {
                <a class="to" href=href on:click=|_| follow()>
                    {text(&label)}
                </a>
            }
            .into_any()
        }
        None => view! { <span class="to">{text(&label)}</span> }.into_any(),
    }
}

/// Text of the cluster, with escapes for hidden characters.
pub(super) fn text(text: &str) -> impl IntoView + use<> {
    parts(text)
        .into_iter()
        .map(|part| match part {
            Part::Plain(text) => text.to_owned().into_any(),
            Part::Escape(escape) => view! { <span class="escape">{escape}</span> }.into_any(),
        })
        .collect_view()
}

/// A time as an age; the full time is the title.
pub(super) fn moment(opened: Opened, at: f64) -> impl IntoView + use<> {
    let date = js_sys::Date::new(&at.into());
    let valid = at.abs() <= 8.64e15;
    let (full, iso) = if valid {
        (String::from(date.to_string()), String::from(date.to_iso_string()))
    } else {
        (String::new(), String::new())
    };
    let ago = move || {
        let now = opened.now.get();
        if at - now < 2_000.0 { format!("{} ago", age(now.max(at), at)) } else { format!("in {}", age(at, now)) }
    };
    view! { <time datetime=iso title=full>{ago}</time> }
}
