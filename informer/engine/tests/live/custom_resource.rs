//! Custom resources: kinds that are created and deleted while the informer runs.

use informer::{ErrorCode, Freshness, discover};
use serde_json::{Value, json};

use super::delivered::Delivered;
use super::scene::{Scene, eventually, live, names, unique, until};
use super::target::live_test;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn definition(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

#[live_test]
async fn fac_14_a_deleted_resource_is_reported_and_listed_when_it_exists_again() {
    let scene = Scene::new().await;
    // A kind of this test's own: definitions live in no namespace.
    let group = format!("{}.example.dev", unique("live"));
    let resource = format!("{group}/v1/widgets");
    let collection = format!("/apis/{group}/v1/namespaces/{}/widgets", scene.namespace);
    let create = async |name: &str| {
        let object = json!({"apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": {"name": name}});
        eventually("the kind is served", async || scene.api.create(&collection, &object).await).await;
    };
    let informer = scene.informer(&resource);
    let deliveries = Delivered::of(&informer);
    let gone = || informer.status().last_error.is_some_and(|error| error.code == ErrorCode::NotFound);
    until("not there yet", gone).await;

    scene.api.create(DEFINITIONS, &definition(&group)).await.expect("defined");
    live(&informer).await;
    create("a").await;
    until("watched", || names(&informer) == ["a"]).await;
    let resources = discover(&scene.runtime.transport).await.expect("discovered");
    assert!(resources.iter().any(|info| info.gvr().to_string() == resource && info.kind == "Widget"));

    scene.api.delete(&format!("{DEFINITIONS}/widgets.{group}")).await.expect("deleted");
    until("gone", gone).await;
    assert_eq!(informer.status().freshness, Freshness::Stale);

    eventually("the name is free", async || scene.api.create(DEFINITIONS, &definition(&group)).await).await;
    create("b").await;
    until("back", || names(&informer) == ["b"]).await;
    live(&informer).await;
    // A deletion that was missed is found by the list that finds the addition, and between objects there is no order.
    let mut all = deliveries.all();
    all[2..].sort();
    assert_eq!(all, ["synced", "add a", "add b", "delete a"]);
    scene.api.delete(&format!("{DEFINITIONS}/widgets.{group}")).await.expect("deleted");
}
