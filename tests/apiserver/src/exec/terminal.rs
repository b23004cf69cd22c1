//! Terminal of a process, or its plain streams: line input with echo and editing, and output.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};

use super::Streams;
use super::session::{STDERR, STDOUT};

use crate::clock::{Instant, sleep_until};

const INTERRUPT: u8 = 0x03;
const END_OF_INPUT: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const KILL: u8 = 0x15;
const ESCAPE: u8 = 0x1b;
const DELETE: u8 = 0x7f;

/// Columns and rows, as in the resize channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct Size {
    pub(super) width: u16,
    pub(super) height: u16,
}

/// Result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Line(Vec<u8>),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or stdin is closed.
    End,
}

/// Standard streams of a process.
pub(super) struct Terminal {
    streams: Streams,
    input: mpsc::UnboundedReceiver<Bytes>,
    output: mpsc::Sender<(u8, Bytes)>,
    size: watch::Receiver<Size>,
    /// Typed but unread bytes.
    typed: VecDeque<u8>,
    ended: bool,
}

impl Terminal {
    pub(super) fn new(
        streams: Streams,
        input: mpsc::UnboundedReceiver<Bytes>,
        output: mpsc::Sender<(u8, Bytes)>,
        size: watch::Receiver<Size>,
    ) -> Self {
        Self { streams, input, output, size, typed: VecDeque::new(), ended: false }
    }

    pub(super) fn is_tty(&self) -> bool {
        self.streams.tty
    }

    pub(super) fn size(&self) -> Size {
        *self.size.borrow()
    }

    /// Writes to stdout.
    pub(super) async fn out(&self, bytes: &[u8]) {
        if self.streams.stdout {
            self.write(STDOUT, bytes).await;
        }
    }

    /// Writes the output of another process to stdout, as it is.
    pub(super) async fn copy(&self, bytes: Bytes) {
        if self.streams.stdout {
            // The client may have disconnected.
            drop(self.output.send((STDOUT, bytes)).await);
        }
    }

    /// Writes to stderr, which is the same stream on a terminal.
    pub(super) async fn err(&self, bytes: &[u8]) {
        match self.streams {
            Streams { tty: true, stdout: true, .. } => self.write(STDOUT, bytes).await,
            Streams { stderr: true, .. } => self.write(STDERR, bytes).await,
            _ => {}
        }
    }

    async fn write(&self, channel: u8, bytes: &[u8]) {
        let mut cooked = Vec::with_capacity(bytes.len());
        for byte in bytes {
            if self.streams.tty && *byte == b'\n' {
                cooked.push(b'\r');
            }
            cooked.push(*byte);
        }
        // The client may have disconnected.
        drop(self.output.send((channel, cooked.into())).await);
    }

    /// Reads one typed byte; `None` at the end.
    async fn read_byte(&mut self) -> Option<u8> {
        loop {
            if let Some(byte) = self.typed.pop_front() {
                return Some(byte);
            }
            if self.ended {
                return None;
            }
            match self.input.recv().await {
                Some(bytes) => self.typed.extend(bytes),
                None => self.ended = true,
            }
        }
    }

    /// Reads the next line, with its newline if it has one.
    pub(super) async fn read_line(&mut self) -> Input {
        let mut line = Vec::new();
        loop {
            let Some(byte) = self.read_byte().await else {
                return if line.is_empty() { Input::End } else { Input::Line(line) };
            };
            if !self.streams.tty {
                line.push(byte);
                if byte == b'\n' {
                    return Input::Line(line);
                }
                continue;
            }
            match byte {
                b'\r' | b'\n' => {
                    self.out(b"\n").await;
                    line.push(b'\n');
                    return Input::Line(line);
                }
                INTERRUPT => {
                    self.out(b"^C\n").await;
                    return Input::Interrupt;
                }
                END_OF_INPUT if line.is_empty() => return Input::End,
                END_OF_INPUT => {}
                BACKSPACE | DELETE => {
                    // A character of several bytes is deleted as one.
                    while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
                    self.out(b"\x08 \x08").await;
                }
                KILL => {
                    let typed = String::from_utf8_lossy(&line).chars().count();
                    line.clear();
                    self.out("\u{8} \u{8}".repeat(typed).as_bytes()).await;
                }
                ESCAPE => self.skip_sequence().await,
                byte => {
                    line.push(byte);
                    self.out(&[byte]).await;
                }
            }
        }
    }

    /// Skips an escape sequence, such as that of a cursor key, which does nothing here.
    async fn skip_sequence(&mut self) {
        if self.read_byte().await == Some(b'[') {
            while self.read_byte().await.is_some_and(|byte| !(0x40..=0x7e).contains(&byte)) {}
        }
    }

    /// Waits; returns false if Ctrl-C came first. Other input is read later.
    pub(super) async fn sleep(&mut self, duration: Duration) -> bool {
        let until = Instant::now() + duration;
        loop {
            if self.streams.tty && self.typed.contains(&INTERRUPT) {
                self.typed.clear();
                self.out(b"^C\n").await;
                return false;
            }
            tokio::select! {
                () = sleep_until(until) => return true,
                bytes = self.input.recv(), if !self.ended => match bytes {
                    Some(bytes) => self.typed.extend(bytes),
                    None => self.ended = true,
                },
            }
        }
    }
}
