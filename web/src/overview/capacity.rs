//! Capacity card: what the nodes have, what pods request, and what they may use.

use leptos::prelude::*;

use super::amounts::{memory, number, share, width};
use super::counts::{
    BY_NAMESPACE, CAPACITY, CPU_LIMIT, CPU_REQUEST, CPU_USE, MEMORY_LIMIT, MEMORY_REQUEST, MEMORY_USE, NOT_ENDED,
};
use super::feed::Feed;
use super::frame::{block, card, mark, note};
use super::rows::href;
use crate::figures::sum;
use crate::metrics_api::NOT_SERVED;

/// Resource of a row.
#[derive(Clone, Copy)]
struct Resource {
    name: &'static str,
    format: fn(f64) -> String,
    /// Index of the capacity among the values of nodes.
    capacity: usize,
    /// Index of the requests among the values of pods.
    requested: usize,
    /// Index of the limits; none for the pods themselves.
    limits: Option<usize>,
    /// Index of the usage among the values of metrics; none for the pods themselves.
    used: Option<usize>,
}

const RESOURCES: [Resource; 3] = [
    Resource {
        name: "CPU (cores)",
        format: number,
        capacity: 1,
        requested: CPU_REQUEST,
        limits: Some(CPU_LIMIT),
        used: Some(CPU_USE),
    },
    Resource {
        name: "Memory",
        format: memory,
        capacity: 2,
        requested: MEMORY_REQUEST,
        limits: Some(MEMORY_LIMIT),
        used: Some(MEMORY_USE),
    },
    Resource { name: "Pods", format: number, capacity: 3, requested: 0, limits: None, used: None },
];

/// Metrics of nodes and pods, and whether the server has them; `None` before discovery has answered.
#[derive(Clone, Copy)]
pub(super) struct Metrics {
    pub(super) nodes: Feed,
    pub(super) pods: Feed,
    pub(super) is_served: Memo<Option<bool>>,
}

/// Card of the capacity. Requests and limits of pods that have ended do not count.
pub(super) fn capacity(
    pods: Feed,
    nodes: Feed,
    Metrics { nodes: node_use, pods: pod_use, is_served }: Metrics,
    namespaces: Option<&String>,
) -> impl IntoView + use<> {
    let metrics = if namespaces.is_some() { pod_use } else { node_use };
    let is_used = Memo::new(move |_| is_served.get() == Some(true));
    let to_metrics = href(metrics.kind.resource, namespaces, String::new());
    let missing = note(nodes);
    let to_pods = href(pods.kind.resource, namespaces, NOT_ENDED.to_owned());
    let to_nodes = href(nodes.kind.resource, None, String::new());
    let table = move || {
        let rows = RESOURCES.map(|resource| {
            row(resource, [pods, nodes, metrics], is_used, [to_pods.clone(), to_nodes.clone(), to_metrics.clone()])
        });
        view! {
            <table>
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">{"Resource"}</span></th>
                        <th scope="col">{"Capacity"}</th>
                        <th scope="col">{"Requested"}</th>
                        <th scope="col">{"Limits"}</th>
                        {move || is_used.get().then(|| view! { <th scope="col">{"Used"}</th> })}
                    </tr>
                </thead>
                <tbody>{rows.into_iter().collect_view()}</tbody>
            </table>
        }
        .into_any()
    };
    let content = view! {
        {mark(nodes)}
        {move || missing.get().map(|message| view! { <p class="note">{message}</p> })}
        {block(pods, table)}
        {move || is_used.get().then(|| view! { {mark(metrics)} {note_text(metrics)} })}
        {move || (is_served.get() == Some(false)).then(|| view! { <p class="hint">{NOT_SERVED}</p> })}
        <p class="hint">{"Capacity of all nodes. Requests and limits of pods that have not ended, as the scheduler counts them, also of pods without a node."}</p>
    };
    card("overview-capacity", "Capacity and requests", content)
}

/// Paragraph with the note of a feed.
fn note_text(feed: Feed) -> impl IntoView {
    let message = note(feed);
    move || message.get().map(|message| view! { <p class="note">{message}</p> })
}

fn row(
    resource: Resource,
    [pods, nodes, metrics]: [Feed; 3],
    is_used: Memo<bool>,
    [to_pods, to_nodes, to_metrics]: [Option<String>; 3],
) -> impl IntoView {
    let Resource { name, format, capacity, requested, limits, used } = resource;
    let capacity = Memo::new(move |_| Some(sum(&nodes.figures(CAPACITY)?.total, capacity)));
    let summed = move |index: usize| {
        Memo::new(move |_| pods.figures(BY_NAMESPACE).map_or(0.0, |figures| sum(&figures.total, index)))
    };
    let limits = limits.map(summed).map(|limits| amount(limits, capacity, format, to_pods.clone()));
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td>
                {move || match capacity.get() {
                    Some(capacity) => view! { <a href=to_nodes.clone()>{format(capacity)}</a> }.into_any(),
                    // Not 0: it is unknown.
                    None => view! { <span title="Unknown">{"–"}</span> }.into_any(),
                }}
            </td>
            <td>{amount(summed(requested), capacity, format, to_pods)}</td>
            <td>{limits}</td>
            {move || is_used.get().then(|| {
                let cell = used.map(|index| usage(index, metrics, capacity, format, to_metrics.clone()));
                view! { <td>{cell}</td> }
            })}
        </tr>
    }
}

/// Usage of a resource; unknown until the metrics have arrived.
fn usage(
    index: usize,
    metrics: Feed,
    capacity: Memo<Option<f64>>,
    format: fn(f64) -> String,
    href: Option<String>,
) -> impl IntoView {
    let used = Memo::new(move |_| metrics.figures(0).map_or(0.0, |figures| sum(&figures.total, index)));
    let is_loaded = Memo::new(move |_| metrics.has_all_figures());
    move || {
        if is_loaded.get() {
            amount(used, capacity, format, href.clone()).into_any()
        } else {
            view! { <span title="Unknown">{"–"}</span> }.into_any()
        }
    }
}

/// Cell with an amount and its share of the capacity, as a number and as a bar.
fn amount(
    value: Memo<f64>,
    capacity: Memo<Option<f64>>,
    format: fn(f64) -> String,
    href: Option<String>,
) -> impl IntoView {
    let part = move || capacity.get().and_then(|capacity| share(value.get(), capacity));
    let wide = move || format!("{}%", width(value.get(), capacity.get().unwrap_or_default()));
    let is_over = move || capacity.get().is_some_and(|capacity| value.get() > capacity);
    view! {
        <a href=href>{move || format(value.get())}</a>
        <span class="share">{part}</span>
        <span class="gauge" class:over=is_over aria-hidden="true">
            <span style:width=wide></span>
        </span>
    }
}
