//! Labels and annotations as chips: a label filters the table, and each can be copied.

use kube_objects::Cell;
use leptos::prelude::*;

use crate::clipboard::{self, Copying};
use crate::drawer::link::text;
use crate::drawer::opened::Opened;

/// The labels.
pub(super) fn labels(opened: Opened, values: &[Cell]) -> impl IntoView + use<> {
    let chip = |cell: &Cell| {
        let pair = cell.text.clone();
        let shown = match term(&pair) {
            Some(term) => {
                let filter = move |_| {
                    let term = term.clone();
                    opened.navigator.go(move |route| {
                        // The table is below a full page.
                        route.full = false;
                        route.filter = with_term(&route.filter, &term);
                    });
                };
                view! {
                    <button type="button" class="term" title="Show only rows with this label" on:click=filter>
                        {text(&pair)}
                    </button>
                }
                .into_any()
            }
            None => view! { <span class="term">{text(&pair)}</span> }.into_any(),
        };
        view! { <li class="tag">{shown} {copy(opened, "labels", &pair)}</li> }
    };
    view! { <ul class="tags">{values.iter().map(chip).collect_view()}</ul> }
}

/// The annotations, each with its value.
pub(super) fn annotations(opened: Opened, values: &[Cell]) -> impl IntoView + use<> {
    let entry = |cell: &Cell| {
        let (key, value) = cell.text.split_once('=').unwrap_or((&cell.text, ""));
        let shown = if value.len() > 160 {
            view! {
                <details>
                    <summary>{text(key)}</summary>
                    <span class="said">{text(value)}</span>
                </details>
            }
            .into_any()
        } else {
            view! { <span class="term"><b>{text(key)}</b> " " <span class="said">{text(value)}</span></span> }
                .into_any()
        };
        view! { <li class="tag">{shown} {copy(opened, "annotations", &cell.text)}</li> }
    };
    view! { <ul class="tags annotations">{values.iter().map(entry).collect_view()}</ul> }
}

/// Copies `key=value`, the value as a whole even if it is shown cut.
fn copy(opened: Opened, of: &'static str, pair: &str) -> impl IntoView + use<> {
    let key = pair.split_once('=').map_or(pair, |(key, _)| key).to_owned();
    let copying = Copying::new();
    let label = format!("Copy {}", crate::visible::visible(&key));
    let write = move |_| {
        let whole = opened.known.object.with_untracked(|object| {
            let value = object.as_ref()?.get("metadata")?.get(of)?.get(&key)?.as_str()?.to_owned();
            Some(format!("{key}={value}"))
        });
        if let Some(whole) = whole {
            copying.copy(whole);
        }
    };
    let mark = move || match copying.outcome() {
        Some(true) => "✓",
        Some(false) => "✕",
        None => "",
    };
    let title = move || if copying.outcome() == Some(false) { clipboard::FAILED } else { "Copy" };
    view! {
        <button
            type="button"
            class="copy"
            class:copied=move || copying.outcome().is_some()
            aria-label=label
            title=title
            on:click=write
        >
            <span aria-hidden="true">{mark}</span>
        </button>
    }
}

/// A filter that requires one more term.
fn with_term(filter: &str, term: &str) -> String {
    if filter.split(' ').any(|known| known == term) {
        filter.to_owned()
    } else if filter.trim().is_empty() {
        term.to_owned()
    } else if filter.split(' ').any(|word| word.eq_ignore_ascii_case("or")) {
        format!("({filter}) {term}")
    } else {
        format!("{filter} {term}")
    }
}

/// The term of the filter language for a label; none for text that a label cannot have.
fn term(pair: &str) -> Option<String> {
    let (key, value) = pair.split_once('=')?;
    let is_plain =
        |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'));
    (!key.is_empty() && is_plain(key) && is_plain(value))
        .then(|| if value.is_empty() { format!("label=\"{key}=\"") } else { format!("label={key}={value}") })
}

#[cfg(test)]
mod tests {
    use super::{term, with_term};

    #[test]
    fn a_term_is_added_to_the_whole_filter_once() {
        assert_eq!(with_term("", "label=a=b"), "label=a=b");
        assert_eq!(with_term("x", "label=a=b"), "x label=a=b");
        assert_eq!(with_term("x label=a=b", "label=a=b"), "x label=a=b");
        assert_eq!(with_term("x OR y", "label=a=b"), "(x OR y) label=a=b");
    }

    #[test]
    fn a_label_is_a_term_of_the_filter_and_other_text_is_none() {
        assert_eq!(term("app.kubernetes.io/name=web").as_deref(), Some("label=app.kubernetes.io/name=web"));
        assert_eq!(term("empty=").as_deref(), Some("label=\"empty=\""));
        for text in ["app=a OR b", "app=\"", "=x", "no", "a=<b>"] {
            assert_eq!(term(text), None, "{text}");
        }
    }
}
