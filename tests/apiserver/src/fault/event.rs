//! Faults of single events: the same changes to a line of JSON and to a frame of protobuf.

use axum::http::{HeaderMap, header};
use bytes::Bytes;

use super::event_kind::EventKind;
use super::{frame, line};
use crate::protobuf;

/// Form of the events of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventForm {
    Lines,
    Frames,
}

impl EventForm {
    /// Returns the form in a response with these headers.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_protobuf = headers.get(header::CONTENT_TYPE).is_some_and(|value| value == protobuf::WATCH_TYPE);
        if is_protobuf { Self::Frames } else { Self::Lines }
    }

    pub(super) fn kind_of(self, event: &[u8]) -> EventKind {
        match self {
            Self::Lines => line::kind_of(event),
            Self::Frames => frame::kind_of(event),
        }
    }

    /// Returns the version of the object of an event.
    pub(super) fn version(self, event: &[u8]) -> Option<u64> {
        match self {
            Self::Lines => line::version(event),
            Self::Frames => frame::version(event),
        }
    }

    /// Replaces the version of the object of an event.
    pub(super) fn with_version(self, event: &Bytes, version: u64) -> Bytes {
        match self {
            Self::Lines => line::with_version(event, version),
            Self::Frames => frame::with_version(event, version),
        }
    }

    /// Replaces the type of an event by an unknown one.
    pub(super) fn with_unknown_type(self, event: &Bytes) -> Bytes {
        match self {
            Self::Lines => line::with_unknown_type(event),
            Self::Frames => frame::with_unknown_type(event),
        }
    }

    /// Replaces the kind of the object of an event.
    pub(super) fn with_wrong_kind(self, event: &Bytes) -> Bytes {
        match self {
            Self::Lines => line::with_wrong_kind(event),
            Self::Frames => frame::with_wrong_kind(event),
        }
    }

    /// Lengthens an event by this many bytes in a field that no client knows; the event is the same.
    pub(super) fn oversized(self, event: &Bytes, bytes: usize) -> Bytes {
        match self {
            Self::Lines => line::oversized(event, bytes),
            Self::Frames => frame::oversized(event, bytes),
        }
    }

    /// Returns an ERROR event from the JSON of its Status.
    pub(super) fn error(self, status: &str) -> Bytes {
        let object = protobuf::body(status.as_bytes()).filter(|_| self == Self::Frames);
        object.map_or_else(
            || format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n").into(),
            |object| protobuf::frame("ERROR", &object).into(),
        )
    }
}

/// Returns bytes that are neither JSON nor UTF-8. Their beginning is the length of a frame of 2 GB.
pub(super) fn garbage() -> Bytes {
    Bytes::from_static(b"{\"type\":\"ADDED\",\"object\":\xff\xfe not json\n")
}
