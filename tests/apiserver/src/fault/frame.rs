//! Faults of single events in protobuf: changes to the frame of an event.

use bytes::Bytes;
use informer_protobuf::{TypeMeta, WatchEvent};

use super::event_kind::{EventKind, INITIAL_END, find};
use crate::protobuf;

/// Number of bytes of the length before each event.
const HEAD_BYTES: usize = 4;

/// Tag of a field with a length that no message of an event has (15).
const FILLER_TAG: u8 = 15 << 3 | 2;

fn parse(frame: &[u8]) -> Option<WatchEvent<'_>> {
    if !protobuf::IS_AVAILABLE {
        return None;
    }
    WatchEvent::parse(frame.get(HEAD_BYTES..)?).ok()
}

pub(super) fn kind_of(frame: &[u8]) -> EventKind {
    match parse(frame) {
        Some(event) if event.event_type == "BOOKMARK" => match find(event.object.raw, INITIAL_END) {
            Some(_) => EventKind::InitialEnd,
            None => EventKind::Bookmark,
        },
        _ => EventKind::Object,
    }
}

pub(super) fn version(frame: &[u8]) -> Option<u64> {
    let object = protobuf::object(parse(frame)?.object).ok()?;
    object["metadata"]["resourceVersion"].as_str()?.parse().ok()
}

pub(super) fn with_version(frame: &Bytes, version: u64) -> Bytes {
    let changed = parse(frame).and_then(|event| {
        let TypeMeta { api_version, kind } = event.object.type_meta;
        let mut object = protobuf::object(event.object).ok()?;
        object["metadata"]["resourceVersion"] = version.to_string().into();
        let raw = protobuf::message(api_version, kind, &object.to_string())?;
        Some(event_of(event.event_type, api_version, kind, &raw))
    });
    changed.unwrap_or_else(|| frame.clone())
}

pub(super) fn with_unknown_type(frame: &Bytes) -> Bytes {
    parse(frame).map_or_else(
        || frame.clone(),
        |event| {
            let TypeMeta { api_version, kind } = event.object.type_meta;
            event_of("SURPRISE", api_version, kind, event.object.raw)
        },
    )
}

pub(super) fn with_wrong_kind(frame: &Bytes) -> Bytes {
    parse(frame).map_or_else(
        || frame.clone(),
        |event| event_of(event.event_type, event.object.type_meta.api_version, "Surprise", event.object.raw),
    )
}

pub(super) fn oversized(frame: &Bytes, bytes: usize) -> Bytes {
    let mut event = frame.get(HEAD_BYTES..).unwrap_or_default().to_vec();
    event.push(FILLER_TAG);
    let mut length = bytes;
    while length >= 0x80 {
        event.push(length.to_le_bytes()[0] | 0x80);
        length >>= 7;
    }
    event.push(length.to_le_bytes()[0]);
    event.resize(event.len() + bytes, b'x');
    let head = u32::try_from(event.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&head[..], &event].concat().into()
}

fn event_of(event_type: &str, api_version: &str, kind: &str, raw: &[u8]) -> Bytes {
    protobuf::frame(event_type, &protobuf::envelope(api_version, kind, raw)).into()
}

#[cfg(all(test, feature = "protobuf"))]
mod tests {
    use super::*;

    #[test]
    fn one_part_of_a_frame_is_replaced() {
        let object = br#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}"#;
        let frame = Bytes::from(protobuf::frame("ADDED", &protobuf::body(object).unwrap()));
        assert_eq!(version(&frame), Some(7));
        assert_eq!(version(&with_version(&frame, 123)), Some(123));
        let typed = with_unknown_type(&frame);
        assert_eq!(
            parse(&typed).map(|event| (event.event_type, event.object)),
            parse(&frame).map(|event| ("SURPRISE", event.object))
        );
        let wrong = with_wrong_kind(&frame);
        assert_eq!(parse(&wrong).map(|event| event.object.type_meta.kind), Some("Surprise"));
        let long = oversized(&frame, 1000);
        assert_eq!((parse(&long), long.len()), (parse(&frame), frame.len() + 1003));
        assert_eq!(long[..4], (u32::try_from(long.len()).unwrap() - 4).to_be_bytes());
        assert_eq!(kind_of(&frame), EventKind::Object);
        let marked =
            br#"{"kind":"Pod","apiVersion":"v1","metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}"#;
        assert_eq!(kind_of(&protobuf::frame("BOOKMARK", &protobuf::body(marked).unwrap())), EventKind::InitialEnd);
    }
}
