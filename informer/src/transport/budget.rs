//! Connection budget: shares the few connections that a browser has for one host.
//!
//! Over HTTP/1.1 there are six, for all tabs and workers together. A seventh request waits silently until one of them
//! ends, which for a watch takes minutes (WIRE 8). Therefore only some of them may be streams.

mod pool;

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, LocalBoxFuture, select};
use futures::{FutureExt, StreamExt, stream};

use super::connection_slot::ConnectionSlot;
use super::connections::Connections;
use super::{Body, Request, Response, Transport};
use crate::clock::Clock;
use crate::error::{ErrorCode, InformerError, Result};

use pool::{ConnectionHolder, Host, Pool, Purpose, Queued, Slot};

/// Limits and timeouts of a connection budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetOptions {
    /// Maximum number of concurrent streams over HTTP/1.1. Four of six: two stay free for lists and the page's own
    /// requests.
    pub streams: usize,
    /// Maximum number of concurrent streams of this transport alone, over any version of HTTP. No limit by default.
    pub own_streams: usize,
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
            own_streams: usize::MAX,
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
/// 200 in Firefox). A stream of metadata cannot, because it needs a header: another stream leaves its connection to it and
/// continues over a WebSocket. Over WebSockets, too, are streams that the server compresses, because Chromium delivers only
/// their beginning, and streams whose head does not arrive while a WebSocket opens, as in Firefox. Without WebSockets,
/// streams are time-shared. If many requests share one connection (HTTP/2 and later), there is no limit but
/// [`BudgetOptions::own_streams`].
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
    /// Number of its own streams among those of the host.
    own: Rc<Cell<usize>>,
    /// Time until which WebSockets are not tried.
    no_sockets: Cell<Option<Duration>>,
    /// Time until which streams are not requested over HTTP, because response heads are held back.
    no_streams: Cell<Option<Duration>>,
    /// Whether streams prefer WebSockets: the server compressed one, or the browser held its head back.
    sockets_first: Cell<bool>,
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
    /// are not shared, and it may have limits of its own.
    #[must_use]
    pub fn beside(&self, http: Rc<dyn Transport>, sockets: Option<Rc<dyn Transport>>, options: BudgetOptions) -> Self {
        Self::of(Rc::clone(&self.0.host), http, sockets, options)
    }

    fn of(host: Rc<Host>, http: Rc<dyn Transport>, sockets: Option<Rc<dyn Transport>>, options: BudgetOptions) -> Self {
        let (clock, (own, no_sockets, no_streams, sockets_first)) = (Rc::clone(&host.clock), Default::default());
        Self(Rc::new(Shared { http, sockets, clock, options, host, own, no_sockets, no_streams, sockets_first }))
    }
}

impl Transport for Budget {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let shared = Rc::clone(&self.0);
        async move {
            if !request.stream {
                return shared.send_finite(request).await;
            }
            let response = shared.send_stream(&request).await;
            match response {
                Ok(response) if is_compressed(&response) => {
                    shared.sockets_first.set(true);
                    drop(response);
                    shared.send_stream(&request).await
                }
                response => response,
            }
        }
        .boxed_local()
    }

    fn is_multiplexed(&self) -> bool {
        self.0.http.is_multiplexed()
    }

    fn accepts_protobuf(&self) -> bool {
        self.0.http.accepts_protobuf()
    }

    fn sharing(&self, http: &Rc<dyn Transport>) -> Option<Rc<dyn Transport>> {
        Some(Rc::new(self.beside(Rc::clone(http), None, self.0.options)))
    }

    fn connections(&self) -> Option<Connections> {
        let Shared { host, options, .. } = &*self.0;
        Some(Connections {
            multiplexed: self.is_multiplexed(),
            streams: host.streams.borrow().connection_use(options.streams.min(options.own_streams)),
            requests: host.answers.borrow().connection_use(options.answers),
        })
    }
}

impl Shared {
    /// Whether only the end of a stream of its own would give it a connection.
    fn is_at_own_limit(&self) -> bool {
        self.own.get() >= self.options.own_streams
    }

    fn try_take(self: &Rc<Self>, purpose: Purpose) -> Option<Slot> {
        let limit = match purpose {
            Purpose::Stream if self.is_at_own_limit() => return None,
            _ if self.http.is_multiplexed() => usize::MAX,
            Purpose::Stream => self.options.streams,
            Purpose::Finite => self.options.answers,
        };
        let free = self.host.pool(purpose).borrow().holders.len() < limit;
        free.then(|| self.host.take(purpose, &self.own))
    }

    /// Waits for a connection, first come, first served. With `moves_another`, a stream that can continue over a WebSocket
    /// leaves its connection at once.
    async fn wait_for(self: &Rc<Self>, purpose: Purpose, connection: &ConnectionSlot, moves_another: bool) -> Slot {
        let _queued = connection.queue();
        let (sender, mut slot) = oneshot::channel();
        let queued = Queued { sender, own: Rc::clone(&self.own), own_limit: self.options.own_streams };
        self.host.pool(purpose).borrow_mut().queue.push_back(queued);
        if moves_another && self.has_passed(&self.no_sockets) {
            self.revoke_oldest(|holder| holder.movable.get());
        }
        loop {
            match select(slot, pin!(self.until_revocable(purpose))).await {
                Either::Left((Ok(slot), _)) => return slot,
                // Senders are dropped only with the pool, which this future owns too.
                Either::Left((Err(_), _)) => return self.host.take(purpose, &self.own),
                Either::Right(((), waiting)) => slot = waiting,
            }
            self.host.pool(purpose).borrow_mut().queue.retain(|queued| !queued.is_canceled());
            if self.http.is_multiplexed() && !(purpose == Purpose::Stream && self.is_at_own_limit()) {
                return self.host.take(purpose, &self.own);
            }
            if purpose == Purpose::Stream {
                self.revoke_one();
            }
        }
    }

    /// Sleeps until the oldest stream has used up its turn. Finite responses are not revoked. No more streams are
    /// revoked than requests are queued.
    fn until_revocable(&self, purpose: Purpose) -> LocalBoxFuture<'static, ()> {
        let turn = self.options.turn;
        let now = self.clock.now();
        let pool = self.host.pool(purpose).borrow();
        let can_revoke = purpose == Purpose::Stream && self.may_revoke(&pool);
        let open =
            pool.holders.iter().filter(|holder| can_revoke && self.concerns(&holder.own) && !holder.revoked.get());
        let oldest = open.map(|holder| holder.since.get()).min();
        let due = oldest.map_or(turn, |since| since.saturating_add(turn).saturating_sub(now));
        self.clock.sleep(due.max(Duration::from_millis(1)))
    }

    /// Revokes one connection, if one has had its turn and fewer are being revoked than requests are queued.
    fn revoke_one(&self) {
        let now = self.clock.now();
        self.revoke_oldest(|holder| now.saturating_sub(holder.since.get()) >= self.options.turn);
    }

    /// Whether the streams of a transport are in its way: at its own limit, only its own ones.
    fn concerns(&self, own: &Rc<Cell<usize>>) -> bool {
        !self.is_at_own_limit() || Rc::ptr_eq(own, &self.own)
    }

    /// Whether fewer connections are being revoked than requests are queued.
    fn may_revoke(&self, pool: &Pool) -> bool {
        let revoked = pool.holders.iter().filter(|holder| holder.revoked.get() && self.concerns(&holder.own)).count();
        revoked < pool.queue.iter().filter(|queued| self.concerns(&queued.own)).count()
    }

    /// Revokes the oldest of these connections, unless as many are being revoked as requests are queued.
    fn revoke_oldest(&self, is_meant: impl Fn(&ConnectionHolder) -> bool) {
        let holder = {
            let pool = self.host.streams.borrow();
            let is_meant = |holder: &&Rc<ConnectionHolder>| {
                !holder.revoked.get() && self.concerns(&holder.own) && is_meant(holder)
            };
            let open = pool.holders.iter().filter(is_meant);
            open.min_by_key(|holder| holder.since.get()).filter(|_| self.may_revoke(&pool)).cloned()
        };
        if let Some(holder) = holder {
            holder.revoke();
        }
    }

    async fn send_finite(self: &Rc<Self>, request: Request) -> Result<Response> {
        let connection = request.connection.clone();
        let slot = match self.try_take(Purpose::Finite) {
            Some(slot) => slot,
            None => self.wait_for(Purpose::Finite, &connection, false).await,
        };
        connection.sent();
        let response = self.http.send(request).await?;
        Ok(with_connection(response, slot, connection))
    }

    async fn send_stream(self: &Rc<Self>, request: &Request) -> Result<Response> {
        let connection = &request.connection;
        let mut socket_failed = false;
        let sockets = self.sockets.as_ref().filter(|_| self.has_passed(&self.no_sockets) && needs_no_headers(request));
        let sockets_first = self.sockets_first.get() || !self.has_passed(&self.no_streams);
        let mut slot = if sockets_first && sockets.is_some() { None } else { self.try_take(Purpose::Stream) };
        if let (None, Some(sockets)) = (&slot, sockets) {
            connection.sent();
            match self.open_socket(sockets, request).await {
                Ok(response) => return Ok(response),
                // The browser gives no reason: the server may have rejected the request rather than the WebSocket.
                Err(_) => socket_failed = true,
            }
            slot = self.try_take(Purpose::Stream);
        }
        let slot = match slot {
            Some(slot) => slot,
            None => self.wait_for(Purpose::Stream, connection, !needs_no_headers(request)).await,
        };
        if !self.has_passed(&self.no_streams) {
            return Err(withheld_headers());
        }
        connection.sent();
        let response_future = self.http.send(request.clone());
        let response = 'response: {
            let mut response_future = match select(response_future, self.clock.sleep(self.options.late)).await {
                Either::Left((response, _)) => break 'response response?,
                Either::Right(((), response_future)) => response_future,
            };
            let due = self.clock.now().saturating_add(self.options.handshake);
            if let Some(sockets) = sockets.filter(|_| !socket_failed) {
                response_future = match select(self.open_socket(sockets, request), response_future).await {
                    Either::Left((Ok(response), _)) => {
                        self.sockets_first.set(true);
                        return Ok(response);
                    }
                    Either::Left((Err(_), response_future)) => response_future,
                    Either::Right((response, _)) => break 'response response?,
                };
            }
            let rest = due.saturating_sub(self.clock.now());
            response_future = match select(response_future, self.clock.sleep(rest)).await {
                Either::Left((response, _)) => break 'response response?,
                Either::Right(((), response_future)) => response_future,
            };
            // If this request gets no response either, the server is slow or unreachable.
            let other = Budget(Rc::clone(self)).send(Request::get("/version"));
            if let Either::Left((Ok(_), _)) = select(other, self.clock.sleep(self.options.late)).await {
                let again = Some(self.clock.now().saturating_add(self.options.streams_again));
                self.no_streams.set(again);
                if sockets.is_some() {
                    self.no_sockets.set(again);
                }
                return Err(withheld_headers());
            }
            response_future.await?
        };
        if socket_failed && response.status < 300 {
            self.no_sockets.set(Some(self.clock.now().saturating_add(self.options.sockets_again)));
        }
        slot.holder.begin_turn(self.clock.now());
        // A streaming list would begin anew.
        slot.holder.movable.set(
            sockets.is_some()
                && !socket_failed
                && !request.path.split('&').any(|option| option.starts_with("sendInitialEvents=")),
        );
        Ok(with_connection(response, slot, connection.clone()))
    }

    /// Opens a stream over a WebSocket, if that opens in time.
    fn open_socket(&self, sockets: &Rc<dyn Transport>, request: &Request) -> LocalBoxFuture<'static, Result<Response>> {
        let (opening, time) = (sockets.send(request.clone()), self.clock.sleep(self.options.handshake));
        let connection = request.connection.clone();
        async move {
            let Either::Left((opened, _)) = select(opening, time).await else { return Err(withheld_headers()) };
            if opened.is_ok() {
                connection.set_over_socket();
            }
            opened
        }
        .boxed_local()
    }

    fn has_passed(&self, until: &Cell<Option<Duration>>) -> bool {
        until.get().is_none_or(|until| until <= self.clock.now())
    }
}

/// Returns the scheme and host of an absolute URL. Requests to one host share connections, regardless of their paths.
pub fn host(url: &str) -> &str {
    let third = url.bytes().enumerate().filter(|(_, byte)| *byte == b'/').nth(2);
    third.and_then(|(end, _)| url.get(..end)).unwrap_or(url)
}

/// Returns the error of response headers that a proxy withholds, while WebSockets fail.
fn withheld_headers() -> InformerError {
    let message = "a proxy holds back the response headers of a watch until the first byte, and does not pass WebSockets; \
                   enable WebSockets in the proxy (ws: true in Vite and webpack)";
    InformerError::new(ErrorCode::Decode, message)
}

/// Whether a request needs no headers, because scripts cannot send them with a handshake. Requests for metadata need
/// one. Without the one for protobuf, the server sends the same in JSON.
fn needs_no_headers(request: &Request) -> bool {
    request.headers.iter().all(|(name, value)| *name != "Accept" || !value.starts_with("application/json;as="))
}

fn is_compressed(response: &Response) -> bool {
    response.content_encoding.as_deref().is_some_and(|encoding| !matches!(encoding, "" | "identity"))
}

/// Returns the response with a body that keeps its connection until it ends, is dropped or is revoked.
fn with_connection(response: Response, slot: Slot, connection: ConnectionSlot) -> Response {
    let mut open = Some((response.body, slot));
    let body: Body = stream::poll_fn(move |context| {
        let Some((body, slot)) = &mut open else { return Poll::Ready(None) };
        if slot.holder.revoked.get() {
            connection.revoke();
            open = None;
            return Poll::Ready(None);
        }
        let polled = body.poll_next_unpin(context);
        match &polled {
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(_) => open = None,
            Poll::Pending => *slot.holder.waker.borrow_mut() = Some(context.waker().clone()),
        }
        polled
    })
    .boxed_local();
    Response { body, ..response }
}
