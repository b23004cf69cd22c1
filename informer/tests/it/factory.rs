//! Factory: one informer for equal requests.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use informer::transport::scripted::Reply;
use informer::{
    ErrorCode, IndexFunc, Indexers, InformerError, InformerMode, InformerOptions, KubeObject, Object, Phase,
    ReflectorOptions, SharedInformer, SharedInformerFactory, SharedInformerOptions,
};

use crate::harness::{Log, World, cached, list, page, send};

fn in_namespace(namespace: &str) -> InformerOptions {
    InformerOptions { namespace: Some(namespace.into()), ..InformerOptions::default() }
}

#[test]
fn fac_01_fac_02_the_same_request_gives_the_same_informer_and_starts_once() {
    let world = World::new();
    let (_, first) =
        world.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    let (_, second) =
        world.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    world.factory.start();
    world.factory.start();
    world.settle();
    assert_eq!(world.requests().len(), 1);
    let (_, _other) = world.factory.for_resource("v1/pods".parse().expect("valid"), in_namespace("n")).expect("valid");
    assert_eq!(world.factory.metrics().running, 1, "only what was started counts (FAC-04)");
    world.factory.start();
    world.settle();
    assert_eq!(world.requests().len(), 2);
    assert_eq!(first.status(), second.status());
}

#[test]
fn the_last_user_to_leave_closes_the_watch() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (key, _second) =
        world.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    world.factory.release(&key);
    world.settle();
    assert!(!feed.is_closed());
    world.factory.release(&key);
    world.settle();
    assert!(feed.is_closed() && world.factory.is_empty());
    assert_eq!(pods.status().phase, Phase::Stopped);
    world.factory.release(&key);
}

/// Object that calls the factory when it is dropped, as a guard that releases an informer does.
struct CallsFactoryOnDrop(Rc<World>, Rc<Cell<bool>>);

impl Drop for CallsFactoryOnDrop {
    fn drop(&mut self) {
        self.1.set(self.0.factory.is_empty());
    }
}

#[test]
fn what_is_dropped_with_a_stopped_informer_may_use_the_factory() {
    let (world, has_asked) = (Rc::new(World::new()), Rc::default());
    let pods = || world.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default());
    let (_, stopped) = pods().expect("valid");
    let leaving = CallsFactoryOnDrop(Rc::clone(&world), Rc::clone(&has_asked));
    let index: IndexFunc<Object> = Rc::new(move |_| Ok(vec![leaving.0.factory.len().to_string()]));
    stopped.add_indexers(Indexers::from([("length".to_owned(), index)])).expect("added");
    stopped.stop();
    drop(stopped);
    let (_, fresh) = pods().expect("valid");
    assert!(has_asked.get() && !fresh.is_stopped());
}

#[test]
fn fac_03_nothing_starts_after_a_shutdown() {
    let world = World::new();
    let (_pods, feed) = world.synced(10, &[]);
    world.factory.shutdown();
    world.factory.shutdown();
    world.settle();
    assert!(feed.is_closed());
    let late = world.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default());
    assert_eq!(late.err().map(|error| error.code()), Some(ErrorCode::Closed));
    world.factory.start();
    world.settle();
    assert_eq!(world.requests().len(), 2);
}

#[test]
fn fac_05_fac_06_scope_and_selectors_go_to_the_server() {
    let world = World::new();
    let options = InformerOptions {
        label_selector: Some("app=web".into()),
        field_selector: Some("spec.nodeName=n1".into()),
        page_size: Some(7),
        ..in_namespace("shop")
    };
    let _ = world.factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid");
    world.factory.start();
    world.settle();
    assert_eq!(
        world.transport.paths(),
        [
            "/api/v1/namespaces/shop/pods?pretty=false&labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn1&limit=7&resourceVersion=0"
        ]
    );
}

#[test]
fn fac_03_a_shutdown_ends_all_that_runs() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let nodes = world.factory.for_resource("v1/nodes".parse().expect("valid"), InformerOptions::default());
    let (_, nodes) = nodes.expect("valid");
    world.factory.shutdown();
    world.settle();
    assert!(feed.is_closed() && world.factory.is_empty());
    assert_eq!((pods.status().phase, nodes.status().phase), (Phase::Stopped, Phase::Stopped));
    world.factory.start();
    world.pass(Duration::from_secs(60));
    assert_eq!(world.requests().len(), 2);
}

#[test]
fn fac_05_the_lister_of_another_namespace_is_empty() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["shop/a@1"])));
    let feed = world.watch();
    let (_, pods) = world.factory.for_resource("v1/pods".parse().expect("valid"), in_namespace("shop")).expect("valid");
    world.factory.start();
    world.settle();
    send(&feed, &["+shop/b@11"]);
    world.settle();
    assert_eq!(
        (cached(&pods), pods.lister().namespace("other").get("a").is_err()),
        (vec!["shop/a@1".into(), "shop/b@11".into()], true)
    );
    assert!(world.transport.paths().iter().all(|path| path.starts_with("/api/v1/namespaces/shop/pods?")));
}

#[test]
fn fac_06_selectors_go_with_list_watch_and_each_page() {
    let world = World::new();
    let options = InformerOptions { label_selector: Some("app=web".into()), ..InformerOptions::default() };
    world.transport.reply(Reply::json(page(10, &["n/a@1"], "next")));
    world.transport.reply(Reply::json(list(10, &["n/b@2"])));
    let _feed = world.watch();
    let _pods = world.factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid");
    world.factory.start();
    world.settle();
    assert_eq!(
        world.requests(),
        [
            "list pods labelSelector=app%3Dweb limit=500 resourceVersion=0",
            "list pods labelSelector=app%3Dweb limit=2000 continue=next",
            "watch pods labelSelector=app%3Dweb resourceVersion=10",
        ]
    );
}

/// A second factory of the world, with separate options, and its pods, started.
fn with_options(
    world: &World,
    options: SharedInformerOptions<Object>,
) -> (SharedInformerFactory<Object>, SharedInformer<Object>) {
    let factory = SharedInformerFactory::new(world.runtime.clone(), options);
    let (_, pods) = factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    factory.start();
    world.settle();
    (factory, pods)
}

#[test]
fn fac_08_each_change_is_one_notification_with_the_object() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &[]);
    let log = Log::default();
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    for (word, deliveries) in [("+n/a@11", "+n/a@11"), ("~n/a@12", "~n/a@11>12"), ("-n/a@13", "-n/a@13")] {
        log.take();
        send(&feed, &[word]);
        world.settle();
        assert_eq!(log.take(), [deliveries]);
    }
}

#[test]
fn fac_09_a_server_that_knows_no_streaming_lists_is_listed() {
    let world = World::new();
    let body = r#"{"kind":"Status","code":422,"reason":"Invalid","message":"sendInitialEvents is forbidden"}"#;
    world.transport.reply(Reply::status(422, body)).reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = world.watch();
    let reflector = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    let (_factory, pods) = with_options(&world, reflector.into());
    assert_eq!((pods.has_synced(), cached(&pods)), (true, vec!["n/a@1".to_owned()]));
}

#[test]
fn fac_10_a_server_that_only_streams_lists_is_synced_with() {
    let world = World::new();
    let feed = world.watch();
    let reflector = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    let (_factory, pods) = with_options(&world, reflector.into());
    send(&feed, &["+n/a@1"]);
    let end = r#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"10","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
    feed.unbounded_send(Ok(format!("{end}\n").into_bytes())).expect("open");
    world.settle();
    assert_eq!((pods.has_synced(), cached(&pods)), (true, vec!["n/a@1".to_owned()]));
    assert!(world.requests().iter().all(|request| request.starts_with("stream")), "{:?}", world.requests());
}

#[test]
fn fac_11_the_transform_of_a_factory_is_that_of_all_its_informers() {
    let world = World::new();
    let transform = Rc::new(|object: &mut Object| {
        *object = Object::from_json(&object.json().replace(r#""v1""#, r#""seen""#), None)?;
        Ok(())
    });
    let options = SharedInformerOptions { transform: Some(transform), ..SharedInformerOptions::default() };
    let factory = SharedInformerFactory::new(world.runtime.clone(), options);
    for resource in ["v1/pods", "v1/nodes"] {
        world.transport.reply(Reply::json(list(10, &["n/a@1"])));
        let _feed = world.watch();
        let resource = resource.parse().expect("valid");
        let (_, informer) = factory.for_resource(resource, InformerOptions::default()).expect("valid");
        factory.start();
        world.settle();
        assert!(informer.indexer().list().all(|object| object.json().contains(r#""apiVersion":"seen""#)));
        assert_eq!(informer.indexer().len(), 1);
    }
}

#[test]
fn fac_12_metadata_is_requested_and_keeps_the_kind_of_its_wrapper() {
    let world = World::new();
    let wrapped = |kind: &str, rest: &str| format!(r#"{{"kind":"{kind}","apiVersion":"meta.k8s.io/v1",{rest}}}"#);
    let item = r#""metadata":{"name":"a","namespace":"n","resourceVersion":"1"}"#;
    let items = format!(r#""metadata":{{"resourceVersion":"10"}},"items":[{{{item}}}]"#);
    world.transport.reply(Reply::json(wrapped("PartialObjectMetadataList", &items)));
    let _feed = world.watch();
    let options = InformerOptions { mode: InformerMode::Metadata, ..InformerOptions::default() };
    let (_, pods) = world.factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid");
    world.factory.start();
    world.settle();
    let accept = |at: usize| {
        let requests = world.transport.requests();
        requests[at].headers.iter().find(|(name, _)| *name == "Accept").map(|(_, value)| (*value).to_owned())
    };
    let asks = |kind: &str| Some(format!("application/json;as={kind};g=meta.k8s.io;v=v1,application/json"));
    assert_eq!((accept(0), accept(1)), (asks("PartialObjectMetadataList"), asks("PartialObjectMetadata")));
    assert_eq!(pods.lister().namespace("n").get("a").expect("there").json(), wrapped("PartialObjectMetadata", item));
}

#[test]
fn fac_14_a_deleted_resource_is_requested_rarely_and_listed_when_it_exists_again() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    drop(feed);
    // Always one reply ahead, so that at most one remains at the end.
    let mut answers = 2;
    for _ in 0..3_600 {
        while answers <= world.transport.paths().len() + 1 {
            world.transport.reply(Reply::status(404, "404 page not found"));
            answers += 1;
        }
        world.pass(Duration::from_secs(1));
    }
    let requests = world.requests().len() - 2;
    assert!((60..=130).contains(&requests), "{requests} requests in an hour");
    let status = pods.status();
    assert_eq!(status.last_error.map(|error| (error.code, error.status)), Some((ErrorCode::NotFound, Some(404))));
    assert_eq!((status.phase, cached(&pods).len()), (Phase::Reconnecting, 1));
    // The resource exists again, and is found without a retry by a user.
    world.transport.reply(Reply::json(list(99, &["n/b@98"])));
    let _feed = world.watch();
    world.pass(Duration::from_secs(190));
    assert_eq!((cached(&pods), pods.status().phase), (vec!["n/b@98".to_owned()], Phase::Watching));
}

#[test]
fn what_is_the_same_request_is_the_same_informer() {
    let world = World::new();
    let empty = InformerOptions {
        namespace: Some(String::new()),
        label_selector: Some(String::new()),
        page_size: Some(9),
        ..InformerOptions::default()
    };
    let ask = |options| world.factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid").0;
    assert_eq!(ask(empty), ask(InformerOptions::default()));
    assert_eq!(world.factory.len(), 1);
    let labels = |selector: &str| InformerOptions {
        label_selector: Some(selector.into()),
        field_selector: Some("a=b".into()),
        ..InformerOptions::default()
    };
    assert_eq!(ask(labels("tier in (x),app==web")), ask(labels("app=web, tier in (x)")));
    for wrong in [in_namespace(".."), labels("a=b=c"), labels("!"), labels("a in b")] {
        let refused = world.factory.for_resource("v1/pods".parse().expect("valid"), wrong);
        assert_eq!(refused.err().map(|error| error.code()), Some(ErrorCode::BadRequest));
    }
}

#[test]
fn wl_29_what_one_informer_found_out_others_of_its_resource_need_not() {
    let world = World::new();
    let options = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    let factory = SharedInformerFactory::<Object>::new(world.runtime.clone(), options);
    let started = |namespace: &str| {
        let pods = "v1/pods".parse().expect("valid");
        let (key, informer) = factory.for_resource(pods, in_namespace(namespace)).expect("valid");
        factory.start();
        world.settle();
        (key, informer)
    };
    let _silent = world.watch();
    let (key, first) = started("a");
    let (waiting, _made_before) =
        factory.for_resource("v1/pods".parse().expect("valid"), in_namespace("c")).expect("valid");
    world.transport.reply(Reply::json(list(5, &["a/x@1"])));
    let _watch = world.watch();
    world.pass(Duration::from_secs(31));
    assert!(first.has_synced());
    assert_eq!(world.requests().len(), 3, "a stream without an end, a list, a watch");
    factory.release(&key);
    factory.start_one(&waiting);
    world.settle();
    world.transport.reply(Reply::json(list(6, &["b/x@1"])));
    let (_, second) = started("b");
    assert!(second.has_synced());
    assert!(world.requests()[3..5].iter().all(|request| request.starts_with("list")), "{:?}", world.requests());
    // A line may have stalled: an informer that starts after ten minutes streams again.
    world.pass(Duration::from_secs(600));
    let before = world.requests().len();
    let _stream = world.watch();
    started("d");
    assert!(
        world.requests()[before..].iter().any(|request| request.starts_with("stream")),
        "{:?}",
        &world.requests()[before..]
    );
}

#[test]
fn a_factory_that_is_dropped_leaves_no_watch_open() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = world.watch();
    let factory = SharedInformerFactory::<Object>::new(world.runtime.clone(), ReflectorOptions::default());
    let (_, pods) = factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    factory.start();
    world.settle();
    assert!(pods.has_synced() && !feed.is_closed());
    drop(factory);
    world.settle();
    assert!(feed.is_closed());
    // And a caller that waits for the end is notified of it.
    let (_, pods) =
        world.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
    world.factory.start();
    world.factory.shutdown();
    assert!(world.factory.ended().now_or_never().is_none(), "it has been told to, and runs still");
    world.settle();
    assert!(world.factory.ended().now_or_never().is_some() && pods.is_stopped());
}

#[test]
fn request_for_a_stopped_informer_returns_a_new_one() {
    let world = World::new();
    let (first, _feed) = world.synced(10, &["n/a@1"]);
    first.stop();
    world.settle();
    assert_eq!(world.factory.metrics().running, 0);
    let (second, _feed) = world.synced(20, &["n/a@1"]);
    assert!(second.add_event_handler(Log::default()).is_ok());
    assert_eq!((world.factory.len(), world.factory.metrics().running), (1, 1));
}

#[test]
fn an_informer_that_failed_for_good_is_not_waited_for() {
    let world = World::new();
    world.transport.reply(Reply::status(400, r#"{"kind":"Status","code":400,"reason":"BadRequest","message":"no"}"#));
    let pods = world.pods();
    world.settle();
    assert_eq!(pods.status().phase, Phase::Failed);
    let came = world.factory.wait_for_cache_sync(None).now_or_never().expect("at once");
    assert_eq!(came.unsynced[0].reason.as_ref().map(InformerError::code), Some(ErrorCode::BadRequest));
}
