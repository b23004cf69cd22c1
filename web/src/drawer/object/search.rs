//! Search in the YAML of the open object.

use leptos::html::Input;
use leptos::prelude::*;

use super::super::lines::LinesState;
use super::super::search;

/// Search field of the YAML.
#[component]
pub(super) fn Search(state: LinesState, input: NodeRef<Input>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let search = move |pattern: String| {
        state.search(&pattern);
        text.set(pattern);
    };
    let jump = move |forward| state.find(forward);
    let found = move || {
        let (count, current) = state.matches();
        if text.with(String::is_empty) { String::new() } else { search::found(count, current) }
    };
    view! {
        <div class="yaml-search" role="search">
            {search::field("Search this YAML", input, text, || false, search, jump)}
            {search::steps(move || state.matches().0 > 0, jump)} <span class="log-found" role="status">{found}</span>
        </div>
    }
}
