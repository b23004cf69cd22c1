//! Bursts: large events, and many of them (WAT-21 and WAT-23).

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::Reply;
use informer::{
    IndexFunc, Indexers, InformerOptions, Keyed, Object, ResourceListerWatcher, SharedInformer, SharedInformerOptions,
};

use crate::harness::{World, list, object, send};

#[test]
fn wat_21_an_event_may_be_as_large_as_an_apiserver_allows() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &[]);
    for (name, megabytes) in [("a", 2), ("b", 10)] {
        let text = "x".repeat(megabytes << 20);
        let large = object(&format!("n/{name}@11")).replace("}}", &format!(r#"}},"data":"{text}"}}"#));
        let line = format!(r#"{{"type":"ADDED","object":{large}}}"#) + "\n";
        for chunk in line.as_bytes().chunks(16_384) {
            feed.unbounded_send(Ok(chunk.to_vec())).expect("open");
        }
        world.settle();
        let cached = pods.indexer().get_by_key(&format!("n/{name}")).map(|object| object.json().len());
        assert!(cached.is_some_and(|len| len > megabytes << 20), "{cached:?}");
    }
}

#[test]
fn the_events_of_a_chunk_are_one_notification() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (seen, looked) = (Rc::<RefCell<Vec<(u64, usize)>>>::default(), pods.clone());
    let write = Rc::clone(&seen);
    let _observer = pods.observe(move |_| {
        write.borrow_mut().push((looked.status().events, looked.indexer().len()));
    });
    let line =
        |version: u32| format!("{{\"type\":\"ADDED\",\"object\":{}}}\n", object(&format!("n/b{version}@{version}")));
    let chunk: String = (11..31).map(line).collect();
    feed.unbounded_send(Ok(chunk.into_bytes())).expect("open");
    world.settle();
    assert_eq!(seen.take(), [(20, 21)], "once they are cached");
    // A bookmark changes the status, although it contains no object.
    send(&feed, &["bookmark@40"]);
    world.settle();
    assert!(!seen.take().is_empty());
    // The end of a watch is reported together with the events before it.
    let chunk = line(41) + "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500}}\n" + &line(42);
    feed.unbounded_send(Ok(chunk.into_bytes())).expect("open");
    world.settle();
    assert_eq!(seen.take().last(), Some(&(21, 22)), "nothing behind an error is applied");
}

/// A clock on which work takes time: a task that yields lets others run.
struct BusyClock(VirtualClock);

impl Clock for BusyClock {
    fn now(&self) -> Duration {
        self.0.now()
    }
    fn unix_ms(&self) -> f64 {
        self.0.unix_ms()
    }
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let sleep = self.0.sleep(duration);
        async {
            turn().await;
            sleep.await;
        }
        .boxed_local()
    }
    fn seed(&self) -> u64 {
        self.0.seed()
    }
}

/// Yields once to all other tasks.
async fn turn() {
    let mut given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Writes down the longest time between two turns of the page.
fn page(world: &World, informer: &SharedInformer<Object>) -> Rc<Cell<Duration>> {
    let longest = Rc::new(Cell::new(Duration::ZERO));
    let (clock, informer, written) = (world.clock.clone(), informer.clone(), Rc::clone(&longest));
    (world.runtime.spawn)(Box::pin(async move {
        let mut last = clock.now();
        while !informer.is_stopped() {
            turn().await;
            written.set(written.get().max(clock.now().saturating_sub(last)));
            last = clock.now();
            if informer.indexer().len() == 10_000 {
                informer.stop();
            }
        }
    }));
    longest
}

/// Ten thousand events arrive at once, and to `index` or to `transform` each takes a tenth of a millisecond.
fn burst(index: bool, transform: bool) {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &[])));
    let feed = world.watch();
    let order = Rc::<RefCell<Vec<String>>>::default();
    let (time, seen) = (world.clock.clone(), Rc::clone(&order));
    let work = move |object: &Object| {
        time.advance(Duration::from_micros(100));
        seen.borrow_mut().push(object.name().to_owned());
    };
    let (work, clock) = (Rc::new(work), Rc::new(BusyClock(world.clock.clone())));
    let mut options = SharedInformerOptions::default();
    if transform {
        let work = Rc::clone(&work);
        options.transform = Some(Rc::new(move |object| {
            work(object);
            Ok(())
        }));
    }
    let pods = SharedInformer::new(clock, options);
    if index {
        let slow: IndexFunc<Object> = Rc::new(move |object| {
            work(object);
            Ok(Vec::new())
        });
        pods.add_indexers(Indexers::from([("slow".to_owned(), slow)])).expect("a new name");
    }
    let resource = "v1/pods".parse().expect("valid");
    let transport = Rc::clone(&world.runtime.transport);
    let source = ResourceListerWatcher::new(transport, &resource, &InformerOptions::default()).expect("valid");
    let running = pods.clone();
    (world.runtime.spawn)(Box::pin(async move { running.run(source).await }));
    world.settle();
    let names: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    let line = |name: &String| format!("{{\"type\":\"ADDED\",\"object\":{}}}\n", object(&format!("n/{name}@{name}")));
    let lines: String = names.iter().map(line).collect();
    for chunk in lines.as_bytes().chunks(16_384) {
        feed.unbounded_send(Ok(chunk.to_vec())).expect("open");
    }
    let longest = page(&world, &pods);
    world.settle();
    assert_eq!(*order.borrow(), names);
    let longest = longest.get();
    assert!(longest >= Duration::from_millis(8) && longest <= Duration::from_millis(40), "{longest:?}");
}

#[test]
fn wat_23_a_burst_that_is_slow_to_apply_is_in_order_and_lets_the_page_have_its_turns() {
    burst(true, false);
}

#[test]
fn wat_23_a_burst_that_is_slow_to_read_is_in_order_and_lets_the_page_have_its_turns() {
    burst(false, true);
}

/// Clock that advances by 1 ms at each read.
struct TickingClock(BusyClock);

impl Clock for TickingClock {
    fn now(&self) -> Duration {
        self.0.0.advance(Duration::from_millis(1));
        self.0.now()
    }
    fn unix_ms(&self) -> f64 {
        self.0.unix_ms()
    }
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
    fn seed(&self) -> u64 {
        self.0.seed()
    }
}

#[test]
fn a_large_relist_is_looked_at_in_slices_and_applied_at_once() {
    let world = World::new();
    let names = |version: u32| (0..10_000).map(move |n| format!("n/{n}@{}", if n == 7 { version } else { 1 }));
    let body = |version| {
        let names: Vec<String> = names(version).collect();
        list(version, &names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    world.transport.reply(Reply::json(body(10)));
    let feed = world.watch();
    let pods: SharedInformer<Object> =
        SharedInformer::new(Rc::new(TickingClock(BusyClock(world.clock.clone()))), SharedInformerOptions::default());
    let transport = Rc::clone(&world.runtime.transport);
    let resource = "v1/pods".parse().expect("valid");
    let source = ResourceListerWatcher::new(transport, &resource, &InformerOptions::default()).expect("valid");
    let running = pods.clone();
    (world.runtime.spawn)(Box::pin(async move { running.run(source).await }));
    world.settle();
    assert!(pods.has_synced());
    crate::harness::send(&feed, &["error@410"]);
    let relist = world.watch();
    world.watch();
    world.settle();
    world.retry(&pods);
    let (turns, page) = (Rc::new(Cell::new(0)), pods.clone());
    let counted = Rc::clone(&turns);
    (world.runtime.spawn)(Box::pin(async move {
        while page.indexer().resource_version() != "20" {
            turn().await;
            if page.status().queue_depth > 0 {
                counted.set(counted.get() + 1);
                let version =
                    |key: &str| page.indexer().get_by_key(key).map(|object| object.resource_version().to_owned());
                assert_eq!((version("n/7").as_deref(), page.indexer().len()), (Some("10"), 10_000), "it is as it was");
            }
        }
    }));
    relist.unbounded_send(Ok(body(20).into_bytes())).expect("open");
    drop(relist);
    world.settle();
    let version = |key: &str| pods.indexer().get_by_key(key).map(|object| object.resource_version().to_owned());
    assert_eq!(version("n/7").as_deref(), Some("20"));
    // 40 looks of 256, eight in a slice.
    assert!((4..20).contains(&turns.get()), "{}", turns.get());
}
