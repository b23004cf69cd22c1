//! Discovery for pages: the resources of an apiserver. Deferred code.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};
use informer::{ErrorCode, InformerError, ResourceInfo, Result, discover};
use informer_packing::ArrayWriter;

use super::cluster::Cluster;
use super::json_text::texts;

/// Timeout of discovery, for all of its requests together.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(30);

impl Cluster {
    /// Requests the resources from the apiserver and caches them.
    pub(super) async fn discover(&self) -> Result<Vec<ResourceInfo>> {
        // A server that accepts and never responds would hold a connection, and the page's request, forever.
        let deadline = self.runtime.clock.sleep(DISCOVERY_TIMEOUT);
        let resources = match select(pin!(discover(&self.runtime.transport)), deadline).await {
            Either::Left((resources, _)) => resources?,
            Either::Right(_) => {
                return Err(InformerError::new(ErrorCode::Timeout, "the discovery request timed out"));
            }
        };
        self.resources.borrow_mut().clone_from(&resources);
        Ok(resources)
    }
}

/// Resources as JSON: see [`ResourceInfo`].
pub(super) fn resources_json(resources: &[ResourceInfo]) -> String {
    let mut json = String::new();
    let mut list = ArrayWriter::new(&mut json);
    for info in resources {
        let mut object = list.object();
        object.text("group", &info.group).text("version", &info.version).text("resource", &info.resource);
        object.text("kind", &info.kind).bool("namespaced", info.namespaced);
        object.raw("verbs", &texts(&info.verbs)).raw("shortNames", &texts(&info.short_names)).bool("scale", info.scale);
    }
    drop(list);
    json
}
