//! Scene of a test: its namespace, a recording transport, a factory.

use std::rc::Rc;
use std::time::Duration;

use informer::{
    BackoffOptions, Freshness, Keyed, Object, ReflectorOptions, Runtime, SharedInformer, SharedInformerFactory,
};
use informer_engine::message::InformerOptions;
use serde_json::{Value, json};

use super::api::{Api, RequestError};
use super::recording_transport::RecordingTransport;
use super::target;

/// Timeout of a condition.
const TIMEOUT: Duration = Duration::from_secs(120);

pub(crate) struct Scene {
    pub(crate) api: Api,
    pub(crate) namespace: String,
    pub(crate) transport: RecordingTransport,
    pub(crate) runtime: Runtime,
    pub(crate) factory: SharedInformerFactory<Object>,
}

/// Closes all watches of the test: a browser has six connections for all tests.
impl Drop for Scene {
    fn drop(&mut self) {
        self.factory.shutdown();
    }
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with_headers(&[]).await
    }

    /// Creates a scene whose informers send these headers. The requests of `api` do not carry them.
    pub(crate) async fn with_headers(headers: &[(&'static str, &'static str)]) -> Self {
        let url = target::apiserver();
        let (api, namespace) = (Api::new(&url), unique("live"));
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        api.create("/api/v1/namespaces", &object).await.expect("a namespace");
        let transport = RecordingTransport::new(target::transport(&url), headers);
        let runtime = Runtime { transport: Rc::new(transport.clone()), clock: target::clock(), spawn: target::spawn() };
        // A list from a real server's watch cache may be older than the last write of a test.
        let options = ReflectorOptions { consistent_lists: true, ..short_waits() };
        let factory = SharedInformerFactory::new(runtime.clone(), options);
        Self { api, namespace, transport, runtime, factory }
    }

    /// Starts an informer of the namespace.
    pub(crate) fn informer(&self, resource: &str) -> SharedInformer<Object> {
        self.informer_with(resource, InformerOptions::default())
    }

    /// Starts an informer of the namespace, unless the options name another.
    pub(crate) fn informer_with(&self, resource: &str, options: InformerOptions) -> SharedInformer<Object> {
        let namespace = options.namespace.or_else(|| Some(self.namespace.clone()));
        let options = InformerOptions { namespace, ..options };
        let (_, informer) = self.factory.for_resource(resource.parse().expect("valid"), options).expect("valid");
        self.factory.start();
        informer
    }

    /// Returns a live informer of the `ConfigMap`s of the namespace.
    pub(crate) async fn config_maps(&self) -> SharedInformer<Object> {
        let informer = self.informer("v1/configmaps");
        live(&informer).await;
        informer
    }

    /// Returns the path of an object of the core group in the namespace; of the collection when `name` is empty.
    pub(crate) fn path(&self, resource: &str, name: &str) -> String {
        let path = format!("/api/v1/namespaces/{}/{resource}/{name}", self.namespace);
        path.trim_end_matches('/').to_owned()
    }

    /// Creates a `ConfigMap` with these labels.
    pub(crate) async fn create(&self, name: &str, labels: &Value) {
        let metadata = json!({"name": name, "labels": labels});
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"of": name}});
        self.api.create(&self.path("configmaps", ""), &object).await.expect("created");
    }

    /// Changes the data of a `ConfigMap`.
    pub(crate) async fn change(&self, name: &str, value: &str) {
        self.api.patch(&self.path("configmaps", name), &json!({"data": {"value": value}})).await.expect("changed");
    }

    pub(crate) async fn delete(&self, name: &str) {
        self.api.delete(&self.path("configmaps", name)).await.expect("deleted");
    }
}

/// Returns the default options with shorter waits.
pub(crate) fn short_waits() -> ReflectorOptions {
    let (initial, max) = (Duration::from_millis(50), Duration::from_millis(500));
    ReflectorOptions { backoff: BackoffOptions { initial, max, factor: 2.0 }, ..ReflectorOptions::default() }
}

/// Returns a unique name.
pub(crate) fn unique(prefix: &str) -> String {
    format!("{prefix}-{:x}", target::clock().seed() & 0xffff_ffff_ffff)
}

/// Resolves as soon as `condition` holds; fails with `what` after the timeout.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let clock = target::clock();
    let deadline = clock.now() + TIMEOUT;
    while !condition() {
        assert!(clock.now() < deadline, "not in time: {what}");
        clock.sleep(Duration::from_millis(10)).await;
    }
}

/// Repeats `attempt` until the server accepts it, for requests that become valid only shortly after an earlier one.
pub(crate) async fn eventually<T>(what: &str, mut attempt: impl AsyncFnMut() -> Result<T, RequestError>) -> T {
    let clock = target::clock();
    let deadline = clock.now() + TIMEOUT;
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => assert!(clock.now() < deadline, "not in time: {what}: {error}"),
        }
        clock.sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the informer is live.
pub(crate) async fn live(informer: &SharedInformer<Object>) {
    until("live", || informer.has_synced() && informer.status().freshness == Freshness::Live).await;
}

/// Returns the names of the cached objects, sorted.
pub(crate) fn names(informer: &SharedInformer<Object>) -> Vec<String> {
    let mut names: Vec<String> = informer.indexer().list().map(|object| object.name().to_owned()).collect();
    names.sort();
    names
}

/// Returns an object of the server as the cache keeps it.
pub(crate) fn without_managed_fields(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

/// Returns an object as JSON.
pub(crate) fn opened(object: &Object) -> Value {
    serde_json::from_str(&object.json()).expect("JSON")
}
