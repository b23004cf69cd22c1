//! Sample controller, in the shape of kubernetes/sample-controller: for each `Foo` it creates a `Deployment` and
//! corrects it to what the `Foo` specifies.
//!
//! `controller.rs` is the example: informers, handlers and a work queue together. This file has its tests.
#![expect(clippy::disallowed_names, reason = "a Foo is called foo")]

mod controller;
mod foo;

use std::rc::Rc;

use futures::FutureExt;
use informer::{Object, SharedInformer};
use serde_json::{Value, json};

use super::scene::{Scene, eventually, live, opened, until};
use super::target::live_test;
use controller::Controller;
use foo::{Deployment, Foo};

/// Namespace with the running controller, and separate informers that observe its effects.
struct Stage {
    scene: Scene,
    controller: Rc<Controller>,
    foos: SharedInformer<Object>,
    deployments: SharedInformer<Object>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.controller.stop();
    }
}

impl Stage {
    async fn new() -> Self {
        let scene = Scene::new().await;
        let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        if let Err(error) = scene.api.create(definitions, &Foo::definition()).await {
            assert_eq!(error.code, 409, "another test may have been first: {error:?}");
        }
        let foos = scene.informer(&Foo::resource().to_string());
        let deployments = scene.informer(&Deployment::resource().to_string());
        live(&foos).await;
        live(&deployments).await;
        let controller = Controller::new(scene.runtime.clone(), scene.api.clone(), &scene.namespace).expect("valid");
        let working = Rc::clone(&controller);
        (scene.runtime.spawn)(async move { working.run(2).await.expect("synced") }.boxed_local());
        Self { scene, controller, foos, deployments }
    }

    /// Creates a `Foo` that requests a `Deployment`, as a user does.
    async fn apply(&self, name: &str, deployment: &str, replicas: u32) {
        let object = json!({
            "apiVersion": Foo::API_VERSION, "kind": Foo::KIND, "metadata": {"name": name},
            "spec": {"deploymentName": deployment, "replicas": replicas},
        });
        let collection = Foo::path(&self.scene.namespace, "");
        eventually("Foos are served", async || self.scene.api.create(&collection, &object).await).await;
    }

    async fn scale(&self, path: &str, replicas: u32) {
        let change = json!({"spec": {"replicas": replicas}});
        self.scene.api.patch(path, &change).await.expect("scaled");
    }

    fn cached(&self, informer: &SharedInformer<Object>, name: &str) -> Option<Value> {
        informer.lister().namespace(&self.scene.namespace).get(name).ok().map(|object| opened(&object))
    }

    fn replicas(&self, deployment: &str) -> Option<u64> {
        self.cached(&self.deployments, deployment)?["spec"]["replicas"].as_u64()
    }
}

#[live_test]
async fn a_foo_has_its_deployment_restored_after_changes() {
    let stage = Stage::new().await;
    let deployment = Deployment::path(&stage.scene.namespace, "web");
    stage.apply("shop", "web", 1).await;
    until("created", || stage.replicas("web") == Some(1)).await;
    let created = stage.cached(&stage.deployments, "web").expect("there");
    let foo = stage.cached(&stage.foos, "shop").expect("there");
    let [owner] = &created["metadata"]["ownerReferences"].as_array().expect("an owner")[..] else {
        panic!("one owner: {created}")
    };
    assert_eq!((&owner["uid"], &owner["controller"]), (&foo["metadata"]["uid"], &json!(true)));

    stage.scale(&Foo::path(&stage.scene.namespace, "shop"), 3).await;
    until("scaled", || stage.replicas("web") == Some(3)).await;
    stage.scale(&deployment, 7).await;
    until("what the Foo wants, whatever others do", || stage.replicas("web") == Some(3)).await;

    stage.scene.api.delete(&deployment).await.expect("deleted");
    let uid = || Some(stage.cached(&stage.deployments, "web")?["metadata"]["uid"].clone());
    until("there again", || uid().is_some_and(|uid| uid != created["metadata"]["uid"])).await;
}

#[live_test]
async fn a_foo_reports_the_available_replicas() {
    let stage = Stage::new().await;
    stage.apply("shop", "web", 1).await;
    until("created", || stage.replicas("web").is_some()).await;
    // The deployment controller's part, which the real apiserver here has not, and the embedded one takes its time for.
    let status = json!({"status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1}});
    let path = format!("{}/status", Deployment::path(&stage.scene.namespace, "web"));
    stage.scene.api.patch(&path, &status).await.expect("reported");
    let available = || stage.cached(&stage.foos, "shop")?["status"]["availableReplicas"].as_u64();
    until("told", || available() == Some(1)).await;
}

#[live_test]
async fn deployment_of_another_owner_is_left_alone_and_the_foo_is_retried() {
    let stage = Stage::new().await;
    let (namespace, api) = (&stage.scene.namespace, &stage.scene.api);
    let events = stage.scene.informer("v1/events");
    live(&events).await;
    let labels = json!({"app": "theirs"});
    let theirs = json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 5, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "pause"}]}},
        },
    });
    api.create(&Deployment::path(namespace, ""), &theirs).await.expect("created");
    until("theirs", || stage.replicas("web") == Some(5)).await;

    stage.apply("shop", "web", 1).await;
    let warning = || {
        let events: Vec<Value> = events.indexer().list().map(|event| opened(event)).collect();
        events.into_iter().find(|event| event["reason"] == "ErrResourceExists")
    };
    until("an event", || warning().is_some()).await;
    assert_eq!(warning().expect("there")["involvedObject"]["name"], "shop");
    assert_eq!(stage.replicas("web"), Some(5), "not the Foo's to scale");

    // The controller is not notified: the Deployment was not of its Foo. It is the queue that brings the key again.
    api.delete(&Deployment::path(namespace, "web")).await.expect("deleted");
    until("the Foo's own", || stage.replicas("web") == Some(1)).await;
}
