//! Converter of one object from protobuf to JSON, which is read whole: the Status of an error.

use informer_protobuf::{Error, ErrorKind, Unknown};

use super::converter::{Converter, Objects, in_words};

/// Maximum size of an error in bytes, as in JSON.
const MAX_BYTES: usize = 1 << 20;

/// Converter of one object.
pub(super) struct ObjectConverter {
    body: Vec<u8>,
    objects: Objects,
}

impl ObjectConverter {
    pub(super) fn new(objects: Objects) -> Self {
        Self { body: Vec::new(), objects }
    }
}

impl Converter for ObjectConverter {
    fn push(&mut self, chunk: &[u8], _json: &mut Vec<u8>) -> Result<(), String> {
        if self.body.len() + chunk.len() > MAX_BYTES {
            return Err(in_words(Error { kind: ErrorKind::TooLong, at: self.body.len() }));
        }
        self.body.extend_from_slice(chunk);
        Ok(())
    }

    fn end(&mut self, json: &mut Vec<u8>) -> Result<(), String> {
        let object = Unknown::parse(&self.body).map_err(in_words)?;
        // Of an error, what is known is enough.
        let message = self.objects.message(object.type_meta)?;
        let written = self.objects.writer.write(message, Some(object.type_meta), object.raw, json);
        written.map(drop).map_err(in_words)
    }
}
