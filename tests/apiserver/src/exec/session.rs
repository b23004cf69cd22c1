//! Session: the channels stdin, stdout, stderr, error, resize, and the signal that closes one.

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use bytes::Bytes;
use futures::stream::SplitSink;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::terminal::{Size, Terminal};
use super::{Process, Streams, lines, shell};

const STDIN: u8 = 0;
pub(super) const STDOUT: u8 = 1;
pub(super) const STDERR: u8 = 2;
const ERROR: u8 = 3;
const RESIZE: u8 = 4;
/// Signal: the channel in the next byte is closed.
const CLOSE: u8 = 255;

/// Maximum number of output chunks that wait for the socket.
const MAX_QUEUED_CHUNKS: usize = 64;

/// Result of a process.
pub(super) type ProcessResult = Result<u8, Failure>;

/// Reason why there was no process, or none that ended normally.
#[derive(Debug)]
pub(super) enum Failure {
    /// The kubelet did not open the session.
    Kubelet(String),
    /// The kubelet's session failed.
    Container(String),
}

/// Runs a process behind a socket until it ends, the client disconnects, or all sessions are cut.
pub(super) async fn serve(
    socket: WebSocket,
    streams: Streams,
    closes: bool,
    hostname: String,
    process: Result<Process, String>,
    mut cut: watch::Receiver<u64>,
) {
    let (mut outgoing, mut incoming) = socket.split();
    // An empty frame on the lowest channel confirms the session.
    let first = match streams {
        Streams { stdout: true, .. } => STDOUT,
        Streams { stderr: true, .. } => STDERR,
        _ => ERROR,
    };
    if send(&mut outgoing, first, &[]).await.is_err() {
        return;
    }
    let (input, typed) = mpsc::unbounded_channel();
    let (output, mut written) = mpsc::channel(MAX_QUEUED_CHUNKS);
    let (resize, size) = watch::channel(Size::default());
    let mut input = streams.stdin.then_some(input);
    let running = async move {
        if !streams.any() {
            let why = "unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr";
            return Err(Failure::Kubelet(why.to_owned()));
        }
        let mut terminal = Terminal::new(streams, typed, output, size);
        match process.map_err(Failure::Kubelet)? {
            Process::Command(command) => shell::run(&command, &hostname, &mut terminal).await,
            // The end of an attached session has no exit code.
            Process::Container { reads: true, .. } if streams.stdin => {
                shell::run(&["sh".to_owned()], &hostname, &mut terminal).await.map(|_| 0)
            }
            Process::Container { tail, .. } => lines::copy(*tail, &mut terminal).await,
        }
    };
    tokio::pin!(running);
    let ended = loop {
        tokio::select! {
            biased;
            Some((channel, bytes)) = written.recv() => {
                if send(&mut outgoing, channel, &bytes).await.is_err() {
                    return;
                }
            }
            message = incoming.next() => match message {
                None | Some(Err(_) | Ok(Message::Close(_))) => return,
                Some(Ok(Message::Binary(frame))) => process_frame(&frame, closes, &mut input, &resize),
                Some(Ok(_)) => {}
            },
            ended = &mut running => break ended,
            _ = cut.changed() => return,
        }
    };
    // The last output precedes the status.
    while let Ok((channel, bytes)) = written.try_recv() {
        if send(&mut outgoing, channel, &bytes).await.is_err() {
            return;
        }
    }
    if send(&mut outgoing, ERROR, status(ended, closes).to_string().as_bytes()).await.is_ok() {
        let close = CloseFrame { code: close_code::NORMAL, reason: Utf8Bytes::from_static("") };
        // The client may have disconnected first.
        drop(outgoing.send(Message::Close(Some(close))).await);
    }
}

async fn send(socket: &mut SplitSink<WebSocket, Message>, channel: u8, bytes: &[u8]) -> Result<(), axum::Error> {
    let mut frame = Vec::with_capacity(bytes.len() + 1);
    frame.push(channel);
    frame.extend_from_slice(bytes);
    socket.send(Message::Binary(frame.into())).await
}

/// Handles a frame of the client.
fn process_frame(
    frame: &Bytes,
    closes: bool,
    input: &mut Option<mpsc::UnboundedSender<Bytes>>,
    resize: &watch::Sender<Size>,
) {
    match frame.first() {
        Some(&STDIN) => {
            if let Some(input) = input {
                // A process that has ended reads nothing.
                drop(input.send(frame.slice(1..)));
            }
        }
        Some(&RESIZE) => {
            if let Ok(size) = serde_json::from_slice(&frame[1..]) {
                resize.send_replace(size);
            }
        }
        Some(&CLOSE) if closes && frame.get(1) == Some(&STDIN) => *input = None,
        _ => {}
    }
}

/// Returns the status of a process that has ended, for the error channel. With the newer protocol the apiserver
/// translates the kubelet's message and wraps it; with the older one the message passes unchanged.
fn status(ended: ProcessResult, translated: bool) -> Value {
    let mut status = match ended {
        Ok(0) => json!({"status": "Success"}),
        Ok(code) => {
            let why = if translated { "command terminated with exit code" } else { "exit status" };
            json!({
                "status": "Failure", "message": format!("command terminated with non-zero exit code: {why} {code}"),
                "reason": "NonZeroExitCode",
                "details": {"causes": [{"reason": "ExitCode", "message": code.to_string()}]},
            })
        }
        Err(failure) => {
            let why = match failure {
                Failure::Container(why) if translated => format!("Internal error occurred: {why}"),
                Failure::Container(why) | Failure::Kubelet(why) => why,
            };
            json!({
                "status": "Failure", "message": format!("Internal error occurred: {why}"), "reason": "InternalError",
                "details": {"causes": [{"message": why}]}, "code": 500,
            })
        }
    };
    if translated {
        status["metadata"] = json!({});
    }
    status
}
