//! Why there are no rows.

use leptos::prelude::*;

use super::model::Model;
use crate::freshness;
use crate::navigator::Navigator;
use crate::source::Source;

/// A sentence in place of the rows, where there are none and it is known why.
pub(crate) fn reason(model: Model, navigator: Navigator, source: Source) -> Option<impl IntoView> {
    if model.total.get().is_some_and(|total| total > 0) {
        return None;
    }
    let filter = navigator.filter.get();
    let namespace = navigator.namespace.get().filter(|_| source.namespaced.get());
    let label = source.label.get();
    let (title, more) = source.status.with(|status| match &status.last_error {
        Some(error) if !status.has_synced => {
            let title = format!("No rows yet: {}", freshness::code(error.code));
            Some((title, format!("{} — {}", error.message, freshness::advice(error))))
        }
        _ if !status.has_synced || model.total.get().is_none() => None,
        _ if !filter.is_empty() => Some((
            format!("Nothing matches “{filter}”"),
            format!("{} {label} are hidden by the filter.", status.objects),
        )),
        _ => Some(match &namespace {
            Some(namespace) => {
                (format!("No {label} in namespace {namespace}"), "New ones appear here by themselves.".into())
            }
            None => (format!("No {label} in this cluster"), "New ones appear here by themselves.".into()),
        }),
    })?;
    let clear = (!filter.is_empty()).then(|| {
        view! {
            <button class="button" type="button" on:click=move |_| navigator.go(|route| route.filter.clear())>
                "Clear the filter"
            </button>
        }
    });
    Some(view! {
        <div class="empty" role="status">
            <h2>{title}</h2>
            <p>{more}</p>
            {clear}
        </div>
    })
}
