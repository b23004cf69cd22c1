//! Cards of the overview that list states: pods, nodes, workloads, warnings, and the namespaces and nodes with the most
//! pods.

use leptos::prelude::*;

use super::amounts::number;
use super::counts::{
    BY_NAMESPACE, BY_NODE, BY_STATE, CONDITIONS, CPU_REQUEST, FIRST_CONDITION, NOT_ENDED, RESTARTED, WARNINGS,
    WITH_RESTARTS,
};
use super::feed::Feed;
use super::frame::{block, card};
use super::rows::{Entry, href, rows};
use super::states::{State, condition_states, ready_states, value_states};
use crate::age::thousands;
use crate::figures::{Figures, Group, count, sum};
use crate::filter::toggle;

/// Number of states of a card before the others are one row.
const MAX_STATES: usize = 12;

/// Pods by the column Status, and their restarts.
pub(super) fn pods(feed: Feed, namespaces: Option<String>) -> impl IntoView {
    let entries = move || {
        let (Some(states), Some(restarted)) = (feed.figures(BY_STATE), feed.figures(RESTARTED)) else {
            return Vec::new();
        };
        let entry = |state| Entry::new(state, feed.kind.resource, namespaces.as_ref());
        let mut entries = vec![entry(State::new("All pods", None, states.count(), String::new()))];
        entries.extend(value_states(&states, "Status", MAX_STATES).into_iter().map(entry));
        let with_restarts = State::new("With restarts", None, restarted.count(), WITH_RESTARTS.to_owned());
        entries.push(Entry { more: Some(restarts(&restarted)), ..entry(with_restarts) });
        entries
    };
    card("overview-pods", "Pods", block(feed, list("Pods by status", entries)))
}

fn restarts(figures: &Figures) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are whole, and it saturates")]
    let restarts = sum(&figures.total, 1) as u64;
    if restarts == 1 { "1 restart".to_owned() } else { format!("{} restarts", thousands(restarts)) }
}

/// Nodes by the column Status, and by their conditions.
pub(super) fn nodes(feed: Feed) -> impl IntoView {
    let entries = move || {
        let Some(figures) = feed.figures(BY_STATE) else { return Vec::new() };
        let entry = |state| Entry::new(state, feed.kind.resource, None);
        let all = State::new("All nodes", None, figures.count(), String::new());
        let mut counts = [0; CONDITIONS.len()];
        for (at, count) in counts.iter_mut().enumerate() {
            *count = feed.figures(FIRST_CONDITION + at).map_or(0, |figures| figures.count());
        }
        let states = value_states(&figures, "Status", MAX_STATES).into_iter().chain(condition_states(counts));
        std::iter::once(all).chain(states).map(entry).collect()
    };
    card("overview-nodes", "Nodes", block(feed, list("Nodes by status and condition", entries)))
}

/// Feeds of the kinds of workloads.
#[derive(Clone, Copy)]
pub(super) struct Workloads {
    pub(super) deployments: Feed,
    pub(super) stateful_sets: Feed,
    pub(super) daemon_sets: Feed,
    pub(super) jobs: Feed,
}

/// Deployments, stateful sets, daemon sets and jobs by state.
pub(super) fn workloads(feeds: Workloads, namespaces: Option<&String>) -> impl IntoView + use<> {
    let part = |title: &'static str, feed: Feed, states: fn(Feed) -> Option<Vec<State>>| {
        let namespaces = namespaces.cloned();
        let entries = move || {
            let entry = |state| Entry::new(state, feed.kind.resource, namespaces.as_ref());
            states(feed).unwrap_or_default().into_iter().map(entry).collect()
        };
        view! {
            <div class="workload">
                <h3>{title}</h3>
                {block(feed, list(title, entries))}
            </div>
        }
    };
    let parts = view! {
        <div class="workloads">
            {part("Deployments", feeds.deployments, |feed| ready(feed, "Scaled to 0"))}
            {part("Stateful sets", feeds.stateful_sets, |feed| ready(feed, "Scaled to 0"))}
            {part("Daemon sets", feeds.daemon_sets, |feed| ready(feed, "On no node"))}
            {part("Jobs", feeds.jobs, |feed| Some(value_states(feed.figures(0)?.as_ref(), "Status", MAX_STATES)))}
        </div>
    };
    card("overview-workloads", "Workloads", parts)
}

fn ready(feed: Feed, idle: &str) -> Option<Vec<State>> {
    let count = |at| Some(feed.figures(at)?.count());
    Some(ready_states(feed.kind, [count(0)?, count(1)?, count(2)?], idle))
}

/// Warnings by reason.
pub(super) fn warnings(feed: Feed, namespaces: Option<String>) -> impl IntoView {
    let entries = move || {
        let Some(figures) = feed.figures(0) else { return Vec::new() };
        let all = State::new("All warnings", None, figures.count(), WARNINGS.to_owned());
        let reasons = value_states(&figures, "Reason", MAX_STATES)
            .into_iter()
            .map(|state| State { filter: state.filter.map(|filter| format!("{WARNINGS} {filter}")), ..state });
        std::iter::once(all)
            .chain(reasons)
            .map(|state| Entry::new(state, feed.kind.resource, namespaces.as_ref()))
            .collect()
    };
    card("overview-warnings", "Warning events", block(feed, list("Warning events by reason", entries)))
}

/// Namespaces with the most pods.
pub(super) fn top_namespaces(feed: Feed) -> impl IntoView {
    let entries =
        move || top(feed, BY_NAMESPACE, |name| href(feed.kind.resource, Some(&name.to_owned()), NOT_ENDED.to_owned()));
    card("overview-namespaces", "Namespaces with the most pods", top_list(feed, entries))
}

/// Nodes with the most pods.
pub(super) fn top_nodes(feed: Feed, namespaces: Option<String>) -> impl IntoView {
    let entries = move || {
        top(feed, BY_NODE, |name| {
            href(feed.kind.resource, namespaces.as_ref(), format!("{} {NOT_ENDED}", toggle("", "Node", name)))
        })
    };
    card("overview-top-nodes", "Nodes with the most pods", top_list(feed, entries))
}

fn top_list(feed: Feed, entries: impl Fn() -> Vec<Entry> + Clone + Send + Sync + 'static) -> impl IntoView {
    let content = list("Pods that have not ended, and cores that they request", entries);
    view! {
        <p class="hint">{"Pods that have not ended · requested cores"}</p>
        {block(feed, content)}
    }
}

fn top(feed: Feed, at: usize, href: impl Fn(&str) -> Option<String>) -> Vec<Entry> {
    let entry = |Group { key, values }: &Group| {
        let name = key.first().map_or("", String::as_str);
        let entry = Entry::new(State::new(name, None, count(values), String::new()), feed.kind.resource, None);
        Entry { more: Some(number(sum(values, CPU_REQUEST))), href: href(name), ..entry }
    };
    feed.figures(at).map(|figures| figures.groups.iter().map(entry).collect()).unwrap_or_default()
}

/// Content of a block: a list of rows.
fn list(
    label: &'static str,
    entries: impl Fn() -> Vec<Entry> + Clone + Send + Sync + 'static,
) -> impl Fn() -> AnyView + Send + 'static {
    move || rows(label, entries.clone()).into_any()
}
