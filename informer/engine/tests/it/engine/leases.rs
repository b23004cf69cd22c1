//! Leases: connection slots for the requests of pages, and the slots that remain for informers.

use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::ErrorCode;
use informer::clock::Clock;
use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine};

use super::Page;
use crate::harness::list;

const TURN: Duration = Duration::from_secs(5);

/// Creates a page whose requests share connections: two for finite responses, and this number for streams.
fn page(streams: usize) -> Page {
    let options = BudgetOptions { streams, ..BudgetOptions::default() };
    Page::with_transport(|http, clock| Rc::new(Budget::new(http, None, clock, options)))
}

impl Page {
    fn lease(&self, request: u32, stream: bool) {
        self.send(ToEngine::Lease { request, stream });
    }

    /// Returns the outcomes of requests for slots, in order: granted, or ended with an error.
    fn slots(&self) -> Vec<(u32, Result<(), ErrorCode>)> {
        let slot = |message| match message {
            FromEngine::Reply { request, .. } => Some((request, Ok(()))),
            FromEngine::Failed { request, error } => Some((request, Err(error.code))),
            _ => None,
        };
        self.received().into_iter().filter_map(slot).collect()
    }
}

#[test]
fn one_request_of_all_pages_has_a_slot_and_others_are_queued_in_order() {
    let page = page(4);
    (1..=3).for_each(|request| page.lease(request, false));
    assert_eq!(page.slots(), [(1, Ok(()))]);
    page.world.pass(TURN * 10);
    assert_eq!(page.slots(), [], "a request is not asked back");
    page.send(ToEngine::Cancel { request: 1 });
    assert_eq!(page.slots(), [(1, Err(ErrorCode::Aborted)), (2, Ok(()))]);
    page.send(ToEngine::Cancel { request: 3 });
    assert_eq!(page.slots(), [(3, Err(ErrorCode::Aborted))], "a request that leaves the queue is answered");
    page.send(ToEngine::Cancel { request: 2 });
    page.slots();
    page.lease(4, false);
    assert_eq!(page.slots(), [(4, Ok(()))]);
}

#[test]
fn a_request_and_a_stream_do_not_wait_for_each_other() {
    let page = page(4);
    page.lease(1, false);
    page.lease(2, true);
    assert_eq!(page.slots(), [(1, Ok(())), (2, Ok(()))]);
}

#[test]
fn streams_of_pages_time_share() {
    let page = page(4);
    page.lease(1, true);
    page.lease(2, true);
    assert_eq!(page.slots(), [(1, Ok(()))]);
    page.world.pass(TURN);
    assert_eq!(page.slots(), [(1, Err(ErrorCode::Aborted)), (2, Ok(()))]);
    page.world.pass(TURN * 10);
    assert_eq!(page.slots(), [], "while no other stream waits it is left alone");
}

#[test]
fn request_with_a_slot_leaves_lists_a_connection() {
    let page = page(4);
    page.lease(1, false);
    page.slots();
    page.pods(&["n/a@1"]);
    page.received();
    assert!(page.world.requests().iter().any(|request| request.starts_with("watch")), "{:?}", page.world.requests());
}

#[test]
fn a_stream_uses_one_connection_of_the_watches_and_returns_it() {
    let page = page(1);
    let feed = page.pods(&["n/a@1"]);
    page.received();
    page.lease(1, true);
    assert_eq!(page.slots(), []);
    page.world.pass(TURN);
    assert_eq!(page.slots(), [(1, Ok(()))], "the watch had its turn");
    assert!(feed.is_closed());
    let _next = page.world.watch();
    page.world.pass(TURN);
    assert_eq!(page.slots(), [(1, Err(ErrorCode::Aborted))], "and so had the stream");
    let watches = page.world.requests().iter().filter(|request| request.starts_with("watch")).count();
    assert_eq!(watches, 2);
}

#[test]
fn a_page_that_ends_returns_its_slots() {
    let mut page = page(4);
    page.lease(1, false);
    page.slots();
    let first = page.session.take();
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
    page.lease(7, false);
    assert_eq!(page.slots(), []);
    drop(first);
    assert_eq!(page.slots(), [(7, Ok(()))]);
}

#[test]
fn duplicate_request_id_leaks_no_slot() {
    let mut page = page(4);
    page.lease(1, false);
    page.lease(1, false);
    page.slots();
    let first = page.session.take();
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
    drop(first);
    page.lease(7, false);
    assert_eq!(page.slots(), [(7, Ok(()))]);
}

#[test]
fn without_a_connection_limit_no_request_is_queued() {
    let page = Page::new();
    (1..=3).for_each(|request| page.lease(request, request == 3));
    assert_eq!(page.slots(), [(1, Ok(())), (2, Ok(())), (3, Ok(()))]);
}

#[test]
fn a_slot_requires_a_known_server() {
    let mut page = page(4);
    page.reload();
    page.lease(1, false);
    assert!(matches!(page.received().pop(), Some(FromEngine::Refused { .. })));
}

#[test]
fn requests_to_different_hosts_do_not_wait_for_each_other() {
    let mut page = page(4);
    page.lease(1, false);
    page.slots();
    let first = page.session.take();
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://other:8001".into(), persist: false });
    page.received();
    page.lease(2, false);
    assert_eq!(page.slots(), [(2, Ok(()))]);
    drop(first);
}

#[test]
fn requests_over_a_shared_connection_are_not_queued() {
    let page = Page::with_transport(|_, clock| {
        Rc::new(Budget::new(Rc::new(Empty { is_multiplexed: true }), None, clock, BudgetOptions::default()))
    });
    (1..=6).for_each(|request| page.lease(request, request > 3));
    let slots = page.slots();
    assert!(slots.len() == 6 && slots.iter().all(|(_, outcome)| outcome.is_ok()), "{slots:?}");
}

/// Responds to each list with no objects, and keeps watches open.
#[derive(Default)]
struct Empty {
    is_multiplexed: bool,
}

impl Transport for Empty {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, informer::Result<Response>> {
        let server = ScriptedTransport::new();
        if !request.path.contains("watch=") {
            server.reply(Reply::json(list(10, &[])));
        }
        server.send(request)
    }

    fn is_multiplexed(&self) -> bool {
        self.is_multiplexed
    }
}

/// A page with more informers than the budget has connections.
fn twelve_informers() -> Page {
    let page = Page::with_transport(|_, clock| {
        Rc::new(Budget::new(Rc::new(Empty::default()), None, clock, BudgetOptions::default()))
    });
    for informer in 1..=12 {
        let options = InformerOptions { namespace: Some(format!("n{informer}")), ..InformerOptions::default() };
        page.send(ToEngine::Informer { informer, resource: "v1/pods".into(), options });
    }
    page.send(ToEngine::Start);
    page
}

#[test]
fn many_lists_do_not_keep_a_request_waiting() {
    let page = twelve_informers();
    page.lease(20, false);
    assert!(page.slots().contains(&(20, Ok(()))));
}

#[test]
fn stream_keeps_its_slot_for_a_full_turn() {
    let page = twelve_informers();
    (20..23).for_each(|request| page.lease(request, true));
    let (mut granted, mut turns) = ([None; 3], [0; 3]);
    for _ in 0..500 {
        let now = page.world.clock.now();
        for (request, outcome) in page.slots() {
            let stream = (request - 20) as usize;
            if outcome.is_ok() {
                granted[stream] = Some(now);
                continue;
            }
            let lasted = now.saturating_sub(granted[stream].take().expect("it had a slot"));
            assert!(lasted >= TURN, "stream {stream} had its slot for {lasted:?} until {now:?}");
            turns[stream] += 1;
            page.lease(request, true);
        }
        page.world.pass(Duration::from_millis(200));
    }
    assert!(turns.iter().all(|turns| *turns >= 3), "{turns:?}");
}
