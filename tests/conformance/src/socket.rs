//! WebSocket: the client of watches, logs, exec and attach.

use futures::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::{AUTHORIZATION, HeaderName, ORIGIN};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::halt::{Halt, Outcome};
use crate::scene::Scene;
use crate::watch::STEP_TIMEOUT;
use crate::words;

/// Channels of exec and attach: the first byte of each frame.
pub(crate) const STDIN: u8 = 0;
pub(crate) const STDOUT: u8 = 1;
pub(crate) const STDERR: u8 = 2;
/// Channel of the final status.
pub(crate) const STATUS: u8 = 3;
/// Channel of the size of a terminal.
pub(crate) const RESIZE: u8 = 4;
/// Channel whose content is the number of a channel to close.
const CLOSE: u8 = 255;

/// Open WebSocket.
pub(crate) struct Socket {
    stream: WebSocketStream<TcpStream>,
}

/// Result of a handshake.
pub(crate) enum Handshake {
    Open(Box<Socket>, String),
    /// Status of the rejection.
    Rejected(String),
}

impl Socket {
    /// Opens a WebSocket as a page of this origin does.
    pub(crate) async fn open(
        scene: &Scene,
        origin: Option<&str>,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Outcome<Handshake> {
        Self::open_at(scene, &scene.target.url, origin, path, headers).await
    }

    /// Opens a WebSocket to exec or attach, which a `kubectl proxy` rejects by default.
    pub(crate) async fn session(scene: &Scene, path: &str, protocol: &str) -> Outcome<Handshake> {
        Self::open_at(scene, &scene.target.shells, None, path, &[("sec-websocket-protocol", protocol)]).await
    }

    async fn open_at(
        scene: &Scene,
        url: &str,
        origin: Option<&str>,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Outcome<Handshake> {
        let authority = url.trim_start_matches("http://").to_owned();
        let url = format!("ws://{authority}{}", scene.path(path));
        let mut request = url.into_client_request().map_err(Halt::broken)?;
        if let Some(origin) = origin {
            request.headers_mut().insert(ORIGIN, HeaderValue::from_str(origin).map_err(Halt::broken)?);
        }
        for (name, value) in headers {
            let name = if *name == "authorization" { AUTHORIZATION } else { HeaderName::from_static(name) };
            request.headers_mut().insert(name, HeaderValue::from_str(value).map_err(Halt::broken)?);
        }
        let tcp = TcpStream::connect(&authority).await.map_err(Halt::broken)?;
        let handshake = timeout(STEP_TIMEOUT, client_async(request, tcp))
            .await
            .map_err(|_| Halt::broken("no end of the handshake"))?;
        match handshake {
            Ok((stream, response)) => {
                let header = |name: &str| {
                    response.headers().get(name).map_or("-", |value| value.to_str().unwrap_or("?")).to_owned()
                };
                let facts = format!("{} extensions {}", response.status().as_u16(), header("sec-websocket-extensions"));
                Ok(Handshake::Open(Box::new(Self { stream }), facts))
            }
            Err(Error::Http(response)) => Ok(Handshake::Rejected(response.status().as_u16().to_string())),
            Err(error) => Err(Halt::broken(error)),
        }
    }

    /// Closes stdin, while the other channels stay open (`v5.channel.k8s.io`).
    pub(crate) async fn close_stdin(&mut self) -> Outcome {
        self.send(CLOSE, &[STDIN]).await
    }

    /// Sends bytes through a channel.
    pub(crate) async fn send(&mut self, channel: u8, bytes: &[u8]) -> Outcome {
        let frame = [&[channel], bytes].concat();
        timeout(STEP_TIMEOUT, self.stream.send(Message::binary(frame)))
            .await
            .map_err(|_| Halt::broken("the WebSocket took nothing"))?
            .map_err(Halt::broken)
    }

    /// Receives the next frame as channel and bytes; `Err` with the close code at the end.
    pub(crate) async fn frame(&mut self) -> Outcome<Result<(u8, Vec<u8>), u16>> {
        loop {
            let message = timeout(STEP_TIMEOUT, self.stream.next())
                .await
                .map_err(|_| Halt::broken("the WebSocket said nothing"))?;
            return match message {
                Some(Ok(Message::Binary(bytes))) => {
                    Ok(Ok((bytes.first().copied().unwrap_or(u8::MAX), bytes.get(1..).unwrap_or_default().to_vec())))
                }
                Some(Ok(Message::Close(close))) => Ok(Err(close.map_or(1005, |frame| u16::from(frame.code)))),
                Some(Ok(_)) => continue,
                Some(Err(error)) => Err(Halt::broken(error)),
                None => Ok(Err(1006)),
            };
        }
    }

    /// Reads to the end: one event per frame, with a `+` if the frame has its newline, then the close code.
    pub(crate) async fn rest(&mut self) -> Outcome<String> {
        let mut seen = Vec::new();
        loop {
            let message = timeout(STEP_TIMEOUT, self.stream.next())
                .await
                .map_err(|_| Halt::broken("the WebSocket said nothing"))?;
            match message {
                Some(Ok(Message::Text(text))) => seen.push(frame(text.as_str())),
                Some(Ok(Message::Binary(bytes))) => seen.push(format!("binary frame of {} bytes", bytes.len())),
                Some(Ok(Message::Close(close))) => {
                    seen.push(format!("close {}", close.map_or(1005, |frame| u16::from(frame.code))));
                    break;
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    seen.push(format!("error {error}"));
                    break;
                }
                None => {
                    seen.push("gone without a close frame".to_owned());
                    break;
                }
            }
        }
        Ok(seen.join(", "))
    }
}

fn frame(text: &str) -> String {
    let newline = if text.ends_with('\n') { "+" } else { "" };
    match serde_json::from_str::<Value>(text) {
        Ok(event) => format!("{}{newline}", words::event(&event)),
        Err(_) => format!("not one event: {text}"),
    }
}
