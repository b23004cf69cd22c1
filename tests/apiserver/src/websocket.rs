//! WATCH over WebSocket: the same response as over HTTP, one event per frame.
//!
//! It stands before everything else: what it passes on is the plain watch, so its errors, faults and limits are those
//! of every watch, and what comes back is repacked.

use axum::body::{Body, BodyDataStream};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRequestParts as _, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};

use crate::fault::ViaWebSocket;
use crate::query::Query;
use crate::reply::text_reply;

/// Answers a handshake; passes anything else on.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    if !is_handshake(request.headers()) {
        return next.run(request).await;
    }
    if !request.headers().contains_key(header::ORIGIN) {
        let mut reply = Response::new(Body::empty());
        *reply.status_mut() = StatusCode::FORBIDDEN;
        reply.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return reply;
    }
    let (mut parts, body) = request.into_parts();
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let watch = Query::parse(parts.uri.query().unwrap_or_default()).flag("watch");
    for name in [header::UPGRADE, header::CONNECTION, header::ACCEPT_ENCODING] {
        parts.headers.remove(name);
    }
    parts.extensions.insert(ViaWebSocket);
    let reply = next.run(Request::from_parts(parts, body)).await;
    if reply.status() != StatusCode::OK {
        return reply;
    }
    if !watch {
        return text_reply(StatusCode::INTERNAL_SERVER_ERROR, "unable to upgrade: only a watch has frames\n");
    }
    let content_type = reply.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let binary = content_type.is_some_and(|text| text.contains("protobuf"));
    let events = reply.into_body().into_data_stream();
    upgrade.on_upgrade(move |socket| pump(socket, events, binary))
}

fn is_handshake(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(header::UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

/// Sends event by event, until either side ends. An abrupt end of the watch is one of the socket, without a close frame.
async fn pump(socket: WebSocket, mut events: BodyDataStream, binary: bool) {
    let (mut outgoing, mut incoming) = socket.split();
    loop {
        let event = tokio::select! {
            // Clients have nothing to say but goodbye.
            message = incoming.next() => match message {
                None | Some(Err(_) | Ok(Message::Close(_))) => return,
                Some(Ok(_)) => continue,
            },
            event = events.next() => event,
        };
        let messages = match event {
            Some(Ok(frame)) if binary => vec![Message::Binary(frame.slice(4.min(frame.len())..))],
            // What a cut has left of a line is no message.
            Some(Ok(frame)) => lines(&frame).map(|line| text(&line)).collect(),
            Some(Err(_)) => return,
            None => {
                let close = CloseFrame { code: close_code::NORMAL, reason: Utf8Bytes::from_static("") };
                // The reader may have gone first.
                drop(outgoing.send(Message::Close(Some(close))).await);
                return;
            }
        };
        for message in messages {
            if outgoing.send(message).await.is_err() {
                return;
            }
        }
    }
}

/// The complete lines of a frame, with their ends, as the real server sends them.
fn lines(frame: &Bytes) -> impl Iterator<Item = Bytes> + '_ {
    frame.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).map(|line| frame.slice_ref(line))
}

fn text(line: &Bytes) -> Message {
    let lossy = |_| Utf8Bytes::from(String::from_utf8_lossy(line).into_owned());
    Message::Text(Utf8Bytes::try_from(line.clone()).unwrap_or_else(lossy))
}
