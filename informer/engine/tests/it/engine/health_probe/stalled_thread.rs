//! Stalled threads: a response that waits unread in the browser is not missing. The timer's task may run before the
//! task of the request that has its response, because the browser orders tasks by their sources.

use std::time::Duration;

use informer::Freshness;
use informer::clock::Clock;

use super::{Stage, count};
use crate::engine::ToEngine;
use crate::harness::Feed;

const HEARTBEAT: &str = "version";
const PROBE: &str = "kube-system";

impl Stage {
    /// Lets time pass until a request is in flight whose response is held back.
    fn until_streamed(&self, resource: &'static str) {
        self.server(|server| server.streamed = Some(resource));
        while self.server(|server| server.feeds.get(resource).is_none_or(Feed::is_closed)) {
            self.pass_tenths(1);
        }
        self.server(|server| server.streamed = None);
    }

    fn pass_tenths(&self, tenths: u64) {
        for _ in 0..tenths {
            self.world.pass(Duration::from_millis(100));
            self.receive();
        }
    }

    /// Stalls the thread, whose timers run first at the end, and the tasks of its requests after them.
    fn stall(&self, tenths: u64) {
        self.world.clock.advance(Duration::from_millis(tenths * 100));
        self.receive();
    }

    /// The held response arrives.
    fn respond(&self, resource: &str, body: &str) {
        let feed = self.server(|server| server.feeds.remove(resource)).expect("requested");
        // The receiver is gone if the request was given up; the test finds that by its outcome.
        drop(feed.unbounded_send(Ok(body.into())));
        drop(feed);
        self.receive();
    }

    fn live(&self) -> [Freshness; 2] {
        [0, 1].map(|informer| self.freshness(informer))
    }
}

fn visible() -> Stage {
    let stage = Stage::new(2);
    stage.session.receive(ToEngine::Visible { visible: true });
    stage.quiet(15);
    stage.bookmarks();
    stage
}

#[test]
fn heartbeat_answered_while_the_thread_stalls_has_not_failed() {
    // Over the whole timeout, and over its end by less than a timer is late on a healthy machine; at once and
    // repeatedly.
    for (before, stalls) in
        [(0, &[60][..]), (0, &[41]), (10, &[31]), (10, &[300]), (38, &[10, 15]), (0, &[9, 11, 12, 12])]
    {
        let stage = visible();
        stage.until_streamed(HEARTBEAT);
        stage.pass_tenths(before);
        for stall in stalls {
            stage.stall(*stall);
            assert_eq!(stage.live(), [Freshness::Live; 2], "{before}, {stalls:?}");
        }
        stage.respond(HEARTBEAT, "{}");
        assert_eq!(stage.live(), [Freshness::Live; 2], "{before}, {stalls:?}");
        stage.requests();
        stage.pass_tenths(90);
        assert_eq!(stage.requests(), [""; 0], "no trouble was noticed: {before}, {stalls:?}");
    }
}

#[test]
fn heartbeat_of_a_stalled_thread_fails_if_the_server_is_stopped() {
    for stalls in [&[60][..], &[20, 20, 20, 20]] {
        let stage = visible();
        stage.until_streamed(HEARTBEAT);
        stage.server(|server| server.stopped = true);
        for stall in stalls {
            stage.stall(*stall);
        }
        let since = stage.world.clock.now();
        while stage.live() != [Freshness::Disconnected; 2] {
            stage.pass_tenths(1);
            assert!(
                stage.world.clock.now().saturating_sub(since) <= Duration::from_secs(2),
                "{stalls:?}: one second for a second look"
            );
        }
    }
}

#[test]
fn heartbeat_is_given_up_even_if_the_thread_stalls_all_the_time() {
    let stage = visible();
    stage.until_streamed(HEARTBEAT);
    stage.server(|server| server.stopped = true);
    for _ in 0..15 {
        stage.stall(16);
    }
    assert_eq!(stage.live(), [Freshness::Disconnected; 2]);
}

#[test]
fn health_probe_answered_while_the_thread_stalls_has_not_failed() {
    let stage = Stage::new(2);
    stage.pass(40);
    stage.bookmarks();
    stage.requests();
    // One API is down, which is reason for a probe.
    stage.server(|server| server.down = Some("nodes"));
    stage.start(2);
    stage.until_streamed(PROBE);
    stage.stall(110);
    stage.respond(PROBE, r#"{"metadata":{"uid":"c-1"}}"#);
    for _ in 0..30 {
        stage.pass_tenths(1);
        assert_eq!(stage.live(), [Freshness::Live; 2]);
    }
    let requests = stage.requests();
    assert_eq!(count(&requests, "probe pods"), 0, "no watch is suspect: {requests:?}");
}
