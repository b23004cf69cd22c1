//! Native runtime: reqwest, tokio, and an apiserver that is named at run time.

use std::env;
use std::rc::Rc;

use informer::Spawn;
use informer::clock::Clock;
use informer::clock::native::NativeClock;
use informer::transport::Transport;
use informer::transport::native::NativeTransport;
use send_wrapper::SendWrapper;
/// A current-thread runtime for each test.
pub(crate) use tokio::test as live_test;

pub(crate) fn apiserver() -> String {
    env::var("KUBE_INFORMER_TEST_APISERVER")
        .expect("KUBE_INFORMER_TEST_APISERVER names no apiserver: run these tests with `make test STEPS=live`")
}

pub(crate) fn clock() -> Rc<dyn Clock> {
    Rc::new(NativeClock::new())
}

pub(crate) fn transport(url: &str) -> Rc<dyn Transport> {
    Rc::new(NativeTransport::new(url))
}

pub(crate) fn spawn() -> Spawn {
    // The runtime of a test has one thread, which the wrapper checks. A `LocalSet` would work as well, but no attribute
    // creates one around a test.
    Rc::new(|task| drop(tokio::spawn(SendWrapper::new(task))))
}

/// Sends a request outside of informers. Returns the status and the body of the response.
pub(crate) async fn send(method: &str, url: &str, content_type: &str, body: String) -> (u16, String) {
    let method = method.parse().expect("a method");
    let request = reqwest::Client::new().request(method, url).header("content-type", content_type).body(body);
    let answer = request.send().await.expect("answered");
    (answer.status().as_u16(), answer.text().await.expect("a body"))
}
