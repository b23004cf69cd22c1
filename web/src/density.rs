//! Density: the height of the rows, usual or compact. `www/boot.js` applies the stored one before the first paint. The switch is
//! deferred code.

use leptos::prelude::*;

use crate::preference;
use crate::table::model::Model;

/// Name under which the choice is stored: `compact`, or nothing. `www/boot.js` reads it, too.
const STORED_AS: &str = "kube-informer.density";

const COMPACT: &str = "compact";

/// Applies the stored choice, and that of other tabs and frames, to a table.
pub(crate) fn follow(model: Model) {
    // It may have changed while another screen was open.
    apply(is_stored());
    preference::follow(STORED_AS, move || {
        apply(is_stored());
        model.resize_rows();
    });
}

/// Switch for compact rows.
pub(crate) fn switch(model: Model) -> impl IntoView {
    let is_compact = RwSignal::new(is_stored());
    let choose = move |on: bool| {
        is_compact.set(on);
        apply(on);
        model.resize_rows();
        preference::store(STORED_AS, on.then_some(COMPACT));
    };
    preference::follow(STORED_AS, move || is_compact.set(is_stored()));
    view! {
        <label class="choice density">
            <input
                type="checkbox"
                prop:checked=move || is_compact.get()
                on:change=move |event| choose(event_target_checked(&event))
            />
            <span class="name">{"Compact rows"}</span>
        </label>
    }
}

fn is_stored() -> bool {
    preference::stored(STORED_AS).is_some_and(|stored| stored == COMPACT)
}

fn apply(on: bool) {
    if let Some(root) = document().document_element() {
        let _ = if on { root.set_attribute("data-density", COMPACT) } else { root.remove_attribute("data-density") };
    }
}
