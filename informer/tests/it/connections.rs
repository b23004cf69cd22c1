//! Connection budget without an informer: the tests themselves send the requests and read the bodies.

use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt};
use informer::Result;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};

const TURN: Duration = Duration::from_secs(5);

struct Host {
    clock: VirtualClock,
    http: ScriptedTransport,
    sockets: ScriptedTransport,
    budget: Budget,
}

/// Response to a request that has been sent, or waits for a connection.
type PendingResponse = LocalBoxFuture<'static, Result<Response>>;

impl Host {
    fn new(with_sockets: bool) -> Self {
        let (clock, http, sockets) = (VirtualClock::new(), ScriptedTransport::new(), ScriptedTransport::new());
        let over_sockets = with_sockets.then(|| Rc::new(sockets.clone()) as Rc<dyn Transport>);
        let options = BudgetOptions { turn: TURN, ..BudgetOptions::default() };
        let budget = Budget::new(Rc::new(http.clone()), over_sockets, Rc::new(clock.clone()), options);
        Self { clock, http, sockets, budget }
    }

    /// Sends a watch whose connection stays open: its body never ends.
    fn open(&self) -> Response {
        let (feed, reply) = Reply::stream();
        // It stays open.
        std::mem::forget(feed);
        self.http.reply(reply);
        self.watch().now_or_never().expect("there is a connection").expect("an answer")
    }

    fn watch(&self) -> PendingResponse {
        self.budget.send(Request::get("/api/v1/pods?watch=true").streaming())
    }

    /// Advances the time, in which these requests wait and are polled each millisecond.
    fn wait(&self, waiting: &mut [PendingResponse], time: Duration) {
        let step = Duration::from_millis(1);
        for _ in 0..time.as_millis() {
            for request in waiting.iter_mut() {
                assert!((&mut *request).now_or_never().is_none(), "it waits");
            }
            self.clock.advance(step);
        }
    }
}

/// Returns the number of these streams whose connection was revoked, and that have ended because of it.
fn count_revoked(streams: &mut [Response]) -> usize {
    streams.iter_mut().filter_map(|stream| stream.body.next().now_or_never()).filter(Option::is_none).count()
}

#[test]
fn no_more_connections_are_revoked_than_requests_wait() {
    for waiting in 1..=3 {
        let host = Host::new(false);
        let mut streams: Vec<_> = (0..4).map(|_| host.open()).collect();
        let mut requests: Vec<_> = (0..waiting).map(|_| host.watch()).collect();
        host.wait(&mut requests, TURN.saturating_sub(Duration::from_millis(10)));
        assert_eq!(count_revoked(&mut streams), 0, "each has its turn");
        let mut streams: Vec<_> = streams.into_iter().collect();
        host.wait(&mut requests, Duration::from_millis(200));
        assert_eq!(count_revoked(&mut streams), waiting);
    }
}

#[test]
fn an_aborted_request_revokes_no_connection() {
    let host = Host::new(false);
    let mut streams: Vec<_> = (0..4).map(|_| host.open()).collect();
    let mut requests: Vec<_> = (0..3).map(|_| host.watch()).collect();
    host.wait(&mut requests, Duration::from_millis(10));
    drop(requests.drain(..2));
    host.wait(&mut requests, TURN + Duration::from_millis(200));
    assert_eq!(count_revoked(&mut streams), 1);
    // And the connection goes to the one that waits.
    host.http.reply(Reply::json("{}"));
    assert!(requests.remove(0).now_or_never().is_some());
}

#[test]
fn the_stream_with_the_oldest_connection_is_revoked_first() {
    let host = Host::new(false);
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(host.open());
        host.clock.advance(Duration::from_secs(1));
    }
    let mut requests = [host.watch()];
    host.wait(&mut requests, Duration::from_millis(1_100));
    assert_eq!(streams.iter_mut().position(|stream| stream.body.next().now_or_never().is_some()), Some(0));
}

/// A WebSocket may be rejected because of the request: then the rejection is no evidence about WebSockets.
#[test]
fn a_refused_socket_counts_only_where_the_request_is_good() {
    for (status, counts) in [(200, true), (204, true), (300, false), (403, false), (503, false)] {
        let host = Host::new(true);
        let mut streams: Vec<_> = (0..4).map(|_| host.open()).collect();
        host.sockets.reply(Reply::Refused);
        let mut request = host.watch();
        assert!((&mut request).now_or_never().is_none());
        streams.pop();
        host.http.reply(Reply::status(status, "{}"));
        let answered = request.now_or_never().expect("there is a connection").expect("an answer");
        assert_eq!((answered.status, host.sockets.paths().len()), (status, 1));
        // The pool is full again.
        let _next = (&mut host.watch()).now_or_never();
        assert_eq!(host.sockets.paths().len(), if counts { 1 } else { 2 }, "after {status}");
        host.clock.advance(BudgetOptions::default().sockets_again);
        let _later = (&mut host.watch()).now_or_never();
        assert_eq!(host.sockets.paths().len(), if counts { 2 } else { 3 }, "after {status}, and ten minutes");
    }
}
