//! Native informer of pods: time until it has synced, and its cost.
//!
//! `bench-native URL [SECONDS]` prints one line of JSON, like the client-go program (`../client-go`).

use std::cell::Cell;
use std::error::Error;
use std::fs;
use std::rc::Rc;
use std::time::{Duration, Instant};

use informer::clock::native::NativeClock;
use informer::transport::native::NativeTransport;
use informer::{InformerOptions, Object, ReflectorOptions, ResourceEventHandler, Runtime, SharedInformerFactory};
use serde_json::json;
use tokio::task::LocalSet;
use tokio::time::sleep;

/// Counts changes after the first list.
struct Counter(Rc<Cell<u64>>);

impl ResourceEventHandler<Object> for Counter {
    fn on_add(&mut self, _: &std::sync::Arc<Object>, is_in_initial_list: bool) {
        self.0.set(self.0.get() + u64::from(!is_in_initial_list));
    }

    fn on_update(&mut self, _: &std::sync::Arc<Object>, _: &std::sync::Arc<Object>) {
        self.0.set(self.0.get() + 1);
    }

    fn on_delete(&mut self, _: &std::sync::Arc<Object>, _: bool) {
        self.0.set(self.0.get() + 1);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: bench-native URL [SECONDS]")?;
    let seconds = arguments.next().map_or(Ok(0.0), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, measure(&url, seconds))
}

async fn measure(url: &str, seconds: f64) -> Result<(), Box<dyn Error>> {
    let runtime = Runtime {
        transport: Rc::new(NativeTransport::new(url)),
        clock: Rc::new(NativeClock::new()),
        spawn: Rc::new(|task| drop(tokio::task::spawn_local(task))),
    };
    let factory = SharedInformerFactory::<Object>::new(runtime, ReflectorOptions::default());
    let (_, pods) = factory.for_resource("v1/pods".parse()?, InformerOptions::default())?;
    let events = Rc::new(Cell::new(0));
    if seconds > 0.0 {
        pods.add_event_handler(Counter(Rc::clone(&events)))?;
    }

    let start = Instant::now();
    factory.start();
    // The same check as in the other program, so that neither detects it sooner.
    while !pods.has_synced() {
        if start.elapsed() > Duration::from_secs(300) {
            return Err(format!("not synced within five minutes: {:?}", pods.status()).into());
        }
        sleep(Duration::from_millis(1)).await;
    }
    let (sync, cpu) = (start.elapsed(), cpu_milliseconds());
    // Temporary memory may be released meanwhile.
    sleep(Duration::from_secs(1)).await;
    let mut report = json!({
        "milliseconds": sync.as_secs_f64() * 1000.0,
        "cpu": cpu,
        "objects": pods.indexer().list_keys().len(),
        "resident": status("VmRSS:"),
        "peak": status("VmHWM:"),
    });
    if seconds > 0.0 {
        let (cpu, before) = (cpu_milliseconds(), events.get());
        sleep(Duration::from_secs_f64(seconds)).await;
        report["watchCpu"] = json!(cpu_milliseconds() - cpu);
        report["events"] = json!(events.get() - before);
    }
    println!("{report}");
    Ok(())
}

/// CPU time of all threads: utime and stime, in hundredths of a second.
fn cpu_milliseconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * 10.0
}

/// Reads a line of `/proc/self/status`, in bytes.
fn status(name: &str) -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()).and_then(|value| value.parse::<f64>().ok());
    kilobytes.unwrap_or_default() * 1024.0
}
