//! Faults of single events in JSON: changes to the line of an event.

use bytes::Bytes;

use super::event_kind::{EventKind, INITIAL_END, find};

const TYPE: &[u8] = b"{\"type\":\"";
const VERSION: &[u8] = b"\"resourceVersion\":\"";

pub(super) fn kind_of(line: &[u8]) -> EventKind {
    if !line.starts_with(b"{\"type\":\"BOOKMARK\"") {
        EventKind::Object
    } else if find(line, INITIAL_END).is_some() {
        EventKind::InitialEnd
    } else {
        EventKind::Bookmark
    }
}

/// Returns the version in a line.
pub(super) fn version(line: &[u8]) -> Option<u64> {
    let (start, end) = value_after(line, VERSION)?;
    std::str::from_utf8(&line[start..end]).ok()?.parse().ok()
}

/// Replaces the version of a line.
pub(super) fn with_version(line: &Bytes, version: u64) -> Bytes {
    replace(line, VERSION, version.to_string().as_bytes())
}

/// Replaces the type of a line by an unknown one.
pub(super) fn with_unknown_type(line: &Bytes) -> Bytes {
    replace(line, TYPE, b"SURPRISE")
}

/// Replaces the kind of the object in a line.
pub(super) fn with_wrong_kind(line: &Bytes) -> Bytes {
    replace(line, b"\"kind\":\"", b"Surprise")
}

/// Lengthens a line by this many bytes; the event is the same.
pub(super) fn oversized(line: &Bytes, bytes: usize) -> Bytes {
    let mut long = b"{\"filler\":\"".to_vec();
    long.resize(long.len() + bytes, b'x');
    long.extend_from_slice(b"\",");
    long.extend_from_slice(line.get(1..).unwrap_or_default());
    long.into()
}

fn replace(line: &Bytes, before: &[u8], value: &[u8]) -> Bytes {
    let Some((start, end)) = value_after(line, before) else { return line.clone() };
    [&line[..start], value, &line[end..]].concat().into()
}

/// Returns the range of the first string value with this key, given with its opening quote.
fn value_after(line: &[u8], key: &[u8]) -> Option<(usize, usize)> {
    let start = find(line, key)? + key.len();
    let length = line[start..].iter().position(|byte| *byte == b'"')?;
    Some((start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_value_of_a_key_is_replaced() {
        let line = Bytes::from_static(
            b"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"7\"}}}\n",
        );
        assert_eq!(version(&line), Some(7));
        assert_eq!(version(&with_version(&line, 123)), Some(123));
        assert!(with_unknown_type(&line).starts_with(b"{\"type\":\"SURPRISE\",\"object\":{\"kind\":\"Pod\""));
        assert!(with_wrong_kind(&line).starts_with(b"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Surprise\",\"meta"));
        let long: serde_json::Value = serde_json::from_slice(&oversized(&line, 1000)).unwrap();
        assert_eq!((long["type"].as_str(), long["filler"].as_str().unwrap().len()), (Some("ADDED"), 1000));
    }
}
