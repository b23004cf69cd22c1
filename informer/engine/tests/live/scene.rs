//! Scene of a test: its namespace, a line to the apiserver, a factory.

use std::rc::Rc;
use std::time::Duration;

use informer::{
    BackoffOptions, Freshness, Keyed, Object, ReflectorOptions, Runtime, SharedInformer, SharedInformerFactory,
};
use informer_engine::message::InformerOptions;
use serde_json::{Value, json};

use super::api::{Api, Refused};
use super::line::Line;
use super::target;

/// Timeout of a condition.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Scene {
    pub(crate) api: Api,
    pub(crate) namespace: String,
    pub(crate) line: Line,
    pub(crate) runtime: Runtime,
    pub(crate) factory: SharedInformerFactory<Object>,
}

/// A test that ends leaves no watch open: a browser has six connections for all tests.
impl Drop for Scene {
    fn drop(&mut self) {
        self.factory.shutdown();
    }
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with_headers(&[]).await
    }

    /// As a user without any rights: the requests of informers carry the headers, those of `api` do not.
    pub(crate) async fn with_headers(headers: &[(&'static str, &'static str)]) -> Self {
        let url = target::apiserver();
        let (api, namespace) = (Api::new(&url), unique("live"));
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        api.create("/api/v1/namespaces", &object).await.expect("a namespace");
        let line = Line::new(target::transport(&url), headers);
        let runtime = Runtime { transport: Rc::new(line.clone()), clock: target::clock(), spawn: target::spawn() };
        // A list from a real server's watch cache may be older than the last write of a test.
        let options = ReflectorOptions { consistent_lists: true, ..impatient() };
        let factory = SharedInformerFactory::new(runtime.clone(), options);
        Self { api, namespace, line, runtime, factory }
    }

    /// An informer of the namespace, started.
    pub(crate) fn informer(&self, resource: &str) -> SharedInformer<Object> {
        self.informer_with(resource, InformerOptions::default())
    }

    /// An informer of the namespace, unless the options name another, started.
    pub(crate) fn informer_with(&self, resource: &str, options: InformerOptions) -> SharedInformer<Object> {
        let namespace = options.namespace.or_else(|| Some(self.namespace.clone()));
        let options = InformerOptions { namespace, ..options };
        let (_, informer) = self.factory.for_resource(resource.parse().expect("valid"), options).expect("valid");
        self.factory.start();
        informer
    }

    /// The `ConfigMap`s of the namespace, listed and watched.
    pub(crate) async fn config_maps(&self) -> SharedInformer<Object> {
        let informer = self.informer("v1/configmaps");
        live(&informer).await;
        informer
    }

    /// The path of an object of the core group in the namespace; of the collection when `name` is empty.
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

/// The defaults, but for waits that are long for a person.
pub(crate) fn impatient() -> ReflectorOptions {
    let (initial, max) = (Duration::from_millis(50), Duration::from_millis(500));
    ReflectorOptions { backoff: BackoffOptions { initial, max, factor: 2.0 }, ..ReflectorOptions::default() }
}

/// A unique name.
pub(crate) fn unique(prefix: &str) -> String {
    format!("{prefix}-{:x}", target::clock().seed() & 0xffff_ffff_ffff)
}

/// Resolves as soon as `condition` holds; fails with `what` after the timeout.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let clock = target::clock();
    let deadline = clock.now() + PATIENCE;
    while !condition() {
        assert!(clock.now() < deadline, "not in time: {what}");
        clock.sleep(Duration::from_millis(10)).await;
    }
}

/// Repeats `attempt` until the server accepts it, for requests that become valid only shortly after an earlier one.
pub(crate) async fn eventually<T>(what: &str, mut attempt: impl AsyncFnMut() -> Result<T, Refused>) -> T {
    let clock = target::clock();
    let deadline = clock.now() + PATIENCE;
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(refused) => assert!(clock.now() < deadline, "not in time: {what}: {refused}"),
        }
        clock.sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the informer is live.
pub(crate) async fn live(informer: &SharedInformer<Object>) {
    until("live", || informer.has_synced() && informer.status().freshness == Freshness::Live).await;
}

/// Names of the cached objects, sorted.
pub(crate) fn names(informer: &SharedInformer<Object>) -> Vec<String> {
    let mut names: Vec<String> = informer.indexer().list().map(|object| object.name().to_owned()).collect();
    names.sort();
    names
}

/// An object of the server as the cache keeps it.
pub(crate) fn without_managed_fields(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

/// An object, opened.
pub(crate) fn opened(object: &Object) -> Value {
    serde_json::from_str(&object.json()).expect("JSON")
}
