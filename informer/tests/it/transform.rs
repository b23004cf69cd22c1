//! Transform: what is cached, and which informers are the same.

use informer::transport::scripted::Reply;
use informer::{ErrorCode, InformerKey, InformerOptions, Keyed, Object, SharedInformer, TransformOptions};

use crate::harness::World;

fn options(keep_managed_fields: bool, drop: &[&str]) -> InformerOptions {
    let drop = drop.iter().map(|&path| path.to_owned()).collect();
    InformerOptions { transform: TransformOptions { keep_managed_fields, drop }, ..InformerOptions::default() }
}

fn pods(world: &World, options: InformerOptions) -> informer::Result<(InformerKey, SharedInformer<Object>)> {
    world.factory.for_resource("v1/pods".parse().expect("valid"), options)
}

fn pod(version: u32, phase: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"a","namespace":"n","uid":"u","resourceVersion":"{version}","labels":{{"app":"web"}},"managedFields":[{{"manager":"kubelet"}}]}},"spec":{{"containers":[{{"name":"c","env":[{{"name":"A"}}]}}]}},"status":{{"phase":"{phase}"}}}}"#
    )
}

/// A world whose one pod is listed, then changed by its watch, with these options; the texts after each.
fn texts(options: InformerOptions) -> [String; 2] {
    let world = World::new();
    let list = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"10"}},"items":[{}]}}"#,
        pod(1, "Pending")
    );
    world.transport.reply(Reply::json(list));
    let feed = world.watch();
    let (_, pods) = pods(&world, options).expect("valid");
    world.factory.start();
    world.settle();
    let text = || pods.lister().namespace("n").get("a").expect("cached").json().into_owned();
    let listed = text();
    let event = format!(r#"{{"type":"MODIFIED","object":{}}}"#, pod(11, "Running"));
    feed.unbounded_send(Ok(format!("{event}\n").into_bytes())).expect("open");
    world.settle();
    let watched = text();
    assert_eq!(pods.lister().list(&"app=web".parse().expect("valid")).len(), usize::from(watched.contains("labels")));
    [listed, watched]
}

#[test]
fn managed_fields_are_kept_on_request_in_lists_and_watches() {
    for text in texts(options(false, &[])) {
        assert!(!text.contains("managedFields"), "{text}");
    }
    for text in texts(options(true, &[])) {
        assert!(text.contains(r#""managedFields":[{"manager":"kubelet"}]"#), "{text}");
    }
}

#[test]
fn dropped_fields_are_not_cached_from_lists_and_watches() {
    for (keep, paths, gone, kept) in [
        (
            false,
            &[".status", "spec.containers[*].env"][..],
            &["phase", "env", "managedFields"][..],
            &["\"c\"", "web"][..],
        ),
        (true, &[".spec"], &["containers"], &["managedFields", "phase"]),
        (true, &["metadata.managedFields", "metadata.labels"], &["managedFields", "web"], &["phase"]),
    ] {
        for text in texts(options(keep, paths)) {
            assert!(gone.iter().all(|word| !text.contains(word)), "{text}");
            assert!(kept.iter().all(|word| text.contains(word)), "{text}");
        }
    }
}

#[test]
fn informers_with_different_transforms_are_different_and_named_so() {
    let world = World::new();
    let named = |options| pods(&world, options).expect("valid").0.to_string();
    assert_eq!(named(options(false, &[])), "v1/pods");
    assert_eq!(
        named(options(true, &[".status", ".spec"])),
        "v1/pods (with managedFields, without .spec, without .status)"
    );
    assert_eq!(world.factory.len(), 2);
    assert_eq!(named(options(true, &[".spec", ".status", ".spec"])), named(options(true, &[".status", ".spec"])));
    assert_eq!(world.factory.len(), 2, "order and repetition do not matter");
}

#[test]
fn an_invalid_path_is_rejected_when_the_informer_is_requested() {
    let world = World::new();
    let error = pods(&world, options(false, &[".spec[0]"])).err().expect("invalid");
    assert_eq!(error.code(), ErrorCode::BadRequest);
    assert!(error.message().contains(".spec[0]"), "{error}");
    assert!(world.factory.is_empty());
}

#[test]
fn an_unchanged_object_is_not_transformed_again_by_a_relist() {
    let world = World::new();
    let (pods, feed) = {
        let list = format!(
            r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"10"}},"items":[{}]}}"#,
            pod(1, "x")
        );
        (0..2).for_each(|_| _ = world.transport.reply(Reply::json(list.clone())));
        let feed = world.watch();
        let (_, pods) = pods(&world, options(false, &[".status"])).expect("valid");
        world.factory.start();
        world.settle();
        (pods, feed)
    };
    let before = pods.lister().namespace("n").get("a").expect("cached");
    let error = r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#;
    feed.unbounded_send(Ok(format!("{error}\n").into_bytes())).expect("open");
    world.settle();
    let after = pods.lister().namespace("n").get("a").expect("cached");
    assert_eq!(after.resource_version(), "1");
    assert!(std::sync::Arc::ptr_eq(&before, &after));
}
