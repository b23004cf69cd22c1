//! Informer on real sockets, under faults of the server: at the end, the cache and the states of handlers equal
//! the server's state.
// The helpers are not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use apiserver::Server;
use informer::clock::native::NativeClock;
use informer::transport::native::NativeTransport;
use informer::{
    BackoffOptions, Freshness, InformerOptions, Keyed, Object, ReflectorOptions, ResourceEventHandler, Runtime,
    SharedInformer, SharedInformerFactory,
};
use serde_json::{Value, json};
use tokio::task::LocalSet;

const OPERATIONS: usize = 400;
const TIMEOUT: Duration = Duration::from_secs(120);

type Versions = BTreeMap<String, String>;

/// State of a handler that applies all its changes.
#[derive(Clone, Default)]
struct Mirror(Rc<RefCell<Versions>>);

impl ResourceEventHandler<Object> for Mirror {
    fn on_add(&mut self, object: &Arc<Object>, _: bool) {
        let old = self.0.borrow_mut().insert(object.key().to_owned(), object.resource_version().to_owned());
        assert_eq!(old, None, "{} was added twice", object.key());
    }

    fn on_update(&mut self, old: &Arc<Object>, new: &Arc<Object>) {
        let known = self.0.borrow_mut().insert(new.key().to_owned(), new.resource_version().to_owned());
        assert_eq!(known.as_deref(), Some(old.resource_version()), "{} changed from another version", new.key());
    }

    fn on_delete(&mut self, object: &Arc<Object>, _: bool) {
        assert!(self.0.borrow_mut().remove(object.key()).is_some(), "{} was deleted twice", object.key());
    }
}

fn cached_versions(informer: &SharedInformer<Object>) -> Versions {
    informer.indexer().list().map(|pod| (pod.key().to_owned(), pod.resource_version().to_owned())).collect()
}

async fn server_versions(client: &reqwest::Client, url: &str) -> Versions {
    let list: Value =
        client.get(format!("{url}/api/v1/pods")).send().await.expect("answered").json().await.expect("JSON");
    let text = |item: &Value, field: &str| item["metadata"][field].as_str().expect("there").to_owned();
    let pods = list["items"].as_array().expect("a list").iter();
    pods.map(|pod| (format!("{}/{}", text(pod, "namespace"), text(pod, "name")), text(pod, "resourceVersion")))
        .collect()
}

/// Performs one write, chosen by the seed, on a small set of names so that they collide.
async fn write(client: &reqwest::Client, url: &str, random: &mut fastrand::Rng) {
    let (pods, name) = (format!("{url}/api/v1/namespaces/default/pods"), format!("p{}", random.u8(..12)));
    let request = match random.u8(..10) {
        0..3 => client.delete(format!("{pods}/{name}?gracePeriodSeconds=0")),
        3..6 => client.post(&pods).json(&json!({
            "kind": "Pod", "apiVersion": "v1", "metadata": {"name": name},
            "spec": {"containers": [{"name": "c", "image": "pause"}]},
        })),
        _ => {
            let change = json!({"metadata": {"labels": {"n": random.u32(..).to_string()}}});
            let request = client.patch(format!("{pods}/{name}"));
            request.header("content-type", "application/merge-patch+json").body(change.to_string())
        }
    };
    // 404 and 409 are fine: the names collide on purpose.
    let status = request.send().await.expect("answered").status();
    assert!(!status.is_server_error(), "{status}");
}

async fn run_with_faults(seed: u64) {
    let streaming = seed.is_multiple_of(2);
    let server = Server::builder().bookmark_every(Duration::from_millis(300)).start().await.expect("started");
    let url = server.url();
    let clock = Rc::new(NativeClock::new());
    let runtime = Runtime {
        transport: Rc::new(NativeTransport::new(&url)),
        clock,
        spawn: Rc::new(|task| drop(tokio::task::spawn_local(task))),
    };
    let options = ReflectorOptions {
        page_size: Some(5),
        consistent_lists: true,
        watch_list: streaming,
        // Streams are stalled before their end too.
        initial_events_timeout: Duration::from_millis(900),
        silence_timeout: Duration::from_millis(900),
        backoff: BackoffOptions { initial: Duration::from_millis(10), max: Duration::from_millis(100), factor: 2.0 },
        ..ReflectorOptions::default()
    };
    let factory = SharedInformerFactory::new(runtime, options);
    let (_, pods) = factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    let mirror = Mirror::default();
    let _registration = pods.add_event_handler(mirror.clone()).expect("not stopped");
    factory.start();

    let client = reqwest::Client::new();
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..OPERATIONS {
        write(&client, &url, &mut random).await;
        match random.u16(..60) {
            0 | 1 => server.cut_watches(),
            2 => server.stall_watches(),
            3 => {
                server.compact();
                server.cut_watches();
            }
            // Time for a watch to live between two faults.
            4..20 => tokio::time::sleep(Duration::from_millis(15)).await,
            _ => {}
        }
    }
    // No later event repairs the last fault: half-open streams, and changes that they do not deliver.
    server.stall_watches();
    for _ in 0..20 {
        write(&client, &url, &mut random).await;
    }

    let expected = server_versions(&client, &url).await;
    let settled = async {
        while cached_versions(&pods) != expected || pods.status().freshness != Freshness::Live {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(TIMEOUT, settled).await.is_ok();
    assert!(in_time, "seed {seed}: {:?}\ncached {:?}\nserved {expected:?}", pods.status(), cached_versions(&pods));
    assert_eq!(*mirror.0.borrow(), expected, "seed {seed}: handlers and server have different states");
    let status = pods.status();
    assert!(status.watches > 3, "seed {seed}: the watch was never interrupted: {status:?}");
    assert_eq!(pods.metrics().watch_lists > 0, streaming, "seed {seed}");
    factory.shutdown();
    server.stop().await;
}

#[test]
fn the_cache_is_correct_after_any_sequence_of_faults() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("built");
    for seed in 1..=4 {
        LocalSet::new().block_on(&runtime, run_with_faults(seed));
    }
}
