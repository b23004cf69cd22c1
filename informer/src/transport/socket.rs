//! WebSocket transport of a watch: the same URL and query, each event one text frame (WIRE 7).

use std::future::poll_fn;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, Sink, StreamExt, stream};
use gloo_net::websocket::futures::WebSocket;
use gloo_net::websocket::{Message, State, WebSocketError};

use super::{Body, Request, Response, Transport};
use crate::error::{ErrorCode, InformerError, Result};

/// Opens WebSockets below a base URL. Headers cannot be sent, so it requests whole objects as JSON.
///
/// A browser gives no reason for a failed handshake; finding it takes a second request, by `fetch`. Frames cannot be
/// held back, so those that a slow informer has not processed stay in memory.
#[derive(Clone)]
pub struct SocketTransport {
    base: String,
}

impl SocketTransport {
    /// Creates a transport for an apiserver at an `http` or `https` URL, or for a proxy's prefix.
    pub fn new(base: &str) -> Self {
        // Turns http into ws, and https into wss.
        let base = base.trim_end_matches('/').strip_prefix("http").map(|rest| format!("ws{rest}"));
        Self { base: base.unwrap_or_default() }
    }
}

impl Transport for SocketTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let socket = WebSocket::open(&format!("{}{}", self.base, request.path));
        async move {
            let refused =
                || InformerError::new(ErrorCode::Network, "cannot open a WebSocket; the browser gives no reason");
            let mut socket = socket.map_err(|_| refused())?;
            // Resolves also after a failure.
            let _ = poll_fn(|context| std::pin::Pin::new(&mut socket).poll_ready(context)).await;
            if !matches!(socket.state(), State::Open) {
                return Err(refused());
            }
            Ok(Response {
                status: 200,
                content_type: Some("application/json".to_owned()),
                content_encoding: None,
                retry_after: None,
                body: frames(socket),
            })
        }
        .boxed_local()
    }
}

/// Frames as lines.
fn frames(socket: WebSocket) -> Body {
    stream::unfold(Some(socket), |socket| async move {
        let mut socket = socket?;
        match socket.next().await? {
            Ok(message) => {
                let mut line = match message {
                    Message::Text(text) => text.into_bytes(),
                    Message::Bytes(bytes) => bytes,
                };
                line.push(b'\n');
                Some((Ok(line), Some(socket)))
            }
            // Normal end, also after a 410. Firefox says that it was not clean if the server ends the connection right after its
            // Close frame, whose code it reports.
            Err(WebSocketError::ConnectionClose(close)) if close.was_clean || close.code == 1000 => None,
            Err(_) => Some((Err(InformerError::new(ErrorCode::Network, "the WebSocket connection was lost")), None)),
        }
    })
    .boxed_local()
}
