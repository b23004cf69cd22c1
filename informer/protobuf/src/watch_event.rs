//! Watch event: one frame of a watch.

use crate::error::{Error, ErrorKind, Result};
use crate::unknown::Unknown;
use crate::wire::{Reader, Value};

/// Event of a watch, from a frame or from a message of a WebSocket.
///
/// The object of an `ERROR` is a Status; that of a `BOOKMARK` has the type of the watch, with its version as the only
/// field that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchEvent<'b> {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`; also what a newer server may send.
    pub event_type: &'b str,
    /// The object, in an envelope of its own.
    pub object: Unknown<'b>,
}

impl<'b> WatchEvent<'b> {
    /// Decodes the bytes of a frame, without its length.
    ///
    /// # Errors
    /// [`ErrorKind::Magic`] if there is no object or it has no envelope; errors of the wire format. The position is that in the
    /// frame.
    pub fn parse(frame: &'b [u8]) -> Result<Self> {
        let (mut event_type, mut object) = ("", frame.len()..frame.len());
        let mut reader = Reader::whole(frame);
        while let Some((number, value)) = reader.field()? {
            match (number, value) {
                (1, value) => event_type = value.text(frame, reader.at())?,
                (2, Value::Bytes(extension)) => {
                    // A runtime.RawExtension, whose only field is the envelope.
                    let mut reader = Reader::new(frame, extension);
                    while let Some((number, value)) = reader.field()? {
                        match (number, value) {
                            (1, Value::Bytes(raw)) => object = raw,
                            (1, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
                            _ => {}
                        }
                    }
                }
                (2, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
                _ => {}
            }
        }
        let start = object.start;
        let object = Unknown::parse(frame.get(object).unwrap_or_default()).map_err(|error| error.moved(start))?;
        Ok(Self { event_type, object })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unknown::TypeMeta;
    use proptest::prelude::*;

    const EVENT: &[u8] = b"\x0a\x05ADDED\x12\x15\x0a\x13k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x02\x0a\0";

    #[test]
    fn the_type_and_the_object() {
        let type_meta = TypeMeta { api_version: "v1", kind: "Pod" };
        let object = Unknown { type_meta, raw: b"\x0a\0" };
        assert_eq!(WatchEvent::parse(EVENT), Ok(WatchEvent { event_type: "ADDED", object }));
        // Fields of a newer server, and another order.
        let (head, tail) = EVENT.split_at(7);
        let event = [tail, b"\x1a\x01?", head].concat();
        assert_eq!(WatchEvent::parse(&event), Ok(WatchEvent { event_type: "ADDED", object }));
    }

    #[test]
    fn anything_else_is_a_typed_error() {
        for (frame, kind, at) in [
            (&b""[..], ErrorKind::Magic, 0),
            (b"\x0a\x05ADDED", ErrorKind::Magic, 7),
            (b"\x12\x04\x0a\x02{}", ErrorKind::Magic, 4),
            (b"\x12\x07\x0a\x05k8s\0\x0a", ErrorKind::Truncated, 9),
            (b"\x0a\x01\xff", ErrorKind::Utf8, 2),
            (b"\x08\x01", ErrorKind::Mismatch, 2),
            (b"\x10\x01", ErrorKind::Mismatch, 2),
            (b"\x12\x02\x08\x01", ErrorKind::Mismatch, 4),
            (b"{\"type\":\"ADDED\"}", ErrorKind::WireType, 0),
        ] {
            assert_eq!(WatchEvent::parse(frame), Err(Error::new(kind, at)), "{frame:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..40), at in 0..EVENT.len(), byte in any::<u8>()) {
            let _ = WatchEvent::parse(&bytes);
            let mut damaged = EVENT.to_vec();
            damaged[at] = byte;
            let _ = WatchEvent::parse(&damaged);
        }
    }
}
