//! Search of a log: a text or an expression, and the filter of levels.

use leptos::html::Input;
use leptos::prelude::*;
use log_lines::{Filter, Level, Pattern};

use super::super::search;
use super::model::Figures;
use super::viewer::Viewer;

const LEVELS: [(&str, &str, Level); 5] = [
    ("all", "All levels", Level::Unknown),
    ("debug", "Debug and above", Level::Debug),
    ("info", "Info and above", Level::Info),
    ("warn", "Warnings and errors", Level::Warn),
    ("error", "Errors", Level::Error),
];

/// Search field and filter of levels.
#[component]
pub(super) fn Search(viewer: Viewer, input: NodeRef<Input>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let is_expression = RwSignal::new(false);
    let match_case = RwSignal::new(false);
    let matches_only = RwSignal::new(false);
    let min_level = RwSignal::new(Level::Unknown);
    let problem = RwSignal::new(None::<String>);
    Effect::new(move |before: Option<()>| {
        let filter = Filter { least: min_level.get(), matches_only: matches_only.get() };
        let pattern = text.with(|text| {
            if is_expression.get() {
                Pattern::regex(text, match_case.get())
            } else {
                Ok(Pattern::text(text, match_case.get()))
            }
        });
        problem.set(pattern.as_ref().err().map(|error| error.0.clone()));
        // The first run has no search and no filter.
        if let (Some(()), Ok(pattern)) = (before, pattern) {
            viewer.select(pattern, filter);
        }
    });
    let has_search = move || text.with(|text| !text.is_empty()) && problem.with(Option::is_none);
    let found = move || if has_search() { found(viewer.figures()) } else { String::new() };
    let jump = move |forward| viewer.jump(forward);
    let has_match = move || has_search() && viewer.figures().matches > 0;
    let choose = move |event| {
        let chosen = event_target_value(&event);
        min_level.set(LEVELS.iter().find(|(name, ..)| *name == chosen).map_or(Level::Unknown, |(.., level)| *level));
    };
    view! {
        <div class="log-tools" role="search">
            {search::field(
                "Search lines",
                input,
                text,
                move || problem.with(Option::is_some),
                move |pattern| text.set(pattern),
                jump,
            )}
            {switch(match_case, "Aa", "Match case")} {switch(is_expression, ".*", "Regular expression")}
            {switch(matches_only, "≡", "Only lines that match")} {search::steps(has_match, jump)}
            <span class="log-found" role="status">{found}</span>
            <select class="field" aria-label="Level" on:change=choose>
                {LEVELS.map(|(name, label, _)| view! { <option value=name>{label}</option> })}
            </select>
        </div>
        {move || {
            problem
                .get()
                .map(|problem| {
                    view! {
                        <p class="log-problem" role="alert">
                            {format!("This regular expression is invalid: {problem}")}
                        </p>
                    }
                })
        }}
    }
}

/// Number of matching lines, and the progress of the search.
fn found(figures: Figures) -> String {
    let found = search::found(figures.matches, figures.current);
    if figures.progress < 1.0 { format!("{found} … {:.0} %", figures.progress * 100.0) } else { found }
}

/// Toggle button.
fn switch(is_on: RwSignal<bool>, sign: &'static str, label: &'static str) -> impl IntoView {
    view! {
        <button
            class="log-switch"
            type="button"
            aria-label=label
            title=label
            aria-pressed=move || if is_on.get() { "true" } else { "false" }
            on:click=move |_| is_on.update(|on| *on = !*on)
        >
            {sign}
        </button>
    }
}
