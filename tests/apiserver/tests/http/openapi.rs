//! The `OpenAPI` documents.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::client::Api;

/// Returns the schema of a kind, found as a client finds it.
fn of_kind<'a>(document: &'a Value, group: &str, version: &str, kind: &str) -> &'a Value {
    let wanted = json!({"group": group, "version": version, "kind": kind});
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let is =
        |schema: &&Value| schema["x-kubernetes-group-version-kind"].as_array().is_some_and(|all| all.contains(&wanted));
    schemas.values().find(is).unwrap()
}

#[tokio::test]
async fn a_document_has_the_schemas_of_its_kinds_down_to_their_fields() {
    let api = Api::new().await;
    let (_, index) = api.get("/openapi/v3").await;
    let url = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap().to_owned();
    let (status, document) = api.get(&url).await;
    assert_eq!(status, 200);
    let deployment = of_kind(&document, "apps", "v1", "Deployment");
    let spec = &deployment["properties"]["spec"]["allOf"][0]["$ref"];
    assert_eq!(spec, "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec");
    let schemas = &document["components"]["schemas"];
    let probe = &schemas["io.k8s.api.core.v1.Probe"]["properties"]["periodSeconds"];
    assert!(probe["type"] == "integer" && probe["description"].as_str().unwrap().contains("perform the probe"));
    let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Deployment");
    assert!(schemas["io.k8s.api.autoscaling.v1.Scale"].is_object());
    assert_eq!(api.get("/openapi/v3/apis/nothing.example.com/v1").await.0, 404);
}

#[tokio::test]
async fn a_definition_adds_its_schema_and_a_change_changes_its_address() {
    let api = Api::new().await;
    let definition = |field: &str| {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {field: {"type": "integer", "minimum": 1}}}}});
        json!({"metadata": {"name": "widgets.example.com"}, "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        }})
    };
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(api.post(crds, &definition("size")).await.0, 201);
    let (_, index) = api.get("/openapi/v3").await;
    let url = index["paths"]["apis/example.com/v1"]["serverRelativeURL"].as_str().unwrap().to_owned();
    let (_, document) = api.get(&url).await;
    let widget = of_kind(&document, "example.com", "v1", "Widget");
    assert_eq!(widget["properties"]["spec"]["properties"]["size"], json!({"type": "integer", "minimum": 1}));
    assert!(document["components"]["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].is_object());
    assert_eq!(api.merge(&format!("{crds}/widgets.example.com"), &definition("length")).await.0, 200);
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let moved = client.get(format!("{}{url}", api.server.url())).send().await.unwrap();
    assert_eq!(moved.status(), StatusCode::MOVED_PERMANENTLY);
    let newest = moved.headers()["location"].to_str().unwrap().to_owned();
    let fresh = client.get(format!("{}{newest}", api.server.url())).send().await.unwrap();
    assert_eq!(fresh.headers()["cache-control"], "public, immutable");
    let etag = fresh.headers()["etag"].clone();
    let known = client.get(format!("{}{newest}", api.server.url())).header("if-none-match", etag);
    assert_eq!(known.send().await.unwrap().status(), StatusCode::NOT_MODIFIED);
}
