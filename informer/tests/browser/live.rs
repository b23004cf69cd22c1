//! Real streaming `fetch` against the embedded apiserver, whose address `tests/run` gives at compile time.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use gloo_net::http::{Method, RequestBuilder};
use informer::clock::Clock;
use informer::clock::browser::BrowserClock;
use informer::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine, ViewOptions};
use informer::transport::Transport;
use informer::transport::fetch::FetchTransport;
use informer::{
    ErrorCode, Freshness, Keyed, Object, Phase, ReflectorOptions, Runtime, SharedInformer, SharedInformerFactory,
    discover,
};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{MessageChannel, MessageEvent};

/// How long anything may take before a test says that it did not happen.
const PATIENCE: Duration = Duration::from_secs(20);

fn apiserver() -> &'static str {
    // Not env!: without the server these tests must still compile, for clippy.
    match option_env!("KUBE_INFORMER_TEST_APISERVER") {
        Some(url) => url,
        None => panic!("KUBE_INFORMER_TEST_APISERVER is not set: run these tests with `make test`"),
    }
}

fn runtime(url: &str) -> Runtime {
    Runtime {
        transport: Rc::new(FetchTransport::new(url)),
        clock: Rc::new(BrowserClock::new()),
        spawn: Rc::new(wasm_bindgen_futures::spawn_local),
    }
}

/// Resolves as soon as `condition` holds; fails with `what` when it does not in time.
async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let clock = BrowserClock::new();
    let deadline = clock.now() + PATIENCE;
    while !condition() {
        assert!(clock.now() < deadline, "not in time: {what}");
        clock.sleep(Duration::from_millis(10)).await;
    }
}

fn pods_at(url: &str, namespace: &str) -> (SharedInformerFactory<Object>, SharedInformer<Object>) {
    let factory = SharedInformerFactory::new(runtime(url), ReflectorOptions::default());
    let namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
    let options = InformerOptions { namespace, page_size: Some(20), ..InformerOptions::default() };
    let (_, pods) = factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid");
    factory.start();
    (factory, pods)
}

async fn request(method: Method, path: &str, body: &str) {
    let request = RequestBuilder::new(&format!("{}{path}", apiserver())).method(method.clone());
    let request =
        if body.is_empty() { request.build() } else { request.header("content-type", "application/json").body(body) };
    let status = request.expect("valid").send().await.expect("answered").status();
    assert!(status < 300, "{method} {path}: {status}");
}

/// A namespace of this test's own, so that nothing else touches it.
async fn own_namespace(name: &str) -> String {
    let name = format!("{name}-{}", BrowserClock::new().seed() % 1_000_000_007);
    let body = format!(r#"{{"kind":"Namespace","apiVersion":"v1","metadata":{{"name":"{name}"}}}}"#);
    request(Method::POST, "/api/v1/namespaces", &body).await;
    name
}

async fn create_pod(namespace: &str, name: &str) {
    let body = format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}"}},"spec":{{"containers":[{{"name":"c","image":"pause"}}]}}}}"#
    );
    request(Method::POST, &format!("/api/v1/namespaces/{namespace}/pods"), &body).await;
}

fn names(informer: &SharedInformer<Object>) -> Vec<String> {
    let mut names: Vec<String> = informer.indexer().list().map(|object| object.name().to_owned()).collect();
    names.sort();
    names
}

#[wasm_bindgen_test]
async fn a_cluster_is_listed_in_pages_and_watched() {
    let (factory, pods) = pods_at(apiserver(), "");
    until("synced", || pods.has_synced() && pods.status().freshness == Freshness::Live).await;
    let status = pods.status();
    assert!(status.objects >= 20, "{status:?}");
    until("a bookmark each second", || pods.status().last_bookmark_at > status.last_bookmark_at).await;
    factory.shutdown();
    until("stopped", || pods.status().phase == Phase::Stopped).await;
}

#[wasm_bindgen_test]
async fn what_is_created_changed_and_deleted_is_seen() {
    let namespace = own_namespace("crud").await;
    let (factory, pods) = pods_at(apiserver(), &namespace);
    until("live", || pods.status().freshness == Freshness::Live).await;
    create_pod(&namespace, "a").await;
    until("created", || names(&pods) == ["a"]).await;
    let version = pods.lister().namespace(&namespace).get("a").expect("there").resource_version().to_owned();
    let path = format!("/api/v1/namespaces/{namespace}/pods/a");
    let url = format!("{}{path}", apiserver());
    let builder =
        RequestBuilder::new(&url).method(Method::PATCH).header("content-type", "application/merge-patch+json");
    let change = builder.body(r#"{"metadata":{"annotations":{"note":"café 😀"}}}"#).expect("valid");
    assert!(change.send().await.expect("answered").status() < 300);
    let lister = pods.lister().namespace(&namespace);
    until("changed", || lister.get("a").is_ok_and(|a| a.resource_version() != version && a.json().contains("😀")))
        .await;
    request(Method::DELETE, &format!("{path}?gracePeriodSeconds=0"), "").await;
    until("deleted", || names(&pods).is_empty()).await;
    factory.shutdown();
}

#[wasm_bindgen_test]
async fn a_watch_that_is_cut_is_resumed_without_a_relist() {
    let namespace = own_namespace("cut").await;
    let (factory, pods) = pods_at(apiserver(), &namespace);
    until("live", || pods.status().freshness == Freshness::Live).await;
    let before = pods.status();
    request(Method::POST, "/admin/cut-watches", "").await;
    create_pod(&namespace, "meanwhile").await;
    until("resumed", || names(&pods) == ["meanwhile"]).await;
    let after = pods.status();
    assert!(after.watches > before.watches && after.lists == before.lists, "{after:?}");
    factory.shutdown();
}

#[wasm_bindgen_test]
async fn a_version_that_is_compacted_is_relisted() {
    let namespace = own_namespace("compact").await;
    let (factory, pods) = pods_at(apiserver(), &namespace);
    until("live", || pods.status().freshness == Freshness::Live).await;
    create_pod(&namespace, "a").await;
    request(Method::POST, "/admin/compact", "").await;
    request(Method::POST, "/admin/cut-watches", "").await;
    create_pod(&namespace, "b").await;
    until("whole again", || names(&pods) == ["a", "b"] && pods.status().freshness == Freshness::Live).await;
    factory.shutdown();
}

#[wasm_bindgen_test]
async fn a_closed_port_is_a_network_error_that_names_both_causes() {
    // Nothing listens there, and it is none of the ports that browsers refuse to ask.
    let (factory, pods) = pods_at("http://127.0.0.1:65500", "");
    until("reported", || pods.status().last_error.is_some()).await;
    let status = pods.status();
    let error = status.last_error.expect("reported");
    assert_eq!((error.code, status.freshness), (ErrorCode::Network, Freshness::Disconnected));
    assert!(error.message.contains("origin"), "{}", error.message);
    factory.shutdown();
}

#[wasm_bindgen_test]
async fn discovery_finds_what_the_dashboard_shows() {
    let transport: Rc<dyn Transport> = Rc::new(FetchTransport::new(apiserver()));
    let resources = discover(&transport).await.expect("discovered");
    let names: Vec<String> = resources.iter().map(|info| info.gvr().to_string()).collect();
    for wanted in ["v1/pods", "apps/v1/deployments", "batch/v1/jobs"] {
        assert!(names.iter().any(|name| name == wanted), "{wanted} in {names:?}");
    }
}

#[wasm_bindgen_test]
async fn a_port_serves_a_page() {
    let channel = MessageChannel::new().expect("there");
    let (page, worker) = (channel.port1(), channel.port2());
    informer::js::serve(&worker);
    let inbox: Rc<RefCell<Vec<FromEngine>>> = Rc::default();
    let received = Rc::clone(&inbox);
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        received.borrow_mut().push(informer::js::from_js(event.data()).expect("a message"));
    });
    page.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    let say = |message: ToEngine| {
        page.post_message(&informer::js::to_js(&message).expect("plain")).expect("open");
    };
    say(ToEngine::Connect { version: PROTOCOL_VERSION, url: apiserver().into() });
    say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    say(ToEngine::Start);
    say(ToEngine::OpenView { view: 1, informer: 1, options: ViewOptions { end: 10, ..ViewOptions::default() } });
    let window = |inbox: &[FromEngine]| {
        let mut rows = HashMap::new();
        for message in inbox {
            if let FromEngine::View { rows: changed, .. } = message {
                rows.extend(changed.iter().map(|row| (row.index, row.key.clone())));
            }
        }
        rows.len()
    };
    until("a window of ten", || window(&inbox.borrow()) == 10).await;
    page.post_message(&wasm_bindgen::JsValue::from_str("nonsense")).expect("open");
    until("refused", || matches!(inbox.borrow().last(), Some(FromEngine::Refused { .. }))).await;
}
