//! Theme: light, dark, or that of the system. `www/boot.js` applies the stored one before the first paint.

use leptos::prelude::*;

use crate::preference;

const STORED_AS: &str = "kube-informer.theme";

/// The three choices, in the order of the button.
const CHOICES: [(&str, &str, &str); 3] =
    [("system", "Theme: as the system", "◐"), ("light", "Theme: light", "☀"), ("dark", "Theme: dark", "☾")];

/// Button that cycles through the choices.
#[component]
pub(crate) fn Theme() -> impl IntoView {
    let choice = RwSignal::new(remembered());
    let next = move |_| {
        choice.update(|choice| *choice = (*choice + 1) % CHOICES.len());
        let name = CHOICES[choice.get_untracked()].0;
        apply(name);
        preference::store(STORED_AS, Some(name));
    };
    preference::follow(STORED_AS, move || {
        choice.set(remembered());
        apply(CHOICES[choice.get_untracked()].0);
    });
    let label = move || CHOICES[choice.get()].1;
    view! {
        <button class="icon-button" type="button" on:click=next aria-label=label title=label>
            <span aria-hidden="true">{move || CHOICES[choice.get()].2}</span>
        </button>
    }
}

fn remembered() -> usize {
    preference::stored(STORED_AS).and_then(|name| CHOICES.iter().position(|(choice, ..)| *choice == name)).unwrap_or(0)
}

fn apply(choice: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-theme", choice);
    }
}
