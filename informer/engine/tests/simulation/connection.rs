//! Response in transit: its bytes in chunks split anywhere, its pauses, and its end.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use fastrand::Rng;
use futures::future::LocalBoxFuture;
use futures::{FutureExt, Stream};
use informer::clock::Clock;
use informer::{ErrorCode, InformerError, Result};

use crate::server::{RequestSource, Server};
use crate::watch::Watch;

/// Maximum time for which a silent busy watch stays open: ten seconds, and a margin for a slow machine.
const BUSY_SILENCE: Duration = Duration::from_secs(12);

/// Next part of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ResponsePart {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// End of the initial objects, with the number of failures at that time.
    InitialEnd(u64),
    End(ConnectionEnd),
}

/// End of a connection, regular or on command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// Broken off.
    Cut,
    /// Cleanly.
    End,
    /// Never: silence without an end.
    Stall,
}

pub(crate) struct Connection {
    pub(crate) source: RequestSource,
    /// Number of this connection among those of its source.
    pub(crate) ordinal: u64,
    pub(crate) rng: Rng,
    pub(crate) watch: Option<Watch>,
    /// Number of bytes after which it ends, and the kind of end.
    pub(crate) limit: Option<(usize, ConnectionEnd)>,
    /// Time between two chunks.
    pub(crate) gap: Duration,
    /// Whether a fault applied to the request.
    pub(crate) has_fault: bool,
    /// Whether it is the first watch of its source, which cannot have been suspect before, begins with no list and has
    /// no delay.
    pub(crate) is_first: bool,
    /// Times of sent events.
    event_times: Vec<Duration>,
    /// Time by which the client must have closed it, because it was busy and fell silent.
    pub(crate) must_close_by: Option<Duration>,
    parts: VecDeque<ResponsePart>,
    commanded_end: Option<ConnectionEnd>,
    closed: bool,
    sent: usize,
    chunk: usize,
    waker: Option<Waker>,
}

impl Connection {
    pub(crate) fn new(source: RequestSource, ordinal: u64, rng: Rng, chunk: usize) -> Self {
        Self {
            source,
            ordinal,
            rng,
            watch: None,
            limit: None,
            gap: Duration::ZERO,
            has_fault: false,
            is_first: false,
            event_times: Vec::new(),
            must_close_by: None,
            parts: VecDeque::new(),
            commanded_end: None,
            closed: false,
            sent: 0,
            chunk,
            waker: None,
        }
    }

    /// Returns its name in the log.
    pub(crate) fn name(&self) -> String {
        format!("{} {} #{}", self.source.0, self.source.1, self.ordinal)
    }

    /// Whether a part of the sent data is still in flight.
    pub(crate) fn has_unread(&self) -> bool {
        !self.parts.is_empty()
    }

    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Ends the connection on command. A connection that hangs keeps hanging, because that is its fault.
    pub(crate) fn command_end(&mut self, end: ConnectionEnd, now: Duration) {
        if self.commanded_end != Some(ConnectionEnd::Stall) {
            if end == ConnectionEnd::Stall && self.is_busy(now) {
                self.must_close_by = Some(now + BUSY_SILENCE);
            }
            self.commanded_end = Some(end);
            self.wake();
        }
    }

    /// Records that an event is sent.
    pub(crate) fn record_event(&mut self, now: Duration) {
        self.event_times.push(now);
    }

    /// Whether its client must consider it busy: it received events in six of the last ten seconds, more than required,
    /// and has read them all.
    fn is_busy(&self, now: Duration) -> bool {
        let lately = self.event_times.iter().filter(|at| **at + Duration::from_secs(10) > now);
        let seconds: BTreeSet<u64> = lately.map(Duration::as_secs).collect();
        self.is_first && !self.has_fault && self.parts.is_empty() && seconds.len() >= 6
    }

    /// Sends bytes, in chunks.
    pub(crate) fn send(&mut self, mut bytes: &[u8]) {
        if self.closed {
            return;
        }
        let limit = self.limit.filter(|(at, _)| self.sent + bytes.len() >= *at);
        if let Some((at, _)) = limit {
            bytes = &bytes[..at.saturating_sub(self.sent)];
        }
        self.sent += bytes.len();
        while !bytes.is_empty() {
            let length = if self.chunk == 0 { bytes.len() } else { self.rng.usize(1..=self.chunk).min(bytes.len()) };
            let (chunk, rest) = bytes.split_at(length);
            match self.parts.back_mut() {
                // Proxies join small chunks.
                Some(ResponsePart::Bytes(before)) if self.rng.bool() => before.extend_from_slice(chunk),
                _ => self.parts.push_back(ResponsePart::Bytes(chunk.to_vec())),
            }
            if self.gap > Duration::ZERO {
                self.pause(self.gap);
            }
            bytes = rest;
        }
        if let Some((_, how)) = limit {
            self.end(how);
        }
    }

    /// Queues the point at which the end bookmark has been sent.
    pub(crate) fn queue_initial_end(&mut self, failures: u64) {
        self.parts.push_back(ResponsePart::InitialEnd(failures));
    }

    pub(crate) fn pause(&mut self, time: Duration) {
        self.is_first = false;
        self.parts.push_back(ResponsePart::Pause(time));
    }

    pub(crate) fn end(&mut self, how: ConnectionEnd) {
        if !self.closed {
            self.closed = true;
            self.parts.push_back(ResponsePart::End(how));
        }
    }
}

/// Body that a client reads. Dropping it closes the connection.
pub(crate) struct BodyStream {
    server: Rc<Server>,
    id: u64,
    connection: Rc<RefCell<Connection>>,
    pause: Option<LocalBoxFuture<'static, ()>>,
    timer: Option<(Duration, LocalBoxFuture<'static, ()>)>,
    is_over: bool,
}

impl BodyStream {
    pub(crate) fn new(server: Rc<Server>, id: u64, connection: Rc<RefCell<Connection>>) -> Self {
        Self { server, id, connection, pause: None, timer: None, is_over: false }
    }

    /// Queues the due data of the watch. Returns the time of its next data.
    fn fill(&mut self) -> Option<Duration> {
        let mut watch = self.connection.borrow_mut().watch.take()?;
        let due = watch.send_due(&self.server, &mut self.connection.borrow_mut());
        self.connection.borrow_mut().watch = Some(watch);
        Some(due)
    }

    /// Records that the client has read the end bookmark: unless something failed since, it need not list again.
    fn record_initial_end(&self, failures: u64) {
        let connection = self.connection.borrow();
        let mut state = self.server.state.borrow_mut();
        let traffic = state.traffic.entry(connection.source).or_default();
        // A streamed list ends an outage as a list does.
        traffic.cached_sent();
        if traffic.failures == failures && !connection.has_fault {
            traffic.needs_no_list = true;
            state.note(self.server.now(), || format!("   {} has listed", connection.name()));
        }
    }

    fn close(&mut self, how: ConnectionEnd) -> Poll<Option<Result<Vec<u8>>>> {
        match how {
            ConnectionEnd::Stall => {
                self.connection.borrow_mut().commanded_end = Some(ConnectionEnd::Stall);
                Poll::Pending
            }
            ConnectionEnd::End | ConnectionEnd::Cut => {
                self.is_over = true;
                self.server.note(|| format!("   {} ends: {how:?}", self.connection.borrow().name()));
                let error = || Err(InformerError::new(ErrorCode::Network, "connection reset"));
                Poll::Ready((how == ConnectionEnd::Cut).then(error))
            }
        }
    }
}

impl Stream for BodyStream {
    type Item = Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let end = self.connection.borrow().commanded_end;
        if let Some(end) = end {
            return self.close(end);
        }
        self.connection.borrow_mut().waker = Some(context.waker().clone());
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.poll_unpin(context));
                self.pause = None;
            }
            let part = self.connection.borrow_mut().parts.pop_front();
            match part {
                Some(ResponsePart::Bytes(bytes)) => return Poll::Ready(Some(Ok(bytes))),
                Some(ResponsePart::Pause(time)) => self.pause = Some(self.server.clock.sleep(time)),
                Some(ResponsePart::InitialEnd(failures)) => self.record_initial_end(failures),
                Some(ResponsePart::End(how)) => return self.close(how),
                None => {
                    let Some(due) = self.fill() else { return self.close(ConnectionEnd::End) };
                    if !self.connection.borrow().parts.is_empty() {
                        continue;
                    }
                    let now = self.server.now();
                    if self.timer.as_ref().is_none_or(|(at, _)| *at != due) {
                        self.timer = Some((due, self.server.clock.sleep(due.saturating_sub(now))));
                    }
                    if let Some((_, timer)) = &mut self.timer {
                        ready!(timer.poll_unpin(context));
                        self.timer = None;
                    }
                }
            }
        }
    }
}

impl Drop for BodyStream {
    fn drop(&mut self) {
        self.server.state.borrow_mut().open.remove(&self.id);
    }
}
