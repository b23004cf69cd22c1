//! Log over WebSocket: the bytes in frames, as the real server's `StreamObject` sends them.

use axum::body::BodyDataStream;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};

/// Size of the real server's buffer: the maximum length of a frame.
const FRAME: usize = 2048;

/// Encoding of bytes in frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Protocol {
    /// Name in the response to the handshake.
    pub(super) name: &'static str,
    base64: bool,
}

const PROTOCOLS: [Protocol; 2] =
    [Protocol { name: "binary.k8s.io", base64: false }, Protocol { name: "base64.binary.k8s.io", base64: true }];

impl Protocol {
    /// Returns the first known protocol that the client offers; without an offer the real server returns an empty one.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
        let mut offered = offered.flat_map(|value| value.split(',')).map(str::trim).peekable();
        if offered.peek().is_none() {
            return Some(Self { name: "", base64: false });
        }
        offered.find_map(|name| PROTOCOLS.into_iter().find(|known| known.name == name))
    }

    fn frame(self, bytes: &[u8]) -> Message {
        if self.base64 {
            Message::Text(STANDARD.encode(bytes).into())
        } else {
            Message::Binary(Bytes::copy_from_slice(bytes))
        }
    }
}

/// Sends an empty frame, then the log, until either side ends.
pub(super) async fn pump(socket: WebSocket, mut log: BodyDataStream, protocol: Protocol) {
    let (mut outgoing, mut incoming) = socket.split();
    if outgoing.send(protocol.frame(&[])).await.is_err() {
        return;
    }
    loop {
        let chunk = tokio::select! {
            // The client sends only a close.
            message = incoming.next() => match message {
                None | Some(Err(_) | Ok(Message::Close(_))) => return,
                Some(Ok(_)) => continue,
            },
            chunk = log.next() => chunk,
        };
        match chunk {
            Some(Ok(chunk)) => {
                for frame in chunk.chunks(FRAME) {
                    if outgoing.send(protocol.frame(frame)).await.is_err() {
                        return;
                    }
                }
            }
            Some(Err(_)) => return,
            None => {
                let close = CloseFrame { code: close_code::NORMAL, reason: Utf8Bytes::from_static("") };
                // The reader may have disconnected first.
                drop(outgoing.send(Message::Close(Some(close))).await);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_offer_is_taken() {
        let named = |offers: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for offer in offers {
                headers.append(header::SEC_WEBSOCKET_PROTOCOL, offer.parse().unwrap());
            }
            Protocol::of(&headers).map(|protocol| protocol.name)
        };
        assert_eq!(named(&[]), Some(""));
        assert_eq!(named(&["x, base64.binary.k8s.io, binary.k8s.io"]), Some("base64.binary.k8s.io"));
        assert_eq!(named(&["x", "binary.k8s.io"]), Some("binary.k8s.io"));
        assert_eq!(named(&["v5.channel.k8s.io"]), None);
    }
}
