//! Missing namespace: checks whether the namespace of an empty informer exists, as the server lists none without an
//! error.

use std::time::Duration;

use futures::FutureExt;

use informer::transport::Request;
use informer::{Object, Runtime, SharedInformer};

/// How often a namespace that is missing is looked for.
const EVERY: Duration = Duration::from_secs(30);

/// The largest answer that is read.
const MAX_BYTES: usize = 1 << 20;

/// Asks for the namespace, and again while it is missing and its informer has no objects.
pub(super) fn look_for_namespace(runtime: &Runtime, informer: &SharedInformer<Object>, namespace: &str) {
    let (asking, informer) = (runtime.clone(), informer.clone());
    let path = format!("/api/v1/namespaces/{namespace}?pretty=false");
    let task = async move {
        while informer.is_synced_and_empty() {
            let is_missing = is_missing(&asking, &path).await;
            informer.set_namespace_missing(is_missing == Some(true));
            if is_missing == Some(false) {
                return;
            }
            asking.clock.sleep(EVERY).await;
        }
        informer.set_namespace_missing(false);
    };
    (runtime.spawn)(task.boxed_local());
}

/// `None` where the server does not let one know.
async fn is_missing(runtime: &Runtime, path: &str) -> Option<bool> {
    let response = runtime.transport.send(Request::get(path).header("Accept", "application/json")).await.ok()?;
    match response.status {
        200..300 => Some(false),
        // A server that has no namespaces at all says so in other words.
        404 => {
            let body = response.read(MAX_BYTES).await.ok()?;
            String::from_utf8_lossy(&body).contains("\"namespaces\"").then_some(true)
        }
        _ => None,
    }
}
