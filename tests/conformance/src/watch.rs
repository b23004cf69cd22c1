//! Watch over chunked HTTP: lines of JSON, or frames of protobuf.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::time::timeout;

use crate::halt::{Halt, Outcome};
use crate::protobuf;
use crate::words;

/// Timeout of a step, on a loaded machine. The slowest step is the 3 s wait for a version of the future.
pub(crate) const STEP_TIMEOUT: Duration = Duration::from_secs(120);

/// Open watch.
pub(crate) struct Watch {
    response: Response,
    buffer: Vec<u8>,
}

/// Next item of a stream.
pub(crate) enum Next {
    Event(Value),
    /// Bytes that are no JSON.
    Garbage(String),
    /// Clean end, with the last chunk.
    End,
    /// End without the last chunk.
    Cut,
}

impl Watch {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, buffer: Vec::new() }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub(crate) async fn next(&mut self) -> Outcome<Next> {
        loop {
            if protobuf::is_protobuf(self.response.headers()) {
                if let Some(frame) = protobuf::take_frame(&mut self.buffer) {
                    return Ok(match protobuf::event(&frame) {
                        Ok(event) => Next::Event(event),
                        Err(why) => Next::Garbage(why),
                    });
                }
            } else if let Some(at) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=at).collect();
                return Ok(match serde_json::from_slice(&line) {
                    Ok(event) => Next::Event(event),
                    Err(_) => Next::Garbage(String::from_utf8_lossy(&line).into_owned()),
                });
            }
            let chunk = timeout(STEP_TIMEOUT, self.response.chunk()).await;
            match chunk.map_err(|_| Halt::Broken(format!("the watch said nothing for {STEP_TIMEOUT:?}")))? {
                Ok(Some(chunk)) => self.buffer.extend_from_slice(&chunk),
                Ok(None) => return Ok(Next::End),
                Err(_) => return Ok(Next::Cut),
            }
        }
    }

    /// Receives the next event; the end is an error.
    pub(crate) async fn event(&mut self) -> Outcome<Value> {
        match self.next().await? {
            Next::Event(event) => Ok(event),
            Next::Garbage(line) => Err(Halt::Broken(format!("not an event: {line}"))),
            Next::End | Next::Cut => Err(Halt::broken("the watch ended before its next event")),
        }
    }

    /// Receives this number of events, and describes them.
    pub(crate) async fn take(&mut self, count: usize) -> Outcome<String> {
        let mut seen = Vec::new();
        while seen.len() < count {
            match self.word().await? {
                Ok(word) => seen.push(word),
                Err(end) => {
                    seen.push(end);
                    break;
                }
            }
        }
        Ok(seen.join(", "))
    }

    /// Receives and describes everything up to the end.
    pub(crate) async fn rest(&mut self) -> Outcome<String> {
        self.take(usize::MAX).await
    }

    async fn word(&mut self) -> Outcome<Result<String, String>> {
        Ok(match self.next().await? {
            Next::Event(event) => Ok(words::event(&event)),
            Next::Garbage(line) => Ok(format!("GARBAGE {}", line.trim_end())),
            Next::End => Err("END".to_owned()),
            Next::Cut => Err("CUT".to_owned()),
        })
    }
}
