//! Heartbeats: while a page is visible, a stopped server is detected even if all watches are quiet; otherwise they cost
//! nothing.

use std::rc::Rc;

use informer::transport::budget::{Budget, BudgetOptions};
use informer::{ErrorCode, Freshness};
use informer_engine::engine::Session;
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine};

use super::health_probe::{Stage, count};

/// A stage whose page is visible.
fn visible(informers: u32) -> Stage {
    let stage = Stage::new(informers);
    stage.session.receive(ToEngine::Visible { visible: true });
    stage.quiet(15);
    stage.requests();
    stage
}

fn all(stage: &Stage) -> [Freshness; 3] {
    [0, 1, 2].map(|informer| stage.freshness(informer))
}

#[test]
fn stopped_server_is_disconnected_within_fifteen_seconds_and_live_when_it_continues() {
    let stage = visible(3);
    stage.bookmarks();
    stage.server(|server| server.stopped = true);
    let mut seconds = 0;
    while all(&stage) != [Freshness::Disconnected; 3] {
        seconds += 1;
        assert!(seconds <= 15, "{:?}", all(&stage));
        stage.pass(1);
        assert!(!all(&stage).contains(&Freshness::CatchingUp), "nothing says so that it catches up after {seconds} s");
    }
    assert!(seconds > 10, "silence is no reason before");
    let requests = stage.requests();
    assert_eq!(requests, ["get version"], "one for all informers");
    // The stall lasts long, without a byte from the server.
    for _ in 0..120 {
        stage.pass(1);
        assert_eq!(all(&stage), [Freshness::Disconnected; 3]);
    }
    let requests = stage.requests();
    assert_eq!(count(&requests, "get version"), 0, "from then on probes request its identity instead");
    assert!((5..=12).contains(&count(&requests, "get kube-system")), "each ten seconds at most: {requests:?}");
    stage.server(|server| server.stopped = false);
    // Earlier requests never get a response.
    stage.pass(22);
    assert_eq!(all(&stage), [Freshness::Live; 3], "not only when the last pause is over");
    assert_eq!(count(&stage.requests(), "list pods"), 0);
}

#[test]
fn watch_that_continues_after_a_stall_is_live_at_once_and_stays_open() {
    let stage = visible(3);
    stage.bookmarks();
    stage.server(|server| server.stopped = true);
    stage.pass(15);
    assert_eq!(all(&stage), [Freshness::Disconnected; 3]);
    stage.bookmarks();
    stage.pass(1);
    assert_eq!(all(&stage), [Freshness::Live; 3]);
    stage.server(|server| server.stopped = false);
    stage.quiet(60);
    assert!(!stage.requests().iter().any(|request| request.starts_with("watch") || request.starts_with("probe")));
}

#[test]
fn informer_started_while_the_server_is_stopped_is_disconnected() {
    let stage = visible(3);
    // A busy list is suspect after seconds; the timeout of its probe would be at second 18.
    for version in 20..40 {
        stage.send("pods", &[&format!("~n/a@{version}")]);
        stage.pass(1);
    }
    stage.server(|server| server.stopped = true);
    stage.pass(5);
    assert_eq!(stage.freshness(0), Freshness::CatchingUp, "it is suspected");
    stage.pass(10);
    assert_eq!(all(&stage), [Freshness::Disconnected; 3]);
}

#[test]
fn quiet_server_receives_one_heartbeat_in_ten_seconds_for_all_visible_pages() {
    for pages in 1..=3 {
        let stage = visible(3);
        let others: Vec<Session> = (1..pages)
            .map(|_| {
                let session = Session::new(stage.engine.clone(), drop::<FromEngine>);
                let (version, server) = (PROTOCOL_VERSION, "http://localhost".into());
                session.receive(ToEngine::Connect { version, server, persist: false });
                session.receive(ToEngine::Visible { visible: true });
                session
            })
            .collect();
        stage.requests();
        stage.pass(80);
        let requests = stage.requests();
        assert!((7..=8).contains(&count(&requests, "get version")), "{requests:?}");
        assert_eq!(all(&stage), [Freshness::Live; 3]);
        // A page that is hidden, closed, or crashed.
        stage.session.receive(ToEngine::Visible { visible: false });
        for session in &others {
            session.receive(ToEngine::Close);
        }
        stage.pass(10);
        stage.requests();
        stage.quiet(600);
        assert_eq!(count(&stage.requests(), "get version"), 0);
    }
}

#[test]
fn any_message_of_the_server_replaces_a_heartbeat() {
    let stage = visible(3);
    stage.requests();
    for _ in 0..20 {
        stage.bookmarks();
        stage.pass(9);
    }
    assert_eq!(count(&stage.requests(), "get version"), 0);
    // A page that becomes visible again does not wait another ten seconds.
    stage.session.receive(ToEngine::Visible { visible: false });
    stage.pass(30);
    stage.requests();
    stage.server(|server| server.stopped = true);
    stage.session.receive(ToEngine::Visible { visible: true });
    stage.pass(5);
    assert_eq!(all(&stage), [Freshness::Disconnected; 3]);
}

#[test]
fn no_heartbeat_without_a_running_informer() {
    let stage = Stage::new(0);
    stage.session.receive(ToEngine::Visible { visible: true });
    let options = InformerOptions::default();
    stage.session.receive(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
    stage.pass(60);
    assert_eq!(stage.requests(), Vec::<String>::new());
}

#[test]
fn rejected_heartbeats_make_informers_stale() {
    let stage = visible(3);
    stage.bookmarks();
    stage.server(|server| server.draining = true);
    stage.pass(12);
    assert_eq!(all(&stage), [Freshness::Stale; 3], "it answers, and is not well");
    let code = stage.error(0);
    assert_eq!(code, Some(ErrorCode::Internal));
    stage.server(|server| server.draining = false);
    stage.pass(20);
    assert_eq!(all(&stage), [Freshness::Live; 3]);
}

#[test]
fn two_visible_pages_share_one_heartbeat() {
    let stage = visible(3);
    let other = Session::new(stage.engine.clone(), drop::<FromEngine>);
    let (version, server) = (PROTOCOL_VERSION, "http://localhost".into());
    other.receive(ToEngine::Connect { version, server, persist: false });
    other.receive(ToEngine::Visible { visible: true });
    stage.bookmarks();
    stage.requests();
    stage.server(|server| server.stopped = true);
    stage.pass(13);
    assert_eq!(stage.requests(), ["get version"]);
}

#[test]
fn throttled_heartbeat_counts_as_reachable() {
    let stage = visible(3);
    stage.server(|server| server.busy = Some("version"));
    for _ in 0..30 {
        stage.pass(1);
        assert_eq!(all(&stage), [Freshness::Live; 3]);
    }
    assert!((2..=4).contains(&count(&stage.requests(), "get version")), "and is asked no more often");
}

#[test]
fn heartbeat_queued_for_a_connection_is_no_evidence() {
    // One answer at a time, and that is a list which does not come.
    let options = BudgetOptions { answers: 1, ..BudgetOptions::default() };
    let stage = Stage::with_transport(Ok("c-1"), 2, move |way, clock| Rc::new(Budget::new(way, None, clock, options)));
    stage.session.receive(ToEngine::Visible { visible: true });
    stage.quiet(15);
    stage.bookmarks();
    stage.pass(3);
    stage.requests();
    stage.server(|server| server.silent = Some("nodes"));
    stage.start(2);
    stage.pass(13);
    assert_eq!(stage.requests(), ["list nodes"], "the heartbeat waits");
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
}
