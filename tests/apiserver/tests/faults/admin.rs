//! Faults through the admin port.

use apiserver::Server;
use serde_json::{Value, json};

use crate::raw::{End, MAPS, RawResponse, get, send, server};

async fn post(server: &Server, fault: &str) -> RawResponse {
    let mut response = send(server, "POST", "/admin/faults", &[], fault).await;
    assert_eq!(response.end().await, End::Clean);
    response
}

#[tokio::test]
async fn faults_are_added_listed_and_cleared() {
    let server = server(Server::builder(), &[]).await;
    let fault = r#"{"fault":"error","code":429,"resource":"configmaps","verb":"list","times":3}"#;
    let given = post(&server, fault).await;
    assert_eq!((given.status, given.text()), (201, "{\"id\":1}".to_owned()));
    assert_eq!(post(&server, r#"{"fault":"html"}"#).await.text(), "{\"id\":2}");
    assert_eq!(get(&server, MAPS).await.status, 429);
    let mut list = get(&server, "/admin/faults").await;
    assert_eq!(list.end().await, End::Clean);
    let list: Value = serde_json::from_str(&list.text()).unwrap();
    let expected = json!({
        "id": 1, "struck": 1, "fault": "error", "code": 429, "retry_after": 1, "resource": "configmaps",
        "verb": "list", "times": 3, "after_ms": 0, "for_ms": null,
    });
    assert_eq!(list["faults"][0], expected);
    assert_eq!(list["faults"].as_array().unwrap().len(), 2);
    assert_eq!(send(&server, "DELETE", "/admin/faults/1", &[], "").await.status, 200);
    assert_eq!(send(&server, "DELETE", "/admin/faults/1", &[], "").await.status, 404);
    assert_eq!(get(&server, MAPS).await.status, 502);
    assert_eq!(send(&server, "DELETE", "/admin/faults", &[], "").await.text(), "cleared 1\n");
    assert_eq!(get(&server, MAPS).await.status, 200);
}

#[tokio::test]
async fn every_fault_can_be_added() {
    let server = server(Server::builder(), &[]).await;
    let faults = [
        r#"{"fault":"delay","ms":1}"#,
        r#"{"fault":"cut"}"#,
        r#"{"fault":"cut","bytes":9,"inside":"line"}"#,
        r#"{"fault":"cut","inside":"utf8"}"#,
        r#"{"fault":"stall","bytes":5}"#,
        r#"{"fault":"close"}"#,
        r#"{"fault":"error-event","code":410}"#,
        r#"{"fault":"slow-reader","events":3}"#,
        r#"{"fault":"silence"}"#,
        r#"{"fault":"gzip-members"}"#,
        r#"{"fault":"duplicate"}"#,
        r#"{"fault":"drop-bookmarks"}"#,
        r#"{"fault":"no-end-bookmark"}"#,
        r#"{"fault":"garbage"}"#,
        r#"{"fault":"oversized"}"#,
        r#"{"fault":"unknown-type"}"#,
        r#"{"fault":"wrong-kind"}"#,
        r#"{"fault":"delay-events","ms":1}"#,
        r#"{"fault":"cut-open"}"#,
        r#"{"fault":"stall-open"}"#,
        r#"{"fault":"end-open"}"#,
        r#"{"fault":"compact"}"#,
        r#"{"fault":"restart","away_ms":1}"#,
        r#"{"fault":"replace","revision":5}"#,
        r#"{"fault":"drain","ms":1}"#,
        r#"{"fault":"remove-crd","name":"x"}"#,
    ];
    for fault in faults {
        assert_eq!(post(&server, fault).await.status, 201, "{fault}");
    }
}

#[tokio::test]
async fn an_invalid_fault_is_rejected() {
    let server = server(Server::builder(), &[]).await;
    for fault in ["", "{}", "[]", r#"{"fault":"cut","byte":1}"#, r#"{"fault":"cut","bytes":-1}"#, r#"{"fault":"x"}"#] {
        let response = post(&server, fault).await;
        assert_eq!(response.status, 400, "{fault}");
        assert!(response.text().starts_with("This is not a fault: "), "{}", response.text());
    }
    assert!(server.faults().is_empty());
}
