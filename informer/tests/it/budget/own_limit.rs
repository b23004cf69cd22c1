//! Limit of the streams of one transport, beside others to the same host.

use std::rc::Rc;

use futures::FutureExt;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::{Request, Response, Transport};

use super::{CountingTransport, Server, TURN};

fn transport(server: &Rc<Server>, multiplexed: bool) -> Rc<dyn Transport> {
    let plain = Rc::try_unwrap(CountingTransport::to(server)).ok().expect("the only owner");
    Rc::new(CountingTransport { multiplexed, ..plain })
}

fn limited(own_streams: usize) -> BudgetOptions {
    BudgetOptions { own_streams, turn: TURN, ..BudgetOptions::default() }
}

fn watch(n: usize) -> Request {
    Request::get(format!("/api/v1/namespaces/n{n}/pods?watch=true&resourceVersion=1")).streaming()
}

fn opened(budget: &Budget, range: std::ops::Range<usize>) -> Vec<Response> {
    range.map(|n| budget.send(watch(n)).now_or_never().expect("open").expect("accepted")).collect()
}

/// Whether the budget has taken the connection back: the body has ended.
fn is_revoked(response: &mut Response) -> bool {
    futures::StreamExt::next(&mut response.body).now_or_never() == Some(None)
}

#[test]
fn it_applies_to_a_multiplexed_connection() {
    let (clock, server) = (VirtualClock::new(), Rc::new(Server::default()));
    let one = Budget::new(transport(&server, true), None, Rc::new(clock.clone()), limited(2));
    let mut open = opened(&one, 0..2);
    let mut third = one.send(watch(2));
    assert!(third.as_mut().now_or_never().is_none(), "both are taken");
    clock.advance(TURN);
    assert!(third.as_mut().now_or_never().is_none(), "a turn does not lift the limit");
    assert!(is_revoked(&mut open[0]), "but the oldest stream has had its turn");
    open.remove(0);
    assert!(third.now_or_never().is_some());
}

#[test]
fn it_does_not_count_or_cut_the_streams_of_another_transport() {
    for multiplexed in [true, false] {
        let (clock, server) = (VirtualClock::new(), Rc::new(Server::default()));
        let other =
            Budget::new(transport(&server, multiplexed), None, Rc::new(clock.clone()), BudgetOptions::default());
        let one = other.beside(transport(&server, multiplexed), None, limited(1));
        let mut others = opened(&other, 0..3);
        let mut own = opened(&one, 3..4);
        let mut waiting = one.send(watch(4));
        assert!(waiting.as_mut().now_or_never().is_none(), "it has its one stream");
        clock.advance(TURN);
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(!others.iter_mut().any(is_revoked), "another transport's streams are not in its way");
        others.clear();
        assert!(waiting.as_mut().now_or_never().is_none(), "nor does their end help it");
        assert!(is_revoked(&mut own[0]));
        own.clear();
        assert!(waiting.now_or_never().is_some());
    }
}

#[test]
fn a_connection_that_becomes_free_goes_past_a_request_at_its_own_limit() {
    let (clock, server) = (VirtualClock::new(), Rc::new(Server::default()));
    let other = Budget::new(transport(&server, false), None, Rc::new(clock.clone()), BudgetOptions::default());
    let one = other.beside(transport(&server, false), None, limited(1));
    let _own = opened(&one, 0..1);
    let mut others = opened(&other, 1..4);
    let (mut first, mut second) = (one.send(watch(4)), other.send(watch(5)));
    assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
    others.pop();
    assert!(first.now_or_never().is_none(), "it is first in the queue, but has its one stream");
    assert!(second.now_or_never().is_some());
}
