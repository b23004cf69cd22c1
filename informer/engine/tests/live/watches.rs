//! Life of a watch: bookmarks, its end, a broken line.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer::{
    ErrorCode, Freshness, ListOptions, ListPage, ListerWatcher, Object, ResourceListerWatcher, Result, SharedInformer,
    WatchOptions, WatchStream,
};
use informer_engine::message::InformerOptions;
use serde_json::json;

use super::delivered::Delivered;
use super::scene::{Scene, live, names, short_waits, until};
use super::target::live_test;

/// Asks for watches of a few seconds. A server sends a bookmark two seconds before the end of a watch, and else once a
/// minute.
struct ShortWatches(ResourceListerWatcher<Object>);

impl ListerWatcher for ShortWatches {
    type Object = Object;

    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Object>>> {
        self.0.list(options)
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Object>>> {
        self.0.watch(WatchOptions { timeout: Duration::from_secs(4), ..options })
    }
}

#[live_test]
async fn a_bookmark_sets_the_version_from_which_the_next_watch_begins() {
    let (scene, elsewhere) = (Scene::new().await, Scene::new().await);
    scene.create("a", &json!({})).await;
    let resource = "v1/configmaps".parse().expect("valid");
    let options = InformerOptions { namespace: Some(scene.namespace.clone()), ..InformerOptions::default() };
    let source = ResourceListerWatcher::new(scene.runtime.transport.clone(), &resource, &options).expect("valid");
    let informer = SharedInformer::new(scene.runtime.clock.clone(), short_waits());
    let running = informer.clone();
    (scene.runtime.spawn)(async move { running.run(ShortWatches(source)).await }.boxed_local());
    live(&informer).await;
    let listed = informer.status();

    // Not an event for this informer, but the version of the next bookmark is higher.
    elsewhere.create("b", &json!({})).await;
    until("a bookmark", || informer.status().resource_version != listed.resource_version).await;
    let marked = informer.status();
    assert!(marked.last_bookmark_at.is_some() && marked.events == listed.events, "{marked:?}");
    until("the cache knows it too", || informer.indexer().resource_version() != listed.resource_version).await;

    let began = format!("&resourceVersion={}", listed.resource_version);
    // On a slow machine the first watch may have ended before a bookmark with a higher version was due.
    until("a watch from there", || scene.transport.watches().iter().any(|watch| !watch.ends_with(&began))).await;
    assert!(scene.transport.watches()[0].ends_with(&began));
    let status = informer.status();
    assert_eq!((status.lists, status.events), (1, listed.events), "only a bookmark can have told it");
    informer.stop();
}

#[live_test]
async fn a_watch_that_is_cut_is_resumed_where_it_was() {
    let scene = Scene::new().await;
    scene.create("a", &json!({})).await;
    let informer = scene.config_maps().await;
    let deliveries = Delivered::of(&informer);
    scene.change("a", "1").await;
    until("changed", || deliveries.all() == ["initial a", "synced", "update a"]).await;
    deliveries.take();

    let before = informer.status();
    scene.transport.cut();
    scene.create("b", &json!({})).await;
    scene.delete("a").await;
    until("resumed", || deliveries.all().len() >= 2).await;
    assert_eq!(deliveries.all(), ["add b", "delete a"], "nothing twice, nothing left out");
    let after = informer.status();
    assert!(after.watches > before.watches && after.lists == before.lists, "{after:?}");
    let from = format!("&resourceVersion={}", before.resource_version);
    assert!(scene.transport.watches()[1].ends_with(&from), "{:?} go on from {from}", scene.transport.watches());
}

#[live_test]
async fn the_cache_stays_while_the_transport_is_down_and_catches_up_afterwards() {
    let scene = Scene::new().await;
    scene.create("a", &json!({})).await;
    let informer = scene.config_maps().await;
    scene.transport.down();
    scene.create("b", &json!({})).await;
    scene.delete("a").await;
    until("noticed", || informer.status().freshness == Freshness::Disconnected).await;
    assert_eq!(names(&informer), ["a"], "old, and said to be old");
    assert_eq!(informer.status().last_error.map(|error| error.code), Some(ErrorCode::Network));

    scene.transport.up();
    until("caught up", || names(&informer) == ["b"]).await;
    live(&informer).await;
    let status = informer.status();
    assert_eq!((status.lists, status.last_error), (1, None));
}
