//! Missing namespace: checks whether the namespace of an empty informer exists, because the server returns an empty
//! list, not an error, for a missing one.

use std::time::Duration;

use futures::FutureExt;

use informer::transport::Request;
use informer::{Object, Runtime, SharedInformer};

/// Interval between checks of a missing namespace.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// Maximum size of a response.
const MAX_BYTES: usize = 1 << 20;

/// Requests the namespace of an informer, at intervals while it is missing and its informer has no objects.
pub(super) fn check_namespace(runtime: &Runtime, informer: &SharedInformer<Object>, namespace: &str) {
    let (task_runtime, informer) = (runtime.clone(), informer.clone());
    let path = format!("/api/v1/namespaces/{namespace}?pretty=false");
    let task = async move {
        while informer.is_synced_and_empty() {
            let is_missing = is_missing(&task_runtime, &path).await;
            if is_missing == Some(false) {
                return informer.end_namespace_check(true);
            }
            informer.set_namespace_missing(is_missing == Some(true));
            task_runtime.clock.sleep(CHECK_INTERVAL).await;
        }
        informer.end_namespace_check(false);
    };
    (runtime.spawn)(task.boxed_local());
}

/// Whether the namespace is missing; `None` if the server does not reveal it.
async fn is_missing(runtime: &Runtime, path: &str) -> Option<bool> {
    let response = runtime.transport.send(Request::get(path).header("Accept", "application/json")).await.ok()?;
    match response.status {
        200..300 => Some(false),
        // A server without the namespaces API responds with another message.
        404 => {
            let body = response.read(MAX_BYTES).await.ok()?;
            String::from_utf8_lossy(&body).contains("\"namespaces\"").then_some(true)
        }
        _ => None,
    }
}
