//! Converter: a response body from protobuf to the JSON that the apiserver would have sent.

use informer_protobuf::{Error, JsonWriter, MessageId, Schema, TypeMeta, Unknown};

/// Maximum size of an item or an event in bytes: see `list.rs`.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Converter of one response body.
pub(super) trait Converter {
    /// Takes a chunk that may end anywhere, and appends the JSON that it completes: parts of a document, or lines of a
    /// watch.
    ///
    /// # Errors
    /// What is wrong, in words. No chunk can be pushed after that.
    fn push(&mut self, chunk: &[u8], json: &mut Vec<u8>) -> Result<(), String>;

    /// Ends the body. A body that is cut off leaves JSON that is cut off.
    ///
    /// # Errors
    /// As [`Converter::push`].
    fn end(&mut self, _json: &mut Vec<u8>) -> Result<(), String> {
        Ok(())
    }
}

/// Writer of objects as JSON.
pub(super) struct Objects {
    pub(super) schema: &'static Schema,
    pub(super) writer: JsonWriter<'static>,
}

impl Objects {
    /// Returns the message of a type.
    pub(super) fn message(&self, TypeMeta { api_version, kind }: TypeMeta<'_>) -> Result<MessageId, String> {
        let found = self.schema.message(api_version, kind);
        found.ok_or_else(|| format!("the type {kind:.80} of {api_version:.80} is unknown"))
    }

    /// Appends an object. One with fields that this build does not know is an error: its JSON, which has them, is
    /// requested instead, so that nothing is lost.
    pub(super) fn write(
        &mut self,
        message: MessageId,
        type_meta: Option<TypeMeta<'_>>,
        bytes: &[u8],
        json: &mut Vec<u8>,
    ) -> Result<(), String> {
        let unknown = self.writer.write(message, type_meta, bytes, json).map_err(in_words)?;
        let Some((message, number)) = unknown.first else { return Ok(()) };
        let (name, version) = (self.schema.name(message), self.schema.version());
        Err(format!(
            "{name} has a field that Kubernetes {version} does not have (number {number}): the server has another version"
        ))
    }

    /// Appends an object in its envelope.
    pub(super) fn write_typed(&mut self, object: Unknown<'_>, json: &mut Vec<u8>) -> Result<(), String> {
        let message = self.message(object.type_meta)?;
        self.write(message, Some(object.type_meta), object.raw, json)
    }
}

pub(super) fn in_words(error: Error) -> String {
    error.to_string()
}
