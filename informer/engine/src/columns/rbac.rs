//! Columns of roles, bindings, certificate requests and API services.

use super::Cell;
use super::read::{is_there, items, join, of_type, string, text};
use super::subject::Subject;

/// Subjects of one kind. Service accounts have a namespace, users and groups do not.
pub(super) fn subjects(binding: &Subject<'_, '_>, kind: &str) -> Cell {
    let mut list = String::new();
    for subject in items(binding.pointer("/subjects")).filter(|subject| string(subject.get("kind")) == kind) {
        let name = string(subject.get("name"));
        if kind == "ServiceAccount" {
            join(&mut list, ", ", &format!("{}/{name}", string(subject.get("namespace"))));
        } else {
            join(&mut list, ", ", &name);
        }
    }
    text(list.into())
}

/// State of a certificate signing request.
pub(super) fn request_status(request: &Subject<'_, '_>, _: &str) -> Cell {
    let conditions = request.pointer("/status/conditions");
    let is = |kind| of_type(conditions, kind).is_some();
    let mut status = if is("Denied") {
        "Denied"
    } else if is("Approved") {
        "Approved"
    } else {
        "Pending"
    }
    .to_owned();
    if is("Failed") {
        status.push_str(",Failed");
    }
    if !string(request.pointer("/status/certificate")).is_empty() {
        status.push_str(",Issued");
    }
    Cell::Text(status)
}

/// Availability of an API service, with the reason: `False (MissingEndpoints)`.
pub(super) fn available(service: &Subject<'_, '_>, _: &str) -> Cell {
    let condition = of_type(service.pointer("/status/conditions"), "Available");
    if !is_there(condition) {
        return Cell::Text("Unknown".to_owned());
    }
    let field = |name| string(condition.and_then(|condition| condition.get(name)));
    let (status, reason) = (field("status"), field("reason"));
    if status == "True" || reason.is_empty() { text(status) } else { Cell::Text(format!("{status} ({reason})")) }
}
