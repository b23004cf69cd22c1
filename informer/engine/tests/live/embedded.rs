//! Tests that need the embedded apiserver: a simulated cluster, and faults on the server's side.
//!
//! `tests/run` leaves this module out on a real apiserver. Each fault names a resource that no other test uses.

use informer::{Freshness, Object, Phase, SharedInformer};
use informer_engine::message::InformerOptions;
use serde_json::{Value, json};

use super::scene::{Scene, live, names, until};
use super::target::live_test;

/// Resource of the core group that only one test uses.
struct ExclusiveResource(Scene, &'static str);

impl ExclusiveResource {
    async fn watched(resource: &'static str) -> (Self, SharedInformer<Object>) {
        let scene = Scene::new().await;
        let informer = scene.informer(&format!("v1/{resource}"));
        live(&informer).await;
        (Self(scene, resource), informer)
    }

    async fn create(&self, name: &str, spec: Value) {
        let Self(scene, resource) = self;
        let object = json!({"metadata": {"name": name}, "spec": spec});
        scene.api.create(&scene.path(resource, ""), &object).await.expect("created");
    }

    async fn fault(&self, mut fault: Value) {
        let Self(scene, resource) = self;
        fault["resource"] = json!(resource);
        scene.api.create("/admin/faults", &fault).await.expect("a fault");
    }
}

#[live_test]
async fn a_cluster_is_listed_in_pages_and_watched() {
    let scene = Scene::new().await;
    let everywhere =
        InformerOptions { namespace: Some(String::new()), page_size: Some(20), ..InformerOptions::default() };
    let pods = scene.informer_with("v1/pods", everywhere);
    live(&pods).await;
    let status = pods.status();
    assert!(status.objects >= 20, "{status:?}");
    until("a bookmark each second", || pods.status().last_bookmark_at > status.last_bookmark_at).await;
    until("news", || pods.status().events > 0).await;
    scene.factory.shutdown();
    until("stopped", || pods.status().phase == Phase::Stopped).await;
}

#[live_test]
async fn a_watch_that_the_server_cuts_is_resumed_without_a_relist() {
    let (limits, informer) = ExclusiveResource::watched("limitranges").await;
    let before = informer.status();
    limits.fault(json!({"fault": "cut-open"})).await;
    limits.create("meanwhile", json!({"limits": [{"type": "Pod", "max": {"cpu": "1"}}]})).await;
    until("resumed", || names(&informer) == ["meanwhile"]).await;
    let after = informer.status();
    assert!(after.watches > before.watches && after.lists == before.lists, "{after:?}");
}

#[live_test]
async fn a_version_that_is_compacted_is_relisted() {
    let (quotas, informer) = ExclusiveResource::watched("resourcequotas").await;
    let before = informer.status();
    // The response to a watch from a compacted version. A real compaction would affect the watches of all tests.
    quotas.fault(json!({"fault": "error-event", "code": 410, "times": 1})).await;
    quotas.fault(json!({"fault": "cut-open"})).await;
    quotas.create("meanwhile", json!({"hard": {"pods": "1"}})).await;
    until("whole again", || names(&informer) == ["meanwhile"] && informer.status().freshness == Freshness::Live).await;
    assert_eq!(informer.status().relists, before.relists + 1);
}
