//! Wire format of responses: the texts of the apiserver and of the proxies before it.

use std::rc::Rc;

use crate::store::Pod;

/// Response with its whole body.
pub(crate) struct WholeResponse {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: String,
}

const JSON: &str = "application/json";

impl WholeResponse {
    pub(crate) fn json(status: u16, body: impl Into<String>) -> Self {
        Self { status, content_type: JSON, retry_after: None, body: body.into() }
    }

    fn text(status: u16, content_type: &'static str, body: &str) -> Self {
        Self { status, content_type, retry_after: None, body: body.to_owned() }
    }
}

/// Returns a `Status` as the apiserver writes it.
pub(crate) fn status(code: u16, retry_after: u32) -> String {
    let (reason, message) = match code {
        400 => ("BadRequest", "unable to parse requirement"),
        401 => ("Unauthorized", "Unauthorized"),
        403 => ("Forbidden", "pods is forbidden"),
        404 => ("NotFound", "the server could not find the requested resource"),
        410 => ("Expired", "too old resource version: 1 (2)"),
        429 => ("TooManyRequests", "the server is busy"),
        500 => ("InternalError", "etcdserver: leader changed"),
        503 => ("ServiceUnavailable", "shutting down"),
        504 => ("Timeout", "Too large resource version: 9, current: 1"),
        _ => ("", "no"),
    };
    let details = match (code, retry_after) {
        (504, _) => {
            r#","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}"#
                .to_owned()
        }
        (_, 0) => String::new(),
        (_, seconds) => format!(",\"details\":{{\"retryAfterSeconds\":{seconds}}}"),
    };
    format!(
        "{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":\"Failure\",\"message\":\"{message}\",\
         \"reason\":\"{reason}\",\"code\":{code}{details}}}"
    )
}

/// Returns an error response of an apiserver; filters in front of its API machinery send 429 and 503 as plain text,
/// too.
pub(crate) fn error_response(code: u16, retry_after: u32) -> WholeResponse {
    if code == 429 && retry_after.is_multiple_of(2) {
        let response =
            WholeResponse::text(429, "text/plain; charset=utf-8", "Too many requests, please try again later.");
        return WholeResponse { retry_after: Some(retry_after), ..response };
    }
    let retry_after_header = (code == 429).then_some(retry_after);
    WholeResponse { retry_after: retry_after_header, ..WholeResponse::json(code, status(code, retry_after)) }
}

/// Returns the response of `kubectl proxy` without an apiserver, and of other proxies with their own statuses.
pub(crate) fn plain(code: u16) -> WholeResponse {
    WholeResponse::text(code, "text/plain; charset=utf-8", "dial tcp 127.0.0.1:6443: connect: connection refused")
}

pub(crate) fn html(code: u16) -> WholeResponse {
    WholeResponse::text(code, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>")
}

/// Returns a response with status 200 that is not a list.
pub(crate) fn unusable_list(which: u8) -> WholeResponse {
    let body = match which % 6 {
        0 => "}{",
        1 => "null",
        2 => r#"{"kind":"Status","apiVersion":"v1","metadata":{},"code":500}"#,
        3 => r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"rows":[]}"#,
        // One with metadata and no version would be a list, of a source that has no versions.
        4 => r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#,
        _ => r#"{"kind":"PodList","apiVersion":"v1","metadata":null,"items":[]}"#,
    };
    WholeResponse::json(200, body)
}

/// Item of a list.
#[derive(Clone)]
pub(crate) enum Item {
    Whole(Rc<Pod>),
    /// Undecodable but identifiable; by number.
    Broken(Rc<Pod>, u64),
    /// Its object is unknown.
    Lost,
}

/// Returns a page of a list.
pub(crate) fn page(version: u64, token: &str, items: impl Iterator<Item = Item>) -> String {
    let mut body = format!(
        "{{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{{\"resourceVersion\":\"{version}\",\"continue\":\"{token}\"}},\
         \"items\":["
    );
    for (at, item) in items.enumerate() {
        if at > 0 {
            body.push(',');
        }
        body.push_str(&match item {
            Item::Whole(pod) => pod.json(pod.version, ""),
            Item::Broken(pod, which) => broken(&pod.json(pod.version, ""), which),
            Item::Lost => "{\"metadata\":{}}".to_owned(),
        });
    }
    body.push_str("]}");
    body
}

/// Returns the error of an expired page token, with the inconsistent one that real servers offer beside it.
pub(crate) fn expired_token() -> WholeResponse {
    WholeResponse::json(
        410,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{"continue":"0:-1:x"},"message":"The provided continue parameter is too old","reason":"Expired","code":410}"#,
    )
}

const HEAD: &str = "\"kind\":\"Pod\",\"apiVersion\":\"v1\",";

/// Returns an event of a watch. The version is that of the change, which a deletion carries in place of the pod's own.
pub(crate) fn event(kind: &str, pod: &Pod, version: u64) -> String {
    format!("{{\"type\":\"{kind}\",\"object\":{}}}\n", pod.json(version, HEAD))
}

/// Returns an object or event with a field of a wrong type: only its key is decodable; by number.
pub(crate) fn broken(json: &str, which: u64) -> String {
    match which % 3 {
        0 => json.replacen("\"resourceVersion\":\"", "\"resourceVersion\":5,\"was\":\"", 1),
        1 => json.replacen("\"uid\":\"", "\"uid\":[],\"was\":\"", 1),
        _ => json.replacen("\"creationTimestamp\":\"", "\"creationTimestamp\":{},\"was\":\"", 1),
    }
}

/// Returns an event whose object cannot be decoded; by number.
pub(crate) fn unreadable_event(kind: &str, which: u64) -> String {
    let object = match which % 3 {
        0 => r#"{"spec":{}}"#,
        1 => r#"{"kind":"Status","apiVersion":"v1","metadata":{"name":"x"},"code":500}"#,
        _ => "null",
    };
    format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n")
}

pub(crate) fn bookmark(version: u64, initial_end: bool) -> String {
    let annotations = if initial_end { r#","annotations":{"k8s.io/initial-events-end":"true"}"# } else { "" };
    format!(
        "{{\"type\":\"BOOKMARK\",\"object\":{{{HEAD}\"metadata\":{{\"resourceVersion\":\"{version}\"{annotations}}}}}}}\n"
    )
}

/// Returns an ERROR event; one with code 0 holds no Status.
pub(crate) fn error_event(code: u16) -> String {
    let object = if code == 0 { "\"oh\"".to_owned() } else { status(code, 0) };
    format!("{{\"type\":\"ERROR\",\"object\":{object}}}\n")
}

/// Event of an unknown type, about no object.
pub(crate) const STRAY: &str = "{\"type\":\"SURPRISE\",\"object\":{\"metadata\":{\"name\":\"x\"}}}\n";

/// Line that is neither JSON nor UTF-8.
pub(crate) const GARBAGE: &[u8] = b"{\"type\":\"ADDED\",\"object\":\xff\xfe not json\n";
