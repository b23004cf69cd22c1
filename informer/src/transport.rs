//! `Transport`: the interface between the informer and a network.

pub mod budget;
#[cfg(target_arch = "wasm32")]
pub mod fetch;
#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(any(test, feature = "testing"))]
pub mod scripted;
pub mod slices;
#[cfg(target_arch = "wasm32")]
pub mod socket;
pub mod ticket;

use std::fmt;

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

use crate::error::{ErrorCode, InformerError, Result};

use ticket::Ticket;

/// A request to the apiserver: a GET, but for the one question that Kubernetes answers to a POST only, who the asker is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path and query, beginning with `/`; the transport knows what it is relative to.
    pub path: String,
    /// Header names and values.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The JSON to POST; a GET has none.
    pub body: Option<&'static str>,
    /// Whether the answer is a stream that stays open, as a watch is.
    pub stream: bool,
    /// Whether it only asks how far the server is, because somebody had lost it.
    pub probe: bool,
    /// Where the asker reads how it gets along.
    pub ticket: Ticket,
}

impl Request {
    /// A GET of a path and query.
    pub fn get(path: impl Into<String>) -> Self {
        let (path, ticket) = (path.into(), Ticket::default());
        Self { path, headers: Vec::new(), body: None, stream: false, probe: false, ticket }
    }

    /// A POST of JSON. Fixed, as nothing that anybody types or a cluster says is ever sent.
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

    /// Makes it one whose answer stays open.
    #[must_use]
    pub fn streaming(mut self) -> Self {
        self.stream = true;
        self
    }

    /// Makes it one that only asks how far the server is.
    #[must_use]
    pub fn probing(mut self) -> Self {
        self.probe = true;
        self
    }

    /// Writes how it gets along on this ticket.
    #[must_use]
    pub fn with_ticket(mut self, ticket: &Ticket) -> Self {
        self.ticket = ticket.clone();
        self
    }
}

/// As errors name it: method and path, no headers.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), self.path)
    }
}

/// The chunks of a body, cut anywhere. Dropping it aborts the request.
pub type Body = LocalBoxStream<'static, Result<Vec<u8>>>;

/// An answer whose body may still be on its way.
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// `Content-Encoding`, as far as the transport lets it be seen.
    pub content_encoding: Option<String>,
    /// `Retry-After` in seconds, where it is a number.
    pub retry_after: Option<u32>,
    /// The chunks.
    pub body: Body,
}

impl Response {
    /// The whole body.
    ///
    /// # Errors
    /// What the transport says, or [`ErrorCode::Decode`] when there are more than `limit` bytes.
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

/// Sends requests. Not `Send`, on purpose: `fetch` belongs to its thread.
pub trait Transport {
    /// Sends a request; resolves when the head of the answer is there. Any status is an answer.
    ///
    /// Dropping the future, or the body of the answer, aborts the request.
    ///
    /// # Errors
    /// [`ErrorCode::Network`] when there is no answer.
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>>;

    /// Whether many requests share one connection, as far as is known by now (HTTP/2 and later).
    fn is_multiplexed(&self) -> bool {
        false
    }
}
