//! Since: the time of the oldest line, as one of some durations or a date and time of one's own.

use leptos::html::Input;
use leptos::prelude::*;

use super::choice::{Choice, SINCE, Since};

/// Value of the option that shows the field for a date and time.
const OWN: &str = "own";

/// The list of durations, and the field for a date and time once that is chosen.
#[component]
pub(super) fn SinceTools(choice: RwSignal<Choice>) -> impl IntoView {
    let (is_own, field) = (RwSignal::new(false), NodeRef::<Input>::new());
    let set = move |since| {
        if choice.with_untracked(|choice| choice.since != since) {
            choice.update(|choice| choice.since = since);
        }
    };
    let choose = move |event| {
        let value = event_target_value(&event);
        is_own.set(value == OWN);
        if value == OWN {
            // What was chosen holds until there is a time.
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
    let own = move |event| {
        let value = event_target_value(&event);
        // Incomplete input is empty.
        set(if value.is_empty() { Since::Any } else { of_local(&value) });
    };
    let options = SINCE.map(|(value, label)| view! { <option value=value.to_string()>{label}</option> });
    view! {
        <select class="field" aria-label="Since" on:change=choose>
            {options.into_iter().collect_view()}
            <option value=OWN>{"Date and time …"}</option>
        </select>
        <Show when=move || is_own.get()>
            <input
                class="field"
                type="datetime-local"
                step="1"
                aria-label="Since this local time"
                title="Since this local time"
                node_ref=field
                on:change=own
            />
        </Show>
    }
}

/// The time of a field for a local date and time; any time if it is none.
fn of_local(text: &str) -> Since {
    let at = js_sys::Date::new(&text.into()).get_time();
    if at.is_nan() { Since::Any } else { Since::Time(at) }
}
