//! Three forms of a list with the same result: in one piece, in pages, as a stream.

use std::collections::BTreeMap;

use informer::{Keyed, Object, ReflectorOptions, SharedInformer, SharedInformerFactory};
use informer_engine::message::InformerOptions;
use serde_json::{Value, json};

use super::scene::{Scene, live, names, opened, short_waits, until};
use super::target::live_test;

fn content(informer: &SharedInformer<Object>) -> BTreeMap<String, Value> {
    informer.indexer().list().map(|object| (object.key().to_owned(), opened(object))).collect()
}

#[live_test]
async fn whole_paged_and_streaming_lists_end_in_the_same_cache() {
    let scene = Scene::new().await;
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        scene.create(name, &json!({"name": name})).await;
    }
    let resource = "v1/configmaps".parse().expect("valid");
    let make = |options: ReflectorOptions, page_size| {
        let factory = SharedInformerFactory::new(scene.runtime.clone(), options);
        let namespace = Some(scene.namespace.clone());
        let options = InformerOptions { namespace, page_size, ..InformerOptions::default() };
        let (_, informer) = factory.for_resource(Clone::clone(&resource), options).expect("valid");
        factory.start();
        (factory, informer)
    };
    let requests_since = |before: usize| scene.transport.requests().split_off(before);

    let (one, whole) = make(short_waits(), None);
    live(&whole).await;
    until("all seven", || whole.indexer().len() == 7).await;

    let before = scene.transport.requests().len();
    let (two, paged) = make(ReflectorOptions { consistent_lists: true, ..short_waits() }, Some(2));
    live(&paged).await;
    let requests = requests_since(before);
    let limited = requests.iter().filter(|path| path.contains("limit=2")).count();
    assert_eq!((limited, requests.len()), (4, 5), "four pages and a watch: {requests:#?}");
    assert_eq!(paged.metrics().lists, 1);

    let before = scene.transport.requests().len();
    let (three, streamed) = make(ReflectorOptions { watch_list: true, ..short_waits() }, None);
    live(&streamed).await;
    let requests = requests_since(before);
    assert!(
        requests.len() == 1 && requests[0].contains("sendInitialEvents=true"),
        "one watch and no list: {requests:#?}"
    );
    assert_eq!((streamed.metrics().watch_lists, streamed.metrics().lists), (1, 0));

    assert_eq!(content(&paged), content(&whole));
    assert_eq!(content(&streamed), content(&whole));

    scene.change("a", "changed").await;
    scene.delete("b").await;
    scene.create("h", &json!({})).await;
    until("changed", || names(&whole) == ["a", "c", "d", "e", "f", "g", "h"]).await;
    until("the same again", || [&paged, &streamed].iter().all(|informer| content(informer) == content(&whole))).await;
    [one, two, three].iter().for_each(SharedInformerFactory::shutdown);
}
