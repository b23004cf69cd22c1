//! Conversion of a response body, chunk by chunk, from protobuf to JSON.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::OnceLock;

use futures::{StreamExt, stream};
use informer_protobuf::{Error, JsonWriter, KUBERNETES, Schema};

use super::converter::{Converter, Objects, in_words};
use super::list::ListConverter;
use super::object::ObjectConverter;
use super::watch::WatchConverter;
use crate::error::{ErrorCode, InformerError};
use crate::transport::Body;
use crate::transport::connection_slot::ConnectionSlot;

/// Kind of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A page of a list.
    List,
    /// Frames of a watch.
    Watch,
    /// One object, such as the Status of an error.
    Object,
}

/// How a body is converted.
pub(crate) struct Conversion {
    pub(crate) shape: Shape,
    /// Whether `metadata.managedFields` is kept. Otherwise it is passed over by its length.
    pub(crate) managed_fields: bool,
    /// Counts the bytes that arrive.
    pub(crate) connection: ConnectionSlot,
    /// Set if the body cannot be converted.
    pub(crate) is_refused: Rc<Cell<bool>>,
}

/// Converts a body. It ends with [`ErrorCode::Decode`] if it cannot be converted. A body that is cut off becomes JSON that is cut
/// off.
pub(crate) fn json_body(body: Body, conversion: Conversion) -> Body {
    let Conversion { shape, managed_fields, connection, is_refused } = conversion;
    let mut converter = converter(shape, managed_fields);
    // `None` is the end.
    let chunks = body.map(Some).chain(stream::iter([None]));
    let json = chunks.map(move |chunk| {
        let mut json = Vec::new();
        let pushed = match chunk {
            Some(chunk) => {
                let chunk = chunk?;
                connection.count_bytes(chunk.len());
                converter.push(&chunk, &mut json)
            }
            None => converter.end(&mut json),
        };
        match pushed {
            Ok(()) => Ok(json),
            Err(reason) => {
                is_refused.set(true);
                let message = format!("cannot decode the protobuf, JSON is requested from now on: {reason}");
                Err(InformerError::new(ErrorCode::Decode, message))
            }
        }
    });
    json.boxed_local()
}

fn converter(shape: Shape, managed_fields: bool) -> Box<dyn Converter> {
    static SCHEMA: OnceLock<Result<Schema, Error>> = OnceLock::new();
    let schema = match SCHEMA.get_or_init(|| Schema::parse(KUBERNETES)) {
        Ok(schema) => schema,
        Err(error) => return Box::new(Unusable(*error)),
    };
    let writer = JsonWriter::new(schema);
    let objects = Objects { schema, writer: if managed_fields { writer } else { writer.without_managed_fields() } };
    match shape {
        Shape::List => Box::new(ListConverter::new(objects)),
        Shape::Watch => Box::new(WatchConverter::new(objects)),
        Shape::Object => Box::new(ObjectConverter::new(objects)),
    }
}

/// Converter without a schema, which no build has.
struct Unusable(Error);

impl Converter for Unusable {
    fn push(&mut self, _chunk: &[u8], _json: &mut Vec<u8>) -> Result<(), String> {
        Err(in_words(self.0))
    }
}
