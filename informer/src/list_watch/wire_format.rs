//! Wire format of a resource: whether it is requested as protobuf, and the conversion of such responses to JSON.
//!
//! An apiserver sends its built-in kinds as protobuf to clients that accept it, as client-go does: half the bytes and less
//! of the server's CPU time than JSON. A response in protobuf is converted to the JSON that the apiserver would have sent,
//! chunk by chunk, and decoded as any other. The `Content-Type` of a response decides: custom resources, WebSockets and
//! servers without protobuf answer in JSON.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use crate::informer_options::InformerMode;
use crate::protobuf::{self, BodyKind, Conversion};
use crate::transport::connection_slot::ConnectionSlot;
use crate::transport::{Response, Transport};

const JSON: &str = "application/json";
// Below 128 bytes and without unusual characters, so that no CORS preflight is needed.
const PROTOBUF_OR_JSON: &str = "application/vnd.kubernetes.protobuf,application/json;q=0.9";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const LIST_METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const WATCH_METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// Wire format of the responses about one resource.
#[derive(Clone)]
pub(super) struct WireFormat {
    mode: InformerMode,
    /// Whether a response in protobuf could not be converted: JSON is requested from then on.
    wants_json: Rc<Cell<bool>>,
}

impl WireFormat {
    pub(super) fn new(mode: InformerMode) -> Self {
        Self { mode, wants_json: Rc::default() }
    }

    /// Whether JSON alone is requested from now on.
    pub(super) fn wants_json(&self) -> bool {
        self.wants_json.get()
    }

    /// The `Accept` header of a request for a path through `transport`.
    pub(super) fn accept(&self, body_kind: BodyKind, path: &str, transport: &dyn Transport) -> &'static str {
        match (self.mode, body_kind) {
            // A server that cannot reduce objects sends them whole.
            (InformerMode::Metadata, BodyKind::Watch) => WATCH_METADATA,
            (InformerMode::Metadata, _) => LIST_METADATA,
            (InformerMode::Object, _) if protobuf::loaded().is_some() && self.may_request(path, transport) => {
                PROTOBUF_OR_JSON
            }
            (InformerMode::Object, _) => JSON,
        }
    }

    /// Loads the code of the converters for a list with further pages; `None` if it is loaded, has failed, or is not useful.
    pub(super) fn load(&self, path: &str, transport: &dyn Transport) -> Option<LocalBoxFuture<'static, ()>> {
        let is_useful = self.mode == InformerMode::Object && self.may_request(path, transport);
        if is_useful { protobuf::load() } else { None }
    }

    fn may_request(&self, path: &str, transport: &dyn Transport) -> bool {
        !self.wants_json() && transport.accepts_protobuf() && protobuf::is_builtin(path)
    }

    /// Converts a response that is protobuf; any other is returned as it is, also protobuf that was not requested, which is no JSON. The
    /// second value is whether the converter counts its bytes.
    pub(super) fn as_json(
        &self,
        mut response: Response,
        body_kind: BodyKind,
        managed_fields: bool,
        connection: &ConnectionSlot,
    ) -> (Response, bool) {
        let is_protobuf = response.content_type.as_deref().is_some_and(|kind| kind.starts_with(PROTOBUF));
        connection.set_protobuf(is_protobuf);
        let convert = if is_protobuf { protobuf::loaded() } else { None };
        let Some(convert) = convert else { return (response, false) };
        let body_kind = if (200..300).contains(&response.status) { body_kind } else { BodyKind::Object };
        let (connection, wants_json) = (connection.clone(), Rc::clone(&self.wants_json));
        response.body = convert(response.body, Conversion { body_kind, managed_fields, connection, wants_json });
        (response, true)
    }
}

#[cfg(test)]
mod tests;
