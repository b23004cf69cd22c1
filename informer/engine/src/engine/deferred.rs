//! Deferred code: code that is loaded when it is first needed. It contains views with their columns and filters,
//! discovery, WebSockets as fallback for missing connections, snapshots, informers over several namespaces, leases for
//! the requests of pages, headers of users, transforms, probes and heartbeats. Features that fewer pages use are in `extras.rs`.
//!
//! It is a third of the engine. A page that uses only listers and handlers of a few informers, without snapshots, loads
//! it after ten silent seconds while it is visible, after trouble, or for an empty namespace. With the feature `split`,
//! which the npm package is built with, it is a second wasm file, which shares memory and tables with the first one;
//! without the feature it is linked in. Other code reaches it through [`Deferred`] alone, which `loading` provides. A
//! direct call of `view`, `query`, `columns`, `json_path` or `discovery` from another module would pull them back into
//! the first file: `make size` would show it, and `tests/it/architecture.rs` rejects it.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, LocalBoxFuture};
use informer::clock::Clock;
use informer::list_watch::fallback::Part;
use informer::list_watch::namespaces::NamespacesListerWatcher;
use informer::transport::Transport;
use informer::transport::user_headers::Authenticated;
use informer::{
    GroupVersionResource, InformerKey, LabelSelector, Object, ResourceListerWatcher, Result, Runtime, SharedInformer,
    carry_cells, provide_transforms,
};

use super::cluster::Cluster;
use super::header_pages::HeaderPages;
use super::health_probe::start_probing;
use super::heartbeat::send_heartbeat;
use super::leases::lease;
use super::loading::{self, Deferred};
use super::missing_namespace::check_namespace;
use super::page_headers::PageHeaders;
use super::persistence::{Snapshots, new_snapshots};
use super::resources::resources_json;
use super::snapshot_storage::SnapshotStorage;
use crate::columns::{ViewColumns, carried};
use crate::message::{ServerOptions, TextsByName, ToEngine, ViewOptions};
use crate::view::{Cells, LiveView, Rejection, Rewindable, View, ViewQuery};

struct Code;

impl Deferred for Code {
    fn columns<'t>(
        &'t self,
        cluster: &'t Cluster,
        resource: &'t GroupVersionResource,
    ) -> LocalBoxFuture<'t, ViewColumns> {
        Box::pin(cluster.columns(resource))
    }

    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: ViewOptions,
        now: f64,
    ) -> std::result::Result<(Box<dyn LiveView>, Option<Rejection>), Rejection> {
        let cells = cells(columns, resource, &options.columns, &options.extra_columns)?;
        let mut view = View::new(cells, options.objects, selector(options.label_selector.as_deref())?);
        let ViewOptions { filter, order_by, facets, namespaces, start, end, .. } = options;
        view.set_window(start, end);
        let rejected = view.change(&ViewQuery { filter, order_by, facets, namespaces }, now).err();
        Ok((Box::new(Rewindable::new(Box::new(view))), rejected))
    }

    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>) {
        let spawn = Rc::clone(&cluster.runtime.spawn);
        let task = async move { reply(cluster.discover().await.map(|found| resources_json(&found))) };
        spawn(task.boxed_local());
    }

    #[cfg(target_arch = "wasm32")]
    fn sockets(&self, url: &str) -> Box<dyn Transport> {
        Box::new(informer::transport::socket::SocketTransport::new(url))
    }

    fn snapshots(&self, runtime: &Runtime, storage: &SnapshotStorage, url: &str) -> Rc<dyn Snapshots> {
        new_snapshots(runtime.clone(), storage, url)
    }

    fn namespaces(
        &self,
        resource: &GroupVersionResource,
        whole: Rc<ResourceListerWatcher<Object>>,
    ) -> Result<Part<Object>> {
        Ok(Rc::new(NamespacesListerWatcher::new(resource, whole)?))
    }

    fn header_pages(&self, clock: &Rc<dyn Clock>) -> Rc<dyn HeaderPages> {
        Rc::new(PageHeaders::new(Rc::clone(clock)))
    }

    fn authenticated(
        &self,
        server: &ServerOptions,
        pages: Option<&Rc<dyn HeaderPages>>,
        transport: Rc<dyn Transport>,
        clock: &Rc<dyn Clock>,
    ) -> Rc<dyn Transport> {
        let source = match pages {
            Some(pages) => Rc::clone(pages).source(),
            None => Rc::new(server.headers.clone()),
        };
        Rc::new(Authenticated { transport, source, clock: Rc::clone(clock) })
    }

    fn decode(&self, text: &str) -> Result<ToEngine> {
        ToEngine::decode(text)
    }

    fn lease(&self, cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle {
        lease(cluster, stream, reply)
    }

    fn start_probing(&self, cluster: &Rc<Cluster>) {
        start_probing(cluster);
    }

    fn check_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey) {
        if let Some(namespace) = &key.options.namespace {
            // Its outcome is no sign of the server's health, and triggers no further probe.
            let transport = Rc::clone(&cluster.health_probe.transport);
            let runtime = Runtime { transport, ..cluster.runtime.clone() };
            check_namespace(&runtime, informer, namespace);
        }
    }

    fn send_heartbeat<'c>(&self, cluster: &'c Rc<Cluster>) -> LocalBoxFuture<'c, Duration> {
        send_heartbeat(cluster)
    }
}

/// Cells of these columns, or of columns over paths; with extra ones over paths.
pub(super) fn cells(
    columns: ViewColumns,
    resource: &GroupVersionResource,
    own: &TextsByName,
    extra: &TextsByName,
) -> std::result::Result<Cells, Rejection> {
    let cells = if own.is_empty() { Ok(Cells::of_table(columns, resource)) } else { Cells::of_paths(own) };
    cells.and_then(|cells| cells.with_extra(extra)).map_err(|error| Rejection::elsewhere(error.message().to_owned()))
}

/// Label selector of a view; none if the text is empty.
pub(super) fn selector(text: Option<&str>) -> std::result::Result<Option<LabelSelector>, Rejection> {
    let text = text.filter(|text| !text.is_empty());
    let read = text.map(str::parse::<LabelSelector>).transpose();
    read.map_err(|error| Rejection::elsewhere(error.message().to_owned()))
}

/// Makes the code available. From then on objects carry the cells of their columns, and informers may remove fields.
pub(super) fn provide() -> &'static dyn Deferred {
    carry_cells(carried);
    provide_transforms();
    loading::set_loaded(&Code);
    &Code
}
