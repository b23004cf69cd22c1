//! Labels and annotations as chips: each filters the table, and can be copied.

use kube_objects::Cell;
use leptos::prelude::*;

use crate::clipboard::{self, Copying};
use crate::drawer::link::text;
use crate::drawer::opened::Opened;
use crate::visible::Part;

/// Labels as chips.
pub(super) fn labels(opened: Opened, values: &[Cell]) -> impl IntoView + use<> {
    let chip = |cell: &Cell| {
        let pair = cell.text.clone();
        let shown = match term(&pair) {
            Some(term) => view! {
                <button
                    type="button"
                    class="term"
                    title="Show only rows with this label"
                    on:click=move |_| filter(opened, &term)
                >
                    {text(&pair)}
                </button>
            }
            .into_any(),
            None => view! { <span class="term">{text(&pair)}</span> }.into_any(),
        };
        view! { <li class="tag">{shown} {copy(opened, "labels", &pair)}</li> }
    };
    view! { <ul class="tags">{values.iter().map(chip).collect_view()}</ul> }
}

/// Adds a term to the filter of the table.
fn filter(opened: Opened, term: &str) {
    opened.navigator.go(|route| {
        // The table is below a full page.
        route.full = false;
        route.filter = with_term(&route.filter, term);
    });
}

/// Annotations as chips, each with its value.
pub(super) fn annotations(opened: Opened, values: &[Cell]) -> impl IntoView + use<> {
    let entry = |cell: &Cell| {
        let (key, value) = cell.text.split_once('=').unwrap_or((&cell.text, ""));
        let (term, tip) = annotation_term(key, value);
        let shown = if value.len() > 160 {
            view! {
                <details>
                    <summary>{text(key)}</summary>
                    <span class="said">{text(value)}</span>
                    <button type="button" class="button" title=tip on:click=move |_| filter(opened, &term)>
                        "Filter the table"
                    </button>
                </details>
            }
            .into_any()
        } else {
            view! {
                <button type="button" class="term" title=tip on:click=move |_| filter(opened, &term)>
                    <b>{text(key)}</b>
                    " "
                    <span class="said">{text(value)}</span>
                </button>
            }
            .into_any()
        };
        view! { <li class="tag">{shown} {copy(opened, "annotations", &cell.text)}</li> }
    };
    view! { <ul class="tags annotations">{values.iter().map(entry).collect_view()}</ul> }
}

/// Copies `key=value`, with the whole value even if it is displayed shortened.
fn copy(opened: Opened, map_field: &'static str, pair: &str) -> impl IntoView + use<> {
    let key = pair.split_once('=').map_or(pair, |(key, _)| key).to_owned();
    let copying = Copying::new();
    let label = format!("Copy {}", crate::visible::visible(&key));
    let write = move |_| {
        let whole = opened.derived.object.with_untracked(|object| {
            let value = object.as_ref()?.get("metadata")?.get(map_field)?.get(&key)?.as_str()?.to_owned();
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
    let is_known = format!(" {filter} ").contains(&format!(" {term} "));
    let has_alternatives = filter.contains('|') || filter.split(' ').any(|word| word.eq_ignore_ascii_case("or"));
    match filter.trim() {
        "" => term.to_owned(),
        _ if is_known => filter.to_owned(),
        filter if has_alternatives => format!("({filter}) {term}"),
        filter => format!("{filter} {term}"),
    }
}

/// Maximum length of a value in a filter, in bytes.
const MAX_VALUE_BYTES: usize = 200;

/// The term of the filter language for an annotation, and what it does. A long value, or one with line ends or other
/// hidden characters, which a filter cannot show, is left out.
fn annotation_term(key: &str, value: &str) -> (String, &'static str) {
    // A dot separates the fields of a path.
    let path = format!("metadata.annotations.{}", key.replace('.', "\\."));
    let is_hidden = value.contains(char::is_control)
        || crate::visible::parts(value).iter().any(|part| matches!(part, Part::Escape(_)));
    let is_shown = value.len() <= MAX_VALUE_BYTES && !is_hidden;
    let (test, tip) = if is_shown && !value.is_empty() {
        // With "==", the value may begin with any operator.
        (format!("{path}=={value}"), "Show only rows with this annotation")
    } else {
        (path, "Show only rows with an annotation of this name")
    };
    (format!("field=\"{}\"", test.replace('\\', "\\\\").replace('"', "\\\"")), tip)
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
    use informer_engine::Query;

    use super::{annotation_term, term, with_term};

    #[test]
    fn a_term_is_added_to_the_whole_filter_once() {
        assert_eq!(with_term("", "label=a=b"), "label=a=b");
        assert_eq!(with_term("x", "label=a=b"), "x label=a=b");
        assert_eq!(with_term("x label=a=b", "label=a=b"), "x label=a=b");
        assert_eq!(with_term("x OR y", "label=a=b"), "(x OR y) label=a=b");
        assert_eq!(with_term("x|y", "label=a=b"), "(x|y) label=a=b");
        let (annotation, _) = annotation_term("a", "two words");
        assert_eq!(with_term(&format!("x {annotation}"), &annotation), format!("x {annotation}"));
    }

    #[test]
    fn an_annotation_is_a_term_of_the_filter() {
        let of = |key: &str, value: &str| {
            let (term, _) = annotation_term(key, value);
            assert!(term.parse::<Query>().is_ok(), "{term}");
            term
        };
        assert_eq!(of("team", "web"), r#"field="metadata.annotations.team==web""#);
        assert_eq!(
            of("example.com/on-call", "ada \"a\\b\""),
            r#"field="metadata.annotations.example\\.com/on-call==ada \"a\\b\"""#
        );
        let existence = r#"field="metadata.annotations.team""#;
        for value in ["", "two\nlines", "hidden\u{202e}", &"x".repeat(201)] {
            assert_eq!(of("team", value), existence, "{value}");
        }
        assert_eq!(of("team", "=~x"), r#"field="metadata.annotations.team===~x""#);
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
