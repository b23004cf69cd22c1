//! JSON writer: the JSON text of a message, as Go's `encoding/json` writes it.

mod collection;
mod embedded;
mod entry;
mod message;
mod number;
mod special;
mod text;
mod time;

use crate::error::{Error, ErrorKind, Result};
use crate::schema::{MessageId, Schema};
use crate::unknown::TypeMeta;

use entry::Entry;
use message::Job;
#[cfg(feature = "encode")]
pub(crate) use time::ZERO as ZERO_TIME;

/// Number of noted fields for which memory is kept between messages.
const MAX_IDLE_ENTRIES: usize = 4096;

/// Writer of the JSON text of messages.
///
/// The members have the order of the Go structs, and empty ones are omitted as their tags say (`omitempty`, `omitzero`). The
/// keys of maps are sorted. `<`, `>`, `&`, U+2028 and U+2029 are escaped, and each byte of invalid UTF-8 becomes `\ufffd`: an
/// apiserver does the same.
///
/// One pass notes the fields of a message, another writes them. A buffer for that is reused, so nothing is allocated for a
/// message. The time is linear.
#[derive(Debug)]
pub struct JsonWriter<'s> {
    schema: &'s Schema,
    /// The message and the number of the field to skip.
    skipped: Option<(MessageId, u32)>,
    entries: Vec<Entry>,
}

/// Fields that the schema does not have and that have a value, in one object: the server has another version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownFields {
    /// How many fields were skipped.
    pub count: usize,
    /// The message and the number of the first.
    pub first: Option<(MessageId, u32)>,
}

impl<'s> JsonWriter<'s> {
    /// Creates a writer.
    pub fn new(schema: &'s Schema) -> Self {
        Self { schema, skipped: None, entries: Vec::new() }
    }

    /// Makes the writer skip `metadata.managedFields` of objects, without a look at its bytes. That of a template inside the
    /// object is written.
    #[must_use]
    pub fn without_managed_fields(self) -> Self {
        let message = self.schema.by_name("meta/v1", "ObjectMeta");
        let number = message.and_then(|message| self.schema.number(message, "managedFields"));
        Self { skipped: message.zip(number), ..self }
    }

    /// Appends the JSON text of a message to `out`, without a line break. With a type, `kind` and `apiVersion` come first; the
    /// items of a list have none.
    ///
    /// What is appended is UTF-8.
    ///
    /// # Errors
    /// Errors of the wire format; [`ErrorKind::Json`] if an embedded object is not JSON; [`ErrorKind::IntOrString`];
    /// [`ErrorKind::TooLong`] if the message exceeds 4 GiB. Nothing is appended then.
    pub fn write(
        &mut self,
        message: MessageId,
        type_meta: Option<TypeMeta<'_>>,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<UnknownFields> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(Error::new(ErrorKind::TooLong, 0));
        }
        let before = out.len();
        self.entries.clear();
        let Self { schema, skipped, entries } = self;
        let mut job =
            Job { schema, skipped: *skipped, entries, bytes, out, depth: 0, unknown: UnknownFields::default() };
        let written = job.object(message, type_meta);
        let unknown = job.unknown;
        // One message with very many fields must not keep its buffer.
        job.entries.shrink_to(MAX_IDLE_ENTRIES);
        if written.is_err() {
            out.truncate(before);
        }
        written.map(|()| unknown)
    }
}

#[cfg(test)]
mod tests;
