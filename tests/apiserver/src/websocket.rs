//! WATCH and logs over WebSocket: the same response as over HTTP, in frames.
//!
//! This layer comes first and passes a plain request on, so errors, faults and limits are the same. It repacks the
//! response.

mod log;

use axum::body::{Body, BodyDataStream};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRequestParts as _, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};

use crate::address::Address;
use crate::exec::Handshake;
use crate::fault::ViaWebSocket;
use crate::query::Query;
use crate::reply::text_reply;

/// Handles a handshake; passes other requests on.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    if !is_handshake(request.headers()) {
        return next.run(request).await;
    }
    let address = Address::parse(request.uri().path());
    let is_log = address.as_ref().is_some_and(|address| address.is_of_pod("log"));
    if !is_log && !address.as_ref().is_some_and(Address::is_shell) && !request.headers().contains_key(header::ORIGIN) {
        return forbidden();
    }
    let (mut parts, body) = request.into_parts();
    let is_shell = address.as_ref().is_some_and(Address::is_shell);
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let protocol = log::Protocol::of(&parts.headers);
    let watch = !is_log && Query::parse(parts.uri.query().unwrap_or_default()).flag("watch");
    for name in [header::UPGRADE, header::CONNECTION, header::ACCEPT_ENCODING] {
        parts.headers.remove(name);
    }
    parts.extensions.insert(ViaWebSocket);
    if is_shell {
        // Exec and attach take the socket themselves.
        parts.extensions.insert(Handshake::new(upgrade));
        return next.run(Request::from_parts(parts, body)).await;
    }
    let reply = next.run(Request::from_parts(parts, body)).await;
    if reply.status() != StatusCode::OK {
        return reply;
    }
    if is_log {
        let Some(protocol) = protocol else { return forbidden() };
        let log = reply.into_body().into_data_stream();
        let mut reply = upgrade.on_upgrade(move |socket| log::pump(socket, log, protocol));
        reply.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol.name));
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

/// Rejection of a handshake, which the real server writes without its HTTP library.
fn forbidden() -> Response {
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = StatusCode::FORBIDDEN;
    reply.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    reply
}

fn is_handshake(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(header::UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

/// Sends events until either side ends. An abrupt end of the watch ends the socket without a close frame.
async fn pump(socket: WebSocket, mut events: BodyDataStream, binary: bool) {
    let (mut outgoing, mut incoming) = socket.split();
    loop {
        let event = tokio::select! {
            // Clients send only a close.
            message = incoming.next() => match message {
                None | Some(Err(_) | Ok(Message::Close(_))) => return,
                Some(Ok(_)) => continue,
            },
            event = events.next() => event,
        };
        let messages = match event {
            Some(Ok(frame)) if binary => vec![Message::Binary(frame.slice(4.min(frame.len())..))],
            // The rest of a cut line is not a message.
            Some(Ok(frame)) => lines(&frame).map(|line| text(&line)).collect(),
            Some(Err(_)) => return,
            None => {
                let close = CloseFrame { code: close_code::NORMAL, reason: Utf8Bytes::from_static("") };
                // The reader may have disconnected first.
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

/// Returns the complete lines of a frame, with their newlines, as the real server sends them.
fn lines(frame: &Bytes) -> impl Iterator<Item = Bytes> + '_ {
    frame.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).map(|line| frame.slice_ref(line))
}

fn text(line: &Bytes) -> Message {
    let lossy = |_| Utf8Bytes::from(String::from_utf8_lossy(line).into_owned());
    Message::Text(Utf8Bytes::try_from(line.clone()).unwrap_or_else(lossy))
}
