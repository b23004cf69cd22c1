//! One response in transit: its bytes in chunks split anywhere, its pauses, and its end.

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

use crate::server::{Line, Server};
use crate::watch::Watch;

/// Maximum time for which a silent busy watch stays open: ten seconds, and a margin for a slow machine.
const BUSY_SILENCE: Duration = Duration::from_secs(12);

/// Next part of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// All initial objects have been sent; the number of failures at that time.
    Listed(u64),
    End(Order),
}

/// End of a connection, regular or on command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Broken off.
    Cut,
    /// Cleanly.
    End,
    /// Never: silence without an end.
    Stall,
}

pub(crate) struct Connection {
    pub(crate) line: Line,
    /// Counts the connections of its line.
    pub(crate) ordinal: u64,
    pub(crate) rng: Rng,
    pub(crate) watch: Option<Watch>,
    /// Number of bytes after which it ends, and how.
    pub(crate) limit: Option<(usize, Order)>,
    /// Between two chunks.
    pub(crate) gap: Duration,
    /// Whether a fault befell the request.
    pub(crate) struck: bool,
    /// Whether it is the first watch of its line, which cannot have been suspect before, begins with no list and has no
    /// delay.
    pub(crate) is_first: bool,
    /// Times of sent events.
    news: Vec<Duration>,
    /// Time by which the client must have closed it, because it was busy and fell silent.
    pub(crate) let_go_by: Option<Duration>,
    pieces: VecDeque<Piece>,
    order: Option<Order>,
    closed: bool,
    sent: usize,
    chunk: usize,
    waker: Option<Waker>,
}

impl Connection {
    pub(crate) fn new(line: Line, ordinal: u64, rng: Rng, chunk: usize) -> Self {
        Self {
            line,
            ordinal,
            rng,
            watch: None,
            limit: None,
            gap: Duration::ZERO,
            struck: false,
            is_first: false,
            news: Vec::new(),
            let_go_by: None,
            pieces: VecDeque::new(),
            order: None,
            closed: false,
            sent: 0,
            chunk,
            waker: None,
        }
    }

    /// As stories name it.
    pub(crate) fn name(&self) -> String {
        format!("{} {} #{}", self.line.0, self.line.1, self.ordinal)
    }

    /// Whether a part of the sent data is still in flight.
    pub(crate) fn has_unread(&self) -> bool {
        !self.pieces.is_empty()
    }

    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Orders the end of the connection. A connection that hangs keeps hanging, because that is its fault.
    pub(crate) fn order(&mut self, order: Order, now: Duration) {
        if self.order != Some(Order::Stall) {
            if order == Order::Stall && self.is_busy(now) {
                self.let_go_by = Some(now + BUSY_SILENCE);
            }
            self.order = Some(order);
            self.wake();
        }
    }

    /// Records that an event is sent.
    pub(crate) fn tell_news(&mut self, now: Duration) {
        self.news.push(now);
    }

    /// Whether its client must consider it busy: it received events in six of the last ten seconds, more than required, and
    /// has read them all.
    fn is_busy(&self, now: Duration) -> bool {
        let lately = self.news.iter().filter(|at| **at + Duration::from_secs(10) > now);
        let seconds: BTreeSet<u64> = lately.map(Duration::as_secs).collect();
        self.is_first && !self.struck && self.pieces.is_empty() && seconds.len() >= 6
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
            match self.pieces.back_mut() {
                // Proxies join small chunks.
                Some(Piece::Bytes(before)) if self.rng.bool() => before.extend_from_slice(chunk),
                _ => self.pieces.push_back(Piece::Bytes(chunk.to_vec())),
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

    /// The end bookmark is on its way.
    pub(crate) fn listed(&mut self, wrongs: u64) {
        self.pieces.push_back(Piece::Listed(wrongs));
    }

    pub(crate) fn pause(&mut self, time: Duration) {
        self.is_first = false;
        self.pieces.push_back(Piece::Pause(time));
    }

    pub(crate) fn end(&mut self, how: Order) {
        if !self.closed {
            self.closed = true;
            self.pieces.push_back(Piece::End(how));
        }
    }
}

/// The body that a client reads. Dropping it closes the connection.
pub(crate) struct BodyStream {
    server: Rc<Server>,
    id: u64,
    connection: Rc<RefCell<Connection>>,
    pause: Option<LocalBoxFuture<'static, ()>>,
    timer: Option<(Duration, LocalBoxFuture<'static, ()>)>,
    over: bool,
}

impl BodyStream {
    pub(crate) fn new(server: Rc<Server>, id: u64, connection: Rc<RefCell<Connection>>) -> Self {
        Self { server, id, connection, pause: None, timer: None, over: false }
    }

    /// Takes the due data of the watch. Returns the time of its next data.
    fn fill(&mut self) -> Option<Duration> {
        let mut watch = self.connection.borrow_mut().watch.take()?;
        let due = watch.tell(&self.server, &mut self.connection.borrow_mut());
        self.connection.borrow_mut().watch = Some(watch);
        Some(due)
    }

    /// The client has read the end bookmark: unless something failed since, it need not list again.
    fn listed(&self, wrongs: u64) {
        let connection = self.connection.borrow();
        let mut state = self.server.state.borrow_mut();
        let traffic = state.traffic.entry(connection.line).or_default();
        // A streamed list ends an outage as a list does.
        traffic.show_something();
        if traffic.wrongs == wrongs && !connection.struck {
            traffic.nothing_wrong = true;
            state.note(self.server.now(), || format!("   {} has listed", connection.name()));
        }
    }

    fn close(&mut self, how: Order) -> Poll<Option<Result<Vec<u8>>>> {
        match how {
            Order::Stall => {
                self.connection.borrow_mut().order = Some(Order::Stall);
                Poll::Pending
            }
            Order::End | Order::Cut => {
                self.over = true;
                self.server.note(|| format!("   {} ends: {how:?}", self.connection.borrow().name()));
                let error = || Err(InformerError::new(ErrorCode::Network, "connection reset"));
                Poll::Ready((how == Order::Cut).then(error))
            }
        }
    }
}

impl Stream for BodyStream {
    type Item = Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.over {
            return Poll::Ready(None);
        }
        let order = self.connection.borrow().order;
        if let Some(order) = order {
            return self.close(order);
        }
        self.connection.borrow_mut().waker = Some(context.waker().clone());
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.poll_unpin(context));
                self.pause = None;
            }
            let piece = self.connection.borrow_mut().pieces.pop_front();
            match piece {
                Some(Piece::Bytes(bytes)) => return Poll::Ready(Some(Ok(bytes))),
                Some(Piece::Pause(time)) => self.pause = Some(self.server.clock.sleep(time)),
                Some(Piece::Listed(wrongs)) => self.listed(wrongs),
                Some(Piece::End(how)) => return self.close(how),
                None => {
                    let Some(due) = self.fill() else { return self.close(Order::End) };
                    if !self.connection.borrow().pieces.is_empty() {
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
