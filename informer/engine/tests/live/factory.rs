//! Factory: informers are shared, counted, and synced together.

use std::time::Duration;

use informer::{ErrorCode, GroupVersionResource, InformerError, Phase};
use informer_engine::message::{InformerMode, InformerOptions};
use serde_json::json;

use super::scene::{Scene, live, names, until};
use super::target::live_test;

fn config_maps() -> GroupVersionResource {
    "v1/configmaps".parse().expect("valid")
}

#[live_test]
async fn fac_01_equal_requests_share_an_informer_and_the_last_release_closes_the_watch() {
    let scene = Scene::new().await;
    let options = InformerOptions { namespace: Some(scene.namespace.clone()), ..InformerOptions::default() };
    let paged = InformerOptions { page_size: Some(2), ..options.clone() };
    let (key, one) = scene.factory.for_resource(config_maps(), options.clone()).expect("valid");
    let (same, two) = scene.factory.for_resource(config_maps(), paged).expect("valid");
    assert_eq!((scene.factory.len(), &key), (1, &same), "pages are how, not what");
    scene.factory.start();
    live(&one).await;
    scene.create("a", &json!({})).await;
    until("seen by both", || names(&one) == ["a"] && names(&two) == ["a"]).await;
    assert_eq!(scene.transport.watches().len(), 1);

    let metadata = InformerOptions { mode: InformerMode::Metadata, ..options };
    let (_, other) = scene.factory.for_resource(config_maps(), metadata).expect("valid");
    assert_eq!((scene.factory.len(), other.status().phase), (2, Phase::Idle), "it waits for the next start");
    scene.factory.start();
    live(&other).await;
    assert_eq!(scene.transport.watches().len(), 2);

    scene.factory.release(&key);
    scene.create("b", &json!({})).await;
    until("still watched", || names(&two) == ["a", "b"]).await;
    scene.factory.release(&key);
    until("stopped", || two.status().phase == Phase::Stopped).await;
    until("closed", || scene.transport.open() == 1).await;
    assert_eq!(names(&two), ["a", "b"], "what is cached stays readable");
    scene.factory.shutdown();
    until("all closed", || scene.transport.open() == 0).await;
}

#[live_test]
async fn fac_13_a_wait_for_caches_names_which_is_missing_and_why() {
    let scene = Scene::new().await;
    scene.create("a", &json!({})).await;
    let there = scene.informer("v1/configmaps");
    let missing = scene.informer("example.dev/v1/nothings");
    live(&there).await;
    until("answered", || missing.last_error().is_some()).await;
    let result = scene.factory.wait_for_cache_sync(Some(Duration::from_millis(50))).await;
    assert!(there.has_synced() && !result.all());
    let [unsynced] = &result.unsynced[..] else { panic!("{result:?}") };
    assert!(unsynced.informer.starts_with("example.dev/v1/nothings"), "{unsynced:?}");
    assert_eq!(unsynced.reason.as_ref().map(InformerError::code), Some(ErrorCode::NotFound), "{unsynced:?}");
}
