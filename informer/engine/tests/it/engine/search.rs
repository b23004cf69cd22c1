//! Searches of a cache, requested by pages.

use informer::transport::scripted::Reply;
use informer::{ErrorCode, ErrorReport};
use informer_engine::message::{InformerOptions, SearchOptions, ToEngine};
use serde_json::{Value, json};

use super::Page;

fn pod(name: &str, ip: &str, image: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"n","uid":"uid-{name}","resourceVersion":"1","labels":{{"app":"web"}}}},"spec":{{"containers":[{{"image":"{image}"}}]}},"status":{{"podIP":"{ip}"}}}}"#
    )
}

fn synced() -> Page {
    let page = Page::new();
    let items = [pod("a", "10.0.0.1", "shop/cart:1"), pod("b", "10.0.0.2", "shop/cart:2"), pod("c", "10.1.0.1", "db")];
    let list = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{}]}}"#,
        items.join(",")
    );
    page.world.transport.reply(Reply::json(list));
    let _feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    page
}

fn search(page: &Page, informer: u32, text: &str) -> Result<Value, ErrorReport> {
    let options = SearchOptions {
        text: text.to_owned(),
        limit: 10,
        columns: vec!["IP".to_owned()],
        indexes: vec!["image".to_owned()],
    };
    page.request(ToEngine::Search { request: 9, informer, options })
}

/// Keys of the matches, each with the place, the name and the text that was found.
fn matches(page: &Page, text: &str) -> Vec<[String; 4]> {
    let found = search(page, 1, text).expect("a result");
    let entry =
        |entry: &Value| ["key", "in", "name", "text"].map(|name| entry[name].as_str().expect("text").to_owned());
    found["matches"].as_array().expect("a list").iter().map(entry).collect()
}

#[test]
fn a_search_reads_carried_cells_and_indexes() {
    let page = synced();
    let entry = |entry: [&str; 4]| entry.map(str::to_owned);
    assert_eq!(
        matches(&page, "10.0"),
        [entry(["n/a", "column", "IP", "10.0.0.1"]), entry(["n/b", "column", "IP", "10.0.0.2"])]
    );
    assert!(matches(&page, "cart").is_empty(), "there is no index yet");
    let indexers = [("image".to_owned(), "{.spec.containers[*].image}".to_owned())].into();
    assert_eq!(page.request(ToEngine::AddIndexers { request: 9, informer: 1, indexers }), Ok(Value::Null));
    assert_eq!(
        matches(&page, "CART 10.0 web"),
        [entry(["n/a", "index", "image", "shop/cart:1"]), entry(["n/b", "index", "image", "shop/cart:2"])]
    );
}

#[test]
fn a_search_of_an_informer_that_is_stopped_fails() {
    let page = synced();
    assert_eq!(search(&page, 1, "b").map(|found| found["total"].clone()), Ok(json!(3)), "a name, and web twice");
    let error = search(&page, 2, "a").expect_err("there is none");
    assert_eq!(error.code, ErrorCode::Closed);
}
