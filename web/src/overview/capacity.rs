//! Capacity card: what the nodes have, what pods request, and what they may use.

use leptos::prelude::*;

use super::amounts::{memory, number, share, width};
use super::counts::{BY_NAMESPACE, CAPACITY, CPU_LIMIT, CPU_REQUEST, MEMORY_LIMIT, MEMORY_REQUEST, NOT_ENDED};
use super::feed::Feed;
use super::figures::sum;
use super::frame::{block, card, mark, note};
use super::rows::href;

/// Resource of a row.
#[derive(Clone, Copy)]
struct Resource {
    name: &'static str,
    format: fn(f64) -> String,
    /// Place of the capacity among the values of nodes.
    capacity: usize,
    /// Places of requests among the values of pods.
    requested: (usize, usize),
    /// Places of limits; none for the pods themselves.
    limits: Option<(usize, usize)>,
}

const RESOURCES: [Resource; 3] = [
    Resource {
        name: "CPU (cores)",
        format: number,
        capacity: 1,
        requested: (CPU_REQUEST.start, CPU_REQUEST.end),
        limits: Some((CPU_LIMIT.start, CPU_LIMIT.end)),
    },
    Resource {
        name: "Memory",
        format: memory,
        capacity: 2,
        requested: (MEMORY_REQUEST.start, MEMORY_REQUEST.end),
        limits: Some((MEMORY_LIMIT.start, MEMORY_LIMIT.end)),
    },
    Resource { name: "Pods", format: number, capacity: 3, requested: (0, 1), limits: None },
];

/// Card. Requests and limits of pods that have ended do not count.
pub(super) fn capacity(pods: Feed, nodes: Feed, namespace: Option<&String>) -> impl IntoView + use<> {
    let missing = note(nodes);
    let to_pods = href(pods.kind.resource, namespace, NOT_ENDED.to_owned());
    let to_nodes = href(nodes.kind.resource, None, String::new());
    let table = move || {
        let rows = RESOURCES.map(|resource| row(resource, pods, nodes, to_pods.clone(), to_nodes.clone()));
        view! {
            <table>
                <thead>
                    <tr>
                        <th scope="col">{"Resource"}</th>
                        <th scope="col">{"Capacity"}</th>
                        <th scope="col">{"Requested"}</th>
                        <th scope="col">{"Limits"}</th>
                    </tr>
                </thead>
                <tbody>{rows.into_iter().collect_view()}</tbody>
            </table>
        }
        .into_any()
    };
    let content = view! {
        {mark(nodes)}
        {move || missing.get().map(|says| view! { <p class="note">{says}</p> })}
        {block(pods, table)}
        <p class="hint">{"Capacity of all nodes. Requests and limits of the containers of pods that have not ended, also of those without a node; init containers and resources of whole pods are not counted."}</p>
    };
    card("overview-capacity", "Capacity and requests", content)
}

fn row(
    resource: Resource,
    pods: Feed,
    nodes: Feed,
    to_pods: Option<String>,
    to_nodes: Option<String>,
) -> impl IntoView {
    let Resource { name, format, capacity, requested, limits } = resource;
    let capacity = Memo::new(move |_| Some(sum(&nodes.figures(CAPACITY)?.total, capacity..capacity + 1)));
    let summed = move |(from, to): (usize, usize)| {
        Memo::new(move |_| pods.figures(BY_NAMESPACE).map_or(0.0, |figures| sum(&figures.total, from..to)))
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
        </tr>
    }
}

/// Amount with its share of the capacity, as a number and as a bar.
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
