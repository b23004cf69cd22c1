//! Response forms: tables, metadata only, YAML.

use apiserver::Server;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Api, End, Watch};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn form(name: &str) -> String {
    format!("application/json;as={name};v=v1;g=meta.k8s.io")
}

async fn get_as(api: &Api, path: &str, accept: &str) -> (u16, Value) {
    let request = api.http.get(format!("{}{path}", api.server.url())).header("accept", accept);
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap())
}

async fn watch_as(api: &Api, path: &str, accept: &str) -> Watch {
    let request = api.http.get(format!("{}{path}", api.server.url())).header("accept", accept);
    Watch::new(request.send().await.unwrap())
}

fn rows(table: &Value) -> Vec<Value> {
    table["rows"].as_array().unwrap().iter().map(|row| row["cells"].clone()).collect()
}

#[tokio::test]
async fn a_list_as_a_table() {
    let api = Api::new().await;
    for name in ["a", "b", "c"] {
        api.config_map(name, json!({"x": "y"})).await;
    }
    let (status, table) = get_as(&api, &format!("{MAPS}?limit=2"), &form("Table")).await;
    assert_eq!((status, table["kind"].as_str()), (200, Some("Table")));
    assert_eq!(table["apiVersion"], "meta.k8s.io/v1");
    assert_eq!(table["metadata"]["remainingItemCount"], 1);
    assert!(table["metadata"]["continue"].is_string());
    let columns: Vec<&str> =
        table["columnDefinitions"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(columns, ["Name", "Data", "Age"]);
    assert_eq!((&rows(&table)[1][0], &rows(&table)[1][1]), (&json!("b"), &json!(0)));
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(table["rows"][0]["object"]["metadata"]["labels"], json!({"x": "y"}));
    let (_, table) = get_as(&api, &format!("{MAPS}?includeObject=None"), &form("Table")).await;
    assert_eq!((table["rows"][2]["object"].clone(), rows(&table).len()), (Value::Null, 3));
    let (_, table) = get_as(&api, &format!("{MAPS}/a?includeObject=Object"), &form("Table")).await;
    assert_eq!((table["rows"][0]["object"]["kind"].as_str(), rows(&table).len()), (Some("ConfigMap"), 1));
    let (status, response) = get_as(&api, &format!("{MAPS}?includeObject=Half"), &form("Table")).await;
    assert_eq!((status, response["reason"].as_str()), (400, Some("BadRequest")));
}

#[tokio::test]
async fn a_watch_as_tables_names_its_columns_once() {
    let api = Api::new().await;
    api.config_map("a", json!({})).await;
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = watch_as(&api, &format!("{MAPS}?{query}&includeObject=None"), &form("Table")).await;
    let first = watch.step().await.unwrap();
    assert_eq!((first["type"].as_str(), first["object"]["kind"].as_str()), (Some("ADDED"), Some("Table")));
    assert_eq!(first["object"]["columnDefinitions"].as_array().unwrap().len(), 3);
    assert_eq!(first["object"]["rows"][0]["object"], Value::Null);
    let end = watch.step().await.unwrap();
    assert_eq!(end["type"], "BOOKMARK");
    assert_eq!(end["object"]["columnDefinitions"], Value::Null);
    let row = &end["object"]["rows"][0];
    assert_eq!(row["cells"], json!(["", 0, "<unknown>"]));
    assert_eq!(row["object"]["metadata"]["annotations"], json!({"k8s.io/initial-events-end": "true"}));
    assert_eq!(row["object"]["metadata"]["resourceVersion"], end["object"]["metadata"]["resourceVersion"]);
    let version = api.config_map("b", json!({})).await;
    let live = watch.step().await.unwrap();
    assert_eq!((live["object"]["rows"][0]["cells"][0].as_str(), live["type"].as_str()), (Some("b"), Some("ADDED")));
    assert_eq!(live["object"]["metadata"]["resourceVersion"], version);
    api.server.compact();
    let mut late = watch_as(&api, &format!("{MAPS}?watch=1&resourceVersion=1"), &form("Table")).await;
    assert_eq!(late.step().await.unwrap()["object"]["kind"], "Status");
}

#[tokio::test]
async fn metadata_alone() {
    let api = Api::new().await;
    api.post(MAPS, &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await;
    let (_, list) = get_as(&api, MAPS, &form("PartialObjectMetadataList")).await;
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    let item = &list["items"][0];
    assert_eq!((item["kind"].as_str(), item["metadata"]["name"].as_str()), (Some("PartialObjectMetadata"), Some("a")));
    assert_eq!(item["data"], Value::Null);
    let (_, object) = get_as(&api, &format!("{MAPS}/a"), &form("PartialObjectMetadata")).await;
    assert_eq!(&object, item);
    let mut watch = watch_as(&api, &format!("{MAPS}?watch=1"), &form("PartialObjectMetadata")).await;
    assert_eq!(&watch.step().await.unwrap()["object"], item);
    // The wrong form is rejected, except in a watch: it opens and stays silent, as measured on a real server.
    assert_eq!(get_as(&api, MAPS, &form("PartialObjectMetadata")).await.0, 406);
    assert_eq!(get_as(&api, &format!("{MAPS}/a"), &form("PartialObjectMetadataList")).await.0, 406);
    let path = format!("{MAPS}?watch=1&timeoutSeconds=1");
    let mut mute = watch_as(&api, &path, &form("PartialObjectMetadataList")).await;
    assert_eq!(mute.step().await, Err(End::Clean));
}

#[tokio::test]
async fn pods_of_the_simulated_cluster_have_sensible_rows() {
    let api = Api::with(Server::builder().pods(60)).await;
    let (_, table) = get_as(&api, "/api/v1/pods?includeObject=None", &form("Table")).await;
    for cells in rows(&table) {
        let text = |at: usize| cells[at].as_str().unwrap();
        assert!(!text(0).is_empty() && text(1).contains('/') && !text(2).is_empty(), "{cells}");
        assert_eq!(cells.as_array().unwrap().len(), 9);
    }
    for path in [
        "/apis/apps/v1/deployments",
        "/api/v1/nodes",
        "/api/v1/events",
        "/api/v1/services",
        "/apis/apps/v1/replicasets",
    ] {
        let (_, table) = get_as(&api, &format!("{path}?includeObject=None"), &form("Table")).await;
        let width = table["columnDefinitions"].as_array().unwrap().len();
        assert!(rows(&table).iter().all(|cells| cells.as_array().unwrap().len() == width), "{path}");
    }
}

#[tokio::test]
async fn custom_resources_show_the_columns_of_their_definition() {
    let api = Api::new().await;
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    let columns = json!([
        column("Size", "integer", ".spec.size"),
        column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
        column("List", "string", ".spec.list"),
        column("When", "date", ".spec.when"),
        column("Wrong", "integer", ".spec.list"),
    ]);
    let version = |name: &str, storage: bool, columns: Value| json!({"name": name, "served": true, "storage": storage, "additionalPrinterColumns": columns});
    let definition = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version("v1", true, columns), version("v2", false, json!([]))],
        },
    });
    let (status, response) = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
    assert_eq!(status, 201, "{response}");
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
        "spec": {"size": 3, "list": [1, "a"], "when": "2020-01-01T00:00:00Z"},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    });
    let path = "/apis/example.com/v1/namespaces/default/widgets";
    assert_eq!(api.post(path, &object).await.0, 201);
    let (_, table) = get_as(&api, path, &form("Table")).await;
    let cells = &rows(&table)[0];
    assert_eq!(
        (&cells[0], &cells[1], &cells[2], &cells[3]),
        (&json!("w"), &json!(3), &json!("True"), &json!("[1,\"a\"]"))
    );
    assert!(cells[4].as_str().unwrap().contains('y'), "{cells}");
    assert_eq!(cells[5], Value::Null);
    assert_eq!(
        table["columnDefinitions"][1]["description"],
        "Custom resource definition column (in JSONPath format): .spec.size"
    );
    let (_, table) = get_as(&api, "/apis/example.com/v2/namespaces/default/widgets", &form("Table")).await;
    assert_eq!(table["columnDefinitions"][1]["name"], "Age");
    assert_eq!(rows(&table)[0][1].as_str().unwrap().len(), 2);
}

#[tokio::test]
async fn yaml_in_and_out() {
    let api = Api::new().await;
    let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: |\n    two\n    lines\n";
    let (status, made) = api.send(Method::POST, MAPS, "application/yaml", yaml.to_owned()).await;
    assert_eq!((status, made["data"]["k"].as_str()), (201, Some("two\nlines\n")));
    let request = api.http.get(format!("{}{MAPS}/a", api.server.url())).header("accept", "application/yaml");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/yaml");
    assert!(response.text().await.unwrap().starts_with("apiVersion: v1\ndata:\n  k: |\n    two\n"));
}

#[tokio::test]
async fn an_empty_table_of_a_kind_without_a_printer_has_no_rows_at_all() {
    let api = Api::new().await;
    let (_, table) = get_as(&api, "/api/v1/limitranges", &form("Table")).await;
    assert_eq!(table["rows"], Value::Null);
    let (_, table) = get_as(&api, "/api/v1/endpoints", &form("Table")).await;
    assert_eq!(table["rows"], json!([]));
}
