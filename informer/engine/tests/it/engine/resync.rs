//! Resyncs requested by pages.

use std::time::Duration;

use informer_engine::message::{EventHandlerOptions, InformerOptions, ToEngine};

use super::{Page, add_event_handler, deliveries};
use crate::harness::send;

fn resynced_every(ms: u32) -> InformerOptions {
    InformerOptions { resync: Some(ms), ..InformerOptions::default() }
}

#[test]
fn rsy_15_resync_sends_cached_objects_without_a_previous_state() {
    let page = Page::new();
    let feed = page.pods_with(resynced_every(10_000), &["n/a@1"]);
    page.send(add_event_handler(1, 2));
    assert_eq!(deliveries(page.received(), 2), ["Add n/a"]);
    let requests = page.world.requests().len();
    page.world.pass(Duration::from_secs(9));
    assert!(deliveries(page.received(), 2).is_empty(), "not yet");
    page.world.pass(Duration::from_secs(1));
    assert_eq!(deliveries(page.received(), 2), ["Update n/a ="]);
    assert_eq!(page.world.requests().len(), requests, "the server is not asked");
    send(&feed, &["~n/a@11"]);
    assert_eq!(deliveries(page.received(), 2), ["Update n/a"]);
}

#[test]
fn rsy_07_resync_period_of_a_handler_is_limited_by_its_informer() {
    let asks = |informer: Option<u32>, handler: Option<u32>| {
        let page = Page::new();
        let options = InformerOptions { resync: informer, ..InformerOptions::default() };
        let _feed = page.pods_with(options, &["n/a@1"]);
        page.received();
        let options = EventHandlerOptions { resync_period: handler, ..EventHandlerOptions::default() };
        page.send(ToEngine::AddEventHandler { informer: 1, handler: 2, options });
        page.received();
        let mut resyncs = 0;
        for _ in 0..60 {
            page.world.pass(Duration::from_secs(1));
            resyncs += deliveries(page.inbox.take(), 2).len();
            (0..resyncs).for_each(|_| page.send(ToEngine::Ack { handler: 2 }));
        }
        resyncs
    };
    assert_eq!(asks(None, None), 0);
    assert_eq!(asks(None, Some(5_000)), 0, "without a resync period of the informer, no handler is resynced");
    assert_eq!(asks(Some(0), Some(5_000)), 0);
    assert_eq!(asks(Some(10_000), Some(0)), 0, "the handler wants none");
    assert_eq!(asks(Some(10_000), None), 5);
    assert_eq!(asks(Some(10_000), Some(20_000)), 2);
    assert_eq!(asks(Some(10_000), Some(1_000)), 5, "not more often than the informer");
    assert!((58..=60).contains(&asks(Some(1), None)), "once a second at the most");
    assert!((28..=30).contains(&asks(Some(1), Some(1_500))), "it looks once a second, not a thousand times");
}

#[test]
fn resync_period_does_not_start_a_second_watch() {
    let page = Page::new();
    let _feed = page.pods_with(resynced_every(10_000), &["n/a@1"]);
    page.received();
    page.send(ToEngine::Informer { informer: 2, resource: "v1/pods".into(), options: resynced_every(2_000) });
    page.send(ToEngine::Start);
    page.send(add_event_handler(2, 3));
    page.received();
    page.world.pass(Duration::from_secs(15));
    assert!(deliveries(page.received(), 3).is_empty(), "the informer keeps the resync period of its first user");
    page.world.pass(Duration::from_secs(5));
    assert_eq!(deliveries(page.received(), 3), ["Update n/a ="]);
    assert_eq!(page.world.requests().len(), 2, "one list, one watch");
}
