//! Waiting for caches (scenarios SYN, SHI-25, FAC-04, FAC-13).

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use informer::transport::scripted::Reply;
use informer::{
    CacheSync, ErrorCode, HandlerOptions, InformerError, InformerOptions, LabelSelector, Phase, SharedInformer,
    SharedInformerOptions, wait_for_cache_sync,
};

use crate::backlog::PausableHandler;
use crate::harness::{World, list};
use crate::source::{Source, Thing, empty_source, informer, synced};

type SyncResult = Rc<RefCell<Option<CacheSync>>>;

/// Waits in a separate task; the cell receives the result.
fn wait(world: &World, informers: &[(&str, &SharedInformer<Thing>)], timeout: Option<Duration>) -> SyncResult {
    let waited = SyncResult::default();
    let informers = informers.iter().map(|(name, informer)| ((*name).to_owned(), (*informer).clone())).collect();
    let (clock, result) = (world.clock.clone(), Rc::clone(&waited));
    let task = async move {
        let outcome = wait_for_cache_sync(&clock, informers, timeout).await;
        *result.borrow_mut() = Some(outcome);
    };
    (world.runtime.spawn)(task.boxed_local());
    world.settle();
    waited
}

/// Starts an informer whose server is unreachable.
fn unreachable(world: &World) -> (SharedInformer<Thing>, Source) {
    let (informer, source) = (informer(world, SharedInformerOptions::default()), empty_source());
    source.set_error(Some(ErrorCode::Network));
    source.run(world, &informer);
    (informer, source)
}

fn result(waited: &SyncResult) -> Result<(), String> {
    let result = waited.borrow_mut().take().expect("it has ended").into_result();
    result.map_err(|error| format!("{:?}: {}", error.code(), error.message()))
}

#[test]
fn syn_01_a_registration_is_synced_when_the_cache_is_and_the_handler_was_told() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    source.put("n/a", "");
    let (fast, slow) = (PausableHandler::default(), PausableHandler::default());
    slow.pause();
    let add = |handler: &PausableHandler| informer.add_batch_handler(handler.clone(), HandlerOptions::default());
    let (fast_registration, slow_registration) = (add(&fast).expect("not stopped"), add(&slow).expect("not stopped"));
    world.settle();
    assert!(!fast_registration.has_synced(), "told everything, but the cache has not synced");
    source.run(&world, &informer);
    assert_eq!(
        (informer.has_synced(), fast_registration.has_synced(), slow_registration.has_synced()),
        (true, true, false)
    );
    slow.unpause(&slow_registration);
    world.settle();
    assert_eq!((slow_registration.has_synced(), slow.take()), (true, vec!["+n/a@1!".to_owned(), "synced".to_owned()]));
}

#[test]
fn syn_04_wait_for_no_informer_ends_at_once() {
    let world = World::new();
    let waited = wait(&world, &[], None);
    assert_eq!(result(&waited), Ok(()));
}

#[test]
fn syn_04_the_last_one_decides() {
    let world = World::new();
    let (ready, _source) = synced(&world, &[]);
    let (late, late_source) = unreachable(&world);
    let waited = wait(&world, &[("ready", &ready), ("late", &late)], Some(Duration::from_secs(60)));
    world.pass(Duration::from_secs(10));
    assert!(waited.borrow().is_none());
    late_source.set_error(None);
    late.wake();
    world.settle();
    assert_eq!(result(&waited), Ok(()), "woken by the informer, with no time passing");
}

#[test]
fn syn_04_syn_05_a_timeout_names_the_missing_caches_and_why() {
    let world = World::new();
    let (ready, _source) = synced(&world, &[]);
    let (away, _away) = unreachable(&world);
    let idle = informer(&world, SharedInformerOptions::default());
    let informers = [("z-idle", &idle), ("ready", &ready), ("a-away", &away)];
    let waited = wait(&world, &informers, Some(Duration::from_secs(60)));
    world.pass(Duration::from_secs(59));
    assert!(waited.borrow().is_none());
    world.pass(Duration::from_secs(1));
    let outcome = waited.borrow().clone().expect("ended");
    assert!(!outcome.all());
    let synced: Vec<_> = outcome.synced.iter().map(|(name, synced)| (name.as_str(), *synced)).collect();
    assert_eq!(synced, [("a-away", false), ("ready", true), ("z-idle", false)]);
    assert_eq!(
        result(&waited),
        Err("Timeout: not all caches have synced: a-away: refused; z-idle: no response yet".to_owned())
    );
}

#[test]
fn syn_04_a_synced_cache_is_noticed_though_no_time_is_left() {
    let world = World::new();
    let (ready, _source) = synced(&world, &[]);
    let idle = informer(&world, SharedInformerOptions::default());
    let waited = wait(&world, &[("ready", &ready), ("idle", &idle)], Some(Duration::ZERO));
    let outcome = waited.borrow().clone().expect("at once");
    assert_eq!((outcome.synced["ready"], outcome.synced["idle"]), (true, false));
    assert_eq!(result(&wait(&world, &[("ready", &ready)], Some(Duration::ZERO))), Ok(()));
}

#[test]
fn shi_25_a_stop_ends_the_wait_at_once() {
    let world = World::new();
    let (away, _source) = unreachable(&world);
    let waited = wait(&world, &[("away", &away)], None);
    away.stop();
    world.settle();
    assert!(result(&waited).expect_err("stopped").starts_with("Closed: "));
}

#[test]
fn shi_25_a_stop_before_the_run_ends_the_wait_at_once() {
    let world = World::new();
    let idle = informer(&world, SharedInformerOptions::default());
    let waited = wait(&world, &[("idle", &idle)], None);
    assert!(waited.borrow().is_none());
    idle.stop();
    world.settle();
    assert_eq!(result(&waited), Err("Closed: not all caches have synced: idle: stopped".to_owned()));
}

/// Lets a factory's informers sync, for so long.
fn wait_for_factory(world: World, timeout: Duration) -> (World, CacheSync) {
    let waited = SyncResult::default();
    let (world, result) = (Rc::new(world), Rc::clone(&waited));
    let waiting = Rc::clone(&world);
    (world.runtime.spawn)(
        async move {
            let outcome = waiting.factory.wait_for_cache_sync(Some(timeout)).await;
            *result.borrow_mut() = Some(outcome);
        }
        .boxed_local(),
    );
    world.settle();
    world.pass(timeout);
    let outcome = waited.borrow_mut().take().expect("ended");
    (Rc::into_inner(world).expect("the task has ended"), outcome)
}

#[test]
fn fac_04_only_what_was_started_is_waited_for() {
    let world = World::new();
    let (_pods, _feed) = world.synced(10, &[]);
    let nodes = "v1/nodes".parse().expect("valid");
    let _idle = world.factory.for_resource(nodes, InformerOptions::default()).expect("valid");
    let (_world, outcome) = wait_for_factory(world, Duration::from_secs(1));
    assert!(outcome.all());
    assert_eq!(outcome.synced.keys().map(String::as_str).collect::<Vec<_>>(), ["v1/pods"]);
}

#[test]
fn fac_13_one_forbidden_resource_is_named_and_the_others_are_usable() {
    let world = World::new();
    let (pods, _pods_feed) = world.synced(10, &["n/a@1"]);
    world.transport.reply(Reply::json(list(11, &["n/b@2"])));
    let _services_feed = world.watch();
    let ask = |resource: &str| {
        let resource = resource.parse().expect("valid");
        let informer = world.factory.for_resource(resource, InformerOptions::default()).expect("valid").1;
        world.factory.start();
        world.settle();
        informer
    };
    let services = ask("v1/services");
    for _ in 0..20 {
        let body = r#"{"kind":"Status","code":403,"reason":"Forbidden","message":"secrets is forbidden"}"#;
        world.transport.reply(Reply::status(403, body));
    }
    let secrets = ask("v1/secrets");
    let (_world, outcome) = wait_for_factory(world, Duration::from_secs(30));
    let missing: Vec<_> = outcome.unsynced.iter().map(|one| (one.informer.as_str(), one.phase)).collect();
    assert_eq!(missing, [("v1/secrets", Phase::Reconnecting)]);
    assert_eq!(outcome.unsynced[0].reason.as_ref().map(InformerError::code), Some(ErrorCode::Forbidden));
    assert!(outcome.into_result().expect_err("one is missing").message().contains("v1/secrets: secrets is forbidden"));
    assert_eq!(
        (
            pods.lister().list(&LabelSelector::everything()).len(),
            services.lister().list(&LabelSelector::everything()).len(),
            secrets.has_synced()
        ),
        (1, 1, false)
    );
}
