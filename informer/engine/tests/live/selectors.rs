//! Restricted informers: selectors, which the server evaluates, and one namespace.

use informer::{ErrorCode, Keyed, LabelSelector, Phase};
use informer_engine::message::InformerOptions;
use serde_json::{Value, json};

use super::delivered::Delivered;
use super::scene::{Scene, live, names, until};
use super::target::live_test;

fn labelled(selector: &str) -> InformerOptions {
    InformerOptions { label_selector: Some(selector.to_owned()), ..InformerOptions::default() }
}

fn with_field(selector: &str) -> InformerOptions {
    InformerOptions { field_selector: Some(selector.to_owned()), ..InformerOptions::default() }
}

#[live_test]
async fn fac_06_an_object_that_begins_to_match_is_added_and_one_that_stops_is_deleted() {
    let scene = Scene::new().await;
    scene.create("in", &json!({"tier": "web"})).await;
    scene.create("out", &json!({"tier": "db"})).await;
    let informer = scene.informer_with("v1/configmaps", labelled("tier in (web, cache),!retired"));
    let deliveries = Delivered::of(&informer);
    live(&informer).await;
    until("listed", || deliveries.take() == ["initial in", "synced"]).await;

    let label = async |name: &str, labels: Value| {
        let change = json!({"metadata": {"labels": labels}});
        scene.api.patch(&scene.path("configmaps", name), &change).await.expect("changed");
    };
    label("out", json!({"tier": "cache"})).await;
    label("in", json!({"retired": ""})).await;
    // No handler receives this one: it did not match before, and does not now.
    label("in", json!({"tier": "web", "note": "x"})).await;
    label("in", json!({"retired": null})).await;
    until("told", || deliveries.all().len() >= 3).await;
    assert_eq!(deliveries.all(), ["add out", "delete in", "add in"]);
    assert_eq!(names(&informer), ["in", "out"]);
}

#[live_test]
async fn fac_06_a_field_selector_goes_with_list_and_watch() {
    let scene = Scene::new().await;
    let secret = async |name: &str, kind: &str| {
        let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": kind});
        scene.api.create(&scene.path("secrets", ""), &object).await.expect("created");
    };
    secret("a", "example.dev/seen").await;
    secret("b", "example.dev/unseen").await;
    let by_type = scene.informer_with("v1/secrets", with_field("type=example.dev/seen"));
    let by_name = scene.informer_with("v1/secrets", with_field("metadata.name!=a"));
    live(&by_type).await;
    live(&by_name).await;
    assert_eq!((names(&by_type), names(&by_name)), (vec!["a".to_owned()], vec!["b".to_owned()]));

    secret("c", "example.dev/unseen").await;
    secret("d", "example.dev/seen").await;
    until("watched", || names(&by_type) == ["a", "d"] && names(&by_name) == ["b", "c", "d"]).await;
}

#[live_test]
async fn a_field_that_the_server_cannot_select_by_ends_the_informer() {
    let scene = Scene::new().await;
    let informer = scene.informer_with("v1/configmaps", with_field("spec.nothing=x"));
    until("failed", || informer.status().phase == Phase::Failed).await;
    let error = informer.last_error().expect("the reason");
    assert_eq!((error.code(), error.status()), (ErrorCode::BadRequest, Some(400)));
    assert!(error.message().contains("spec.nothing"), "{error}");
    assert!(error.request().is_some_and(|request| request.contains("fieldSelector=spec.nothing%3Dx")), "{error}");
    assert_eq!(scene.transport.requests().len(), 1, "no retry mends it");
}

#[live_test]
async fn fac_05_an_informer_of_one_namespace_has_no_object_of_another() {
    let (scene, other) = (Scene::new().await, Scene::new().await);
    scene.create("a", &json!({})).await;
    other.create("b", &json!({})).await;
    let one = scene.config_maps().await;
    let all = scene.informer_with("v1/configmaps", InformerOptions { namespace: Some(String::new()), ..labelled("") });
    live(&all).await;
    scene.create("c", &json!({})).await;
    other.create("d", &json!({})).await;
    let both = [&scene.namespace, &other.namespace];
    let count = |namespace: &str| all.lister().namespace(namespace).list(&LabelSelector::everything()).len();
    until("watched", || both.iter().all(|namespace| count(namespace) == 2)).await;
    until("watched in one", || names(&one) == ["a", "c"]).await;
    assert!(one.indexer().list().all(|object| object.namespace() == scene.namespace));
}

#[live_test]
async fn a_lister_selects_what_the_server_selects() {
    let scene = Scene::new().await;
    for (name, labels) in [
        ("none", json!({})),
        ("web", json!({"tier": "web", "weight": "10"})),
        ("db", json!({"tier": "db", "weight": "9", "example.dev/kept": ""})),
        ("empty", json!({"tier": ""})),
    ] {
        scene.create(name, &labels).await;
    }
    let all = scene.config_maps().await;
    for selector in [
        "tier",
        "!tier",
        "tier=",
        "tier!=web",
        "tier notin (web,db)",
        "tier in (,web)",
        "weight>9",
        "example.dev/kept,weight<10",
    ] {
        let by_server = scene.informer_with("v1/configmaps", labelled(selector));
        live(&by_server).await;
        let by_lister = all.lister().list(&selector.parse::<LabelSelector>().expect("valid"));
        let mut selected: Vec<&str> = by_lister.iter().map(|object| object.name()).collect();
        selected.sort_unstable();
        assert_eq!(selected, names(&by_server), "{selector}");
        by_server.stop();
    }
}
