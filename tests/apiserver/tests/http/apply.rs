//! Server-side apply, field managers, dry runs and the ways to delete an owner.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Api;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

async fn apply(api: &Api, path: &str, manager: &str, body: &str) -> (u16, Value) {
    let path = format!("{path}?fieldManager={manager}");
    api.send(Method::PATCH, &path, "application/apply-patch+yaml", body.to_owned()).await
}

/// Returns `manager operation fields` of each entry.
fn owners(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let show = |entry: &Value| {
        let (manager, operation) = (entry["manager"].as_str().unwrap(), entry["operation"].as_str().unwrap());
        format!("{manager} {operation} {}", entry["fieldsV1"])
    };
    entries.iter().map(show).collect()
}

#[tokio::test]
async fn apply_creates_changes_and_removes_fields() {
    let api = Api::new().await;
    let path = format!("{MAPS}/a");
    let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: y}\ndata:\n  k: '1'\n  l: '2'\n";
    let (status, made) = apply(&api, &path, "me", yaml).await;
    assert_eq!((status, &made["data"]), (201, &json!({"k": "1", "l": "2"})));
    assert_eq!(
        owners(&made),
        ["me Apply {\"f:data\":{\"f:k\":{},\"f:l\":{}},\"f:metadata\":{\"f:labels\":{\"f:x\":{}}}}"]
    );
    let (status, again) = apply(&api, &path, "me", yaml).await;
    assert_eq!((status, &again), (200, &made));
    let (_, less) =
        apply(&api, &path, "me", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: '3'}}").await;
    assert_eq!((&less["data"], &less["metadata"]["labels"]), (&json!({"k": "3"}), &Value::Null));
    assert_eq!(owners(&less), ["me Apply {\"f:data\":{\"f:k\":{}}}"]);
    let path = format!("{path}?x=y");
    let (status, body) = api.send(Method::PATCH, &path, "application/apply-patch+yaml", "{}".to_owned()).await;
    assert_eq!((status, body["reason"].as_str()), (422, Some("Invalid")));
}

#[tokio::test]
async fn two_managers_conflict_in_one_field() {
    let api = Api::new().await;
    let path = format!("{MAPS}/a");
    let body =
        |value: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{k: '{value}'}}}}");
    apply(&api, &path, "one", &body("1")).await;
    let (status, shared) = apply(&api, &path, "two", &body("1")).await;
    assert_eq!((status, owners(&shared).len()), (200, 2));
    let (status, conflict) = apply(&api, &path, "two", &body("2")).await;
    assert_eq!((status, conflict["reason"].as_str()), (409, Some("Conflict")));
    assert_eq!(conflict["message"], "Apply failed with 1 conflict: conflict with \"one\": .data.k");
    assert_eq!(
        conflict["details"]["causes"],
        json!([{"reason": "FieldManagerConflict", "message": "conflict with \"one\"", "field": ".data.k"}])
    );
    let (status, forced) = apply(&api, &path, "two&force=true", &body("2")).await;
    assert_eq!((status, owners(&forced)), (200, vec!["two Apply {\"f:data\":{\"f:k\":{}}}".to_owned()]));
    // An update takes the field over without a conflict, and a later apply's conflict names its version.
    let (_, updated) = api.merge(&format!("{path}?fieldManager=three"), &json!({"data": {"k": "3"}})).await;
    assert_eq!(owners(&updated), ["three Update {\"f:data\":{\"f:k\":{}}}"]);
    let (_, conflict) = apply(&api, &path, "two", &body("4")).await;
    assert_eq!(conflict["message"], "Apply failed with 1 conflict: conflict with \"three\" using v1: .data.k");
    // Only an existing object may lack a name in the body.
    let nameless = "{apiVersion: v1, kind: ConfigMap, data: {j: '1'}}";
    assert_eq!(apply(&api, &path, "four", nameless).await.0, 200);
    assert_eq!(apply(&api, &format!("{MAPS}/b"), "four", nameless).await.0, 400);
    for (config, status) in [
        ("{kind: ConfigMap}", 400),
        ("{apiVersion: v1, kind: Secret}", 400),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}", 400),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {managedFields: [{}]}}", 400),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: 7}", 500),
    ] {
        assert_eq!(apply(&api, &path, "two", config).await.0, status, "{config}");
    }
}

#[tokio::test]
async fn a_client_may_rewrite_managed_fields() {
    let api = Api::new().await;
    let path = format!("{MAPS}/a");
    api.post(&format!("{MAPS}?fieldManager=old"), &json!({"metadata": {"name": "a"}, "data": {"k": "1"}})).await;
    let emptying = json!([{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]).to_string();
    let (status, emptied) = api.send(Method::PATCH, &path, "application/json-patch+json", emptying).await;
    assert_eq!((status, &emptied["metadata"]["managedFields"]), (200, &Value::Null));
    let (status, applied) =
        apply(&api, &path, "new", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: '2'}}").await;
    assert_eq!((status, owners(&applied)), (200, vec!["new Apply {\"f:data\":{\"f:k\":{}}}".to_owned()]));
}

#[tokio::test]
async fn keyed_lists_are_owned_item_by_item() {
    let api = Api::new().await;
    let path = format!("{DEPLOYMENTS}/d");
    let deployment = |containers: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d}}, spec: {{selector: {{matchLabels: {{a: b}}}}, \
             template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{containers}]}}}}}}}}"
        )
    };
    let (status, made) = apply(&api, &path, "me", &deployment("{name: c, image: '1'}, {name: e, image: '1'}")).await;
    assert_eq!(status, 201, "{made}");
    let merged = json!({"spec": {"replicas": 5}});
    assert_eq!(api.merge(&format!("{path}?fieldManager=scaler"), &merged).await.0, 200);
    let (status, changed) = apply(&api, &path, "me", &deployment("{name: c, image: '2'}")).await;
    assert_eq!(status, 200, "{changed}");
    let containers = changed["spec"]["template"]["spec"]["containers"].as_array().unwrap();
    assert_eq!((containers.len(), containers[0]["image"].as_str()), (1, Some("2")));
    // Fields of another manager stay.
    assert_eq!(changed["spec"]["replicas"], 5);
}

#[tokio::test]
async fn a_dry_run_returns_the_result_without_a_write() {
    let api = Api::new().await;
    let before = api.config_map("a", json!({})).await;
    let (status, made) = api.post(&format!("{MAPS}?dryRun=All"), &json!({"metadata": {"name": "b"}})).await;
    assert_eq!((status, made["metadata"]["name"].as_str()), (201, Some("b")));
    let (status, changed) = api.merge(&format!("{MAPS}/a?dryRun=All"), &json!({"data": {"k": "v"}})).await;
    assert_eq!((status, &changed["data"]), (200, &json!({"k": "v"})));
    assert_eq!(api.delete(&format!("{MAPS}/a?dryRun=All")).await.0, 200);
    let body = json!({"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]}).to_string();
    assert_eq!(api.send(Method::DELETE, &format!("{MAPS}/a"), "application/json", body).await.0, 200);
    let (_, list) = api.get(MAPS).await;
    assert_eq!((list["items"].as_array().unwrap().len(), &list["items"][0]["data"]), (1, &Value::Null));
    assert_eq!(list["metadata"]["resourceVersion"], before);
    let (status, body) = api.post(&format!("{MAPS}?dryRun=Some"), &json!({"metadata": {"name": "b"}})).await;
    assert_eq!((status, body["details"]["causes"][0]["field"].as_str()), (422, Some("dryRun")));
}

#[tokio::test]
async fn an_owner_is_deleted_in_three_ways() {
    let api = Api::new().await;
    let owned = async |policy: &str| {
        let (_, owner) = api.post(MAPS, &json!({"metadata": {"name": "owner"}})).await;
        let reference =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
        api.post(MAPS, &json!({"metadata": {"name": "child", "ownerReferences": [reference]}})).await;
        let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={}", api.server.revision())).await;
        let options = json!({"propagationPolicy": policy}).to_string();
        let (status, _) = api.send(Method::DELETE, &format!("{MAPS}/owner"), "application/json", options).await;
        assert_eq!(status, 200, "{policy}");
        let mut events = Vec::new();
        while events.last().is_none_or(|event| event != "DELETED owner") {
            events.push(watch.event().await);
        }
        if policy == "Background" {
            assert_eq!(watch.event().await, "DELETED child");
        }
        (events, api.get(&format!("{MAPS}/child")).await)
    };
    assert_eq!(owned("Background").await.0, ["DELETED owner"]);
    assert_eq!(owned("Foreground").await.0, ["MODIFIED owner", "DELETED child", "DELETED owner"]);
    let (events, (status, child)) = owned("Orphan").await;
    assert_eq!(events, ["MODIFIED child", "DELETED owner"]);
    assert_eq!((status, &child["metadata"]["ownerReferences"]), (200, &Value::Null));
}
