//! Test client: reads and writes of an apiserver.

use std::fmt;

use serde_json::Value;

use super::target;

/// Client of the API of an apiserver, over plain HTTP. Paths begin with `/api`.
#[derive(Clone)]
pub(crate) struct Api {
    url: String,
}

/// Error response: the HTTP status, and the server's message.
#[derive(Debug)]
pub(crate) struct RequestError {
    pub(crate) code: u16,
    pub(crate) message: String,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP {}: {}", self.code, self.message)
    }
}

pub(crate) type ApiResult = Result<Value, RequestError>;

impl Api {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.to_owned() }
    }

    pub(crate) async fn get(&self, path: &str) -> ApiResult {
        self.send("GET", path, "", None).await
    }

    pub(crate) async fn create(&self, collection: &str, object: &Value) -> ApiResult {
        self.send("POST", collection, "application/json", Some(object)).await
    }

    /// Changes an object by a merge patch (RFC 7386).
    pub(crate) async fn patch(&self, path: &str, change: &Value) -> ApiResult {
        self.send("PATCH", path, "application/merge-patch+json", Some(change)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> ApiResult {
        self.send("DELETE", path, "", None).await
    }

    async fn send(&self, method: &str, path: &str, content_type: &str, body: Option<&Value>) -> ApiResult {
        let body = body.map(ToString::to_string).unwrap_or_default();
        let (code, text) = target::send(method, &format!("{}{path}", self.url), content_type, body).await;
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        if (200..300).contains(&code) {
            return Ok(value);
        }
        let message = value["message"].as_str().map_or_else(|| value.to_string(), str::to_owned);
        Err(RequestError { code, message: format!("{method} {path}: {message}") })
    }
}
