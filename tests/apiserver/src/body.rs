//! Request bodies: JSON, YAML or protobuf, all of them read as the JSON they stand for.

use serde_json::Value;

use crate::protobuf;
use crate::status::Status;

/// Reads a body in the form that its Content-Type names; no type means JSON.
pub(crate) fn decode(content_type: &str, body: &[u8]) -> Result<Value, Status> {
    match content_type.split(';').next().unwrap_or_default().trim() {
        "" | "application/json" => json(body),
        "application/yaml" => yaml(body),
        "application/vnd.kubernetes.protobuf" => protobuf::decode(body).map_err(Status::bad_request),
        _ => Err(Status::unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/yaml, application/vnd.kubernetes.protobuf",
        )),
    }
}

/// Reads a body that is JSON whatever its Content-Type says: that of a patch names the kind of patch.
pub(crate) fn json(body: &[u8]) -> Result<Value, Status> {
    serde_json::from_slice(body)
        .map_err(|error| Status::bad_request(format!("couldn't get version/kind; json parse error: {error}")))
}

/// Reads YAML; as JSON is YAML, that too.
pub(crate) fn yaml(body: &[u8]) -> Result<Value, Status> {
    serde_yaml_ng::from_slice(body)
        .map_err(|error| Status::bad_request(format!("error converting YAML to JSON: yaml: {error}")))
}
