//! Watch events as lines of JSON.

use bytes::Bytes;

use crate::kinds::Kind;
use crate::object::Entry;
use crate::status::Status;

/// ADDED, MODIFIED or DELETED with its object.
pub(crate) fn object(kind_of_event: &str, kind: &Kind, version: &str, entry: &Entry) -> Bytes {
    let mut line = format!("{{\"type\":\"{kind_of_event}\",\"object\":").into_bytes();
    entry.write(kind, version, &mut line);
    line.extend_from_slice(b"}\n");
    line.into()
}

/// A bookmark: an empty object with a version, and the mark that ends the initial events.
pub(crate) fn bookmark(kind: &Kind, version: &str, revision: u64, initial_end: bool) -> Bytes {
    let api_version = kind.api_version(version);
    let mark = if initial_end { ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" } else { "" };
    // What is left of an empty typed object once Go has written it.
    let rest = match kind.id().as_str() {
        "pods" => ",\"spec\":{\"containers\":null},\"status\":{}",
        _ if kind.status && !kind.custom => ",\"spec\":{},\"status\":{}",
        _ => "",
    };
    format!(
        "{{\"type\":\"BOOKMARK\",\"object\":{{\"kind\":\"{}\",\"apiVersion\":\"{api_version}\",\
         \"metadata\":{{\"resourceVersion\":\"{revision}\"{mark}}}{rest}}}}}\n",
        kind.name
    )
    .into()
}

/// A failure inside the stream.
pub(crate) fn error(status: &Status) -> Bytes {
    let mut line = b"{\"type\":\"ERROR\",\"object\":".to_vec();
    line.extend_from_slice(&status.to_json());
    line.extend_from_slice(b"}\n");
    line.into()
}
