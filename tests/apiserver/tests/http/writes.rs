//! Create, update, patch, delete.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Api, names, version};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn pod(name: &str) -> Value {
    json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}})
}

#[tokio::test]
async fn create_sets_what_the_server_owns() {
    let api = Api::new().await;
    let (status, made) = api.post(PODS, &pod("p")).await;
    assert_eq!(status, 201);
    assert_eq!(made["metadata"]["uid"].as_str().unwrap().len(), 36);
    assert!(made["metadata"]["creationTimestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        (made["metadata"]["namespace"].as_str(), made["status"]["phase"].as_str()),
        (Some("default"), Some("Pending"))
    );
    assert_eq!(made["spec"]["restartPolicy"], "Always");
    let (status, again) = api.post(PODS, &pod("p")).await;
    assert_eq!((status, again["reason"].as_str()), (409, Some("AlreadyExists")));
    assert_eq!(again["message"], "pods \"p\" already exists");
    let (_, generated) = api.post(MAPS, &json!({"metadata": {"generateName": "x-"}})).await;
    assert_eq!(generated["metadata"]["name"].as_str().unwrap().len(), 7);
    let (status, lost) = api.post("/api/v1/namespaces/nowhere/pods", &pod("p")).await;
    assert_eq!((status, lost["message"].as_str()), (404, Some("namespaces \"nowhere\" not found")));
    for name in [json!(""), json!("Upper"), json!("a/b")] {
        assert_eq!(api.post(MAPS, &json!({"metadata": {"name": name}})).await.0, 422, "{name}");
    }
}

#[tokio::test]
async fn put_needs_the_version_it_read() {
    let api = Api::new().await;
    api.config_map("a", json!({})).await;
    let (_, mut object) = api.get(&format!("{MAPS}/a")).await;
    object["data"] = json!({"k": "1"});
    let (status, updated) = api.put(&format!("{MAPS}/a"), &object).await;
    assert_eq!(status, 200);
    assert_ne!(version(&updated), version(&object));
    object["data"] = json!({"k": "2"});
    let (status, conflict) = api.put(&format!("{MAPS}/a"), &object).await;
    assert_eq!((status, conflict["reason"].as_str()), (409, Some("Conflict")));
    assert_eq!(api.put(&format!("{MAPS}/none"), &json!({"metadata": {"name": "none"}})).await.0, 404);
    assert_eq!(api.put(&format!("{MAPS}/a"), &json!({"metadata": {"name": "b"}})).await.0, 400);
}

#[tokio::test]
async fn a_patch_that_changes_nothing_makes_no_version() {
    let api = Api::new().await;
    let before = api.config_map("a", json!({"x": "y"})).await;
    let (status, same) = api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"labels": {"x": "y"}}})).await;
    assert_eq!((status, version(&same)), (200, before.clone()));
    let (_, identity) =
        api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"uid": null, "creationTimestamp": null}})).await;
    assert_eq!(version(&identity), before);
}

#[tokio::test]
async fn every_kind_of_patch() {
    let api = Api::new().await;
    api.post(PODS, &pod("p")).await;
    let url = format!("{PODS}/p");
    let strategic = json!({"spec": {"containers": [{"name": "c", "env": [{"name": "A", "value": "1"}]}]}});
    let patch =
        async |content_type: &str, patch: Value| api.send(Method::PATCH, &url, content_type, patch.to_string()).await;
    let (status, patched) = patch("application/strategic-merge-patch+json", strategic).await;
    assert_eq!((status, patched["spec"]["containers"][0]["image"].as_str()), (200, Some("i:1")));
    assert_eq!(patched["metadata"]["generation"], 2);
    let replace = json!([{"op": "replace", "path": "/spec/containers/0/image", "value": "i:2"}]);
    let (_, patched) = patch("application/json-patch+json", replace).await;
    assert_eq!(patched["spec"]["containers"][0]["image"], "i:2");
    assert_eq!(patch("application/json-patch+json", json!([{"op": "remove", "path": "/spec/none"}])).await.0, 422);
    let (_, patched) = patch("application/merge-patch+json", json!({"spec": {"containers": [{"name": "d"}]}})).await;
    assert_eq!(patched["spec"]["containers"], json!([{"name": "d"}]));
    assert_eq!(patch("text/plain", json!({})).await.0, 415);
    assert_eq!(patch("application/merge-patch+json", json!([1])).await.0, 400);
    let applied = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ssa"}, "data": {"a": "b"}});
    let apply = async || {
        api.send(
            Method::PATCH,
            &format!("{MAPS}/ssa?fieldManager=t"),
            "application/apply-patch+yaml",
            applied.to_string(),
        )
        .await
    };
    assert_eq!(apply().await.0, 201);
    assert_eq!(apply().await.0, 200);
}

#[tokio::test]
async fn status_and_spec_are_written_separately() {
    let api = Api::new().await;
    api.post(PODS, &pod("p")).await;
    let both = json!({"metadata": {"labels": {"a": "b"}}, "status": {"phase": "Running"}});
    let (_, main) = api.merge(&format!("{PODS}/p"), &both).await;
    assert_eq!(
        (main["status"]["phase"].as_str(), main["metadata"]["labels"]["a"].as_str()),
        (Some("Pending"), Some("b"))
    );
    let both = json!({"metadata": {"labels": {"a": "c"}}, "spec": {"nodeName": "n"}, "status": {"phase": "Running"}});
    let (_, status) = api.merge(&format!("{PODS}/p/status"), &both).await;
    assert_eq!(
        (status["status"]["phase"].as_str(), status["metadata"]["labels"]["a"].as_str()),
        (Some("Running"), Some("c"))
    );
    assert!(status["spec"].get("nodeName").is_none());
    assert_eq!(status["metadata"]["generation"], 1);
}

#[tokio::test]
async fn a_deleted_pod_is_first_marked() {
    let api = Api::new().await;
    let (_, made) = api.post(PODS, &pod("p")).await;
    let mut watch = api.watch(&format!("{PODS}?watch=1&resourceVersion={}", version(&made))).await;
    let (status, marked) = api.delete(&format!("{PODS}/p")).await;
    assert_eq!(status, 200);
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    let first = watch.step().await.unwrap();
    let second = watch.step().await.unwrap();
    assert_eq!((first["type"].as_str(), second["type"].as_str()), (Some("MODIFIED"), Some("DELETED")));
    assert!(version(&first["object"]).parse::<u64>().unwrap() < version(&second["object"]).parse().unwrap());
    assert_eq!(api.get(&format!("{PODS}/p")).await.0, 404);
    api.post(PODS, &pod("q")).await;
    assert_eq!(watch.event().await, "ADDED q");
    api.delete(&format!("{PODS}/q?gracePeriodSeconds=0")).await;
    // Without grace, too.
    assert_eq!(watch.event().await, "MODIFIED q");
    assert_eq!(watch.event().await, "DELETED q");
}

#[tokio::test]
async fn an_object_stays_until_its_finalizers_are_removed() {
    let api = Api::new().await;
    api.post(MAPS, &json!({"metadata": {"name": "a", "finalizers": ["example.dev/hold"]}})).await;
    assert_eq!(api.delete(&format!("{MAPS}/a")).await.0, 200);
    let (status, held) = api.get(&format!("{MAPS}/a")).await;
    assert_eq!(status, 200);
    assert!(held["metadata"]["deletionTimestamp"].is_string());
    api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(api.get(&format!("{MAPS}/a")).await.0, 404);
}

#[tokio::test]
async fn owners_and_namespaces_are_deleted_with_their_dependents() {
    let api = Api::new().await;
    let (_, deployment) = api.post(DEPLOYMENTS, &json!({"metadata": {"name": "d"}, "spec": {}})).await;
    let owned_by = |owner: &Value, kind: &str, name: &str| {
        let owner = json!([{"apiVersion": "apps/v1", "kind": kind, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]);
        json!({"metadata": {"name": name, "ownerReferences": owner}})
    };
    let sets = "/apis/apps/v1/namespaces/default/replicasets";
    let (_, set) = api.post(sets, &owned_by(&deployment, "Deployment", "d-1")).await;
    api.post(PODS, &owned_by(&set, "ReplicaSet", "d-1-x")).await;
    api.post(PODS, &pod("free")).await;
    let (status, gone) = api.delete(&format!("{DEPLOYMENTS}/d")).await;
    assert_eq!((status, gone["status"].as_str()), (200, Some("Success")));
    assert_eq!(names(&api.get(sets).await.1), [""; 0]);
    assert_eq!(names(&api.get(PODS).await.1), ["free"]);
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await;
    api.post("/api/v1/namespaces/n/pods", &pod("p")).await;
    api.delete("/api/v1/namespaces/n").await;
    assert_eq!(api.get("/api/v1/namespaces/n").await.0, 404);
    assert_eq!(names(&api.get("/api/v1/pods").await.1), ["free"]);
}

#[tokio::test]
async fn delete_collection_and_preconditions() {
    let api = Api::new().await;
    for name in ["a", "b"] {
        api.config_map(name, json!({"n": name})).await;
    }
    let uid = json!({"preconditions": {"uid": "other"}}).to_string();
    assert_eq!(api.send(Method::DELETE, &format!("{MAPS}/a"), "application/json", uid).await.0, 409);
    let (status, _) = api.delete(&format!("{MAPS}?labelSelector=n%3Da")).await;
    assert_eq!(status, 200);
    assert_eq!(names(&api.get(MAPS).await.1), ["b"]);
    assert_eq!(api.delete("/api/v1/namespaces").await.0, 405);
}

#[tokio::test]
async fn scale() {
    let api = Api::new().await;
    let spec = json!({"replicas": 2, "selector": {"matchLabels": {"a": "b"}}});
    api.post(DEPLOYMENTS, &json!({"metadata": {"name": "d"}, "spec": spec})).await;
    let path = format!("{DEPLOYMENTS}/d/scale");
    let (_, scale) = api.get(&path).await;
    assert_eq!((scale["spec"]["replicas"].as_u64(), scale["status"]["selector"].as_str()), (Some(2), Some("a=b")));
    assert_eq!(api.merge(&path, &json!({"spec": {"replicas": 5}})).await.1["spec"]["replicas"], 5);
    assert_eq!(api.get(&format!("{DEPLOYMENTS}/d")).await.1["spec"]["replicas"], 5);
    assert_eq!(api.merge(&path, &json!({"spec": {"replicas": -1}})).await.0, 422);
    assert_eq!(api.get(&format!("{MAPS}/d/scale")).await.0, 404);
}
