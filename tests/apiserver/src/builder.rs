//! Builder: the settings of a cluster and of its server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio::sync::watch;

use crate::access::Access;
use crate::api::App;
use crate::cluster::Cluster;
use crate::fault::{Faults, Limits};
use crate::log::Commands;
use crate::simulator::{Simulator, SimulatorOptions};
use crate::store::{Store, StoreOptions};
use crate::watch::WatchTiming;

/// Settings of a server before its start.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "a server has as many independent settings")]
pub struct Builder {
    #[cfg(feature = "sockets")]
    pub(crate) port: u16,
    #[cfg(feature = "sockets")]
    pub(crate) socket: Option<PathBuf>,
    pods: usize,
    churn: u32,
    seed: u64,
    metrics: bool,
    simulate: bool,
    kubelet: bool,
    history: usize,
    bookmark_every: Duration,
    watch_min_timeout: Duration,
    future_wait: Duration,
    request_timeout: Duration,
    max_in_flight: Option<usize>,
    www: Option<(PathBuf, String)>,
    cors: bool,
    access: Access,
    log_every: Duration,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            #[cfg(feature = "sockets")]
            port: 0,
            #[cfg(feature = "sockets")]
            socket: None,
            pods: 0,
            churn: 0,
            seed: 1,
            metrics: false,
            simulate: false,
            kubelet: false,
            history: 4096,
            bookmark_every: Duration::from_secs(60),
            watch_min_timeout: Duration::from_secs(1800),
            future_wait: Duration::from_secs(3),
            request_timeout: Duration::from_secs(60),
            max_in_flight: None,
            www: None,
            cors: false,
            access: Access::default(),
            log_every: Duration::from_secs(1),
        }
    }
}

impl Builder {
    /// Sets the port on 127.0.0.1; 0 (the default) takes any free one.
    #[cfg(feature = "sockets")]
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Listens on a Unix socket instead of a port: no browser can reach it.
    #[cfg(feature = "sockets")]
    #[must_use]
    pub fn socket(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// Sets the number of simulated pods; above 0 it also starts the simulator. Default: 0.
    #[must_use]
    pub fn pods(mut self, pods: usize) -> Self {
        self.pods = pods;
        self.simulate |= pods > 0;
        self
    }

    /// Sets the number of changes per second of the simulated cluster. Default: 0.
    #[must_use]
    pub fn churn(mut self, events_per_second: u32) -> Self {
        self.churn = events_per_second;
        self.simulate |= events_per_second > 0;
        self
    }

    /// Runs the simulator's controllers and kubelets, even on an empty cluster.
    #[must_use]
    pub fn simulate(mut self, on: bool) -> Self {
        self.simulate = on;
        self
    }

    /// Lets a client act as the kubelets: deleted pods on a node stay Terminating until it deletes them without grace.
    /// Otherwise, and without a simulator, they are deleted at once.
    #[must_use]
    pub fn kubelet_is_a_client(mut self, on: bool) -> Self {
        self.kubelet = on;
        self
    }

    /// Sets the seed of all random numbers. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Serves metrics.k8s.io, as a metrics server does.
    #[must_use]
    pub fn metrics(mut self, metrics: bool) -> Self {
        self.metrics = metrics;
        self
    }

    /// Sets the number of changes kept per resource; older versions get a 410, slower watches are cut off.
    /// Default: 4,096.
    #[must_use]
    pub fn history(mut self, changes: usize) -> Self {
        self.history = changes;
        self
    }

    /// Sets the period of watch bookmarks, at least 10 ms. Default: a minute.
    #[must_use]
    pub fn bookmark_every(mut self, period: Duration) -> Self {
        self.bookmark_every = period.max(Duration::from_millis(10));
        self
    }

    /// Sets the minimum duration of a watch without `timeoutSeconds`; it ends between this and twice this. At
    /// most a day. Default: 30 minutes.
    #[must_use]
    pub fn watch_min_timeout(mut self, life: Duration) -> Self {
        self.watch_min_timeout = life.min(Duration::from_secs(24 * 3600));
        self
    }

    /// Sets the time for which a LIST waits for a future version before its 504. Default: three seconds.
    #[must_use]
    pub fn future_wait(mut self, timeout: Duration) -> Self {
        self.future_wait = timeout;
        self
    }

    /// Sets the maximum duration of a response other than a watch; slower readers are cut off. At most a day. Default: a
    /// minute.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = timeout.min(Duration::from_secs(24 * 3600));
        self
    }

    /// Sets the maximum number of concurrent requests, beyond which 429 is returned; a watch counts until its first
    /// byte. No limit by default.
    #[must_use]
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.max_in_flight = Some(requests);
        self
    }

    /// Serves a folder of static files under a prefix such as `/ui/`.
    #[cfg(feature = "sockets")]
    #[must_use]
    pub fn www(mut self, directory: impl Into<PathBuf>, prefix: impl Into<String>) -> Self {
        self.www = Some((directory.into(), prefix.into()));
        self
    }

    /// Allows pages of other origins to read everything.
    #[must_use]
    pub fn cors(mut self, on: bool) -> Self {
        self.cors = on;
        self
    }

    /// Sets tokens and rules that apply from the start.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Sets the time between two lines of a pod's log; some pods take up to twice as long. Default: a second.
    #[must_use]
    pub fn log_every(mut self, period: Duration) -> Self {
        self.log_every = period;
        self
    }

    /// Creates the cluster without a port: it answers the requests of [`Cluster::respond`]. Natively, call this inside a tokio
    /// runtime.
    pub fn build(self) -> Cluster {
        let kubelet = self.simulate || self.kubelet;
        let options = StoreOptions { history: self.history, kubelet, seed: self.seed, metrics: self.metrics };
        let store = Arc::new(Store::new(options));
        let simulator = self.simulate.then(|| {
            let options = SimulatorOptions { pods: self.pods, churn: self.churn, seed: self.seed };
            Simulator::start(Arc::clone(&store), options)
        });
        let app = Arc::new(App {
            access: RwLock::new(self.access),
            log_every: self.log_every,
            simulates: self.simulate,
            cut_shells: watch::Sender::new(0),
            log_commands: Arc::new(Commands::new()),
            faults: Arc::new(Faults::new(Arc::clone(&store))),
            store,
            limits: Limits::new(self.request_timeout, self.max_in_flight),
            timing: WatchTiming {
                bookmark_every: self.bookmark_every,
                min_timeout: self.watch_min_timeout,
                future_wait: self.future_wait,
            },
        });
        let www = self.www.as_ref().map(|(directory, prefix)| (directory.as_path(), prefix.as_str()));
        Cluster::new(app, simulator, www, self.cors)
    }
}
