//! Three forms of a list with the same result: in one piece, in pages, as a stream.

use std::collections::BTreeMap;

use informer::{Keyed, Object, ReflectorOptions, SharedInformer, SharedInformerFactory};
use informer_engine::message::InformerOptions;
use serde_json::{Value, json};

use super::scene::{Scene, impatient, live, names, opened, until};
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
    let asked_before = |before: usize| scene.line.asked().split_off(before);

    let (one, whole) = make(impatient(), None);
    live(&whole).await;
    until("all seven", || whole.indexer().len() == 7).await;

    let before = scene.line.asked().len();
    let (two, paged) = make(ReflectorOptions { consistent_lists: true, ..impatient() }, Some(2));
    live(&paged).await;
    let asked = asked_before(before);
    let limited = asked.iter().filter(|path| path.contains("limit=2")).count();
    assert_eq!((limited, asked.len()), (4, 5), "four pages and a watch: {asked:#?}");
    assert_eq!(paged.metrics().lists, 1);

    let before = scene.line.asked().len();
    let (three, streamed) = make(ReflectorOptions { watch_list: true, ..impatient() }, None);
    live(&streamed).await;
    let asked = asked_before(before);
    assert!(asked.len() == 1 && asked[0].contains("sendInitialEvents=true"), "one watch and no list: {asked:#?}");
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
