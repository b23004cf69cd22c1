//! From the server into the cache and to a handler: existing objects, then each change, in order.

use informer::{Keyed, LabelSelector};
use serde_json::json;

use super::delivered::Delivered;
use super::scene::{Scene, live, names, opened, until, without_managed_fields};
use super::target::live_test;

#[live_test]
async fn existing_objects_are_listed_and_changes_are_watched() {
    let scene = Scene::new().await;
    scene.create("a", &json!({})).await;
    scene.create("b", &json!({})).await;
    let informer = scene.informer("v1/configmaps");
    let deliveries = Delivered::of(&informer);
    until("synced", || deliveries.all().contains(&"synced".to_owned())).await;
    let mut initial = deliveries.take();
    initial[..2].sort();
    assert_eq!(initial, ["initial a", "initial b", "synced"]);

    live(&informer).await;
    scene.create("c", &json!({})).await;
    until("created", || deliveries.all() == ["add c"]).await;
    assert_eq!(names(&informer), ["a", "b", "c"], "the cache changes before handlers are told");
}

#[live_test]
async fn all_changes_of_an_object_are_delivered_in_order() {
    let scene = Scene::new().await;
    let informer = scene.config_maps().await;
    let deliveries = Delivered::of(&informer);
    until("synced", || deliveries.take() == ["synced"]).await;

    scene.create("a", &json!({})).await;
    for value in ["1", "2", "3"] {
        scene.change("a", value).await;
    }
    scene.delete("a").await;
    scene.create("a", &json!({})).await;
    let expected = ["add a", "update a", "update a", "update a", "delete a", "add a"];
    until("all of them", || deliveries.all().len() >= expected.len()).await;
    assert_eq!(deliveries.all(), expected);
}

#[live_test]
async fn the_cache_equals_the_server() {
    let scene = Scene::new().await;
    let informer = scene.config_maps().await;
    let lister = informer.lister().namespace(&scene.namespace);
    scene.create("a", &json!({"tier": "web"})).await;
    until("created", || lister.get("a").is_ok()).await;

    // Two, three and four bytes of UTF-8, which a stream may cut anywhere.
    scene.change("a", "café → 😀").await;
    until("changed", || lister.get("a").is_ok_and(|a| a.json().contains("😀"))).await;
    let cached = lister.get("a").expect("there");
    let served = without_managed_fields(scene.api.get(&scene.path("configmaps", "a")).await.expect("there"));
    assert_eq!(opened(&cached), served);
    assert_eq!(served["metadata"]["resourceVersion"], cached.resource_version());
    assert_eq!(served["metadata"]["uid"], cached.uid());

    scene.delete("a").await;
    until("deleted", || informer.indexer().is_empty()).await;
    assert!(lister.list(&LabelSelector::everything()).is_empty(), "the index knows too");
}
