//! Browser runtime: `fetch`, timers, and an apiserver that is named at compile time.

use std::rc::Rc;

use gloo_net::http::{Method, RequestBuilder};
use informer::Spawn;
use informer::clock::Clock;
use informer::clock::browser::BrowserClock;
use informer::transport::Transport;
use informer::transport::fetch::FetchTransport;
pub(crate) use wasm_bindgen_test::wasm_bindgen_test as live_test;

pub(crate) fn apiserver() -> String {
    // Not env!: without the server these tests must still compile, for clippy.
    match option_env!("KUBE_INFORMER_TEST_APISERVER") {
        Some(url) => url.to_owned(),
        None => {
            panic!("KUBE_INFORMER_TEST_APISERVER names no apiserver: run these tests with `make test STEPS=browser`")
        }
    }
}

pub(crate) fn clock() -> Rc<dyn Clock> {
    Rc::new(BrowserClock::new())
}

pub(crate) fn transport(url: &str) -> Rc<dyn Transport> {
    Rc::new(FetchTransport::new(url))
}

pub(crate) fn spawn() -> Spawn {
    Rc::new(wasm_bindgen_futures::spawn_local)
}

/// Sends a request outside of informers. Returns the status and the body of the response.
pub(crate) async fn send(method: &str, url: &str, content_type: &str, body: String) -> (u16, String) {
    let builder = RequestBuilder::new(url).method(method.parse::<Method>().expect("a method"));
    let request =
        if body.is_empty() { builder.build() } else { builder.header("content-type", content_type).body(body) };
    let answer = request.expect("valid").send().await.expect("answered");
    (answer.status(), answer.text().await.expect("a body"))
}
