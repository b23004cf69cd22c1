//! Reads by name, namespace and labels (scenarios LIS).

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Keyed, LabelSelector, Object, SharedInformer};

use crate::harness::World;

/// `namespace/name labels`, where labels are JSON.
fn synced(world: &World, objects: &[(&str, &str)]) -> SharedInformer<Object> {
    let item = |(key, labels): &(&str, &str)| {
        let (namespace, name) = key.split_once('/').expect("namespace/name");
        format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}","resourceVersion":"1","labels":{labels}}}}}"#
        )
    };
    let items: Vec<String> = objects.iter().map(item).collect();
    let list = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{}]}}"#,
        items.join(",")
    );
    world.transport.reply(Reply::json(list));
    let _watch = world.watch();
    let pods = world.pods();
    world.settle();
    assert!(pods.has_synced());
    pods
}

fn keys(objects: &[std::sync::Arc<Object>]) -> Vec<&str> {
    let mut keys: Vec<&str> = objects.iter().map(|object| object.key()).collect();
    keys.sort_unstable();
    keys
}

const THREE: [(&str, &str); 3] =
    [("a/x", r#"{"app":"web","tier":"front"}"#), ("b/x", r#"{"app":"web"}"#), ("b/y", "null")];

#[test]
fn lis_01_selector_matches_some_all_or_no_objects() {
    let world = World::new();
    let lister = synced(&world, &THREE).lister();
    let select = |text: &str| text.parse::<LabelSelector>().expect("valid");
    for (selector, expected) in [
        ("app=web", &["a/x", "b/x"][..]),
        ("app=web,tier!=front", &["b/x"]),
        ("!app", &["b/y"]),
        ("", &["a/x", "b/x", "b/y"]),
        ("app in (api)", &[]),
    ] {
        assert_eq!(keys(&lister.list(&select(selector))), expected, "{selector}");
    }
}

#[test]
fn lis_02_lis_03_everything_and_nothing_selectors() {
    let world = World::new();
    let lister = synced(&world, &THREE).lister();
    assert_eq!(lister.list(&LabelSelector::everything()).len(), 3);
    assert!(lister.list(&LabelSelector::nothing()).is_empty());
    assert!(lister.namespace("b").list(&LabelSelector::nothing()).is_empty());
}

#[test]
fn lis_04_lis_05_one_namespace_or_all() {
    let world = World::new();
    let lister = synced(&world, &THREE).lister();
    let web = "app=web".parse::<LabelSelector>().expect("valid");
    assert_eq!(keys(&lister.namespace("b").list(&LabelSelector::everything())), ["b/x", "b/y"]);
    assert_eq!(keys(&lister.namespace("b").list(&web)), ["b/x"]);
    assert!(lister.namespace("c").list(&web).is_empty());
    assert_eq!(keys(&lister.namespace("").list(&web)), ["a/x", "b/x"]);
}

#[test]
fn lis_06_missing_object_is_named_with_its_resource() {
    let world = World::new();
    let lister = synced(&world, &THREE).lister();
    assert_eq!(lister.namespace("b").get("x").expect("there").resource_version(), "1");
    let missing = lister.namespace("c").get("x").expect_err("nowhere");
    assert_eq!(missing.code(), ErrorCode::NotFound);
    assert!(missing.message().contains("c/x") && missing.message().contains("/api/v1/pods"), "{missing}");
    assert_eq!(lister.get("x").expect_err("it lives in a namespace").code(), ErrorCode::NotFound);
}
