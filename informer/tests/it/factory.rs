//! One informer for all who ask for the same.

use std::time::Duration;

use informer::message::InformerOptions;
use informer::transport::scripted::Reply;
use informer::{ErrorCode, Object, Phase, ReflectorOptions, SharedInformerFactory};

use crate::harness::{World, list};

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
    assert_eq!(world.asked().len(), 1);
    let (_, _other) = world.factory.for_resource("v1/pods".parse().expect("valid"), in_namespace("n")).expect("valid");
    assert_eq!(world.factory.metrics().running, 1, "only what was started counts (FAC-04)");
    world.factory.start();
    world.settle();
    assert_eq!(world.asked().len(), 2);
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

#[test]
fn fac_03_nothing_starts_after_a_shutdown() {
    let world = World::new();
    let (_pods, feed) = world.synced(10, &[]);
    world.factory.shutdown();
    world.factory.shutdown();
    world.settle();
    assert!(feed.is_closed());
    let _late = world.pods();
    world.settle();
    assert_eq!(world.asked().len(), 2);
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
    world.transport.reply(Reply::json(list(5, &["a/x@1"])));
    let _watch = world.watch();
    world.pass(Duration::from_secs(31));
    assert!(first.has_synced());
    assert_eq!(world.asked().len(), 3, "a stream without an end, a list, a watch");
    factory.release(&key);
    world.transport.reply(Reply::json(list(6, &["b/x@1"])));
    let (_, second) = started("b");
    assert!(second.has_synced());
    assert!(world.asked()[3].starts_with("list"), "{:?}", world.asked());
}
