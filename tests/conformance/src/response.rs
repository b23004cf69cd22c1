//! Response of a server, with its whole body.

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::halt::{Halt, Outcome};
use crate::protobuf;
use crate::words;

/// Status, headers and body of a response.
#[derive(Debug)]
pub(crate) struct WholeResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Body as JSON, also of protobuf; `null` if it is neither.
    pub(crate) json: Value,
}

impl WholeResponse {
    pub(crate) async fn of(response: reqwest::Response) -> Outcome<Self> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?.to_vec();
        let json = if protobuf::is_protobuf(&headers) {
            protobuf::body(&body).map_err(Halt::broken)?
        } else {
            serde_json::from_slice(&body).unwrap_or_default()
        };
        Ok(Self { status, headers, body, json })
    }

    /// Returns a header, or `-`.
    pub(crate) fn header(&self, name: &str) -> String {
        self.headers
            .get(name)
            .map_or_else(|| "-".to_owned(), |value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the object, or the rejection as an error.
    pub(crate) fn object(self) -> Outcome<Value> {
        if (200..300).contains(&self.status) { Ok(self.json) } else { Err(Halt::Broken(self.summary())) }
    }

    /// Returns the names of the items of a list, or the summary of the rejection.
    pub(crate) fn names(&self) -> String {
        match self.json["items"].as_array() {
            Some(items) => words::names(items),
            None if self.json["items"].is_null() && self.status == 200 => String::new(),
            None => self.summary(),
        }
    }

    /// `metadata.resourceVersion`; empty if it is missing.
    pub(crate) fn version(&self) -> String {
        words::version(&self.json)
    }

    /// Summary of the response in one line: `404 NotFound: pods "x" not found {"name":"x","kind":"pods"}`.
    pub(crate) fn summary(&self) -> String {
        if self.json["kind"] == "Status" {
            return words::status(self.status, &self.json);
        }
        let kind = self.header("content-type");
        if kind.starts_with("text/plain") {
            return format!("{} {kind}: {}", self.status, self.text().trim_end());
        }
        format!("{} {}", self.status, self.json["kind"].as_str().unwrap_or(&kind))
    }

    /// Whether a JSON body is laid out for reading.
    pub(crate) fn layout(&self) -> &'static str {
        if self.body.starts_with(b"{\n  \"") { "pretty" } else { "compact" }
    }
}
