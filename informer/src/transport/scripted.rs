//! Scripted transport: a test supplies the responses, in advance or step by step.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures::channel::mpsc;
use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt, stream};

use super::{Request, Response, Transport};
use crate::error::{ErrorCode, InformerError, Result};

/// Scripted response.
pub enum Reply {
    /// A status and a whole body.
    Whole(u16, &'static str, Vec<u8>),
    /// A 200 whose chunks come through a channel; the stream ends when its sender is dropped.
    Streaming(mpsc::UnboundedReceiver<Result<Vec<u8>>>),
    /// No response: a network error.
    Refused,
    /// Pending forever.
    Silence,
}

impl Reply {
    /// A 200 with a JSON body.
    pub fn json(body: impl Into<String>) -> Self {
        Self::Whole(200, "application/json", body.into().into_bytes())
    }

    /// Any status with a JSON body.
    pub fn status(status: u16, body: impl Into<String>) -> Self {
        Self::Whole(status, "application/json", body.into().into_bytes())
    }

    /// A stream, and the sender of its chunks.
    pub fn stream() -> (mpsc::UnboundedSender<Result<Vec<u8>>>, Self) {
        let (sender, receiver) = mpsc::unbounded();
        (sender, Self::Streaming(receiver))
    }
}

/// Answers requests in order from a list; a request beyond the list stays pending.
#[derive(Clone, Default)]
pub struct ScriptedTransport {
    script: Rc<RefCell<Script>>,
}

#[derive(Default)]
struct Script {
    replies: VecDeque<Reply>,
    requests: Vec<Request>,
}

impl ScriptedTransport {
    /// Creates a transport without responses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next response.
    pub fn reply(&self, reply: Reply) -> &Self {
        self.script.borrow_mut().replies.push_back(reply);
        self
    }

    /// Returns the requested paths.
    pub fn paths(&self) -> Vec<String> {
        self.script.borrow().requests.iter().map(|request| request.path.clone()).collect()
    }

    /// Returns the requests.
    pub fn requests(&self) -> Vec<Request> {
        self.script.borrow().requests.clone()
    }
}

impl Transport for ScriptedTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let mut script = self.script.borrow_mut();
        script.requests.push(request);
        let reply = script.replies.pop_front().unwrap_or(Reply::Silence);
        let response = |status, kind: &str, body| Response {
            status,
            content_type: Some(kind.to_owned()),
            content_encoding: None,
            retry_after: None,
            body,
        };
        match reply {
            Reply::Whole(status, kind, body) => {
                let body = stream::iter([Ok(body)]).boxed_local();
                futures::future::ready(Ok(response(status, kind, body))).boxed_local()
            }
            Reply::Streaming(chunks) => {
                futures::future::ready(Ok(response(200, "application/json", chunks.boxed_local()))).boxed_local()
            }
            Reply::Refused => {
                let error = InformerError::new(ErrorCode::Network, "connection refused");
                futures::future::ready(Err(error)).boxed_local()
            }
            Reply::Silence => futures::future::pending().boxed_local(),
        }
    }

    fn accepts_protobuf(&self) -> bool {
        true
    }
}
