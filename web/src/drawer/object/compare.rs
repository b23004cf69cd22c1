//! Comparison of the open object: with an earlier state of itself, or with another object of its kind.

use js_sys::Date;
use leptos::html::Div;
use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use super::super::opened::Opened;
use crate::cluster::settle;
use crate::parts::Part;
use crate::visible::visible;
use crate::yaml::{self, Printing, Yaml};

/// Maximum number of names that are suggested.
const SUGGESTED: usize = 500;

/// Other side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// Its state with this number.
    State(u32),
    /// Another object, which is chosen by its name.
    Object,
}

/// List of states and objects to compare with.
#[component]
pub(super) fn Choice(opened: Opened, against: RwSignal<Option<Against>>) -> impl IntoView {
    let choose = move |event| {
        against.set(match &*event_target_value(&event) {
            "" => None,
            "object" => Some(Against::Object),
            number => number.parse().ok().map(Against::State),
        });
    };
    let states = move || {
        opened.history.with(|states| {
            let state = |number: u32, at: f64| {
                let label = if number == 0 { format!("As opened, {}", clock(at)) } else { clock(at) };
                let is_chosen = move || against.with(|against| *against == Some(Against::State(number)));
                view! { <option value=number.to_string() prop:selected=is_chosen>{label}</option> }
            };
            states.earlier().map(|earlier| state(earlier.number, earlier.at)).collect_view()
        })
    };
    view! {
        <select class="field" aria-label="Compare with" title="Compare with" on:change=choose>
            <option value="" prop:selected=move || against.with(Option::is_none)>{"Compare …"}</option>
            <option value="object" prop:selected=move || against.with(|against| *against == Some(Against::Object))>
                {"Another object …"}
            </option>
            {states}
        </select>
    }
}

/// The comparison with a state or with another object.
#[component]
pub(super) fn Comparison(opened: Opened, against: Against, leave: Callback<()>) -> impl IntoView {
    let other = RwSignal::new(None::<String>);
    let key = RwSignal::new(String::new());
    let (label, chooser) = match against {
        Against::State(number) => {
            let state = opened.history.with_untracked(|states| states.get(number).cloned());
            let label = state.as_ref().map(|state| clock(state.at)).unwrap_or_default();
            other.set(state.map(|state| state.json.to_string()));
            (Signal::stored(format!("the state of {label}")), None)
        }
        Against::Object => {
            follow(opened, key, other);
            let label = Signal::derive(move || visible(&key.get()).into_owned());
            (label, Some(view! { <Name opened=opened key=key /> }))
        }
    };
    let texts = Memo::new(move |_| {
        let other = other.with(|json| json.as_deref().map(|json| text(opened, json)))?;
        let own = opened.followed.json.with(|json| json.as_deref().map(|json| text(opened, json)))?;
        Some((other, own))
    });
    let place = NodeRef::<Div>::new();
    let problem = RwSignal::new(None::<String>);
    let equal = RwSignal::new(None::<bool>);
    show(opened, texts, place, Shown { equal, problem });
    let says = move || match equal.get() {
        _ if problem.with(Option::is_some) => problem.get().unwrap_or_default(),
        _ if texts.with(Option::is_none) && key.with(String::is_empty) => String::new(),
        _ if texts.with(Option::is_none) => format!("{} not found among the loaded objects.", label.get()),
        None => String::new(),
        Some(true) => format!("No differences from {}.", label.get()),
        Some(false) => {
            format!("Removed lines are only in {}; added lines are only in the current object.", label.get())
        }
    };
    view! {
        <div class="compared">
            <div class="compared-tools">
                {chooser} <button class="button" type="button" on:click=move |_| leave.run(())>
                    {"Back to the YAML"}
                </button>
            </div>
            <p class="note" role="status">
                {says}
            </p>
            <div class="comparison" hidden=move || texts.with(Option::is_none)>
                <div node_ref=place></div>
            </div>
        </div>
    }
}

/// The name of the other object, with suggestions.
#[component]
fn Name(opened: Opened, key: RwSignal<String>) -> impl IntoView {
    let keys = RwSignal::new(Vec::<String>::new());
    let shared =
        opened.source.informer.with_untracked(|informer| informer.as_ref().and_then(|of| of.shared().cloned()));
    if let Some(shared) = shared {
        let own = own_key(opened);
        settle(shared.indexer().list_keys(), move |answer| {
            let all = answer.ok().and_then(|keys| keys.dyn_into::<js_sys::Array>().ok());
            let all = all.iter().flat_map(js_sys::Array::iter).filter_map(|key| key.as_string());
            keys.try_set(all.filter(|key| *key != own).take(SUGGESTED).collect());
        });
    }
    let namespace = opened.namespace();
    let choose = move |event| {
        let typed = event_target_value(&event).trim().to_owned();
        key.set(match &namespace {
            Some(namespace) if !typed.contains('/') && !typed.is_empty() => format!("{namespace}/{typed}"),
            _ => typed,
        });
    };
    let input = NodeRef::<leptos::html::Input>::new();
    // "Another object" was chosen: the box for its name takes the focus.
    Effect::new(move || {
        if let Some(input) = input.get() {
            request_animation_frame(move || drop(input.focus()));
        }
    });
    view! {
        <input
            class="field"
            type="text"
            list="compared-names"
            placeholder="Name, or namespace/name"
            aria-label="Object to compare with"
            spellcheck="false"
            autocomplete="off"
            node_ref=input
            on:change=choose
        />
        <datalist id="compared-names">
            {move || keys.get().into_iter().map(|key| view! { <option value=key></option> }).collect_view()}
        </datalist>
    }
}

fn own_key(opened: Opened) -> String {
    opened.namespace().map_or_else(|| opened.name(), |namespace| format!("{namespace}/{}", opened.name()))
}

/// Follows the object of a key in the informer of the table.
fn follow(opened: Opened, key: RwSignal<String>, json: RwSignal<Option<String>>) {
    let followed = StoredValue::new_local(None);
    Effect::new(move || {
        followed.set_value(None);
        json.set(None);
        let key = key.get();
        if let Some(informer) = opened.source.informer.get().filter(|_| !key.is_empty()) {
            // The comparison may be closed by now.
            followed.set_value(informer.object(&key, move |text| drop(json.try_set(text))));
        }
    });
    on_cleanup(move || drop(followed.try_update_value(Option::take)));
}

/// The text of an object for the part: YAML, or the JSON of a Secret, whose values the part masks.
fn text(opened: Opened, json: &str) -> String {
    if opened.followed.is_secret {
        return json.to_owned();
    }
    Yaml::of(json, &Printing::default()).map(|yaml| yaml::to_text(&yaml.body)).unwrap_or_default()
}

/// Reports of the comparison part.
#[derive(Clone, Copy)]
struct Shown {
    /// Whether the shown lines are equal. Fields that only the server writes, and the values of Secrets, are omitted.
    equal: RwSignal<Option<bool>>,
    /// Error, if the comparison cannot be shown.
    problem: RwSignal<Option<String>>,
}

/// Keeps the part of the page up to date with both texts.
fn show(opened: Opened, texts: Memo<Option<(String, String)>>, place: NodeRef<Div>, shown: Shown) {
    let part = StoredValue::new_local(None::<Part>);
    let is_mounting = StoredValue::new(false);
    let tell = move || {
        let Some((before, after)) = texts.get_untracked() else { return };
        part.try_with_value(|part| {
            if let Some(part) = part {
                part.tell("show", &json!({ "before": before, "after": after }).to_string());
            }
        });
    };
    Effect::new(move || {
        let Some((place, (before, after))) = place.get().zip(texts.get()) else { return };
        if is_mounting.get_value() {
            return tell();
        }
        is_mounting.set_value(true);
        // Garbage collection frees it: the part may outlive the comparison while it is being loaded.
        let on_shown = Closure::<dyn Fn(bool)>::new(move |is_equal| {
            shown.equal.try_set(Some(is_equal));
        });
        let options: [(&str, JsValue); 5] = [
            ("before", before.into()),
            ("after", after.into()),
            ("secret", opened.followed.is_secret.into()),
            ("label", "Comparison".into()),
            ("onShown", on_shown.into_js_value()),
        ];
        spawn_local(async move {
            match Part::mount("comparison", "createComparison", &place, &options).await {
                Ok(mounted) => {
                    part.try_set_value(Some(mounted));
                    // Passes the changes that arrived while the part was loading.
                    tell();
                }
                Err(error) => {
                    shown.problem.try_set(Some(format!("The comparison could not be loaded: {error:?}")));
                }
            }
        });
    });
    on_cleanup(move || drop(part.try_update_value(Option::take)));
}

/// The local time of day.
fn clock(at: f64) -> String {
    let date = Date::new(&JsValue::from_f64(at));
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}
