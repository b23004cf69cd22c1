//! Responses: JSON, pretty-printed JSON, plain text.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::Value;

use crate::protobuf;
use crate::view::Encoding;

/// JSON response with the headers of the real server.
pub(crate) fn json_reply(code: StatusCode, body: Vec<u8>, pretty: bool) -> Response {
    let body = if pretty { indent(&body) } else { body };
    typed_reply(code, HeaderValue::from_static("application/json"), Body::from(body))
}

/// YAML response from JSON text.
pub(crate) fn yaml_reply(code: StatusCode, json: &[u8]) -> Response {
    let value: Value = serde_json::from_slice(json).unwrap_or_default();
    let yaml = serde_yaml_ng::to_string(&value).unwrap_or_default();
    typed_reply(code, HeaderValue::from_static("application/yaml"), Body::from(yaml))
}

/// Encoding and layout of a body that is one object.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Format {
    pub(crate) encoding: Encoding,
    /// Whether JSON is laid out for reading.
    pub(crate) pretty: bool,
}

/// Response from the JSON text of one object, with its kind and apiVersion.
pub(crate) fn object_reply(code: StatusCode, json: Vec<u8>, format: Format) -> Response {
    match format.encoding {
        Encoding::Json => json_reply(code, json, format.pretty),
        Encoding::Yaml => yaml_reply(code, &json),
        Encoding::Protobuf => match protobuf::body(&json) {
            Some(body) => protobuf_reply(code, body),
            None => json_reply(code, json, format.pretty),
        },
    }
}

/// Protobuf response.
pub(crate) fn protobuf_reply(code: StatusCode, body: Vec<u8>) -> Response {
    typed_reply(code, HeaderValue::from_static(protobuf::MEDIA_TYPE), Body::from(body))
}

/// Plain-text response.
pub(crate) fn text_reply(code: StatusCode, body: impl Into<Body>) -> Response {
    let mut reply = typed_reply(code, HeaderValue::from_static("text/plain; charset=utf-8"), body.into());
    reply.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    reply
}

/// Response of any content type.
pub(crate) fn typed_reply(code: StatusCode, content_type: HeaderValue, body: Body) -> Response {
    let mut reply = Response::new(body);
    *reply.status_mut() = code;
    reply.headers_mut().insert(header::CONTENT_TYPE, content_type);
    reply.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    reply
}

/// Whether the real server would pretty-print for this client.
pub(crate) fn wants_pretty(headers: &HeaderMap, parameter: Option<&str>) -> bool {
    if let Some(value) = parameter.filter(|value| !value.is_empty()) {
        return ["1", "t", "T", "true", "True", "TRUE"].contains(&value);
    }
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ["Mozilla/5.0", "curl", "Wget"].iter().any(|prefix| agent.starts_with(prefix))
}

/// Re-indents compact JSON by two spaces, keeping its order. Parsing into a `Value` would sort the keys.
pub(crate) fn indent(compact: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(compact.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, &byte) in compact.iter().enumerate() {
        if in_string {
            out.push(byte);
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                out.push(byte);
            }
            b'{' | b'[' => {
                out.push(byte);
                if compact.get(at + 1) != Some(&(byte + 2)) {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                if at > 0 && compact[at - 1] != byte - 2 {
                    depth = depth.saturating_sub(1);
                    new_line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
    }
    out
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', depth * 2));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indent_keeps_the_order_and_the_text_of_strings() {
        let compact = br#"{"b":[],"a":{"x":"{,:\"}","y":[1,2]},"c":{}}"#;
        let expected = "{\n  \"b\": [],\n  \"a\": {\n    \"x\": \"{,:\\\"}\",\n    \"y\": [\n      1,\n      2\n    ]\n  },\n  \"c\": {}\n}";
        assert_eq!(String::from_utf8(indent(compact)).unwrap(), expected);
    }
}
