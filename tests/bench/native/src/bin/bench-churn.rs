//! Changes pods of an apiserver at a steady rate: `bench-churn URL EVENTS_PER_SECOND`, until it is terminated.
//!
//! Each change is one event of a watch of pods: a status patch of one pod after the other, in a pseudo-random order.
//! The simulated cluster of the embedded apiserver also changes other kinds, in bursts, and is slower.

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use informer::clock::native::NativeClock;
use informer::transport::native::NativeTransport;
use informer::{
    InformerMode, InformerOptions, Object, ReflectorOptions, Runtime, SharedInformerFactory, split_meta_namespace_key,
};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{MissedTickBehavior, interval, sleep};

/// Maximum number of requests in flight: enough to hide the latency on one machine.
const AT_A_TIME: usize = 8;
/// Interval at which due changes are sent.
const TICK: Duration = Duration::from_millis(10);
/// A prime: steps of this size visit every pod before one repeats, far from its neighbours.
const STEP: usize = 7919;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: bench-churn URL EVENTS_PER_SECOND")?;
    let rate: f64 = arguments.next().ok_or("usage: bench-churn URL EVENTS_PER_SECOND")?.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, churn(url, rate))
}

async fn churn(url: String, rate: f64) -> Result<(), Box<dyn Error>> {
    let paths: Rc<[String]> = paths(&url).await?.into();
    let client = reqwest::Client::new();
    let (owed, at) = (Rc::new(Cell::new(0.0)), Rc::new(Cell::new(0_usize)));
    // A patch without a difference makes no event, so values of earlier runs must not repeat.
    let run = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    println!("changing {} pods", paths.len());
    for _ in 0..AT_A_TIME {
        let (owed, at, client, paths) = (Rc::clone(&owed), Rc::clone(&at), client.clone(), Rc::clone(&paths));
        spawn_local(async move {
            loop {
                if owed.get() < 1.0 {
                    sleep(Duration::from_millis(1)).await;
                    continue;
                }
                owed.set(owed.get() - 1.0);
                at.set(at.get() + 1);
                let path = &paths[at.get().wrapping_mul(STEP) % paths.len()];
                let request = client.patch(path).header("content-type", "application/merge-patch+json");
                // A failed request is one event less; the watcher counts the events.
                let answer =
                    request.body(format!(r#"{{"status":{{"reason":"Bench{run}-{}"}}}}"#, at.get())).send().await;
                if let Ok(answer) = answer {
                    drop(answer.bytes().await);
                }
            }
        });
    }
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    loop {
        ticks.tick().await;
        // At most a tenth of a second is due: after a pause there is no burst.
        owed.set((owed.get() + rate * TICK.as_secs_f64()).min(rate / 10.0));
    }
}

/// Returns the status paths of all pods.
async fn paths(url: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let runtime = Runtime {
        transport: Rc::new(NativeTransport::new(url)),
        clock: Rc::new(NativeClock::new()),
        spawn: Rc::new(|task| drop(spawn_local(task))),
    };
    let factory = SharedInformerFactory::<Object>::new(runtime, ReflectorOptions::default());
    let options = InformerOptions { mode: InformerMode::Metadata, ..InformerOptions::default() };
    let (_, pods) = factory.for_resource("v1/pods".parse()?, options)?;
    factory.start();
    while !pods.has_synced() {
        sleep(Duration::from_millis(10)).await;
    }
    let keys = pods.indexer().list_keys();
    let mut paths = Vec::with_capacity(keys.len());
    for key in &keys {
        let (namespace, name) = split_meta_namespace_key(key)?;
        paths.push(format!("{url}/api/v1/namespaces/{namespace}/pods/{name}/status"));
    }
    Ok(paths)
}
