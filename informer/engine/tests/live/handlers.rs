//! Handlers that are added late, and handlers that are removed.

use serde_json::json;

use super::delivered::Delivered;
use super::scene::{Scene, until};
use super::target::live_test;

#[live_test]
async fn late_handler_receives_the_cache_and_then_the_same_changes_as_the_others() {
    let scene = Scene::new().await;
    let informer = scene.config_maps().await;
    let early = Delivered::of(&informer);
    scene.create("a", &json!({})).await;
    scene.change("a", "1").await;
    until("watched", || early.all() == ["synced", "add a", "update a"]).await;

    let requests = scene.transport.requests().len();
    let late = Delivered::default();
    let registration = informer.add_event_handler(late.clone()).expect("not stopped");
    until("replayed", || registration.has_synced()).await;
    assert_eq!(late.take(), ["initial a", "synced"]);
    assert_eq!(scene.transport.requests().len(), requests, "out of the cache");

    early.take();
    scene.create("b", &json!({})).await;
    scene.delete("a").await;
    until("both", || [&early, &late].iter().all(|deliveries| deliveries.all() == ["add b", "delete a"])).await;

    registration.remove();
    scene.delete("b").await;
    until("one", || early.all() == ["add b", "delete a", "delete b"]).await;
    assert_eq!(late.all(), ["add b", "delete a"]);
}
