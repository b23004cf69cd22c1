//! Nodes, namespaces, services, events and configuration.

use std::borrow::Cow;

use informer_packing::{Json, Outline};

use super::workload::pairs;
use super::{Cell, Column, condition, count_in, entries, items, joined, str_in, str_of, text, time};

pub(super) static NODE: [Column; 7] = [
    Column::text("Status", node_status),
    Column::text("Roles", node_roles),
    Column::text("Version", |o| text(o, "/status/nodeInfo/kubeletVersion")),
    Column::text("Internal-IP", |o| node_address(o, "InternalIP")).wide(),
    Column::text("External-IP", |o| node_address(o, "ExternalIP")).wide(),
    Column::text("OS Image", |o| text(o, "/status/nodeInfo/osImage")).wide(),
    Column::text("Kernel Version", |o| text(o, "/status/nodeInfo/kernelVersion")).wide(),
];

pub(super) static NAMESPACE: [Column; 1] = [Column::text("Status", |o| text(o, "/status/phase"))];

pub(super) static SERVICE: [Column; 5] = [
    Column::text("Type", |o| text(o, "/spec/type")),
    Column::text("Cluster-IP", |o| text(o, "/spec/clusterIP")),
    Column::text("External-IP", external_ip),
    Column::text("Port(s)", ports),
    Column::text("Selector", |o| pairs(o, "/spec/selector")).wide(),
];

pub(super) static EVENT: [Column; 5] = [
    Column::text("Last Seen", last_seen),
    Column::text("Type", |o| text(o, "/type")),
    Column::text("Reason", |o| text(o, "/reason")),
    Column::text("Object", involved),
    Column::text("Message", |o| text(o, "/message")),
];

pub(super) static CONFIG_MAP: [Column; 1] =
    [Column::number("Data", |o| Cell::Number((entries(o, "/data") + entries(o, "/binaryData")) as f64))];

pub(super) static SECRET: [Column; 2] =
    [Column::text("Type", |o| text(o, "/type")), Column::number("Data", |o| Cell::Number(entries(o, "/data") as f64))];

fn node_status(node: &Outline<'_>) -> Cell {
    let mut status = match &*condition(node, "Ready", "/status") {
        "True" => "Ready",
        "" => "Unknown",
        _ => "NotReady",
    }
    .to_owned();
    if node.pointer("/spec/unschedulable").and_then(Json::as_bool) == Some(true) {
        status.push_str(",SchedulingDisabled");
    }
    Cell::Text(status)
}

fn node_roles(node: &Outline<'_>) -> Cell {
    let labels = node.pointer("/metadata/labels").into_iter().flat_map(Json::members);
    joined(labels.filter_map(|(key, _)| Some(Cow::Owned(key.strip_prefix("node-role.kubernetes.io/")?.to_owned()))))
}

fn node_address(node: &Outline<'_>, kind: &str) -> Cell {
    let of_kind = |a: &Json<'_>| str_in(*a, "/type") == kind;
    joined(items(node, "/status/addresses").find(of_kind).map(|a| str_in(a, "/address")).into_iter())
}

fn external_ip(service: &Outline<'_>) -> Cell {
    let ingress = items(service, "/status/loadBalancer/ingress").map(|i| match str_in(i, "/ip") {
        ip if ip.is_empty() => str_in(i, "/hostname"),
        ip => ip,
    });
    let own = items(service, "/spec/externalIPs").map(|ip| ip.as_str().unwrap_or_default());
    match (&*str_of(service, "/spec/type"), joined(ingress.chain(own))) {
        ("ExternalName", _) => text(service, "/spec/externalName"),
        ("LoadBalancer", Cell::None) => Cell::Text("<pending>".to_owned()),
        (_, cell) => cell,
    }
}

fn ports(service: &Outline<'_>) -> Cell {
    joined(items(service, "/spec/ports").map(|port| {
        let (number, node) = (count_in(port, "/port"), count_in(port, "/nodePort"));
        let protocol = str_in(port, "/protocol");
        let protocol = if protocol.is_empty() { "TCP" } else { &protocol };
        Cow::Owned(if node > 0 { format!("{number}:{node}/{protocol}") } else { format!("{number}/{protocol}") })
    }))
}

/// Old events carry `lastTimestamp`, new ones a series or only `eventTime`.
fn last_seen(event: &Outline<'_>) -> Cell {
    ["/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/metadata/creationTimestamp"]
        .iter()
        .map(|pointer| time(event, pointer))
        .find(|cell| *cell != Cell::None)
        .unwrap_or(Cell::None)
}

fn involved(event: &Outline<'_>) -> Cell {
    let (kind, name) = (str_of(event, "/involvedObject/kind"), str_of(event, "/involvedObject/name"));
    Cell::Text(format!("{}/{name}", kind.to_lowercase()))
}
