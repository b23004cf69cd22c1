//! Watch event decoder: one line of a watch.

use std::ops::ControlFlow;

use informer_packing::{Cutter, Json, Outline, Piece};

use crate::api_status::{ApiStatus, excerpt};
use crate::error::{ErrorCode, InformerError, Result};
#[cfg(any(test, feature = "testing"))]
use crate::object::{KubeObject, read_object};

/// The annotation of the bookmark that ends the initial events of a watch.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// An event of a watch: the five types of `watch.EventType`.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<T> {
    /// The object was created, or began to match the selector.
    Added(T),
    /// The object changed.
    Modified(T),
    /// The object was deleted, or no longer matches the selector. Its version is that of the deletion.
    Deleted(T),
    /// Bookmark: no other change up to this version.
    Bookmark {
        /// Version from which a watch can resume.
        resource_version: String,
        /// Whether it is the end bookmark: all initial objects have been sent.
        initial_events_end: bool,
    },
    /// The server ends the watch. Never an object.
    Error(InformerError),
}

#[cfg(any(test, feature = "testing"))]
impl<T: KubeObject> WatchEvent<T> {
    /// Decodes one line.
    ///
    /// A line that is not an event is a [`WatchEvent::Error`], as in client-go (`ClientWatchDecoding`): its object is
    /// unknown, so only a relist corrects the cache. The same applies to an undecodable deletion. A bare Status becomes
    /// its error.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] if the event is complete but unusable: of an unknown type, without an object, about a
    /// Status. If the error contains the key of the object, only this event is skipped; otherwise a relist follows.
    pub fn from_line(line: &[u8]) -> Result<Self> {
        EventReader::new(true).read(line, &mut |outline| read_object(outline.root().text(), None))
    }
}

impl EventReader {
    /// Creates one that decodes, or passes over, `metadata.managedFields` of objects.
    pub(crate) fn new(managed_fields: bool) -> Self {
        // Lines are not decoded element by element, and the line splitter limits their length.
        let cutter = Cutter::new("", usize::MAX);
        Self(if managed_fields { cutter } else { cutter.passing_over("metadata", "managedFields") })
    }
}

/// Decoder of the lines of a watch, each in one pass.
#[derive(Debug)]
pub(crate) struct EventReader(Cutter);

impl EventReader {
    /// As [`WatchEvent::from_line`]; `read` reads the object.
    pub(crate) fn read<T>(
        &mut self,
        line: &[u8],
        read: &mut dyn FnMut(&Outline<'_>) -> Result<T>,
    ) -> Result<WatchEvent<T>> {
        let mut kind: Option<String> = None;
        let (mut event, mut object, mut twice) = (None, None::<String>, false);
        self.0.reset();
        let cut = self.0.push(line, &mut |piece| {
            match (piece, &kind) {
                (Piece::Member("type", value), None) => match value.root().as_str() {
                    Some(text) => kind = Some(text.into_owned()),
                    None => return ControlFlow::Break(()),
                },
                // An apiserver sends the type first; otherwise a second pass is needed.
                (Piece::Member("object", value), None) if object.is_none() => {
                    object = Some(value.root().text().to_owned());
                }
                (Piece::Member("object", value), Some(kind)) if event.is_none() && object.is_none() => {
                    event = Some(event_of(kind, value, read));
                }
                // With two objects, the right one is unknown.
                (Piece::Member("type" | "object", _), _) => twice = true,
                _ => {}
            }
            ControlFlow::Continue(())
        });
        if let (Some(kind), Some(object)) = (&kind, &object) {
            event = Some(event_of(kind, &Outline::of(Json::new(object)), read));
        }
        match event {
            Some(event) if cut.is_ok() && self.0.is_complete() && !twice => event,
            _ => Ok(WatchEvent::Error(ApiStatus::parse(line).unwrap_or_else(|| unreadable(&excerpt(line))))),
        }
    }
}

fn event_of<T>(
    kind: &str,
    object: &Outline<'_>,
    read: &mut dyn FnMut(&Outline<'_>) -> Result<T>,
) -> Result<WatchEvent<T>> {
    match kind {
        "ADDED" => read(object).map(WatchEvent::Added),
        "MODIFIED" => read(object).map(WatchEvent::Modified),
        // A skipped deletion would leave its object in the cache forever: a relist removes it.
        "DELETED" => Ok(read(object).map_or_else(WatchEvent::Error, WatchEvent::Deleted)),
        "BOOKMARK" => {
            let version = object.pointer("/metadata/resourceVersion").and_then(Json::as_str);
            let version = version.ok_or_else(|| unreadable(&excerpt(object.root().text().as_bytes())))?;
            // Only the value "true" counts, as in client-go. The key contains a slash, so a JSON pointer cannot name it.
            let end = object.pointer("/metadata/annotations").and_then(|all| all.get(INITIAL_EVENTS_END));
            let initial_events_end = end.and_then(Json::as_str).is_some_and(|value| value == "true");
            Ok(WatchEvent::Bookmark { resource_version: version.into_owned(), initial_events_end })
        }
        "ERROR" => Ok(WatchEvent::Error(ApiStatus::in_stream(object.root().text()))),
        other => Err(unreadable(&format!("type {:?}", other.chars().take(40).collect::<String>()))),
    }
}

fn unreadable(what: &str) -> InformerError {
    InformerError::new(ErrorCode::Decode, format!("cannot decode a line of the watch: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Keyed, Object};

    fn read(line: &str) -> Result<WatchEvent<Object>> {
        WatchEvent::from_line(line.as_bytes())
    }

    #[test]
    fn the_five_types() {
        let object = r#"{"metadata":{"name":"a","resourceVersion":"3"}}"#;
        let key = |event: Result<WatchEvent<Object>>| match event {
            Ok(WatchEvent::Added(o) | WatchEvent::Modified(o) | WatchEvent::Deleted(o)) => o.key().to_owned(),
            other => panic!("{other:?}"),
        };
        for kind in ["ADDED", "MODIFIED", "DELETED"] {
            assert_eq!(key(read(&format!("{{\"type\":\"{kind}\",\"object\":{object}}}"))), "a");
        }
        let bookmark = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
        assert_eq!(read(bookmark), Ok(WatchEvent::Bookmark { resource_version: "5".into(), initial_events_end: true }));
        let gone = r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}"#;
        match read(gone) {
            Ok(WatchEvent::Error(error)) => assert_eq!(error.code(), ErrorCode::Expired),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn wat_11_wat_12_anything_else_is_a_typed_error() {
        for line in [
            r#"{"type":"FOO","object":{}}"#,
            r#"{"type":"ADDED","object":null}"#,
            r#"{"type":"BOOKMARK","object":{}}"#,
            r#"{"type":"ADDED","object":{"kind":"Status","metadata":{"name":"x"}}}"#,
        ] {
            assert_eq!(read(line).expect_err(line).code(), ErrorCode::Decode);
        }
    }

    #[test]
    fn a_deletion_that_cannot_be_read_is_not_passed_over() {
        let line = r#"{"type":"DELETED","object":{"metadata":{"namespace":"n"}}}"#;
        assert!(matches!(read(line), Ok(WatchEvent::Error(error)) if error.code() == ErrorCode::Decode));
    }

    #[test]
    fn a_line_that_is_no_event_ends_the_watch() {
        let code = |line: &[u8]| match WatchEvent::<Object>::from_line(line) {
            Ok(WatchEvent::Error(error)) => error.code(),
            other => panic!("{other:?}"),
        };
        for line in [
            "",
            "garbage",
            "<html>",
            "{}",
            "[]",
            "null",
            r#"{"type":"ADDED"}"#,
            r#"{"type":"ADDED","object":{"metadata":{"name":"a"}"#,
        ] {
            assert_eq!(code(line.as_bytes()), ErrorCode::Decode, "{line}");
        }
        assert_eq!(code(&[b'"', 0xff, b'"']), ErrorCode::Decode);
        assert_eq!(code(br#"{"kind":"Status","code":401,"reason":"Unauthorized"}"#), ErrorCode::Unauthorized);
    }
}
