//! Timing of the health probe, and the consequence of a missing response.

use informer::transport::budget::{Budget, BudgetOptions};

use super::*;

#[test]
fn refused_connection_is_probed_like_a_rejection() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.requests();
    stage.server(|server| server.closed = true);
    stage.start(2);
    stage.pass(2);
    let requests = stage.requests();
    assert_eq!(count(&requests, "get kube-system"), 1, "{requests:?}");
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::CatchingUp; 2], "they are doubted");
}

#[test]
fn unanswered_probe_after_a_rejection_counts_as_a_rejection() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| (server.uid, server.down) = (Err(0), Some("nodes")));
    stage.start(2);
    stage.pass(9);
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2], "it may be answered yet");
    stage.pass(3);
    let doubted = [0, 1].map(|informer| stage.freshness(informer));
    assert_eq!(doubted, [Freshness::CatchingUp; 2], "each watch has to prove itself: {:?}", stage.requests());
}

#[test]
fn probe_queued_for_a_connection_is_no_evidence() {
    // One answer at a time, and that is a list which does not come.
    let options = BudgetOptions { answers: 1, ..BudgetOptions::default() };
    let stage = Stage::with_transport(Ok("c-1"), 2, move |transport, clock| {
        Rc::new(Budget::new(transport, None, clock, options))
    });
    stage.quiet(40);
    stage.server(|server| server.silent = Some("nodes"));
    stage.start(2);
    stage.pass(1);
    stage.server(|server| server.draining = true);
    stage.send("services", &["error@410"]);
    stage.requests();
    stage.pass(15);
    let requests = stage.requests();
    assert_eq!((count(&requests, "get kube-system"), count(&requests, "probe pods")), (0, 0), "{requests:?}");
    assert_eq!(stage.freshness(0), Freshness::Live);
}

#[test]
fn unanswered_probe_without_a_rejection_raises_no_suspicion() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| server.uid = Err(0));
    stage.cut();
    stage.pass(2);
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
    stage.requests();
    stage.pass(15);
    let requests = stage.requests();
    assert_eq!(count(&requests, "probe pods") + count(&requests, "probe services"), 0, "{requests:?}");
}

#[test]
fn cluster_identified_only_after_an_error_is_relisted_once() {
    let stage = Stage::with(Err(0), 2);
    stage.quiet(40);
    stage.requests();
    stage.server(|server| server.uid = Ok("c-1"));
    stage.cut();
    stage.quiet(40);
    let requests = stage.requests();
    assert_eq!((count(&requests, "list pods"), count(&requests, "list services")), (1, 1), "{requests:?}");
    assert_eq!(stage.deliveries(0), ["Add n/a"], "it was the same one");
    stage.cut();
    stage.quiet(40);
    assert_eq!(count(&stage.requests(), "list pods"), 0, "once");
}

#[test]
fn identity_learned_without_an_error_changes_nothing() {
    let stage = Stage::with(Err(0), 1);
    stage.server(|server| server.uid = Ok("c-1"));
    stage.quiet(30);
    stage.start(1);
    stage.quiet(30);
    let requests = stage.requests();
    assert_eq!(count(&requests, "list pods"), 1, "{requests:?}");
}

#[test]
fn probe_in_flight_is_not_repeated() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.requests();
    stage.server(|server| server.uid = Err(0));
    stage.cut();
    stage.pass(1);
    assert_eq!(count(&stage.requests(), "get kube-system"), 1);
    // Another failure, followed by a response.
    stage.cut();
    stage.start(2);
    stage.pass(1);
    stage.cut();
    stage.start(3);
    stage.pass(6);
    let requests = stage.requests();
    assert_eq!((count(&requests, "get kube-system"), count(&requests, "list nodes")), (0, 1), "{requests:?}");
}

#[test]
fn lost_watch_of_one_informer_does_not_suspect_the_others() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| server.uid = Err(0));
    stage.requests();
    let pods = stage.server(|server| server.feeds.remove("pods")).expect("open");
    pods.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    stage.pass(15);
    let requests = stage.requests();
    assert_eq!((count(&requests, "probe pods"), count(&requests, "probe services")), (1, 0), "{requests:?}");
    assert!(count(&requests, "get kube-system") > 0, "{requests:?}");
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
}

#[test]
fn probe_queued_for_a_connection_is_no_rejection() {
    // One answer at a time, and that is a list which does not come.
    let options = BudgetOptions { answers: 1, ..BudgetOptions::default() };
    let stage = Stage::with_transport(Ok("c-1"), 2, move |transport, clock| {
        Rc::new(Budget::new(transport, None, clock, options))
    });
    stage.quiet(40);
    stage.bookmarks();
    stage.server(|server| server.silent = Some("nodes"));
    stage.start(2);
    stage.pass(1);
    stage.requests();
    // Its watch ends, and the next one is rejected.
    stage.server(|server| {
        server.draining = true;
        server.feeds.remove("services");
    });
    stage.pass(13);
    let requests = stage.requests();
    assert!(count(&requests, "watch services") > 0, "{requests:?}");
    assert_eq!(count(&requests, "get kube-system"), 0, "it waits: {requests:?}");
    assert_eq!(stage.freshness(0), Freshness::Live);
}
