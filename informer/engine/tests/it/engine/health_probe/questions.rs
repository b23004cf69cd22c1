//! Timing of the health probe, and the consequence of a missing response.

use informer::transport::budget::{Budget, BudgetOptions};

use super::*;

#[test]
fn a_server_that_takes_no_connection_is_asked_about_as_one_that_refuses() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.asked();
    stage.server(|server| server.closed = true);
    stage.start(2);
    stage.pass(2);
    let asked = stage.asked();
    assert_eq!(count(&asked, "get kube-system"), 1, "{asked:?}");
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::CatchingUp; 2], "they are doubted");
}

#[test]
fn a_question_that_nobody_answers_after_a_refusal_is_a_refusal_too() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| (server.uid, server.down) = (Err(0), Some("nodes")));
    stage.start(2);
    stage.pass(9);
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2], "it may be answered yet");
    stage.pass(3);
    let doubted = [0, 1].map(|informer| stage.freshness(informer));
    assert_eq!(doubted, [Freshness::CatchingUp; 2], "each watch has to prove itself: {:?}", stage.asked());
}

#[test]
fn a_question_that_waits_for_a_connection_says_nothing_of_the_server() {
    // One answer at a time, and that is a list which does not come.
    let options = BudgetOptions { answers: 1, ..BudgetOptions::default() };
    let stage = Stage::over(Ok("c-1"), 2, move |way, clock| Rc::new(Budget::new(way, None, clock, options)));
    stage.quiet(40);
    stage.server(|server| server.silent = Some("nodes"));
    stage.start(2);
    stage.pass(1);
    stage.server(|server| server.draining = true);
    stage.send("services", &["error@410"]);
    stage.asked();
    stage.pass(15);
    let asked = stage.asked();
    assert_eq!((count(&asked, "get kube-system"), count(&asked, "probe pods")), (0, 0), "{asked:?}");
    assert_eq!(stage.freshness(0), Freshness::Live);
}

#[test]
fn a_question_that_nobody_answers_is_no_reason_for_doubt_where_nobody_was_refused() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| server.uid = Err(0));
    stage.cut();
    stage.pass(2);
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
    stage.asked();
    stage.pass(15);
    let asked = stage.asked();
    assert_eq!(count(&asked, "probe pods") + count(&asked, "probe services"), 0, "{asked:?}");
}

#[test]
fn a_cluster_whose_name_is_learned_only_after_trouble_is_listed_anew_once() {
    let stage = Stage::with(Err(0), 2);
    stage.quiet(40);
    stage.asked();
    stage.server(|server| server.uid = Ok("c-1"));
    stage.cut();
    stage.quiet(40);
    let asked = stage.asked();
    assert_eq!((count(&asked, "list pods"), count(&asked, "list services")), (1, 1), "{asked:?}");
    assert_eq!(stage.told(0), ["Add n/a"], "it was the same one");
    stage.cut();
    stage.quiet(40);
    assert_eq!(count(&stage.asked(), "list pods"), 0, "once");
}

#[test]
fn a_name_that_is_learned_without_trouble_changes_nothing() {
    let stage = Stage::with(Err(0), 1);
    stage.server(|server| server.uid = Ok("c-1"));
    stage.quiet(30);
    stage.start(1);
    stage.quiet(30);
    let asked = stage.asked();
    assert_eq!(count(&asked, "list pods"), 1, "{asked:?}");
}

#[test]
fn a_question_is_not_asked_again_while_it_may_be_answered_yet() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.asked();
    stage.server(|server| server.uid = Err(0));
    stage.cut();
    stage.pass(1);
    assert_eq!(count(&stage.asked(), "get kube-system"), 1);
    // Another failure, followed by a response.
    stage.cut();
    stage.start(2);
    stage.pass(1);
    stage.cut();
    stage.start(3);
    stage.pass(6);
    let asked = stage.asked();
    assert_eq!((count(&asked, "get kube-system"), count(&asked, "list nodes")), (0, 1), "{asked:?}");
}

#[test]
fn one_that_lost_its_watch_is_no_reason_for_doubt_of_the_others() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| server.uid = Err(0));
    stage.asked();
    let pods = stage.server(|server| server.feeds.remove("pods")).expect("open");
    pods.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    stage.pass(15);
    let asked = stage.asked();
    assert_eq!((count(&asked, "probe pods"), count(&asked, "probe services")), (1, 0), "{asked:?}");
    assert!(count(&asked, "get kube-system") > 0, "{asked:?}");
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
}

#[test]
fn a_question_that_waits_for_a_connection_is_no_refusal_either() {
    // One answer at a time, and that is a list which does not come.
    let options = BudgetOptions { answers: 1, ..BudgetOptions::default() };
    let stage = Stage::over(Ok("c-1"), 2, move |way, clock| Rc::new(Budget::new(way, None, clock, options)));
    stage.quiet(40);
    stage.bookmarks();
    stage.server(|server| server.silent = Some("nodes"));
    stage.start(2);
    stage.pass(1);
    stage.asked();
    // Its watch ends, and the next one is rejected.
    stage.server(|server| {
        server.draining = true;
        server.feeds.remove("services");
    });
    stage.pass(13);
    let asked = stage.asked();
    assert!(count(&asked, "watch services") > 0, "{asked:?}");
    assert_eq!(count(&asked, "get kube-system"), 0, "it waits: {asked:?}");
    assert_eq!(stage.freshness(0), Freshness::Live);
}
