//! Server options: how a page reaches its apiserver.

use std::time::Duration;

use informer::BackoffOptions;
use informer::transport::user_headers::UserHeaders;
use serde::{Deserialize, Serialize};

/// How a page reaches its apiserver. Pages share informers if everything but `max_streams` and `backoff` is equal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServerOptions {
    /// Absolute URL of the apiserver or of a proxy's prefix, without a trailing slash.
    pub url: String,
    /// Requests that carry the browser's credentials.
    pub credentials: CredentialsMode,
    /// Headers that are added to each request.
    pub headers: UserHeaders,
    /// Whether the page is asked for the headers of each request ([`FromEngine::AskHeaders`]), in place of `headers`.
    ///
    /// [`FromEngine::AskHeaders`]: super::FromEngine::AskHeaders
    pub asks_headers: bool,
    /// Name of the user that the headers authenticate. Pages with the same name share informers, whatever their
    /// headers are; by default only those with the same constant headers do. It is not sent to the server.
    pub user: Option<String>,
    /// Maximum number of concurrent streams of all informers, over HTTP. By default the browser's connections decide.
    /// Of the pages that share informers, the first one decides.
    pub max_streams: Option<u32>,
    /// Whether everything is requested as JSON. By default long lists, and then watches, of built-in kinds are protobuf.
    pub json: bool,
    /// Pauses between failed attempts; client-go's by default. Of the pages that share informers, the first one decides.
    pub backoff: Option<BackoffMs>,
}

/// Pauses between failed attempts: see [`informer::BackoffOptions`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackoffMs {
    /// First pause in milliseconds.
    pub initial_ms: u32,
    /// Maximum pause in milliseconds.
    pub max_ms: u32,
    /// Factor between consecutive pauses, at least 1.
    pub factor: f64,
}

impl From<BackoffMs> for BackoffOptions {
    fn from(BackoffMs { initial_ms, max_ms, factor }: BackoffMs) -> Self {
        let [initial, max] = [initial_ms, max_ms].map(|ms| Duration::from_millis(ms.into()));
        Self { initial, max, factor }
    }
}

impl ServerOptions {
    /// Whether headers are added to requests.
    pub fn has_headers(&self) -> bool {
        self.asks_headers || self.headers != UserHeaders::default()
    }
}

impl From<&str> for ServerOptions {
    fn from(url: &str) -> Self {
        Self { url: url.to_owned(), ..Self::default() }
    }
}

/// Requests that carry cookies and other credentials of the browser, as in `fetch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CredentialsMode {
    /// Those to the page's own origin.
    #[default]
    SameOrigin,
    /// All.
    Include,
    /// None.
    Omit,
}
