//! Computed cells of the Event tables, in both API groups.

use super::Cell;
use super::read::{string, text};
use super::subject::Subject;

/// Object that the event is about: `pod/web`.
pub(super) fn involved(event: &Subject<'_, '_>, at: &str) -> Cell {
    let Some(object) = event.pointer(at) else { return Cell::None };
    let (kind, name) = (string(object.get("kind")).to_ascii_lowercase(), string(object.get("name")));
    if name.is_empty() { text(kind.into()) } else { Cell::Text(format!("{kind}/{name}")) }
}

/// Component and node that reported the event: `kubelet, node-1`. `events.k8s.io` events name the controller in another
/// field.
pub(super) fn source(event: &Subject<'_, '_>, pointers: &str) -> Cell {
    let (old, new) = pointers.split_once(' ').unwrap_or((pointers, ""));
    let old = event.pointer(old);
    let either = |field, new| match string(old.and_then(|source| source.get(field))) {
        said if said.is_empty() => string(event.pointer(new)),
        said => said,
    };
    let (component, host) = (either("component", new), either("host", "/reportingInstance"));
    if host.is_empty() { text(component) } else { Cell::Text(format!("{component}, {host}")) }
}
