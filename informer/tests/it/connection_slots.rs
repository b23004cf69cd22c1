//! Connection slots: a request that is queued for a connection, sent, and revoked, as seen by its requester.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt};
use informer::Result;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::connection_slot::ConnectionSlot;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};

use crate::harness::Feed;

const TURN: Duration = Duration::from_secs(5);

/// Server that opens streams, and counts the checks whether requests share a connection.
#[derive(Clone, Default)]
struct Server {
    script: ScriptedTransport,
    is_multiplexed: bool,
    multiplex_checks: Rc<Cell<usize>>,
}

impl Transport for Server {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        self.script.send(request)
    }

    fn is_multiplexed(&self) -> bool {
        self.multiplex_checks.set(self.multiplex_checks.get() + 1);
        self.is_multiplexed
    }
}

impl Server {
    /// Creates a budget with this number of streams.
    fn budget(&self, clock: &VirtualClock, streams: usize) -> Budget {
        let options = BudgetOptions { streams, turn: TURN, ..BudgetOptions::default() };
        Budget::new(Rc::new(self.clone()), None, Rc::new(clock.clone()), options)
    }

    /// Scripts the next response: an open stream.
    fn open_stream(&self) -> Feed {
        let (feed, reply) = Reply::stream();
        self.script.reply(reply);
        feed
    }
}

fn watch(slot: &ConnectionSlot) -> Request {
    Request::get("/api/v1/pods?watch=true").streaming().with_connection(slot)
}

fn accepted(response: Option<Result<Response>>) -> Response {
    response.expect("answered").expect("accepted")
}

#[test]
fn a_request_is_queued_until_it_is_sent_or_dropped() {
    let (clock, server) = (VirtualClock::new(), Server::default());
    let budget = server.budget(&clock, 1);
    let [first, second, third] = [(); 3].map(|()| ConnectionSlot::default());
    let _feeds = [server.open_stream(), server.open_stream()];
    let open = accepted(budget.send(watch(&first)).now_or_never());
    assert!(!first.is_queued());
    let (mut next, mut dropped) = (budget.send(watch(&second)), budget.send(watch(&third)));
    assert!((&mut next).now_or_never().is_none() && (&mut dropped).now_or_never().is_none());
    assert!(second.is_queued() && third.is_queued());
    drop(dropped);
    assert!(second.is_queued() && !third.is_queued());
    drop(open);
    drop(accepted(next.now_or_never()));
    assert!(!second.is_queued());
}

#[test]
fn a_revoked_stream_ends_with_one_error() {
    let (clock, server) = (VirtualClock::new(), Server::default());
    let budget = server.budget(&clock, 1);
    let (first, second) = (ConnectionSlot::default(), ConnectionSlot::default());
    let _feeds = [server.open_stream(), server.open_stream(), server.open_stream()];
    for is_taken in [true, false] {
        let mut open = accepted(budget.send(watch(&first)).now_or_never());
        assert!(!first.take_revoked(), "what was not taken of the stream before is none of this one");
        let mut next = budget.send(watch(&second));
        assert!((&mut next).now_or_never().is_none());
        assert!(open.body.next().now_or_never().is_none(), "it has its turn");
        clock.advance(TURN);
        assert!((&mut next).now_or_never().is_none());
        assert!(open.body.next().now_or_never().expect("revoked").is_none());
        if is_taken {
            assert_eq!((first.take_revoked(), first.take_revoked(), second.take_revoked()), (true, false, false));
            drop(next);
        } else {
            drop((next, open));
            drop(accepted(budget.send(watch(&first)).now_or_never()));
            assert!(!first.take_revoked());
        }
    }
}

#[test]
fn no_more_streams_are_revoked_than_requests_are_queued() {
    let (clock, server) = (VirtualClock::new(), Server::default());
    let budget = server.budget(&clock, 2);
    let _feeds = [server.open_stream(), server.open_stream()];
    // Neither of their readers reads, so the one that is revoked keeps its connection.
    let _open = [(); 2].map(|()| accepted(budget.send(watch(&ConnectionSlot::default())).now_or_never()));
    let mut next = budget.send(watch(&ConnectionSlot::default()));
    server.multiplex_checks.set(0);
    for _ in 0..500 {
        assert!((&mut next).now_or_never().is_none());
        clock.advance(Duration::from_millis(100));
    }
    assert!((5..=12).contains(&server.multiplex_checks.get()), "{} looks in 50 s", server.multiplex_checks.get());
}

#[test]
fn a_budget_says_whether_requests_share_a_connection_and_compares_them_without_their_slots() {
    for is_multiplexed in [false, true] {
        let server = Server { is_multiplexed, ..Server::default() };
        assert_eq!(server.budget(&VirtualClock::new(), 1).is_multiplexed(), is_multiplexed);
    }
    let slot = ConnectionSlot::default();
    assert_eq!(Request::get("/version").with_connection(&slot), Request::get("/version"));
    assert_ne!(Request::get("/version"), Request::get("/"));
}
