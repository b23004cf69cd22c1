//! Error responses in the forms of the real server and of the proxy before it.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::FaultVerb;
use super::request_target::RequestTarget;
use crate::reply::{Format, object_reply, text_reply, typed_reply};

/// The proxy's response if its connection is refused.
const CONNECTION_REFUSED: &str = "dial tcp 127.0.0.1:16443: connect: connection refused";

const BAD_GATEWAY: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
    <center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

/// Returns an error response with this code.
pub(super) fn error(code: u16, retry_after: u32, target: &RequestTarget, format: Format) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut reply = match code {
        429 => text_reply(status, "Too many requests, please try again later."),
        // From the aggregator, for a server behind it.
        503 => text_reply(status, "service unavailable\n"),
        _ => object_reply(status, status_json(code, target).to_string().into_bytes(), format),
    };
    if code == 429 {
        reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after));
    }
    if code == 403 {
        reply.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }
    reply
}

/// Returns the `Status` of an error, with its fields in wire order.
pub(super) fn status_json(code: u16, target: &RequestTarget) -> StatusText {
    let plural = target.resource.split('.').next().unwrap_or_default();
    let group = target.resource.split_once('.').map(|(_, group)| group).unwrap_or_default();
    let watch = target.verb == FaultVerb::Watch;
    let (message, reason, details) = match code {
        401 => ("Unauthorized".to_owned(), "Unauthorized", Value::Null),
        403 => {
            let verb = if watch { "watch" } else { "list" };
            let place = match target.namespace.as_str() {
                "" => "at the cluster scope".to_owned(),
                namespace => format!("in the namespace \"{namespace}\""),
            };
            let message = format!(
                "{} is forbidden: User \"system:anonymous\" cannot {verb} resource \"{plural}\" in API group \"{group}\" {place}",
                target.resource
            );
            let mut details = json!({});
            if !group.is_empty() {
                details["group"] = group.into();
            }
            details["kind"] = plural.into();
            (message, "Forbidden", details)
        }
        404 => ("the server could not find the requested resource".to_owned(), "NotFound", json!({})),
        410 if watch => ("too old resource version: 1 (2)".to_owned(), "Expired", Value::Null),
        410 => ("The resourceVersion for the provided list is too old.".to_owned(), "Expired", Value::Null),
        500 => {
            let cause = "etcdserver: leader changed";
            (format!("Internal error occurred: {cause}"), "InternalError", json!({"causes": [{"message": cause}]}))
        }
        504 => (
            "Timeout: request did not complete within requested timeout - context deadline exceeded".to_owned(),
            "Timeout",
            json!({}),
        ),
        _ => (format!("the server answers {code}"), "", Value::Null),
    };
    StatusText { message, reason, details, code }
}

/// A `Status` as text.
pub(super) struct StatusText {
    message: String,
    reason: &'static str,
    details: Value,
    code: u16,
}

impl std::fmt::Display for StatusText {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":\"Failure\",")?;
        write!(out, "\"message\":{}", Value::from(self.message.as_str()))?;
        if !self.reason.is_empty() {
            write!(out, ",\"reason\":\"{}\"", self.reason)?;
        }
        if !self.details.is_null() {
            write!(out, ",\"details\":{}", self.details)?;
        }
        write!(out, ",\"code\":{}}}", self.code)
    }
}

/// Returns an HTML error page of a proxy.
pub(super) fn html() -> Response {
    typed_reply(StatusCode::BAD_GATEWAY, HeaderValue::from_static("text/html"), Body::from(BAD_GATEWAY))
}

/// Returns the proxy's response while the server is unreachable.
pub(super) fn unavailable(websocket: bool) -> Response {
    let sentence = if websocket {
        format!("error dialing backend: {CONNECTION_REFUSED}\n")
    } else {
        CONNECTION_REFUSED.to_owned()
    };
    let mut reply = text_reply(StatusCode::INTERNAL_SERVER_ERROR, sentence);
    reply.headers_mut().remove(header::CACHE_CONTROL);
    reply
}
