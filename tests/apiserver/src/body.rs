//! Body decoder: JSON, YAML or protobuf to JSON.

use serde_json::Value;

use crate::kinds::Kind;
use crate::protobuf;
use crate::status::Status;
use crate::syntax::{json_error, json_kind};

/// Decodes a body by its Content-Type; the default is JSON.
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

/// Decodes JSON.
fn json(body: &[u8]) -> Result<Value, Status> {
    serde_json::from_slice(body).map_err(|error| {
        let why = json_error(body, &error);
        Status::bad_request(format!("couldn't get version/kind; json parse error: {why}"))
    })
}

/// Decodes the JSON of a patch, whose Content-Type names the kind of patch.
pub(crate) fn patch(body: &[u8], prefix: &str) -> Result<Value, Status> {
    serde_json::from_slice(body).map_err(|error| Status::bad_request(format!("{prefix}{}", json_error(body, &error))))
}

/// Decodes YAML, which includes JSON.
pub(crate) fn yaml(body: &[u8]) -> Result<Value, Status> {
    serde_yaml_ng::from_slice(body)
        .map_err(|error| Status::bad_request(format!("error converting YAML to JSON: yaml: {error}")))
}

/// Decodes an object of a kind, with the real server's error messages.
pub(crate) fn object(kind: &Kind, content_type: &str, body: &[u8]) -> Result<Value, Status> {
    let unrecognized = |why: &str| {
        let shown = match body.first() {
            None => "<empty>".to_owned(),
            Some(b'{') => String::from_utf8_lossy(body).chars().take(10_240).collect(),
            Some(_) => body.iter().take(5120).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")),
        };
        let why = format!("the object provided is unrecognized (must be of type {}): {why} ({shown})", kind.name);
        Status::bad_request(why)
    };
    match decode(content_type, body) {
        Ok(Value::Null) => Ok(Value::Object(serde_json::Map::new())),
        Ok(object) if object.is_object() => Ok(object),
        Ok(other) => Err(unrecognized(&format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ \
             APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            json_kind(&other)
        ))),
        Err(status) if status.code == 400 => Err(unrecognized(&status.message)),
        Err(status) => Err(status),
    }
}
