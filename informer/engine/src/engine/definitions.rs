//! Columns of a resource; those of a custom resource come from its definition. Deferred code.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use super::cluster::Cluster;
use crate::columns::{ViewColumns, columns_of, printer_columns, well_known};
use informer::transport::Request;
use informer::{GroupVersionResource, Runtime};
use informer_packing::Outline;

/// Timeout of a view for its columns: its rows wait for them.
const COLUMNS_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum size of a definition in bytes. The largest known ones have 1.5 MB of schema.
const MAX_BYTES: usize = 8 << 20;

impl Cluster {
    /// Columns of a resource that need no request: those of the kinds that kubectl knows, of groups that cannot have
    /// custom resources, and of custom resources whose columns were requested before.
    fn known_columns(&self, resource: &GroupVersionResource) -> Option<ViewColumns> {
        let known = well_known(resource, self.is_namespaced(resource));
        let printed =
            || self.printed.borrow().iter().find(|(of, _)| of == resource).map(|(_, columns)| columns.clone());
        let known = known.or_else(printed);
        known.or_else(|| (!resource.group.contains('.')).then(|| columns_of(resource, self.is_namespaced(resource))))
    }

    /// Columns of a resource, for a custom resource from its definition. Only a response is remembered.
    pub(super) async fn columns(&self, resource: &GroupVersionResource) -> ViewColumns {
        if let Some(known) = self.known_columns(resource) {
            return known;
        }
        let Some(columns) = printed(&self.runtime, resource).await else {
            return columns_of(resource, self.is_namespaced(resource));
        };
        // Another view may have requested them at the same time.
        let mut printed = self.printed.borrow_mut();
        printed.retain(|(of, _)| of != resource);
        printed.push((resource.clone(), columns.clone()));
        columns
    }
}

/// Columns of a custom resource, from its definition. `None` if the resource is not a custom one, the user may not read
/// its definition, or there is no response in time.
async fn printed(runtime: &Runtime, resource: &GroupVersionResource) -> Option<ViewColumns> {
    let GroupVersionResource { group, version, resource } = resource;
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{resource}.{group}?pretty=false");
    let answer = async {
        let response = runtime.transport.send(Request::get(path).header("Accept", "application/json")).await.ok()?;
        if !(200..300).contains(&response.status) {
            return None;
        }
        let body = response.read(MAX_BYTES).await.ok()?;
        printer_columns(&Outline::parse(std::str::from_utf8(&body).ok()?).ok()?, version)
    };
    match select(pin!(answer), runtime.clock.sleep(COLUMNS_TIMEOUT)).await {
        Either::Left((columns, _)) => columns,
        Either::Right(_) => None,
    }
}
