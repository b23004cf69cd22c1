//! Cluster: store, simulator and API of an apiserver without a port.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::access::Access;
use crate::api::App;
use crate::builder::Builder;
use crate::fault::{ActiveFault, Fault, FaultAction};
use crate::log::{self, LogCommand};
use crate::routes::router;
use crate::simulator::Simulator;
use crate::status::Status;
use crate::write::Origin;

/// Cluster in this process. Its simulator ends when it is dropped.
#[derive(Debug)]
pub struct Cluster {
    app: Arc<App>,
    simulator: Option<Simulator>,
    router: Router,
}

impl Cluster {
    pub(crate) fn new(app: Arc<App>, simulator: Option<Simulator>, www: Option<(&Path, &str)>, cors: bool) -> Self {
        let router = router(Arc::clone(&app), www, cors);
        Self { app, simulator, router }
    }

    /// Returns default settings: no pods.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Answers a request. The body of a watch ends with the watch; dropping it closes the watch.
    pub async fn respond(&self, request: Request<Body>) -> Response {
        match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Returns the service of all paths.
    #[cfg(feature = "sockets")]
    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }

    /// Ends the simulator and all watches.
    pub fn end(&mut self) {
        self.simulator = None;
        self.app.faults.open.stop();
    }

    /// Returns the newest revision of the store.
    pub fn revision(&self) -> u64 {
        self.app.store.revision()
    }

    /// Returns the number of open watches.
    pub fn open_watches(&self) -> usize {
        self.app.faults.open.count()
    }

    /// Activates a fault, or performs it if it concerns the whole server; returns its id.
    pub fn fault(&self, fault: impl Into<Fault>) -> u64 {
        self.app.faults.add(fault.into())
    }

    /// Returns the active faults, each with the number of its applications.
    pub fn faults(&self) -> Vec<ActiveFault> {
        self.app.faults.list()
    }

    /// Clears all faults. Effects on open watches stay.
    pub fn clear_faults(&self) {
        self.app.faults.clear(None);
    }

    /// Drops the watch history: every version up to now gets a 410. Open watches continue.
    pub fn compact(&self) {
        self.app.faults.add(FaultAction::Compact.into());
    }

    /// Ends all open watches abruptly, without a last chunk.
    pub fn cut_watches(&self) {
        self.app.faults.add(FaultAction::CutOpen.into());
    }

    /// Keeps all open watches open without further data.
    pub fn stall_watches(&self) {
        self.app.faults.add(FaultAction::StallOpen.into());
    }

    /// Ends all open sessions of exec and attach abruptly, without a close frame.
    pub fn cut_shells(&self) {
        self.app.cut_shells.send_modify(|times| *times += 1);
    }

    /// Performs a log command: containers write, end, or their open streams drop.
    pub fn log(&self, command: LogCommand) {
        log::command(&self.app.store, &self.app.log_commands, command);
    }

    /// Creates an object without HTTP, status included; `resource` is `pods` or `deployments.apps`.
    pub fn create(&self, resource: &str, namespace: &str, object: Value) -> Result<Value, Status> {
        self.app.store.create(resource, namespace, object, Origin::Cluster).map(|entry| entry.value())
    }

    /// Replaces tokens and rules. Open watches continue.
    pub fn set_access(&self, access: Access) {
        *self.app.access.write() = access;
    }
}
