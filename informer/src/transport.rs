//! `Transport`: the interface between the informer and a network.

pub mod budget;
pub mod connection_slot;
pub mod connections;
#[cfg(target_arch = "wasm32")]
pub mod fetch;
#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(any(test, feature = "testing"))]
pub mod scripted;
pub mod slices;
#[cfg(target_arch = "wasm32")]
pub mod socket;
pub mod user_headers;

use std::fmt;
use std::rc::Rc;

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

use crate::error::{ErrorCode, InformerError, Result};

use connection_slot::ConnectionSlot;
use connections::Connections;
use user_headers::UserHeaders;

/// Request to the apiserver: a GET, except for the one that Kubernetes offers as a POST only, the identity of the
/// user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path and query, beginning with `/`, relative to the transport's base.
    pub path: String,
    /// Header names and values.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Headers that authenticate the user. Empty where a proxy authenticates it.
    pub user_headers: UserHeaders,
    /// JSON to POST; none for a GET.
    pub body: Option<&'static str>,
    /// Whether the response is a stream that stays open, as a watch is.
    pub stream: bool,
    /// Whether it is a probe for the newest version, after the server was unreachable.
    pub probe: bool,
    /// Connection slot, where the requester reads its progress.
    pub connection: ConnectionSlot,
}

impl Request {
    /// Creates a GET of a path and query.
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            headers: Vec::new(),
            user_headers: UserHeaders::default(),
            body: None,
            stream: false,
            probe: false,
            connection: ConnectionSlot::default(),
        }
    }

    /// Creates a POST of JSON. The body is static, because no text of the user or the cluster is ever sent.
    pub fn post(path: impl Into<String>, body: &'static str) -> Self {
        Self { body: Some(body), ..Self::get(path) }.header("Content-Type", "application/json")
    }

    /// Its method.
    pub fn method(&self) -> &'static str {
        if self.body.is_some() { "POST" } else { "GET" }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Marks the response as a stream that stays open.
    #[must_use]
    pub fn streaming(mut self) -> Self {
        self.stream = true;
        self
    }

    /// Marks the request as a probe.
    #[must_use]
    pub fn probing(mut self) -> Self {
        self.probe = true;
        self
    }

    /// Sets the slot for its progress.
    #[must_use]
    pub fn with_connection(mut self, connection: &ConnectionSlot) -> Self {
        self.connection = connection.clone();
        self
    }
}

/// The request as errors name it: method and path, no headers.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), self.path)
    }
}

/// Chunks of a body, split anywhere. Dropping it aborts the request.
pub type Body = LocalBoxStream<'static, Result<Vec<u8>>>;

/// Response whose body may still be in transit.
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// `Content-Encoding`, if the transport can read it.
    pub content_encoding: Option<String>,
    /// `Retry-After` in seconds, if it is a number.
    pub retry_after: Option<u32>,
    /// The chunks.
    pub body: Body,
}

impl Response {
    /// Reads the whole body.
    ///
    /// # Errors
    /// Errors of the transport, or [`ErrorCode::Decode`] if the body has more than `limit` bytes.
    pub async fn read(self, limit: usize) -> Result<Vec<u8>> {
        let mut body = self.body;
        let mut bytes = Vec::new();
        while let Some(chunk) = body.next().await {
            let chunk = chunk?;
            if bytes.len() + chunk.len() > limit {
                return Err(InformerError::new(
                    ErrorCode::Decode,
                    format!("the response is larger than {limit} bytes"),
                ));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .finish_non_exhaustive()
    }
}

/// Sender of requests. Not `Send`, on purpose: `fetch` belongs to its thread.
pub trait Transport {
    /// Sends a request; resolves when the head of the response has arrived, with any status.
    ///
    /// Dropping the future, or the body of the response, aborts the request.
    ///
    /// # Errors
    /// [`ErrorCode::Network`] without a response.
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>>;

    /// Whether requests share one connection (HTTP/2 and later), as far as is known.
    fn is_multiplexed(&self) -> bool {
        false
    }

    /// Whether requests may accept protobuf: their `Accept` header reaches the server, and binary bodies come back as they
    /// were sent.
    fn accepts_protobuf(&self) -> bool {
        false
    }

    /// A transport that shares the connections of this one and sends through `http`. `None` if nothing is shared out.
    fn sharing(&self, _http: &Rc<dyn Transport>) -> Option<Rc<dyn Transport>> {
        None
    }

    /// Use of the connections to the host. `None` if they are not counted.
    fn connections(&self) -> Option<Connections> {
        None
    }
}
