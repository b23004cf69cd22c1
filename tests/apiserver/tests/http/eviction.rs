//! Eviction of pods, with and without a disruption budget.

use apiserver::Server;
use serde_json::{Value, json};

use crate::client::Api;

const PODS: &str = "/api/v1/namespaces/default/pods";
const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

/// A server without kubelets, with ready pods `a`, `b` and `c`, and a budget that wants two of them.
async fn guarded() -> Api {
    let api = Api::with(Server::builder().kubelet_is_a_client(true)).await;
    for name in ["a", "b", "c"] {
        let pod = json!({
            "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
            "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        });
        api.server.create("pods", "default", pod).unwrap();
    }
    budget(&api, "p").await;
    api
}

async fn budget(api: &Api, name: &str) {
    let spec = json!({"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}});
    assert_eq!(api.post(BUDGETS, &json!({"metadata": {"name": name}, "spec": spec})).await.0, 201);
}

async fn status(api: &Api, status: Value) {
    assert_eq!(api.merge(&format!("{BUDGETS}/p/status"), &json!({"status": status})).await.0, 200);
}

async fn evict(api: &Api, name: &str, query: &str) -> (u16, Value) {
    api.post(&format!("{PODS}/{name}/eviction{query}"), &json!({"metadata": {"name": name}})).await
}

fn cause(body: &Value) -> &str {
    body["details"]["causes"][0]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_budget_allows_its_number_of_evictions_and_reports_why_no_more() {
    let api = guarded().await;
    let (code, body) = evict(&api, "a", "").await;
    assert_eq!((code, cause(&body)), (429, "The disruption budget p is still being processed by the server."));
    assert_eq!(body["details"]["retryAfterSeconds"], 10);
    let healthy = |healthy: u32, allowed: u32| json!({"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": 2, "expectedPods": 3});
    status(&api, healthy(2, 0)).await;
    let (code, body) = evict(&api, "a", "").await;
    assert_eq!((code, cause(&body)), (429, "The disruption budget p needs 2 healthy pods and has 2 currently"));
    assert_eq!(body["message"], "Cannot evict pod as it would violate the pod's disruption budget.");
    status(&api, healthy(3, 1)).await;
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    assert_eq!(evict(&api, "a", "?dryRun=All").await, (201, success.clone()));
    assert_eq!(evict(&api, "a", "").await, (201, success));
    let (_, pod) = api.get(&format!("{PODS}/a")).await;
    assert!(pod["metadata"]["deletionTimestamp"].is_string());
    let noted = pod["status"]["conditions"].as_array().unwrap().iter().find(|one| one["type"] == "DisruptionTarget");
    assert_eq!(noted.unwrap()["reason"], "EvictionByEvictionAPI");
    let (_, left) = api.get(&format!("{BUDGETS}/p")).await;
    assert_eq!(left["status"]["disruptionsAllowed"], 0);
    assert!(left["status"]["disruptedPods"]["a"].is_string());
    let (code, body) = evict(&api, "b", "").await;
    assert_eq!((code, cause(&body)), (429, "The disruption budget p does not allow evicting pods currently"));
    budget(&api, "q").await;
    let (code, body) = evict(&api, "b", "").await;
    assert_eq!((code, body["message"].as_str().unwrap().contains("more than one")), (500, true));
}

#[tokio::test]
async fn an_eviction_that_is_no_disruption_needs_no_budget() {
    let api = guarded().await;
    let waiting = json!({"metadata": {"name": "w", "labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(api.post(PODS, &waiting).await.0, 201);
    assert_eq!(evict(&api, "w", "").await.0, 201);
    assert_eq!(api.get(&format!("{PODS}/w")).await.0, 404);
    let free = json!({
        "metadata": {"name": "f", "namespace": "default"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Running"},
    });
    api.server.create("pods", "default", free).unwrap();
    assert_eq!(evict(&api, "f", "").await.0, 201);
    // A pod that is not ready may be evicted while the others suffice.
    status(&api, json!({"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 3})).await;
    let unready = json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}});
    assert_eq!(api.merge(&format!("{PODS}/c/status"), &unready).await.0, 200);
    assert_eq!(evict(&api, "c", "").await.0, 201);
}

#[tokio::test]
async fn only_the_pod_of_the_url_is_evicted() {
    let api = guarded().await;
    let path = format!("{PODS}/a/eviction");
    let cases = [
        (json!({"metadata": {"name": "b"}}), 400, "name in URL does not match name in Eviction object"),
        (
            json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}),
            400,
            "Pod in version \"v1\" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown \
             conversion",
        ),
    ];
    for (body, code, message) in cases {
        let (found, response) = api.post(&path, &body).await;
        assert_eq!((found, response["message"].as_str()), (code, Some(message)));
    }
    assert_eq!(evict(&api, "none", "").await.0, 404);
    assert_eq!(api.get(&path).await.0, 405);
    status(&api, json!({"observedGeneration": 1, "disruptionsAllowed": 2, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3})).await;
    let other = json!({"metadata": {"name": "a"}, "deleteOptions": {"preconditions": {"uid": "x"}}});
    let (code, response) = api.post(&path, &other).await;
    let start = "Operation cannot be fulfilled on Pod \"a\": the UID in the precondition (x) does not match the UID in record (";
    assert!(code == 409 && response["message"].as_str().unwrap().starts_with(start), "{response}");
}
