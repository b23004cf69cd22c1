//! Connection budget: shares the few connections that a browser has for one host.
//!
//! Over HTTP/1.1 there are six, for all tabs and workers together. A seventh request waits silently until one of them
//! ends, which for a watch takes minutes (WIRE 8). Therefore only some of them may be streams.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, LocalBoxFuture, select};
use futures::{FutureExt, StreamExt, stream};

use super::connection_slot::ConnectionSlot;
use super::{Body, Request, Response, Transport};
use crate::clock::Clock;
use crate::error::{ErrorCode, InformerError, Result};

/// Limits and timeouts of a connection budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetOptions {
    /// Maximum number of concurrent streams over HTTP/1.1. Four of six: two stay free for lists and the page's own
    /// requests.
    pub streams: usize,
    /// Maximum number of concurrent finite responses over HTTP/1.1; further requests are queued in order.
    pub answers: usize,
    /// Minimum time that a stream keeps its connection while another is queued. Then it is ended, and its informer
    /// queues behind the others.
    pub turn: Duration,
    /// Time without a response head after which a WebSocket is tried in parallel. Firefox passes no head to a script
    /// before the first byte of the body, which in a quiet cluster comes after a minute.
    pub late: Duration,
    /// Timeout of a WebSocket handshake; it counts as rejected. A server without WebSockets may never answer it.
    pub handshake: Duration,
    /// Pause between attempts after a WebSocket was rejected.
    pub sockets_again: Duration,
    /// Time without HTTP streams after a response head was held back.
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

/// Transport whose requests share connections. All requests to one host must use one budget, or one
/// [beside](Budget::beside) it.
///
/// Streams beyond [`BudgetOptions::streams`] use WebSockets, which have a pool of their own (255 per host in Chromium,
/// 200 in Firefox). So do streams that the server compresses, because Chromium delivers only their beginning, and
/// streams whose head does not arrive while a WebSocket opens, as in Firefox. Without WebSockets, streams are
/// time-shared. If many requests share one connection (HTTP/2 and later), there is no limit.
///
/// Some proxies hold response headers back until the first byte of the body: the dev servers of Vite and webpack, some
/// gateways. A quiet watch never gets a response there. If WebSockets fail too, the stream fails with
/// [`ErrorCode::Decode`], and its resource is polled. For a minute, all other streams fail without being sent.
#[derive(Clone)]
pub struct Budget(Rc<Shared>);

struct Shared {
    http: Rc<dyn Transport>,
    sockets: Option<Rc<dyn Transport>>,
    clock: Rc<dyn Clock>,
    options: BudgetOptions,
    host: Rc<Host>,
    /// Time until which WebSockets are not tried.
    no_sockets: Cell<Option<Duration>>,
    /// Time until which streams are not requested over HTTP, because response heads are held back.
    no_streams: Cell<Option<Duration>>,
    /// Whether streams prefer WebSockets: the server compressed one, or the browser held its head back.
    sockets_first: Cell<bool>,
}

/// Connections to one host, shared by all transports to it.
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
        let holder = Rc::new(Holder {
            since: Cell::new(self.clock.now()),
            revoked: Cell::new(false),
            waker: RefCell::default(),
        });
        self.pool(what).borrow_mut().holders.push(Rc::clone(&holder));
        Slot { host: Rc::downgrade(self), what, holder }
    }
}

/// Connections for one use.
#[derive(Default)]
struct Pool {
    /// Requests that have one.
    holders: Vec<Rc<Holder>>,
    /// Requests that are queued for one; some may be cancelled.
    queue: VecDeque<oneshot::Sender<Slot>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Stream,
    Answer,
}

/// Holder of a connection.
struct Holder {
    /// Time of its response; before the response, the time when it got the connection.
    since: Cell<Duration>,
    revoked: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Holder {
    /// The response has arrived: its turn begins now. The response may have waited for a connection elsewhere for longer
    /// than a turn, and would otherwise end before its first byte.
    fn begin_turn(&self, now: Duration) {
        self.since.set(now);
        self.revoked.set(false);
    }

    fn revoke(&self) {
        self.revoked.set(true);
        let waker = self.waker.borrow_mut().take();
        // Without a borrow: waking may run the task at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Connection. Dropping it passes it to the next request in the queue.
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
        // If that request was cancelled, its slot is dropped and this function runs again.
        let next = pool.borrow_mut().queue.pop_front();
        if let Some(next) = next {
            drop(next.send(host.take(self.what)));
        }
    }
}

impl Budget {
    /// Creates a budget for the connections of `http`, with `sockets` for streams beyond it.
    pub fn new(
        http: Rc<dyn Transport>,
        sockets: Option<Rc<dyn Transport>>,
        clock: Rc<dyn Clock>,
        options: BudgetOptions,
    ) -> Self {
        let (streams, answers) = Default::default();
        Self::of(Rc::new(Host { clock, streams, answers }), http, sockets, options)
    }

    /// Creates a transport to another server at the same host, which shares its connections. Findings about WebSockets
    /// are not shared.
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

    fn is_multiplexed(&self) -> bool {
        self.0.http.is_multiplexed()
    }

    fn sharing(&self, http: &Rc<dyn Transport>) -> Option<Rc<dyn Transport>> {
        Some(Rc::new(self.beside(Rc::clone(http), None)))
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
    async fn wait_for(self: &Rc<Self>, what: Use, connection: &ConnectionSlot) -> Slot {
        let _queued = connection.queue();
        let (sender, mut slot) = oneshot::channel();
        self.host.pool(what).borrow_mut().queue.push_back(sender);
        loop {
            match select(slot, pin!(self.next_look(what))).await {
                Either::Left((Ok(slot), _)) => return slot,
                // Senders are dropped only with the pool, which this future owns too.
                Either::Left((Err(_), _)) => return self.host.take(what),
                Either::Right(((), waiting)) => slot = waiting,
            }
            self.host.pool(what).borrow_mut().queue.retain(|queued| !queued.is_canceled());
            if self.http.is_multiplexed() {
                return self.host.take(what);
            }
            if what == Use::Stream {
                self.revoke_one();
            }
        }
    }

    /// Sleeps until the oldest stream has used up its turn. Finite responses are not revoked. No more streams are
    /// revoked than requests are queued.
    fn next_look(&self, what: Use) -> LocalBoxFuture<'static, ()> {
        let turn = self.options.turn;
        let now = self.clock.now();
        let pool = self.host.pool(what).borrow();
        let asked = pool.holders.iter().filter(|holder| holder.revoked.get()).count();
        let wanted = what == Use::Stream && asked < pool.queue.len();
        let oldest =
            pool.holders.iter().filter(|holder| wanted && !holder.revoked.get()).map(|holder| holder.since.get()).min();
        let due = oldest.map_or(turn, |since| since.saturating_add(turn).saturating_sub(now));
        self.clock.sleep(due.max(Duration::from_millis(1)))
    }

    /// Revokes one connection, if one has had its turn and fewer are being revoked than requests are queued.
    fn revoke_one(&self) {
        let now = self.clock.now();
        let holder = {
            let pool = self.host.streams.borrow_mut();
            let asked = pool.holders.iter().filter(|holder| holder.revoked.get()).count();
            let had_its_turn = |holder: &&Rc<Holder>| {
                !holder.revoked.get() && now.saturating_sub(holder.since.get()) >= self.options.turn
            };
            let oldest = pool.holders.iter().filter(had_its_turn).min_by_key(|holder| holder.since.get()).cloned();
            oldest.filter(|_| asked < pool.queue.len())
        };
        if let Some(holder) = holder {
            holder.revoke();
        }
    }

    async fn answer(self: &Rc<Self>, request: Request) -> Result<Response> {
        let connection = request.connection.clone();
        let slot = match self.try_take(Use::Answer) {
            Some(slot) => slot,
            None => self.wait_for(Use::Answer, &connection).await,
        };
        connection.sent();
        let response = self.http.send(request).await?;
        Ok(held(response, slot, connection))
    }

    async fn stream(self: &Rc<Self>, request: &Request) -> Result<Response> {
        let connection = &request.connection;
        let mut refused = false;
        let sockets = self.sockets.as_ref().filter(|_| self.is_over(&self.no_sockets) && is_plain(request));
        let sockets_first = self.sockets_first.get() || !self.is_over(&self.no_streams);
        let mut slot = if sockets_first && sockets.is_some() { None } else { self.try_take(Use::Stream) };
        if let (None, Some(sockets)) = (&slot, sockets) {
            connection.sent();
            match self.socket(sockets, request).await {
                Ok(response) => return Ok(response),
                // The browser gives no reason: the server may have rejected the request rather than the WebSocket.
                Err(_) => refused = true,
            }
            slot = self.try_take(Use::Stream);
        }
        let slot = match slot {
            Some(slot) => slot,
            None => self.wait_for(Use::Stream, connection).await,
        };
        if !self.is_over(&self.no_streams) {
            return Err(held_back());
        }
        connection.sent();
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
            // If this request gets no response either, the server is slow or unreachable.
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
        slot.holder.begin_turn(self.clock.now());
        Ok(held(response, slot, connection.clone()))
    }

    /// Opens a stream over a WebSocket, if that opens in time.
    fn socket(&self, sockets: &Rc<dyn Transport>, request: &Request) -> LocalBoxFuture<'static, Result<Response>> {
        let (opening, time) = (sockets.send(request.clone()), self.clock.sleep(self.options.handshake));
        let connection = request.connection.clone();
        async move {
            let Either::Left((opened, _)) = select(opening, time).await else { return Err(held_back()) };
            if opened.is_ok() {
                connection.went_over_socket();
            }
            opened
        }
        .boxed_local()
    }

    fn is_over(&self, until: &Cell<Option<Duration>>) -> bool {
        until.get().is_none_or(|until| until <= self.clock.now())
    }
}

/// Returns the scheme and host of an absolute URL. Requests to one host share connections, regardless of their paths.
pub fn host(url: &str) -> &str {
    let third = url.bytes().enumerate().filter(|(_, byte)| *byte == b'/').nth(2);
    third.and_then(|(end, _)| url.get(..end)).unwrap_or(url)
}

/// Error: response headers are held back on the way, and WebSockets fail.
fn held_back() -> InformerError {
    let message = "a proxy holds back the response headers of a watch until the first byte, and does not pass WebSockets; \
                   enable WebSockets in the proxy (ws: true in Vite and webpack)";
    InformerError::new(ErrorCode::Decode, message)
}

/// Whether a request needs no headers, which scripts cannot send with a handshake. Requests for metadata need one.
fn is_plain(request: &Request) -> bool {
    request.headers.iter().all(|(name, value)| *name != "Accept" || *value == "application/json")
}

fn is_compressed(response: &Response) -> bool {
    response.content_encoding.as_deref().is_some_and(|encoding| !matches!(encoding, "" | "identity"))
}

/// Response whose body keeps its connection until it ends, is dropped or is revoked.
fn held(response: Response, slot: Slot, connection: ConnectionSlot) -> Response {
    let mut held = Some((response.body, slot));
    let body: Body = stream::poll_fn(move |context| {
        let Some((body, slot)) = &mut held else { return Poll::Ready(None) };
        if slot.holder.revoked.get() {
            connection.revoke();
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
