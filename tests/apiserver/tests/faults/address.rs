//! Target, frequency and time of faults.

use std::time::Duration;

use apiserver::{Fault, FaultAction, Server};

use crate::raw::{MAPS, create, get, server};

const FAULT: FaultAction = FaultAction::Error { code: 503, retry_after: 1 };

async fn statuses(server: &Server, paths: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for path in paths {
        statuses.push(get(server, path).await.status);
    }
    statuses
}

#[tokio::test]
async fn faults_are_selected_by_resource_and_verb() {
    let server = server(Server::builder(), &["a"]).await;
    let one = format!("{MAPS}/a");
    let watch = format!("{MAPS}?watch=1");
    let paths = [MAPS, &watch, &one, "/apis/apps/v1/deployments", "/apis/apps/v1", "/version"];
    let cases = [
        (Fault::new(FAULT), [503, 503, 503, 503, 503, 503]),
        (Fault::new(FAULT).lists(), [503, 200, 200, 503, 200, 200]),
        (Fault::new(FAULT).watches(), [200, 503, 200, 200, 200, 200]),
        (Fault::new(FAULT).on("configmaps"), [503, 503, 503, 200, 200, 200]),
        (Fault::new(FAULT).on("configmaps").watches(), [200, 503, 200, 200, 200, 200]),
        (Fault::new(FAULT).on("deployments.apps"), [200, 200, 200, 503, 200, 200]),
    ];
    for (fault, expected) in cases {
        server.fault(fault.clone());
        assert_eq!(statuses(&server, &paths).await, expected, "{fault:?}");
        server.clear_faults();
    }
    assert_eq!(statuses(&server, &paths).await, [200; 6]);
}

#[tokio::test]
async fn faults_are_limited_by_count() {
    let server = server(Server::builder(), &[]).await;
    server.fault(Fault::new(FAULT).lists().times(2));
    assert_eq!(statuses(&server, &["/version", MAPS, MAPS, MAPS]).await, [200, 503, 503, 200]);
    assert!(server.faults().is_empty());
    // One error per response; the second one applies to the next response.
    server.fault(Fault::new(FAULT).times(1));
    server.fault(Fault::new(FaultAction::Html).times(1));
    assert_eq!(statuses(&server, &[MAPS, MAPS, MAPS]).await, [503, 502, 200]);
}

#[tokio::test]
async fn faults_are_limited_by_time() {
    let server = server(Server::builder(), &[]).await;
    let ms = Duration::from_millis;
    server.fault(Fault::new(FAULT).after(Duration::from_secs(3_600)));
    assert_eq!(get(&server, MAPS).await.status, 200, "the fault applies before its beginning");
    server.clear_faults();
    server.fault(Fault::new(FAULT).after(ms(50)));
    while get(&server, MAPS).await.status != 503 {
        tokio::time::sleep(ms(10)).await;
    }
    server.clear_faults();
    server.fault(Fault::new(FAULT).lasting(ms(50)));
    while get(&server, MAPS).await.status != 200 {
        tokio::time::sleep(ms(10)).await;
    }
    assert!(server.faults().is_empty(), "the fault is still active after its end");
    let mut watch = get(&server, &format!("{MAPS}?watch=1")).await;
    server.fault(Fault::new(FaultAction::EndOpen).after(ms(100)));
    create(&server, "a");
    assert_eq!(watch.events(1).await, ["ADDED a"]);
    assert_eq!(watch.end().await, crate::raw::End::Clean);
}
