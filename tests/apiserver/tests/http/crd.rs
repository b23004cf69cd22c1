//! Custom resources.

use serde_json::{Value, json};

use crate::client::{Api, End, names};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.dev/v1/namespaces/default/widgets";

fn definition() -> Value {
    json!({
        "metadata": {"name": "widgets.example.dev"},
        "spec": {
            "group": "example.dev", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {}}],
        },
    })
}

#[tokio::test]
async fn a_definition_adds_a_resource_and_its_deletion_removes_it() {
    let api = Api::new().await;
    assert_eq!(api.get(WIDGETS).await.0, 404);
    let (status, made) = api.post(CRDS, &definition()).await;
    assert_eq!(status, 201);
    assert_eq!(made["status"]["conditions"][1]["type"], "Established");
    let (_, group) = api.get("/apis/example.dev/v1").await;
    assert_eq!(
        (group["resources"][0]["name"].as_str(), group["resources"][0]["shortNames"][0].as_str()),
        (Some("widgets"), Some("wd"))
    );
    let groups = api.get("/apis").await.1["groups"].clone();
    assert!(groups.as_array().unwrap().iter().any(|group| group["name"] == "example.dev"));
    let widget =
        json!({"apiVersion": "example.dev/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}});
    assert_eq!(api.post(WIDGETS, &widget).await.0, 201);
    let mut watch = api.watch(&format!("{WIDGETS}?watch=1")).await;
    assert_eq!(watch.event().await, "ADDED w");
    api.merge(&format!("{WIDGETS}/w"), &json!({"spec": {"size": 2}})).await;
    let changed = watch.step().await.unwrap();
    assert_eq!(changed["object"]["metadata"]["generation"], 2);
    assert_eq!(api.delete(&format!("{CRDS}/widgets.example.dev")).await.0, 200);
    assert_eq!(watch.event().await, "DELETED w");
    assert_eq!(watch.step().await, Err(End::Clean));
    assert_eq!(api.get(WIDGETS).await.0, 404);
}

#[tokio::test]
async fn lists_of_custom_objects_are_written_as_the_real_server_writes_them() {
    let api = Api::new().await;
    api.post(CRDS, &definition()).await;
    api.post(WIDGETS, &json!({"metadata": {"name": "w"}})).await;
    let url = format!("{}{WIDGETS}", api.server.url());
    let text = api.http.get(url).send().await.unwrap().text().await.unwrap();
    let revision = api.server.revision();
    // The fields are sorted, so the version comes after the items; the items name their kind.
    assert!(text.starts_with(
        "{\"apiVersion\":\"example.dev/v1\",\"items\":[{\"apiVersion\":\"example.dev/v1\",\"kind\":\"Widget\","
    ));
    let end =
        format!("],\"kind\":\"WidgetList\",\"metadata\":{{\"continue\":\"\",\"resourceVersion\":\"{revision}\"}}}}\n");
    assert!(text.ends_with(&end), "{text}");
    assert_eq!(names(&serde_json::from_str(&text).unwrap()), ["w"]);
}

#[tokio::test]
async fn invalid_definitions_are_rejected() {
    let api = Api::new().await;
    for (pointer, value) in [
        ("/metadata/name", json!("other.example.dev")),
        ("/spec/group", json!("")),
        ("/spec/names/kind", json!(null)),
        ("/spec/versions", json!([])),
        ("/spec", json!("text")),
    ] {
        let mut bad = definition();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert_eq!(api.post(CRDS, &bad).await.0, 422, "{pointer}");
    }
}
