//! Computed cells of the RoleBinding, ClusterRoleBinding, CertificateSigningRequest and APIService tables.

use super::Cell;
use super::read::{find_by_type, is_present, items, join, string, text};
use super::subject::Subject;

/// Names of the subjects of one kind in a role binding. Those of service accounts include their namespace.
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

/// Status of a certificate signing request.
pub(super) fn request_status(request: &Subject<'_, '_>, _: &str) -> Cell {
    let conditions = request.pointer("/status/conditions");
    let is = |kind| find_by_type(conditions, kind).is_some();
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

/// Availability of an APIService, with the reason: `False (MissingEndpoints)`.
pub(super) fn available(service: &Subject<'_, '_>, _: &str) -> Cell {
    let condition = find_by_type(service.pointer("/status/conditions"), "Available");
    if !is_present(condition) {
        return Cell::Text("Unknown".to_owned());
    }
    let field = |name| string(condition.and_then(|condition| condition.get(name)));
    let (status, reason) = (field("status"), field("reason"));
    if status == "True" || reason.is_empty() { text(status) } else { Cell::Text(format!("{status} ({reason})")) }
}
