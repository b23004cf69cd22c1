//! Connection slot: an informer's share of the connection budget, and its traffic.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// The transport of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The body of an HTTP response that stays open.
    Fetch,
    /// A WebSocket.
    WebSocket,
}

impl Carrier {
    /// Its name in messages and in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::WebSocket => "websocket",
        }
    }
}

/// State of an informer's connection: queued, streaming or revoked, and its counters. The requester and the budget
/// share it. A write wakes no task, because it happens while the future or stream that it concerns is polled.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSlot(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    queued: Cell<bool>,
    revoked: Cell<bool>,
    over_socket: Cell<bool>,
    streaming: Cell<bool>,
    protobuf: Cell<bool>,
    json_reason: OnceCell<String>,
    requests: Cell<u64>,
    bytes: Cell<u64>,
}

impl ConnectionSlot {
    /// Whether the request is queued for a connection.
    pub fn is_queued(&self) -> bool {
        self.0.queued.get()
    }

    /// Whether the budget revoked the slot to give it to another stream. Returns true once.
    pub fn take_revoked(&self) -> bool {
        self.0.revoked.take()
    }

    /// The transport of the open stream; `None` if no stream is open.
    pub fn carrier(&self) -> Option<Carrier> {
        let carrier = if self.0.over_socket.get() { Carrier::WebSocket } else { Carrier::Fetch };
        self.0.streaming.get().then_some(carrier)
    }

    /// Whether the last response is protobuf. `false` before the first one.
    pub fn is_protobuf(&self) -> bool {
        self.0.protobuf.get()
    }

    /// Why JSON is requested where protobuf could be: a response in protobuf that could not be converted.
    pub fn json_reason(&self) -> Option<String> {
        self.0.json_reason.get().cloned()
    }

    /// Number of requests.
    pub fn requests(&self) -> u64 {
        self.0.requests.get()
    }

    /// Bytes of response bodies, as read: a browser has decompressed them.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.get()
    }

    /// Adds the counters of the slot that this one replaces.
    pub(crate) fn continue_from(&self, before: &Self) {
        if !Rc::ptr_eq(&self.0, &before.0) {
            self.0.requests.set(self.requests() + before.requests());
            self.0.bytes.set(self.bytes() + before.bytes());
        }
    }

    /// Counts a request.
    pub(crate) fn count_request(&self) {
        self.0.requests.set(self.requests() + 1);
    }

    /// Counts bytes of a response body.
    pub(crate) fn count_bytes(&self, bytes: usize) {
        self.0.bytes.set(self.bytes() + bytes as u64);
    }

    /// Notes the format of a response.
    pub(crate) fn set_protobuf(&self, is_protobuf: bool) {
        self.0.protobuf.set(is_protobuf);
    }

    /// Notes why JSON is requested from now on.
    pub(crate) fn set_json_reason(&self, reason: String) {
        // The first one stays: after it no protobuf is requested.
        drop(self.0.json_reason.set(reason));
    }

    /// Counts bytes of a body, unless its converter has counted those that arrived.
    pub(crate) fn count_unless(&self, is_counted: bool, bytes: usize) {
        if !is_counted {
            self.count_bytes(bytes);
        }
    }

    /// Marks a stream as open until the returned guard is dropped.
    pub(crate) fn streams(&self) -> StreamingGuard {
        self.0.streaming.set(true);
        StreamingGuard(self.clone())
    }

    /// Marks the request as queued until the returned guard is dropped.
    pub(super) fn queue(&self) -> QueuedGuard {
        self.0.queued.set(true);
        QueuedGuard(self.clone())
    }

    pub(super) fn sent(&self) {
        self.0.queued.set(false);
        self.0.revoked.set(false);
        self.0.over_socket.set(false);
    }

    /// Marks the stream as carried by a WebSocket.
    pub(super) fn set_over_socket(&self) {
        self.0.over_socket.set(true);
    }

    pub(super) fn revoke(&self) {
        self.0.revoked.set(true);
    }
}

/// Requests are compared without it.
impl PartialEq for ConnectionSlot {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ConnectionSlot {}

/// Guard of an open stream.
pub(crate) struct StreamingGuard(ConnectionSlot);

impl Drop for StreamingGuard {
    fn drop(&mut self) {
        self.0.0.streaming.set(false);
    }
}

/// Guard of a queued request.
pub(super) struct QueuedGuard(ConnectionSlot);

impl Drop for QueuedGuard {
    fn drop(&mut self) {
        self.0.0.queued.set(false);
    }
}
