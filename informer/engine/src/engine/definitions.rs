//! What custom resources say is to be printed of them.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use super::deferred::{Deferred, ViewColumns};
use informer::transport::Request;
use informer::{GroupVersionResource, Runtime};

/// How long a view waits for its columns: somebody waits for its rows.
const PATIENCE: Duration = Duration::from_secs(2);

/// The largest definition that is read. The largest there are have a megabyte and a half of schema.
const MAX_BYTES: usize = 8 << 20;

/// The columns of a custom resource, as its definition has them. `None` where there is none to be had: the resource may
/// be no custom one, or its definition not ours to read, or nobody answers in time.
pub(super) async fn columns(
    runtime: &Runtime,
    resource: &GroupVersionResource,
    deferred: &dyn Deferred,
) -> Option<ViewColumns> {
    let GroupVersionResource { group, version, resource } = resource;
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{resource}.{group}?pretty=false");
    let answer = async {
        let response = runtime.transport.send(Request::get(path).header("Accept", "application/json")).await.ok()?;
        if !(200..300).contains(&response.status) {
            return None;
        }
        let body = response.read(MAX_BYTES).await.ok()?;
        deferred.printer_columns(std::str::from_utf8(&body).ok()?, version)
    };
    match select(pin!(answer), runtime.clock.sleep(PATIENCE)).await {
        Either::Left((columns, _)) => columns,
        Either::Right(_) => None,
    }
}
