//! Start of a log: the time of its oldest line, as one of several durations or as a date and time that the user enters.

use leptos::html::Input;
use leptos::prelude::*;

use super::choice::{Choice, SINCE, Since};

/// Value of the option that shows the field for a date and time.
const CUSTOM: &str = "own";

/// List of durations, and the field for a date and time once that option is chosen.
#[component]
pub(super) fn SinceTools(choice: RwSignal<Choice>) -> impl IntoView {
    let (is_custom, field) = (RwSignal::new(false), NodeRef::<Input>::new());
    let set = move |since| {
        if choice.with_untracked(|choice| choice.since != since) {
            choice.update(|choice| choice.since = since);
        }
    };
    let choose = move |event| {
        let value = event_target_value(&event);
        is_custom.set(value == CUSTOM);
        if value == CUSTOM {
            // The previous choice applies until a time is entered.
            request_animation_frame(move || {
                if let Some(field) = field.get_untracked() {
                    // An existing field takes the focus.
                    let _ = field.focus();
                }
            });
        } else {
            set(Since::of_seconds(value.parse().unwrap_or_default()));
        }
    };
    let set_custom = move |event| {
        let value = event_target_value(&event);
        // Incomplete input is empty.
        set(if value.is_empty() { Since::Any } else { parse_local(&value) });
    };
    let options = SINCE.map(|(value, label)| view! { <option value=value.to_string()>{label}</option> });
    view! {
        <select class="field" aria-label="Since" on:change=choose>
            {options.into_iter().collect_view()}
            <option value=CUSTOM>{"Date and time …"}</option>
        </select>
        <Show when=move || is_custom.get()>
            <input
                class="field"
                type="datetime-local"
                step="1"
                aria-label="Since this local time"
                title="Since this local time"
                node_ref=field
                on:change=set_custom
            />
        </Show>
    }
}

/// The time of a field for a local date and time; any time if it is none.
fn parse_local(text: &str) -> Since {
    let at = js_sys::Date::new(&text.into()).get_time();
    if at.is_nan() { Since::Any } else { Since::Time(at) }
}
