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
