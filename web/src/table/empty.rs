//! Empty table: why there are no rows.

use informer::{ErrorCode, GroupVersionResource};
use leptos::prelude::*;

use super::model::Model;
use crate::age::thousands;
use crate::cluster::Cluster;
use crate::focus;
use crate::freshness;
use crate::namespaces;
use crate::navigator::Navigator;
use crate::source::Source;
use crate::status_line::Retry;

/// Title and text for a kind that the server does not have.
fn missing_kind_text(label: &str, resource: &GroupVersionResource) -> (String, String) {
    let GroupVersionResource { group, version, .. } = resource;
    let group = if group.is_empty() { String::new() } else { format!(" ({group}/{version})") };
    let more = "Its definition was deleted or never existed. Rows appear automatically if it is created.";
    (format!("The server has no {label}{group}"), more.to_owned())
}

/// Message instead of the rows, if there are none and the reason is known.
pub(crate) fn reason(cluster: Cluster, model: Model, navigator: Navigator, source: Source) -> Option<impl IntoView> {
    if model.row_count.get().is_some_and(|row_count| row_count > 0) {
        return None;
    }
    let filter = model.state.filter.get().trim().to_owned();
    let unfiltered = model.state.totals.get().map_or(0, |totals| totals.unfiltered);
    let chosen = navigator.namespaces.get().filter(|_| source.namespaced.get());
    let are_several = namespaces::are_several(chosen.as_deref());
    let label = source.label.get();
    let (title, more) = source.status.with(|status| match &status.last_error {
        _ if source.kind_missing.get() => Some(missing_kind_text(&label, &navigator.resource.get())),
        Some(error) if !status.has_synced => {
            let title = format!("No rows: {}", freshness::code(error.code));
            let needs_all = are_several && error.code == ErrorCode::Forbidden;
            let advice = if needs_all { namespaces::NEED_ALL } else { freshness::advice(error) };
            Some((title, format!("{}. {advice}", error.message)))
        }
        _ if !status.has_synced || !model.state.totals.get().is_some_and(|totals| totals.synced) => None,
        _ if !filter.is_empty() && unfiltered > 0 => Some((
            format!("No rows match “{filter}”"),
            format!("{} {label} are hidden by the filter.", thousands(unfiltered as u64)),
        )),
        _ => Some(match &chosen {
            Some(namespace) if status.namespace_missing => (
                format!("There is no namespace {namespace}"),
                "Check its name. Rows appear automatically if it is created.".into(),
            ),
            Some(chosen) => {
                let noun = if are_several { "namespaces" } else { "namespace" };
                let names = namespaces::short(chosen);
                let missing_note = source.missing_note.get().unwrap_or_default();
                (format!("No {label} in {noun} {names}"), format!("{missing_note} New ones appear here automatically."))
            }
            None => (format!("No {label} in this cluster"), "New ones appear here automatically.".into()),
        }),
    })?;
    let clear = (!filter.is_empty()).then(|| {
        view! {
            <button class="button" type="button" on:click=move |_| {
                navigator.go(|route| route.filter.clear());
                focus::table();
            }>
                "Clear the filter"
            </button>
        }
    });
    Some(view! {
        <div class="empty" role="status">
            <h2>{title}</h2>
            <p>{more}</p>
            {clear}
            <Retry cluster=cluster source=source />
        </div>
    })
}
