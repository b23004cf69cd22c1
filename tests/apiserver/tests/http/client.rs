//! Client of the API for these tests.

use std::time::Duration;

use apiserver::{Builder, Server};
use reqwest::{Method, Response};
use serde_json::{Value, json};

/// Maximum time that a test waits for an expected result.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Server, with a client of it.
pub(crate) struct Api {
    pub(crate) server: Server,
    pub(crate) http: reqwest::Client,
}

impl Api {
    pub(crate) async fn new() -> Self {
        Self::with(Server::builder()).await
    }

    pub(crate) async fn with(builder: Builder) -> Self {
        let server = builder.future_wait(Duration::from_millis(50)).start().await.unwrap();
        // Regardless of features that other crates enable: these tests need the raw bytes.
        let http = reqwest::Client::builder().no_gzip().build().unwrap();
        Self { server, http }
    }

    pub(crate) async fn send(&self, method: Method, path: &str, content_type: &str, body: String) -> (u16, Value) {
        let url = format!("{}{path}", self.server.url());
        let request = self.http.request(method, url).header("content-type", content_type).body(body);
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or_default())
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.send(Method::GET, path, "application/json", String::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.send(Method::POST, path, "application/json", body.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> (u16, Value) {
        self.send(Method::PUT, path, "application/json", body.to_string()).await
    }

    pub(crate) async fn merge(&self, path: &str, body: &Value) -> (u16, Value) {
        self.send(Method::PATCH, path, "application/merge-patch+json", body.to_string()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> (u16, Value) {
        self.send(Method::DELETE, path, "application/json", String::new()).await
    }

    /// Creates a config map `name` in `default`; returns its version.
    pub(crate) async fn config_map(&self, name: &str, labels: Value) -> String {
        let object = json!({"metadata": {"name": name, "labels": labels}});
        let (status, object) = self.post("/api/v1/namespaces/default/configmaps", &object).await;
        assert_eq!(status, 201, "{object}");
        version(&object)
    }

    pub(crate) async fn watch(&self, path_and_query: &str) -> Watch {
        let url = format!("{}{path_and_query}", self.server.url());
        let response = self.http.get(url).send().await.unwrap();
        assert_eq!(response.status(), 200);
        Watch::new(response)
    }
}

/// Returns `metadata.resourceVersion`.
pub(crate) fn version(object: &Value) -> String {
    object["metadata"]["resourceVersion"].as_str().unwrap().to_owned()
}

/// Returns the names of the items of a list.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Open watch.
pub(crate) struct Watch {
    response: Response,
    buffer: Vec<u8>,
    /// Part of the buffer that holds no end of line.
    scanned: usize,
}

/// End of a watch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Clean,
    Abrupt,
}

impl Watch {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, buffer: Vec::new(), scanned: 0 }
    }

    /// Returns the next event, or the end of the stream.
    pub(crate) async fn step(&mut self) -> Result<Value, End> {
        loop {
            if let Some(at) = self.buffer[self.scanned..].iter().position(|byte| *byte == b'\n') {
                let at = self.scanned + at;
                self.scanned = 0;
                let line: Vec<u8> = self.buffer.drain(..=at).collect();
                return Ok(serde_json::from_slice(&line).unwrap());
            }
            self.scanned = self.buffer.len();
            let chunk = tokio::time::timeout(TIMEOUT, self.response.chunk()).await;
            match chunk.unwrap_or_else(|_| panic!("no data within {TIMEOUT:?}")) {
                Ok(Some(chunk)) => self.buffer.extend_from_slice(&chunk),
                Ok(None) => return Err(End::Clean),
                Err(_) => return Err(End::Abrupt),
            }
        }
    }

    /// Returns the next event as `TYPE name`, or `TYPE version` when it has no name.
    pub(crate) async fn event(&mut self) -> String {
        let event = self.step().await.unwrap();
        let metadata = &event["object"]["metadata"];
        let what = metadata["name"].as_str().or(metadata["resourceVersion"].as_str()).unwrap_or_default();
        format!("{} {what}", event["type"].as_str().unwrap())
    }

    /// Whether no event arrives for a while, not even the end.
    pub(crate) async fn is_silent(&mut self, period: Duration) -> bool {
        tokio::time::timeout(period, self.response.chunk()).await.is_err()
    }
}
