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
pub(crate) enum BodyKind {
    /// A page of a list.
    List,
    /// Frames of a watch.
    Watch,
    /// One object, such as the Status of an error.
    Object,
}

/// How a body is converted.
pub(crate) struct Conversion {
    pub(crate) body_kind: BodyKind,
    /// Whether `metadata.managedFields` is kept. Otherwise it is passed over by its length.
    pub(crate) managed_fields: bool,
    /// Counts the bytes that arrive, and has the reason if the body cannot be converted.
    pub(crate) connection: ConnectionSlot,
    /// Set if the body cannot be converted.
    pub(crate) wants_json: Rc<Cell<bool>>,
}

/// Converts a body. A body that is cut off becomes JSON that is cut off.
///
/// If it cannot be converted, a list ends with [`ErrorCode::Decode`] and is requested again, and a watch ends: it is resumed from
/// its version. Both in JSON. An error that cannot be read says nothing of other responses.
pub(crate) fn json_body(body: Body, conversion: Conversion) -> Body {
    let Conversion { body_kind, managed_fields, connection, wants_json } = conversion;
    let state = Some((body, converter(body_kind, managed_fields)));
    let json = stream::unfold(state, move |state| {
        let (connection, wants_json) = (connection.clone(), Rc::clone(&wants_json));
        async move {
            let (mut body, mut converter) = state?;
            let chunk = match body.next().await {
                Some(Ok(chunk)) => Some(chunk),
                Some(Err(error)) => return Some((Err(error), None)),
                None => None,
            };
            let mut json = Vec::new();
            let pushed = match &chunk {
                Some(chunk) => {
                    connection.count_bytes(chunk.len());
                    converter.push(chunk, &mut json)
                }
                None => converter.end(&mut json),
            };
            match pushed {
                Ok(()) => Some((Ok(json), chunk.map(|_| (body, converter)))),
                Err(reason) => {
                    let message = format!("cannot decode the protobuf of the response: {reason}");
                    if body_kind != BodyKind::Object {
                        wants_json.set(true);
                        connection.set_json_reason(reason);
                    }
                    if body_kind == BodyKind::Watch {
                        // The events before it count.
                        return Some((Ok(json), None));
                    }
                    Some((Err(InformerError::new(ErrorCode::Decode, message)), None))
                }
            }
        }
    });
    json.boxed_local()
}

fn converter(body_kind: BodyKind, managed_fields: bool) -> Box<dyn Converter> {
    static SCHEMA: OnceLock<Result<Schema, Error>> = OnceLock::new();
    let schema = match SCHEMA.get_or_init(|| Schema::parse(KUBERNETES)) {
        Ok(schema) => schema,
        Err(error) => return Box::new(Unusable(*error)),
    };
    let writer = JsonWriter::new(schema);
    let objects = Objects { schema, writer: if managed_fields { writer } else { writer.without_managed_fields() } };
    match body_kind {
        BodyKind::List => Box::new(ListConverter::new(objects)),
        BodyKind::Watch => Box::new(WatchConverter::new(objects)),
        BodyKind::Object => Box::new(ObjectConverter::new(objects)),
    }
}

/// Converter without a schema, which no build has.
struct Unusable(Error);

impl Converter for Unusable {
    fn push(&mut self, _chunk: &[u8], _json: &mut Vec<u8>) -> Result<(), String> {
        Err(in_words(self.0))
    }
}
