//! One line of a watch, and what it means.

use informer_packing::{Json, Outline};

use crate::api_status::{ApiStatus, excerpt};
use crate::error::{ErrorCode, InformerError, Result};
use crate::object::{KubeObject, read_object};

/// The annotation of the bookmark that ends the initial events of a watch.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// An event of a watch: the five types of `watch.EventType`.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<T> {
    /// The object came to be, or came into the selector.
    Added(T),
    /// The object changed.
    Modified(T),
    /// The object is gone, or left the selector. Its version is that of the deletion.
    Deleted(T),
    /// Nothing changed up to this version.
    Bookmark {
        /// Where a watch may resume.
        resource_version: String,
        /// Whether the objects that were there at the start have all been sent.
        initial_events_end: bool,
    },
    /// The server ends the watch. Never an object.
    Error(InformerError),
}

impl<T: KubeObject> WatchEvent<T> {
    /// Reads one line.
    ///
    /// A line that is no event at all is a [`WatchEvent::Error`], as in client-go (`ClientWatchDecoding`): nobody can
    /// say which object it was about, so only a relist makes the cache right again; so is a deletion of something that
    /// cannot be read. A bare Status is what it says.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] when the event is whole but of no use: of an unknown type, without an object, about a
    /// Status. It costs that event only.
    pub fn from_line(line: &[u8]) -> Result<Self> {
        Self::read(line, &mut |outline| read_object(outline.root().text(), None))
    }
}

impl<T> WatchEvent<T> {
    /// As [`WatchEvent::from_line`], with what reads the object.
    pub(crate) fn read(line: &[u8], read: &mut dyn FnMut(&Outline<'_>) -> Result<T>) -> Result<Self> {
        let Ok(text) = std::str::from_utf8(line) else { return Ok(Self::Error(unreadable("not UTF-8"))) };
        let Some((kind, object)) = type_and_object(text) else {
            return Ok(Self::Error(ApiStatus::parse(line).unwrap_or_else(|| unreadable(&excerpt(line)))));
        };
        match kind.as_str().as_deref() {
            Some("ADDED") => read(&Outline::of(object)).map(Self::Added),
            Some("MODIFIED") => read(&Outline::of(object)).map(Self::Modified),
            // A deletion that nobody can apply would leave a ghost in the cache: a relist finds out who it was.
            Some("DELETED") => Ok(read(&Outline::of(object)).map_or_else(Self::Error, Self::Deleted)),
            Some("BOOKMARK") => {
                let bookmark = Outline::of(object);
                let text = |pointer| bookmark.pointer(pointer).and_then(Json::as_str);
                let version = text("/metadata/resourceVersion").ok_or_else(|| unreadable(&excerpt(line)))?;
                let annotations = bookmark.pointer("/metadata/annotations");
                // The value counts, not the key (client-go). The key has a slash in it.
                let end = annotations.and_then(|all| all.get(INITIAL_EVENTS_END)).and_then(Json::as_str);
                let initial_events_end = end.is_some_and(|value| value == "true");
                Ok(Self::Bookmark { resource_version: version.into_owned(), initial_events_end })
            }
            Some("ERROR") => Ok(Self::Error(ApiStatus::in_stream(object.text()))),
            other => {
                let other: String = other.unwrap_or_default().chars().take(40).collect();
                Err(unreadable(&format!("type {other:?}")))
            }
        }
    }
}

/// The two members of an event, if it is one.
fn type_and_object(line: &str) -> Option<(Json<'_>, Json<'_>)> {
    serde_json::from_str::<serde::de::IgnoredAny>(line).ok()?;
    let (mut kind, mut object) = (None, None);
    for (name, value) in Json::new(line).members() {
        let member = match &*name {
            "type" => &mut kind,
            "object" => &mut object,
            _ => continue,
        };
        // Of two nobody knows which one is meant.
        if member.replace(value).is_some() {
            return None;
        }
    }
    Some((kind.filter(|kind| kind.text().starts_with('"'))?, object?))
}

fn unreadable(what: &str) -> InformerError {
    InformerError::new(ErrorCode::Decode, format!("the watch sent what is not an event: {what}"))
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
