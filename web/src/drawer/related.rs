//! Related objects of the open object, as a list or as a picture, and the events of it and of what it owns.

mod entry;
mod list;
mod picture;
mod placement;
mod recent;
mod sizes;
mod words;

pub(crate) use entry::condition;

use kube_objects::{Link, map_id};
use leptos::prelude::*;

use super::opened::Opened;
use super::summary::{Reading, Unread};
use crate::route::{Route, Screen};
use crate::{focus, preference};
use entry::entries;
use list::{List, ListProps};
use picture::{Picture, PictureProps};
use recent::Recent;

const STORED_AS: &str = "kube-informer.related";

/// Form in which the related objects are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    List,
    Picture,
}

impl Form {
    const ALL: [Self; 2] = [Self::List, Self::Picture];

    /// Its name in the browser's storage.
    fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Picture => "picture",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::List => "List",
            Self::Picture => "Picture",
        }
    }

    /// The stored choice.
    fn stored() -> Self {
        let name = preference::stored(STORED_AS);
        Self::ALL.into_iter().find(|form| name.as_deref() == Some(form.name())).unwrap_or(Self::List)
    }
}

/// The related objects.
#[component]
pub(super) fn Related(opened: Opened) -> impl IntoView {
    let derived = opened.derived;
    derived.related.open_relations();
    let (entries, form) = (entries(opened), RwSignal::new(Form::stored()));
    let nothing = move || {
        let text = if derived.object.with(Option::is_none) {
            opened.absence()
        } else if entries.with(Vec::is_empty) && derived.loading_and_failed().0.is_empty() {
            "No related objects were found."
        } else {
            return None;
        };
        Some(view! { <p class="hint">{text}</p> })
    };
    // The node of many objects leads to them in the list, without storing a choice.
    let list = Callback::new(move |relation: &'static str| {
        form.set(Form::List);
        request_animation_frame(move || {
            focus::to(&format!(".drawer [data-relation=\"{relation}\"] h3"));
        });
    });
    let shown = move || match form.get() {
        Form::List => List(ListProps { opened, entries }).into_any(),
        Form::Picture => Picture(PictureProps { opened, entries, list }).into_any(),
    };
    view! {
        <div class="summary">
            {move || {
                let around = derived.object.with(|object| object.as_deref().map(|object| map_id(&Link::of(object))))?;
                let namespace =
                    derived.object.with(|object| object.as_deref().map(|object| Link::of(object).namespace));
                let route = Route { screen: Screen::Map, namespaces: namespace.filter(|name| !name.is_empty()), around, ..Route::default() };
                Some(view! { <a class="map-link" href=route.to_hash()>{"Map around this object"}</a> })
            }}
            <Switch form=form />
            {nothing} <Unread opened=opened /> {shown} <Recent opened=opened />
            <Reading opened=opened />
        </div>
    }
}

/// The choice between both forms.
#[component]
fn Switch(form: RwSignal<Form>) -> impl IntoView {
    let button = |choice: Form| {
        let choose = move |_| {
            form.set(choice);
            preference::store(STORED_AS, Some(choice.name()));
        };
        view! {
            <button
                class="button"
                type="button"
                aria-pressed=move || if form.get() == choice { "true" } else { "false" }
                on:click=choose
            >
                {choice.label()}
            </button>
        }
    };
    view! {
        <div class="related-forms" role="group" aria-label="Show related objects as">
            {Form::ALL.map(button).into_iter().collect_view()}
        </div>
    }
}
