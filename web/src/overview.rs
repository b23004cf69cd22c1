//! Overview: the state of the cluster, or of namespaces, in numbers; each is a link to the table behind it. Deferred
//! code.
//!
//! The engine counts (`SharedInformer.aggregate()`), so the overview receives numbers and no objects. Its informers are
//! open while it is shown, and linger as those of the table do.

mod amounts;
mod capacity;
mod cards;
mod chart;
mod counts;
mod feed;
mod frame;
mod minutes;
mod options;
mod rows;
mod states;

use leptos::prelude::*;

use crate::loading::PageState;
use crate::metrics_api;
use crate::namespaces;
use capacity::Metrics;
use cards::Workloads;
use chart::{Subject, chart};
use counts::{
    BY_MINUTE, BY_RESTART, DAEMON_SETS, DEPLOYMENTS, EVENTS, JOBS, LATE_WARNINGS, NODE_USE, NODES, POD_USE, PODS,
    RESTARTED_LATELY, STATEFUL_SETS,
};
use feed::Feed;

/// Feeds of the page. Other namespaces have other figures, mostly of the same informers.
#[derive(Clone, Copy)]
struct Feeds {
    pods: Feed,
    nodes: Feed,
    events: Feed,
    workloads: Workloads,
    metrics: Metrics,
}

impl Feeds {
    fn open(PageState { cluster, navigator, resources, .. }: PageState) -> Self {
        let chosen = navigator.namespaces;
        let feed = |kind| Feed::open(cluster, kind, chosen);
        let is_served = metrics_api::is_served(resources);
        let in_some = Memo::new(move |_| is_served.get() == Some(true) && chosen.with(Option::is_some));
        let in_all = Memo::new(move |_| is_served.get() == Some(true) && chosen.with(Option::is_none));
        Self {
            pods: feed(&PODS),
            nodes: feed(&NODES),
            events: feed(&EVENTS),
            workloads: Workloads {
                deployments: feed(&DEPLOYMENTS),
                stateful_sets: feed(&STATEFUL_SETS),
                daemon_sets: feed(&DAEMON_SETS),
                jobs: feed(&JOBS),
            },
            metrics: Metrics {
                nodes: Feed::open_while(cluster, &NODE_USE, chosen, in_all),
                pods: Feed::open_while(cluster, &POD_USE, chosen, in_some),
                is_served,
            },
        }
    }
}

/// Page of the overview.
#[component]
pub(crate) fn Overview(page: PageState) -> impl IntoView {
    let PageState { navigator, now, .. } = page;
    let feeds = Feeds::open(page);
    view! {
        <main class="overview" tabindex="0" aria-label="Overview">
            <h1 class="visually-hidden">{"Overview"}</h1>
            {move || cards_of(feeds, navigator.namespaces.get(), now)}
        </main>
    }
}

/// Warnings of the last hour. Events are in the cache of the informer, so that the past is known at once.
const WARNINGS: Subject = Subject {
    id: "overview-warnings-chart",
    title: "Warnings by the minute",
    count: BY_MINUTE,
    filter: LATE_WARNINGS,
    column: "minute",
    nouns: ["warning", "warnings"],
    tone: "--warn",
    hint: "An event that repeats counts once, in the minute in which it was last seen.",
};

/// Restarts of the last hour, from the states of the containers.
const RESTARTS: Subject = Subject {
    id: "overview-restarts-chart",
    title: "Restarts by the minute",
    count: BY_RESTART,
    filter: RESTARTED_LATELY,
    column: "restart-minute",
    nouns: ["restarted pod", "restarted pods"],
    tone: "--bad",
    hint: "A pod that restarts repeatedly counts once, in the minute of its last restart.",
};

fn cards_of(
    Feeds { pods, nodes, events, workloads, metrics }: Feeds,
    chosen: Option<String>,
    now: RwSignal<f64>,
) -> impl IntoView {
    view! {
        <p class="scope">{namespaces::scope(chosen.as_deref())}</p>
        <div class="cards">
            {cards::pods(pods, chosen.clone())} {cards::nodes(nodes)}
            {capacity::capacity(pods, nodes, metrics, chosen.as_ref())} {cards::workloads(workloads, chosen.as_ref())}
            {chart(WARNINGS, events, chosen.clone(), now)} {chart(RESTARTS, pods, chosen.clone(), now)}
            {cards::warnings(events, chosen.clone())} {cards::top_namespaces(pods)}
            {cards::top_nodes(pods, chosen)}
        </div>
    }
}
