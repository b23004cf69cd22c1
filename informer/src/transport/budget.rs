//! Connection budget: shares out the few connections that a browser has for one host.
//!
//! Over HTTP/1.1 there are six, for all tabs and workers together. A seventh request waits silently until one of them ends,
//! which for a watch takes minutes (WIRE 8). So only some of them may be streams.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, LocalBoxFuture, select};
use futures::{FutureExt, StreamExt, stream};

use super::ticket::Ticket;
use super::{Body, Request, Response, Transport};
use crate::clock::Clock;
use crate::error::{ErrorCode, InformerError, Result};

/// How connections are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetOptions {
    /// Streams at once over HTTP/1.1. Four of six: two stay free for lists, and for what the page itself asks.
    pub streams: usize,
    /// Answers that end, at once, over HTTP/1.1; more wait in the order in which they came.
    pub answers: usize,
    /// How long a stream is left alone while another waits. Then it ends, and its informer resumes behind the others.
    pub turn: Duration,
    /// How long the head of a stream may take before a WebSocket is tried beside it. Firefox gives a script no head before
    /// the first byte of the body, which in a quiet cluster comes after a minute.
    pub late: Duration,
    /// How long a WebSocket may take to open. What knows none may leave the handshake without an answer, and that counts as
    /// refused.
    pub handshake: Duration,
    /// How long no WebSocket is tried after one was rejected.
    pub sockets_again: Duration,
    /// How long no stream is asked for by HTTP after the head of one was held back.
    pub streams_again: Duration,
}

impl Default for BudgetOptions {
    fn default() -> Self {
        Self {
            streams: 4,
            answers: 2,
            turn: Duration::from_secs(5),
            late: Duration::from_secs(1),
            handshake: Duration::from_secs(8),
            sockets_again: Duration::from_secs(600),
            streams_again: Duration::from_secs(60),
        }
    }
}

/// A transport whose requests share connections: everything of one host must go through one of these, or through one
/// [beside](Budget::beside) it.
///
/// Streams beyond [`BudgetOptions::streams`] go over WebSockets, which have a pool of their own (255 to a host in Chromium,
/// 200 in Firefox), and so do those that the server compresses, which Chromium reads only the beginning of, and those whose
/// head does not come while a WebSocket opens, as in Firefox. Where no WebSocket can be had they take turns. Where many
/// requests share one connection (HTTP/2 and later) there is nothing to share out.
///
/// Some proxies hold response headers back until the first byte of the body: the dev servers of Vite and webpack, some
/// gateways. A quiet watch is never answered there. Where no WebSocket can be had either, the stream fails with
/// [`ErrorCode::Decode`], so that its resource is polled, and so do all others for a minute, without being sent.
#[derive(Clone)]
pub struct Budget(Rc<Shared>);

struct Shared {
    http: Rc<dyn Transport>,
    sockets: Option<Rc<dyn Transport>>,
    clock: Rc<dyn Clock>,
    options: BudgetOptions,
    host: Rc<Host>,
    /// Until when WebSockets are not tried.
    no_sockets: Cell<Option<Duration>>,
    /// Until when streams are not asked for by HTTP, because heads are held back.
    no_streams: Cell<Option<Duration>>,
    /// Whether streams are better off over WebSockets: the server has compressed one, or the browser kept one's head back.
    sockets_first: Cell<bool>,
}

/// The connections to one host, whatever is behind it.
struct Host {
    clock: Rc<dyn Clock>,
    streams: RefCell<Pool>,
    answers: RefCell<Pool>,
}

impl Host {
    fn pool(&self, what: Use) -> &RefCell<Pool> {
        match what {
            Use::Stream => &self.streams,
            Use::Answer => &self.answers,
        }
    }

    fn take(self: &Rc<Self>, what: Use) -> Slot {
        let holder = Rc::new(Holder { since: self.clock.now(), revoked: Cell::new(false), waker: RefCell::default() });
        self.pool(what).borrow_mut().holders.push(Rc::clone(&holder));
        Slot { host: Rc::downgrade(self), what, holder }
    }
}

/// Connections for one use.
#[derive(Default)]
struct Pool {
    /// Who has one.
    holders: Vec<Rc<Holder>>,
    /// Who waits for one; some may have left.
    queue: VecDeque<oneshot::Sender<Slot>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Stream,
    Answer,
}

/// Who has a connection.
struct Holder {
    since: Duration,
    revoked: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Holder {
    fn revoke(&self) {
        self.revoked.set(true);
        let waker = self.waker.borrow_mut().take();
        // With nothing borrowed: it may run the task at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// A connection. When it is dropped the next one has it.
struct Slot {
    host: Weak<Host>,
    what: Use,
    holder: Rc<Holder>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some(host) = self.host.upgrade() else { return };
        let pool = host.pool(self.what);
        pool.borrow_mut().holders.retain(|holder| !Rc::ptr_eq(holder, &self.holder));
        // Who left the queue gives the connection back by dropping it, and so comes here again.
        let next = pool.borrow_mut().queue.pop_front();
        if let Some(next) = next {
            drop(next.send(host.take(self.what)));
        }
    }
}

impl Budget {
    /// Shares out the connections of `http`, with `sockets` for streams that find none.
    pub fn new(
        http: Rc<dyn Transport>,
        sockets: Option<Rc<dyn Transport>>,
        clock: Rc<dyn Clock>,
        options: BudgetOptions,
    ) -> Self {
        let (streams, answers) = Default::default();
        Self::of(Rc::new(Host { clock, streams, answers }), http, sockets, options)
    }

    /// The way to something else on the same host: they share its connections. What either finds out about WebSockets says
    /// nothing of the other.
    #[must_use]
    pub fn beside(&self, http: Rc<dyn Transport>, sockets: Option<Rc<dyn Transport>>) -> Self {
        Self::of(Rc::clone(&self.0.host), http, sockets, self.0.options)
    }

    fn of(host: Rc<Host>, http: Rc<dyn Transport>, sockets: Option<Rc<dyn Transport>>, options: BudgetOptions) -> Self {
        let (clock, (no_sockets, no_streams, sockets_first)) = (Rc::clone(&host.clock), Default::default());
        Self(Rc::new(Shared { http, sockets, clock, options, host, no_sockets, no_streams, sockets_first }))
    }
}

impl Transport for Budget {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let shared = Rc::clone(&self.0);
        async move {
            if !request.stream {
                return shared.answer(request).await;
            }
            let response = shared.stream(&request).await;
            match response {
                Ok(response) if is_compressed(&response) => {
                    shared.sockets_first.set(true);
                    drop(response);
                    shared.stream(&request).await
                }
                response => response,
            }
        }
        .boxed_local()
    }
}

impl Shared {
    fn try_take(self: &Rc<Self>, what: Use) -> Option<Slot> {
        let most = match what {
            _ if self.http.is_multiplexed() => usize::MAX,
            Use::Stream => self.options.streams,
            Use::Answer => self.options.answers,
        };
        let free = self.host.pool(what).borrow().holders.len() < most;
        free.then(|| self.host.take(what))
    }

    /// Waits for a connection, first come, first served.
    async fn wait_for(self: &Rc<Self>, what: Use, ticket: &Ticket) -> Slot {
        let _queued = ticket.queue();
        let (sender, mut slot) = oneshot::channel();
        self.host.pool(what).borrow_mut().queue.push_back(sender);
        loop {
            match select(slot, pin!(self.next_look(what))).await {
                Either::Left((Ok(slot), _)) => return slot,
                // Senders are dropped only with the pool, which this future owns too.
                Either::Left((Err(_), _)) => return self.host.take(what),
                Either::Right(((), waiting)) => slot = waiting,
            }
            if self.http.is_multiplexed() {
                return self.host.take(what);
            }
            if what == Use::Stream {
                self.revoke_one();
            }
        }
    }

    /// Sleeps until the stream that has had its connection longest has had its turn. Answers are not asked back, and of
    /// streams no more than are waited for: those come by themselves.
    fn next_look(&self, what: Use) -> LocalBoxFuture<'static, ()> {
        let turn = self.options.turn;
        let now = self.clock.now();
        let pool = self.host.pool(what).borrow();
        let asked = pool.holders.iter().filter(|holder| holder.revoked.get()).count();
        let wanted = what == Use::Stream && asked < pool.queue.len();
        let oldest =
            pool.holders.iter().filter(|holder| wanted && !holder.revoked.get()).map(|holder| holder.since).min();
        let due = oldest.map_or(turn, |since| since.saturating_add(turn).saturating_sub(now));
        self.clock.sleep(due.max(Duration::from_millis(1)))
    }

    /// Asks for one connection back, if somebody has had it for a turn and as many are not asked for already as wait.
    fn revoke_one(&self) {
        let now = self.clock.now();
        let holder = {
            let mut pool = self.host.streams.borrow_mut();
            pool.queue.retain(|waiting| !waiting.is_canceled());
            let asked = pool.holders.iter().filter(|holder| holder.revoked.get()).count();
            let had_its_turn =
                |holder: &&Rc<Holder>| !holder.revoked.get() && now.saturating_sub(holder.since) >= self.options.turn;
            let oldest = pool.holders.iter().filter(had_its_turn).min_by_key(|holder| holder.since).cloned();
            oldest.filter(|_| asked < pool.queue.len())
        };
        if let Some(holder) = holder {
            holder.revoke();
        }
    }

    async fn answer(self: &Rc<Self>, request: Request) -> Result<Response> {
        let ticket = request.ticket.clone();
        let slot = match self.try_take(Use::Answer) {
            Some(slot) => slot,
            None => self.wait_for(Use::Answer, &ticket).await,
        };
        ticket.sent();
        let response = self.http.send(request).await?;
        Ok(held(response, slot, ticket))
    }

    async fn stream(self: &Rc<Self>, request: &Request) -> Result<Response> {
        let ticket = &request.ticket;
        let mut refused = false;
        let sockets = self.sockets.as_ref().filter(|_| self.is_over(&self.no_sockets) && is_plain(request));
        let sockets_first = self.sockets_first.get() || !self.is_over(&self.no_streams);
        let mut slot = if sockets_first && sockets.is_some() { None } else { self.try_take(Use::Stream) };
        if let (None, Some(sockets)) = (&slot, sockets) {
            ticket.sent();
            match self.socket(sockets, request).await {
                Ok(response) => return Ok(response),
                // A browser does not say why: the server may have refused the request, and not the socket.
                Err(_) => refused = true,
            }
            slot = self.try_take(Use::Stream);
        }
        let slot = match slot {
            Some(slot) => slot,
            None => self.wait_for(Use::Stream, ticket).await,
        };
        if !self.is_over(&self.no_streams) {
            return Err(held_back());
        }
        ticket.sent();
        let answer = self.http.send(request.clone());
        let response = 'answered: {
            let mut answer = match select(answer, self.clock.sleep(self.options.late)).await {
                Either::Left((response, _)) => break 'answered response?,
                Either::Right(((), answer)) => answer,
            };
            let due = self.clock.now().saturating_add(self.options.handshake);
            if let Some(sockets) = sockets.filter(|_| !refused) {
                answer = match select(self.socket(sockets, request), answer).await {
                    Either::Left((Ok(response), _)) => {
                        self.sockets_first.set(true);
                        return Ok(response);
                    }
                    Either::Left((Err(_), answer)) => answer,
                    Either::Right((response, _)) => break 'answered response?,
                };
            }
            let rest = due.saturating_sub(self.clock.now());
            answer = match select(answer, self.clock.sleep(rest)).await {
                Either::Left((response, _)) => break 'answered response?,
                Either::Right(((), answer)) => answer,
            };
            // Slow or gone is a server that answers nothing else either.
            let other = Budget(Rc::clone(self)).send(Request::get("/version"));
            if let Either::Left((Ok(_), _)) = select(other, self.clock.sleep(self.options.late)).await {
                let again = Some(self.clock.now().saturating_add(self.options.streams_again));
                self.no_streams.set(again);
                if sockets.is_some() {
                    self.no_sockets.set(again);
                }
                return Err(held_back());
            }
            answer.await?
        };
        if refused && response.status < 300 {
            self.no_sockets.set(Some(self.clock.now().saturating_add(self.options.sockets_again)));
        }
        Ok(held(response, slot, ticket.clone()))
    }

    /// A stream over a WebSocket, if that opens in time.
    fn socket(&self, sockets: &Rc<dyn Transport>, request: &Request) -> LocalBoxFuture<'static, Result<Response>> {
        let (opening, time) = (sockets.send(request.clone()), self.clock.sleep(self.options.handshake));
        let ticket = request.ticket.clone();
        async move {
            let Either::Left((opened, _)) = select(opening, time).await else { return Err(held_back()) };
            if opened.is_ok() {
                ticket.went_over_socket();
            }
            opened
        }
        .boxed_local()
    }

    fn is_over(&self, until: &Cell<Option<Duration>>) -> bool {
        until.get().is_none_or(|until| until <= self.clock.now())
    }
}

/// The scheme and host of an absolute URL. Requests to one host share connections, whatever their paths.
pub fn host(url: &str) -> &str {
    let third = url.bytes().enumerate().filter(|(_, byte)| *byte == b'/').nth(2);
    third.and_then(|(end, _)| url.get(..end)).unwrap_or(url)
}

/// Response headers are held back on the way until the first byte, and WebSockets do not get through.
fn held_back() -> InformerError {
    let message = "a proxy holds back the response headers of a watch until the first byte, and does not pass WebSockets; \
                   enable WebSockets in the proxy (ws: true in Vite and webpack)";
    InformerError::new(ErrorCode::Decode, message)
}

/// Whether it asks for nothing that wants a header: no script can send one with a handshake. Metadata is asked for by one.
fn is_plain(request: &Request) -> bool {
    request.headers.iter().all(|(name, value)| *name != "Accept" || *value == "application/json")
}

fn is_compressed(response: &Response) -> bool {
    response.content_encoding.as_deref().is_some_and(|encoding| !matches!(encoding, "" | "identity"))
}

/// The answer, whose body keeps its connection until it ends, is dropped or is asked for it.
fn held(response: Response, slot: Slot, ticket: Ticket) -> Response {
    let mut held = Some((response.body, slot));
    let body: Body = stream::poll_fn(move |context| {
        let Some((body, slot)) = &mut held else { return Poll::Ready(None) };
        if slot.holder.revoked.get() {
            ticket.revoke();
            held = None;
            return Poll::Ready(None);
        }
        let polled = body.poll_next_unpin(context);
        match &polled {
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(_) => held = None,
            Poll::Pending => *slot.holder.waker.borrow_mut() = Some(context.waker().clone()),
        }
        polled
    })
    .boxed_local();
    Response { body, ..response }
}
