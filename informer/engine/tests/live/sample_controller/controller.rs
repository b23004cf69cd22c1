//! Controller: informers cache objects, handlers add keys to a queue, workers reconcile.

use std::rc::Rc;
use std::sync::Arc;

use futures::future::join_all;
use informer::workqueue::WorkQueue;
use informer::{
    Keyed, Object, ReflectorOptions, ResourceEventHandler, Result, Runtime, SharedInformer, SharedInformerFactory,
};
use informer_engine::message::InformerOptions;
use serde_json::json;

use super::super::api::{Api, RequestError};
use super::foo::{Deployment, Foo, Metadata};

/// Creates and scales the `Deployment` that each `Foo` names.
///
/// A key, `namespace/name` of a `Foo`, means that its state may have changed: a worker compares the cached state with
/// the desired one. So a change that is delivered twice, late or merged with others is harmless, and after a restart
/// the first list corrects all differences.
pub(crate) struct Controller {
    api: Api,
    factory: SharedInformerFactory<Object>,
    foos: SharedInformer<Object>,
    deployments: SharedInformer<Object>,
    queue: WorkQueue<String>,
}

/// Puts the key of the `Foo` that an object concerns into the queue: all that a handler should do.
struct Enqueue {
    queue: WorkQueue<String>,
    foo_of: fn(&Object) -> Option<String>,
}

impl Enqueue {
    fn enqueue(&self, object: &Object) {
        if let Some(key) = (self.foo_of)(object) {
            self.queue.add(key);
        }
    }
}

impl ResourceEventHandler<Object> for Enqueue {
    fn on_add(&mut self, object: &Arc<Object>, _is_in_initial_list: bool) {
        self.enqueue(object);
    }

    fn on_update(&mut self, _old: &Arc<Object>, new: &Arc<Object>) {
        self.enqueue(new);
    }

    fn on_delete(&mut self, object: &Arc<Object>, _final_state_unknown: bool) {
        self.enqueue(object);
    }
}

impl Controller {
    /// A controller for one namespace. It reads through `runtime` and writes through `api`.
    pub(crate) fn new(runtime: Runtime, api: Api, namespace: &str) -> Result<Rc<Self>> {
        let queue = WorkQueue::new(Rc::clone(&runtime.clock));
        let factory = SharedInformerFactory::new(runtime, ReflectorOptions::default());
        let options = InformerOptions { namespace: Some(namespace.to_owned()), ..InformerOptions::default() };
        let (_, foos) = factory.for_resource(Foo::resource(), options.clone())?;
        let (_, deployments) = factory.for_resource(Deployment::resource(), options)?;

        let enqueue = |foo_of| Enqueue { queue: queue.clone(), foo_of };
        foos.add_event_handler(enqueue(|foo| Some(foo.key().to_owned())))?;
        // A Deployment concerns the Foo that owns it, and no Foo if none does.
        deployments.add_event_handler(enqueue(|deployment| Metadata::of(deployment)?.foo_key()))?;
        Ok(Rc::new(Self { api, factory, foos, deployments, queue }))
    }

    /// Works until [`Controller::stop`].
    pub(crate) async fn run(&self, workers: usize) -> Result<()> {
        self.factory.start();
        // With incomplete caches, a worker would create objects that are only not listed yet.
        self.factory.wait_for_cache_sync(None).await.into_result()?;
        let work = async || while self.process_next_work_item().await {};
        join_all((0..workers).map(|_| work())).await;
        Ok(())
    }

    /// Workers process the waiting keys, and end.
    pub(crate) fn stop(&self) {
        self.queue.shut_down();
        self.factory.shutdown();
    }

    /// Takes one key through its work; false when there will be no more.
    async fn process_next_work_item(&self) -> bool {
        let Some(key) = self.queue.get().await else { return false };
        match self.sync_handler(&key).await {
            // The next failure of this key is its first again.
            Ok(()) => self.queue.forget(&key),
            Err(error) => {
                tracing::warn!(%key, %error, "not in order yet, and tried again");
                self.queue.add_rate_limited(key.clone());
            }
        }
        // Only now may another worker take the key.
        self.queue.done(&key);
        true
    }

    /// Compares the actual state with the desired state of a `Foo`, and corrects the difference. After an error the key
    /// is retried.
    async fn sync_handler(&self, key: &str) -> Result<(), RequestError> {
        let Some(foo) = self.foos.indexer().get_by_key(key).and_then(|foo| Foo::read(foo)) else {
            // Deleted, or permanently undecodable. The garbage collector deletes its Deployment, by the owner
            // reference.
            return Ok(());
        };
        let Foo { metadata, spec, status } = &foo;
        let namespace = &metadata.namespace;
        let deployment = format!("{namespace}/{}", spec.deployment_name);
        let cached = self.deployments.indexer().get_by_key(&deployment).and_then(|cached| Deployment::read(cached));
        let Some(deployment) = cached else {
            // Rejected if it exists and is only not cached yet; the next attempt finds it.
            self.api.create(&Deployment::path(namespace, ""), &foo.deployment()).await?;
            // The watch delivers the created object, which adds the key again.
            return Ok(());
        };
        if !deployment.metadata.is_controlled_by(metadata) {
            let message = format!("the Deployment {} already exists and has another owner", spec.deployment_name);
            self.warn(metadata, "ErrResourceExists", &message).await?;
            return Err(RequestError { code: 409, message });
        }
        if deployment.spec.replicas != spec.replicas {
            let change = json!({"spec": {"replicas": spec.replicas}});
            self.api.patch(&Deployment::path(namespace, &spec.deployment_name), &change).await?;
        }
        if deployment.status != *status {
            let change = json!({"status": {"availableReplicas": deployment.status.available_replicas}});
            self.api.patch(&format!("{}/status", Foo::path(namespace, &metadata.name)), &change).await?;
        }
        Ok(())
    }

    /// Creates an Event about a `Foo`, for users of `kubectl describe`.
    async fn warn(&self, foo: &Metadata, reason: &str, message: &str) -> Result<(), RequestError> {
        let Metadata { name, namespace, uid, .. } = foo;
        let event = json!({
            "metadata": {"generateName": format!("{name}.")},
            "involvedObject": {
                "apiVersion": Foo::API_VERSION, "kind": Foo::KIND, "namespace": namespace, "name": name, "uid": uid,
            },
            "type": "Warning", "reason": reason, "message": message,
        });
        self.api.create(&format!("/api/v1/namespaces/{namespace}/events"), &event).await.map(drop)
    }
}
