//! Rejected and unanswered requests.

use std::rc::Rc;

use informer::{ErrorCode, Freshness, Runtime, SharedInformerFactory};
use informer_engine::message::InformerOptions;
use serde_json::json;

use super::scene::{Scene, live, names, short_waits, until};
use super::target::{self, live_test};

#[live_test]
async fn a_missing_resource_is_reported_and_requested_again() {
    let scene = Scene::new().await;
    let informer = scene.informer("example.dev/v1/nothings");
    until("reported", || informer.status().last_error.is_some()).await;
    let status = informer.status();
    let error = status.last_error.expect("reported");
    assert_eq!((error.code, error.status, error.retryable), (ErrorCode::NotFound, Some(404), true));
    assert!(error.request.is_some_and(|request| request.contains("/nothings")));
    assert_eq!((status.freshness, status.has_synced), (Freshness::Stale, false));
    until("asked again", || scene.transport.requests().len() > 2).await;
}

/// An unknown user, without permissions.
const STRANGER: &str = "live-tests-stranger";

#[live_test]
async fn a_forbidden_resource_is_reported_and_listed_once_it_is_permitted() {
    let scene = Scene::with_headers(&[("Impersonate-User", STRANGER)]).await;
    scene.create("a", &json!({})).await;
    let informer = scene.informer("v1/configmaps");
    until("reported", || informer.status().last_error.is_some()).await;
    let status = informer.status();
    let error = status.last_error.expect("reported");
    assert_eq!((error.code, error.status), (ErrorCode::Forbidden, Some(403)));
    assert!(error.message.contains(STRANGER) && error.message.contains("cannot list"), "{}", error.message);
    assert_eq!((status.freshness, status.has_synced), (Freshness::Forbidden, false));

    let rbac = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{}", scene.namespace);
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}]);
    let role = json!({"metadata": {"name": "reader"}, "rules": rules});
    scene.api.create(&format!("{rbac}/roles"), &role).await.expect("created");
    let binding = json!({
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": STRANGER}],
    });
    scene.api.create(&format!("{rbac}/rolebindings"), &binding).await.expect("created");
    live(&informer).await;
    assert_eq!(names(&informer), ["a"]);
    assert_eq!(informer.status().last_error, None);
}

#[live_test]
async fn a_closed_port_is_a_network_error() {
    // No server listens on this port, and browsers do not block it.
    let transport = target::transport("http://127.0.0.1:65500");
    let runtime = Runtime { transport: Rc::clone(&transport), clock: target::clock(), spawn: target::spawn() };
    let factory = SharedInformerFactory::<informer::Object>::new(runtime, short_waits());
    let pods = "v1/pods".parse().expect("valid");
    let (_, informer) = factory.for_resource(pods, InformerOptions::default()).expect("valid");
    factory.start();
    until("reported", || informer.status().last_error.is_some()).await;
    let status = informer.status();
    let error = status.last_error.expect("reported");
    assert_eq!((error.code, status.freshness), (ErrorCode::Network, Freshness::Disconnected));
    // `fetch` does not distinguish an unreachable server from one that does not allow the origin: the message names
    // both.
    assert!(!cfg!(target_arch = "wasm32") || error.message.contains("origin"), "{}", error.message);
    factory.shutdown();
}
