//! Pipeline of an informer: what passes from the server to the handlers, with the figures of each stage, and its history.

use std::sync::Arc;

use leptos::prelude::*;

use super::engine::Inspected;
use crate::age::{bytes, thousands};
use crate::details::inspection::{Line, lines, rates, relists_note, suspicions};
use crate::details::step;
use crate::visible::visible;

/// The stages of an informer, and its last protocol steps.
pub(super) fn pipeline(informer: Memo<Option<Arc<Inspected>>>, now: RwSignal<f64>) -> impl IntoView {
    let stages = move || {
        informer.with(|informer| {
            let stages = informer.as_deref().map(stages).unwrap_or_default();
            stages
                .into_iter()
                .map(|(name, figures)| {
                    let figures = figures.into_iter().map(|figure| view! { <li>{figure}</li> }).collect_view();
                    view! { <li class="stage"><h3>{name}</h3><ul>{figures}</ul></li> }
                })
                .collect_view()
        })
    };
    let history =
        move || informer.with(|informer| informer.as_ref().map(|one| lines(&one.history)).unwrap_or_default());
    let error = move || {
        let error = informer.with(|informer| informer.as_ref()?.status.last_error.clone())?;
        Some(view! { <p class="note">{visible(&format!("Last error: {}", error.message)).into_owned()}</p> })
    };
    view! {
        <ol class="stages" aria-label="Pipeline">{stages}</ol>
        {error}
        <h3>{"History"}</h3>
        <div class="steps" role="region" aria-label="History" tabindex="0">
            <ol>
                <For each=history key=Line::key let:line>
                    {step(line, now)}
                </For>
            </ol>
        </div>
    }
}

/// Stages in the direction of the data, each with its figures.
fn stages(informer: &Inspected) -> Vec<(&'static str, Vec<String>)> {
    let Inspected { status, metrics, transport, .. } = informer;
    let count =
        |count: u64, one: &str, many: &str| format!("{} {}", thousands(count), if count == 1 { one } else { many });
    let handlers = &metrics.handlers;
    let sum = |of: fn(&informer::HandlerMetrics) -> u64| handlers.iter().map(of).sum::<u64>();
    let version = visible(&status.resource_version).into_owned();
    vec![
        (
            "Server",
            vec![
                count(transport.requests, "request", "requests"),
                format!("{} received", bytes(transport.bytes)),
                rates(transport.events_per_second, transport.bytes_per_second),
            ],
        ),
        (
            "Reflector",
            vec![
                format!("{}{}", count(metrics.lists, "list", "lists"), relists_note(metrics.relists)),
                format!("{}, {}", count(metrics.watches, "watch", "watches"), transport.carrier()),
                count(metrics.events, "event", "events"),
                count(metrics.bookmarks, "bookmark", "bookmarks"),
                format!("suspected: {}", suspicions(metrics.suspicions, metrics.false_suspicions)),
            ],
        ),
        (
            "Queue",
            vec![
                format!("{} waiting", count(metrics.queue_depth, "change", "changes")),
                format!("{} undecodable", thousands(metrics.dropped)),
            ],
        ),
        (
            "Cache",
            vec![
                format!("{} in {}", count(metrics.objects, "object", "objects"), bytes(metrics.bytes)),
                if version.is_empty() { "no version yet".to_owned() } else { format!("version {version}") },
            ],
        ),
        (
            "Handlers",
            vec![
                count(handlers.len() as u64, "handler or view", "handlers and views"),
                format!("{} waiting", count(sum(|handler| handler.backlog), "change", "changes")),
                format!("{} delivered", thousands(sum(|handler| handler.delivered))),
                format!(
                    "{} merged, {} failed",
                    thousands(sum(|handler| handler.coalesced)),
                    thousands(sum(|handler| handler.failures))
                ),
            ],
        ),
    ]
}
