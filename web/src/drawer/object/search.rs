//! Search in the YAML of the open object.

use leptos::html::Input;
use leptos::prelude::*;

use super::super::lines::Sheet;
use super::super::search;

/// The search.
#[component]
pub(super) fn Search(sheet: Sheet, input: NodeRef<Input>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let search = move |wanted: String| {
        sheet.search(&wanted);
        text.set(wanted);
    };
    let jump = move |forward| sheet.find(forward);
    let found = move || {
        let (count, current) = sheet.matches();
        if text.with(String::is_empty) { String::new() } else { search::found(count, current) }
    };
    view! {
        <div class="yaml-search" role="search">
            {search::field("Search this YAML", input, text, || false, search, jump)}
            {search::steps(move || sheet.matches().0 > 0, jump)} <span class="log-found" role="status">{found}</span>
        </div>
    }
}
