//! The columns of a resource: of a custom one what its definition says is to be printed. Part of the code that is loaded
//! when it is first needed.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use super::cluster::Cluster;
use crate::columns::{ViewColumns, columns_of, printer_columns, well_known};
use informer::transport::Request;
use informer::{GroupVersionResource, Runtime};
use informer_packing::Outline;

/// How long a view waits for its columns: somebody waits for its rows.
const PATIENCE: Duration = Duration::from_secs(2);

/// The largest definition that is read. The largest there are have a megabyte and a half of schema.
const MAX_BYTES: usize = 8 << 20;

impl Cluster {
    /// The columns of a resource, if nobody need be asked for them: of the kinds that kubectl knows, of groups that no
    /// custom resource may be in, and of custom ones that were asked for before.
    fn known_columns(&self, resource: &GroupVersionResource) -> Option<ViewColumns> {
        let known = well_known(resource, self.is_namespaced(resource));
        let printed =
            || self.printed.borrow().iter().find(|(of, _)| of == resource).map(|(_, columns)| columns.clone());
        let known = known.or_else(printed);
        known.or_else(|| (!resource.group.contains('.')).then(|| columns_of(resource, self.is_namespaced(resource))))
    }

    /// The columns of a resource: of a custom one what its definition says. Only an answer is remembered.
    pub(super) async fn columns(&self, resource: &GroupVersionResource) -> ViewColumns {
        if let Some(known) = self.known_columns(resource) {
            return known;
        }
        let Some(columns) = printed(&self.runtime, resource).await else {
            return columns_of(resource, self.is_namespaced(resource));
        };
        // Somebody else may have asked at the same time.
        let mut printed = self.printed.borrow_mut();
        printed.retain(|(of, _)| of != resource);
        printed.push((resource.clone(), columns.clone()));
        columns
    }
}

/// The columns of a custom resource, as its definition has them. `None` where there is none to be had: the resource may
/// be no custom one, or its definition not ours to read, or nobody answers in time.
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
    match select(pin!(answer), runtime.clock.sleep(PATIENCE)).await {
        Either::Left((columns, _)) => columns,
        Either::Right(_) => None,
    }
}
