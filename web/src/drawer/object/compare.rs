//! Comparison of the open object: with an earlier state of itself, or with another object of its kind.

use js_sys::Date;
use leptos::html::Div;
use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::super::opened::Opened;
use crate::cluster::settle;
use crate::parts::PartMount;
use crate::visible::visible;
use crate::yaml::{self, Printing, Yaml};

/// Maximum number of names that are suggested.
const MAX_SUGGESTIONS: usize = 500;

/// Other side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparisonTarget {
    /// Its revision with this number.
    Revision(u32),
    /// Another object, which is chosen by its name.
    Object,
}

/// List of revisions and objects to compare with.
#[component]
pub(super) fn Choice(opened: Opened, target: RwSignal<Option<ComparisonTarget>>) -> impl IntoView {
    let choose = move |event| {
        target.set(match &*event_target_value(&event) {
            "" => None,
            "object" => Some(ComparisonTarget::Object),
            number => number.parse().ok().map(ComparisonTarget::Revision),
        });
    };
    let revisions = move || {
        opened.history.with(|revisions| {
            let state = |number: u32, at: f64| {
                let label = if number == 0 { format!("As opened, {}", clock(at)) } else { clock(at) };
                let is_chosen = move || target.with(|target| *target == Some(ComparisonTarget::Revision(number)));
                view! { <option value=number.to_string() prop:selected=is_chosen>{label}</option> }
            };
            revisions.earlier().map(|earlier| state(earlier.number, earlier.at)).collect_view()
        })
    };
    view! {
        <select class="field" aria-label="Compare with" title="Compare with" on:change=choose>
            <option value="" prop:selected=move || target.with(Option::is_none)>{"Compare …"}</option>
            <option
                value="object"
                prop:selected=move || target.with(|target| *target == Some(ComparisonTarget::Object))
            >
                {"Another object …"}
            </option>
            {revisions}
        </select>
    }
}

/// The comparison with a revision or with another object.
#[component]
pub(super) fn Comparison(opened: Opened, target: ComparisonTarget, leave: Callback<()>) -> impl IntoView {
    let other = RwSignal::new(None::<String>);
    let key = RwSignal::new(String::new());
    let (label, chooser) = match target {
        ComparisonTarget::Revision(number) => {
            let state = opened.history.with_untracked(|revisions| revisions.get(number).cloned());
            let label = state.as_ref().map(|state| clock(state.at)).unwrap_or_default();
            other.set(state.map(|state| state.json.to_string()));
            (Signal::stored(format!("the state of {label}")), None)
        }
        ComparisonTarget::Object => {
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
    let (parent, mount) = (NodeRef::<Div>::new(), PartMount::new());
    let equal = RwSignal::new(None::<bool>);
    update_part(opened, texts, (parent, mount), equal);
    let status_text = move || match equal.get() {
        _ if mount.error().is_some() => mount.error().unwrap_or_default(),
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
                {status_text}
            </p>
            <div class="comparison" hidden=move || texts.with(Option::is_none)>
                <div node_ref=parent></div>
            </div>
        </div>
    }
}

/// The name of the other object, with suggestions.
#[component]
fn Name(opened: Opened, key: RwSignal<String>) -> impl IntoView {
    let keys = RwSignal::new(Vec::<String>::new());
    let shared = opened
        .source
        .informer
        .with_untracked(|informer| informer.as_ref().and_then(|informer| informer.shared().cloned()));
    if let Some(shared) = shared {
        let own = own_key(opened);
        settle(shared.indexer().list_keys(), move |answer| {
            let all = answer.ok().and_then(|keys| keys.dyn_into::<js_sys::Array>().ok());
            let all = all.iter().flat_map(js_sys::Array::iter).filter_map(|key| key.as_string());
            keys.try_set(all.filter(|key| *key != own).take(MAX_SUGGESTIONS).collect());
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
    // After "Another object" is chosen, the field for its name gets the focus.
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

/// Updates the page part with both texts. `equal` is set to whether the lines that it shows are equal; it omits fields
/// that only the server writes, and the values of Secrets.
fn update_part(
    opened: Opened,
    texts: Memo<Option<(String, String)>>,
    (parent, mount): (NodeRef<Div>, PartMount),
    equal: RwSignal<Option<bool>>,
) {
    let has_started = StoredValue::new(false);
    Effect::new(move || {
        let Some((parent, (before, after))) = parent.get().zip(texts.get()) else { return };
        if mount.is_loaded() {
            return mount.call_method("show", &json!({ "before": before, "after": after }).to_string());
        }
        if has_started.get_value() {
            return;
        }
        has_started.set_value(true);
        // Garbage collection frees it: the part may outlive the comparison while it is being loaded.
        let on_shown = Closure::<dyn Fn(bool)>::new(move |is_equal| {
            equal.try_set(Some(is_equal));
        });
        let options = vec![
            ("before", JsValue::from(before)),
            ("after", after.into()),
            ("secret", opened.followed.is_secret.into()),
            ("label", "Comparison".into()),
            ("onShown", on_shown.into_js_value()),
        ];
        mount.load("The comparison", ("comparison", "createComparison"), &parent, options);
    });
}

/// The local time of day.
fn clock(at: f64) -> String {
    let date = Date::new(&JsValue::from_f64(at));
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}
