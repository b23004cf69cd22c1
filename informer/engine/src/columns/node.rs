//! Computed cells of the Node table.

use super::Cell;
use super::read::{Sorted, find_by_type, is_true, members, string, text};
use super::subject::{Subject, condition};

/// Prefix of the labels that name the roles of a node.
const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
const ROLE_LABEL: &str = "kubernetes.io/role";

pub(super) fn status(node: &Subject<'_, '_>, _: &str) -> Cell {
    let mut status = match &*condition(node, "Ready") {
        "True" => "Ready",
        "" => "Unknown",
        _ => "NotReady",
    }
    .to_owned();
    if is_true(node.pointer("/spec/unschedulable")) {
        status.push_str(",SchedulingDisabled");
    }
    Cell::Text(status)
}

pub(super) fn roles(node: &Subject<'_, '_>, _: &str) -> Cell {
    let mut roles = Sorted::default();
    for (key, value) in members(node.pointer("/metadata/labels")) {
        if let Some(role) = key.strip_prefix(ROLE_PREFIX) {
            roles.insert(role);
        } else if key == ROLE_LABEL {
            roles.insert(&string(Some(value)));
        }
    }
    text(roles.joined().into())
}

/// First address of this type.
pub(super) fn address(node: &Subject<'_, '_>, kind: &str) -> Cell {
    text(string(find_by_type(node.pointer("/status/addresses"), kind).and_then(|address| address.get("address"))))
}

/// Kernel version and architecture.
pub(super) fn kernel(node: &Subject<'_, '_>, _: &str) -> Cell {
    let kernel = string(node.pointer("/status/nodeInfo/kernelVersion"));
    let architecture = string(node.pointer("/status/nodeInfo/architecture"));
    if architecture.is_empty() || kernel.is_empty() {
        return text(kernel);
    }
    Cell::Text(format!("{kernel} ({architecture})"))
}
