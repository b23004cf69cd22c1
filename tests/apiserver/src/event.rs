//! Watch events as lines of JSON or as frames of protobuf, in the requested form.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::HeaderValue;
use bytes::Bytes;
use serde_json::json;

use crate::kinds::Kind;
use crate::object::Entry;
use crate::protobuf;
use crate::status::Status;
use crate::table::{self, Table};
use crate::view::{Encoding, Form, View};

/// Number of bytes reserved around an object's body.
const OVERHEAD: usize = 160;

/// Encoder of the events of one watch.
#[derive(Debug)]
pub(crate) struct EventEncoder {
    kind: Arc<Kind>,
    version: String,
    view: View,
    table: Option<Table>,
    /// Whether the columns were sent: only the first table has them.
    columns_sent: AtomicBool,
}

impl EventEncoder {
    pub(crate) fn new(kind: Arc<Kind>, version: String, view: View) -> Self {
        let table = view.table(&kind, &version);
        Self { kind, version, view, table, columns_sent: AtomicBool::new(false) }
    }

    /// Whether the watch sends no events: the real server opens a watch for lists of metadata, but sends no events.
    pub(crate) fn sends_nothing(&self) -> bool {
        self.view.form == Form::MetadataList
    }

    /// Encodes ADDED, MODIFIED or DELETED with its object.
    pub(crate) fn object(&self, kind_of_event: &str, entry: &Entry) -> Bytes {
        if self.view.encoding == Encoding::Protobuf {
            return self.frame(kind_of_event, entry);
        }
        if self.view.form == Form::Object {
            return object(kind_of_event, &self.kind, &self.version, entry);
        }
        self.encode_form(kind_of_event, entry, false)
    }

    /// Encodes a bookmark: an empty object with a version, and the mark at the end of the initial events.
    pub(crate) fn bookmark(&self, revision: u64, initial_end: bool) -> Bytes {
        let protobuf = self.view.encoding == Encoding::Protobuf;
        if self.view.form == Form::Object && !protobuf {
            return bookmark(&self.kind, &self.version, revision, initial_end);
        }
        let mark = if initial_end { json!({"k8s.io/initial-events-end": "true"}) } else { json!(null) };
        let mut object = json!({"metadata": {}});
        if initial_end {
            object["metadata"]["annotations"] = mark;
        }
        let entry = Entry::pack(&self.kind, revision, &object);
        if protobuf { self.frame("BOOKMARK", &entry) } else { self.encode_form("BOOKMARK", &entry, initial_end) }
    }

    /// Encodes an error in the stream.
    pub(crate) fn error(&self, status: &Status) -> Bytes {
        let json = status.to_json();
        match protobuf::body(&json).filter(|_| self.view.encoding == Encoding::Protobuf) {
            Some(object) => protobuf::frame("ERROR", &object).into(),
            None => [b"{\"type\":\"ERROR\",\"object\":", &json[..], b"}\n"].concat().into(),
        }
    }

    /// Content type of the stream.
    pub(crate) fn content_type(&self) -> HeaderValue {
        let is_protobuf = self.view.encoding == Encoding::Protobuf;
        HeaderValue::from_static(if is_protobuf { protobuf::WATCH_TYPE } else { "application/json" })
    }

    /// Encodes an event as a frame of protobuf.
    fn frame(&self, kind_of_event: &str, entry: &Entry) -> Bytes {
        let (api_version, kind) = self.view.type_of(&self.kind, &self.version);
        let raw = self.view.message(&self.kind, &self.version, entry);
        protobuf::frame(kind_of_event, &protobuf::envelope(&api_version, &kind, &raw)).into()
    }

    /// Encodes an event in another form than the whole object.
    fn encode_form(&self, kind_of_event: &str, entry: &Entry, marked: bool) -> Bytes {
        let mut line = format!("{{\"type\":\"{kind_of_event}\",\"object\":").into_bytes();
        match &self.table {
            Some(table) => {
                let first = !self.columns_sent.swap(true, Ordering::Relaxed);
                let metadata = format!("\"resourceVersion\":\"{}\"", entry.revision);
                line.extend_from_slice(table.head(&metadata, first).as_bytes());
                table.write_row(&self.kind, &self.version, entry, marked, &mut line);
                line.extend_from_slice(table::TAIL);
            }
            None => self.view.write(&self.kind, &self.version, entry, &mut line),
        }
        line.extend_from_slice(b"}\n");
        line.into()
    }
}

fn object(kind_of_event: &str, kind: &Kind, version: &str, entry: &Entry) -> Bytes {
    // Reserved at once: growing would copy every event repeatedly.
    let mut line = Vec::with_capacity(entry.size() + OVERHEAD);
    for part in ["{\"type\":\"", kind_of_event, "\",\"object\":"] {
        line.extend_from_slice(part.as_bytes());
    }
    entry.write(kind, version, &mut line);
    line.extend_from_slice(b"}\n");
    line.into()
}

fn bookmark(kind: &Kind, version: &str, revision: u64, initial_end: bool) -> Bytes {
    let api_version = kind.api_version(version);
    let mark = if initial_end { ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" } else { "" };
    // Remaining fields of an empty typed object in Go's encoding.
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
