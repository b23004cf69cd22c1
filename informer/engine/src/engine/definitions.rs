//! Columns of a resource; those of a custom resource come from its definition. Deferred code.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use super::cluster::Cluster;
use crate::columns::{ViewColumns, columns_of, printer_columns, well_known};
use informer::transport::Request;
use informer::{GroupVersionResource, Runtime};
use informer_packing::Outline;

/// Timeout of the request for the columns of a view. Its rows wait for them.
const COLUMNS_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum size of a definition in bytes. The largest known ones have 1.5 MB of schema.
const MAX_BYTES: usize = 8 << 20;

impl Cluster {
    /// Returns the columns of a resource if they need no request: it is of a kind that kubectl knows, of a group that
    /// cannot have custom resources, or a custom resource whose columns were requested before.
    fn known_columns(&self, resource: &GroupVersionResource) -> Option<ViewColumns> {
        let known = well_known(resource, self.is_namespaced(resource));
        let requested =
            || self.printer_columns.borrow().iter().find(|(of, _)| of == resource).map(|(_, columns)| columns.clone());
        let known = known.or_else(requested);
        known.or_else(|| (!resource.group.contains('.')).then(|| columns_of(resource, self.is_namespaced(resource))))
    }

    /// Returns the columns of a resource; those of a custom resource are requested with its definition. Only a response
    /// is cached.
    pub(super) async fn columns(&self, resource: &GroupVersionResource) -> ViewColumns {
        if let Some(known) = self.known_columns(resource) {
            return known;
        }
        let Some(columns) = request_printer_columns(&self.runtime, resource).await else {
            return columns_of(resource, self.is_namespaced(resource));
        };
        // Another view may have requested them at the same time.
        let mut requested = self.printer_columns.borrow_mut();
        requested.retain(|(of, _)| of != resource);
        requested.push((resource.clone(), columns.clone()));
        columns
    }
}

/// Requests the columns of a custom resource, from its definition. `None` if the resource is not a custom one, the user
/// may not read its definition, or there is no response in time.
async fn request_printer_columns(runtime: &Runtime, resource: &GroupVersionResource) -> Option<ViewColumns> {
    let GroupVersionResource { group, version, resource } = resource;
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{resource}.{group}?pretty=false");
    let response = async {
        let response = runtime.transport.send(Request::get(path).header("Accept", "application/json")).await.ok()?;
        if !(200..300).contains(&response.status) {
            return None;
        }
        let body = response.read(MAX_BYTES).await.ok()?;
        printer_columns(&Outline::parse(std::str::from_utf8(&body).ok()?).ok()?, version)
    };
    match select(pin!(response), runtime.clock.sleep(COLUMNS_TIMEOUT)).await {
        Either::Left((columns, _)) => columns,
        Either::Right(_) => None,
    }
}
