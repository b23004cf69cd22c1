//! The kinds of the group `apps`.

use std::borrow::Cow;

use informer_packing::{Json, Outline};

use super::{Cell, Column, count, items, joined, number, ratio, str_in};

pub(super) static DEPLOYMENT: [Column; 6] = [
    Column::text("Ready", |o| ratio(count(o, "/status/readyReplicas"), wanted(o))),
    Column::number("Up-to-date", |o| number(o, "/status/updatedReplicas")),
    Column::number("Available", |o| number(o, "/status/availableReplicas")),
    Column::text("Containers", containers).wide(),
    Column::text("Images", images).wide(),
    Column::text("Selector", selector).wide(),
];

pub(super) static REPLICA_SET: [Column; 6] = [
    Column::number("Desired", |o| Cell::Number(wanted(o) as f64)),
    Column::number("Current", |o| number(o, "/status/replicas")),
    Column::number("Ready", |o| number(o, "/status/readyReplicas")),
    Column::text("Containers", containers).wide(),
    Column::text("Images", images).wide(),
    Column::text("Selector", selector).wide(),
];

pub(super) static STATEFUL_SET: [Column; 3] = [
    Column::text("Ready", |o| ratio(count(o, "/status/readyReplicas"), wanted(o))),
    Column::text("Containers", containers).wide(),
    Column::text("Images", images).wide(),
];

pub(super) static DAEMON_SET: [Column; 9] = [
    Column::number("Desired", |o| number(o, "/status/desiredNumberScheduled")),
    Column::number("Current", |o| number(o, "/status/currentNumberScheduled")),
    Column::number("Ready", |o| number(o, "/status/numberReady")),
    Column::number("Up-to-date", |o| number(o, "/status/updatedNumberScheduled")),
    Column::number("Available", |o| number(o, "/status/numberAvailable")),
    Column::text("Node Selector", |o| pairs(o, "/spec/template/spec/nodeSelector")),
    Column::text("Containers", containers).wide(),
    Column::text("Images", images).wide(),
    Column::text("Selector", selector).wide(),
];

/// Replicas asked for; one where the field is left out, as the apiserver defaults it.
fn wanted(object: &Outline<'_>) -> u64 {
    object.pointer("/spec/replicas").and_then(Json::as_u64).unwrap_or(1)
}

pub(super) fn containers(object: &Outline<'_>) -> Cell {
    joined(items(object, "/spec/template/spec/containers").map(|c| str_in(c, "/name")))
}

pub(super) fn images(object: &Outline<'_>) -> Cell {
    joined(items(object, "/spec/template/spec/containers").map(|c| str_in(c, "/image")))
}

fn selector(object: &Outline<'_>) -> Cell {
    pairs(object, "/spec/selector/matchLabels")
}

pub(super) fn pairs(object: &Outline<'_>, pointer: &str) -> Cell {
    let map = object.pointer(pointer).into_iter().flat_map(Json::members);
    joined(map.map(|(key, value)| Cow::Owned(format!("{key}={}", value.as_str().unwrap_or_default()))))
}
