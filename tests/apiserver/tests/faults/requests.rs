//! Faults of requests.

use std::pin::pin;
use std::time::{Duration, Instant};

use apiserver::{Fault, FaultAction, Server};
use serde_json::{Value, json};

use crate::raw::{End, MAPS, WATCH, get, server};

async fn struck(action: FaultAction, path: &str) -> (u16, String, String) {
    let server = server(Server::builder(), &[]).await;
    server.fault(Fault::new(action).times(1));
    let mut response = get(&server, path).await;
    assert_eq!(response.end().await, End::Clean);
    assert_eq!(get(&server, "/api/v1/pods").await.status, 200, "the fault applied more often than requested");
    (response.status, response.head.clone(), response.text())
}

#[tokio::test]
async fn errors_have_the_forms_of_the_real_server() {
    let status = |message: &str, rest: &str| {
        format!(
            "{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":\"Failure\",\
             \"message\":\"{message}\",{rest}}}"
        )
    };
    let watch = "/api/v1/pods?watch=1";
    let samples = [
        (401, watch, status("Unauthorized", "\"reason\":\"Unauthorized\",\"code\":401")),
        (
            403,
            watch,
            status(
                "pods is forbidden: User \\\"system:anonymous\\\" cannot watch resource \\\"pods\\\" in API group \\\"\\\" \
                 at the cluster scope",
                "\"reason\":\"Forbidden\",\"details\":{\"kind\":\"pods\"},\"code\":403",
            ),
        ),
        (
            404,
            MAPS,
            status(
                "the server could not find the requested resource",
                "\"reason\":\"NotFound\",\"details\":{},\"code\":404",
            ),
        ),
        (
            410,
            MAPS,
            status("The resourceVersion for the provided list is too old.", "\"reason\":\"Expired\",\"code\":410"),
        ),
        (410, watch, status("too old resource version: 1 (2)", "\"reason\":\"Expired\",\"code\":410")),
        (
            504,
            MAPS,
            status(
                "Timeout: request did not complete within requested timeout - context deadline exceeded",
                "\"reason\":\"Timeout\",\"details\":{},\"code\":504",
            ),
        ),
    ];
    for (code, path, body) in samples {
        let (status, head, text) = struck(FaultAction::Error { code, retry_after: 1 }, path).await;
        assert_eq!((status, text), (code, body));
        assert!(head.contains("content-type: application/json\r\n"), "{head}");
    }
    let (status, _, text) = struck(FaultAction::Error { code: 500, retry_after: 1 }, MAPS).await;
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &body["reason"]), (500, &json!("InternalError")));
}

#[tokio::test]
async fn some_errors_are_plain_text() {
    let (status, head, text) = struck(FaultAction::Error { code: 429, retry_after: 7 }, WATCH).await;
    assert_eq!((status, text.as_str()), (429, "Too many requests, please try again later."));
    assert!(head.contains("content-type: text/plain; charset=utf-8\r\n") && head.contains("retry-after: 7\r\n"));
    let (status, head, text) = struck(FaultAction::Error { code: 503, retry_after: 1 }, MAPS).await;
    assert_eq!((status, text.as_str()), (503, "service unavailable\n"));
    assert!(head.contains("content-type: text/plain"), "{head}");
}

#[tokio::test]
async fn a_page_of_html() {
    let (status, head, text) = struck(FaultAction::Html, MAPS).await;
    assert_eq!(status, 502);
    assert!(head.contains("content-type: text/html\r\n"), "{head}");
    assert!(text.starts_with("<html>"), "{text}");
}

#[tokio::test]
async fn a_delay() {
    let server = server(Server::builder(), &[]).await;
    server.fault(Fault::new(FaultAction::Delay { ms: 150 }).times(1));
    let start = Instant::now();
    assert_eq!(get(&server, MAPS).await.status, 200);
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert!(server.faults().is_empty(), "the fault is still active");
}

#[tokio::test]
async fn a_hold_passes_some_requests_and_delays_others_until_it_is_cleared() {
    let server = server(Server::builder(), &[]).await;
    server.fault(Fault::new(FaultAction::Hold).on("configmaps").skipping(1));
    assert_eq!(get(&server, MAPS).await.status, 200);
    let mut held = pin!(get(&server, MAPS));
    let early = tokio::time::timeout(crate::raw::QUIET, &mut held).await;
    assert!(early.is_err(), "the held request got a response");
    assert_eq!(get(&server, "/version").await.status, 200, "another request is held");
    server.clear_faults();
    assert_eq!(held.await.status, 200);
}
