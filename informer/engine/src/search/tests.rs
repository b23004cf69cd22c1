//! Tests of the search: a model that reads JSON.

use informer::{Indexer, KubeObject, Object};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::search;
use crate::message::SearchOptions;

/// A pod: namespace, name, uid, the value of its label `app`, IP.
type Pod = (String, String, String, String, String);

fn object((namespace, name, uid, app, ip): &Pod) -> Object {
    let json = json!({
        "metadata": { "namespace": namespace, "name": name, "uid": uid, "labels": { "app": app } },
        "status": { "podIP": ip, "hostIP": "9.9.9.9" },
    });
    Object::from_json(&json.to_string(), None).expect("an object")
}

fn cache(pods: &[Pod]) -> Indexer<Object> {
    let mut indexer = Indexer::new();
    for pod in pods {
        indexer.update(std::sync::Arc::new(object(pod)));
    }
    indexer
}

fn found(indexer: &Indexer<Object>, text: &str, limit: usize) -> Value {
    let columns = vec!["ip".to_owned(), "no such column".to_owned()];
    let options = SearchOptions { text: text.to_owned(), limit, columns, indexes: vec!["missing".to_owned()] };
    let json = search(indexer, &"v1/pods".parse().expect("a resource"), &options);
    serde_json::from_str(&json).expect("JSON")
}

/// Keys of the matches, each after its place.
fn keys(found: &Value) -> Vec<(String, String)> {
    let text = |entry: &Value, name: &str| entry[name].as_str().expect("a text").to_owned();
    let entry = |entry: &Value| (text(entry, "in"), text(entry, "key"));
    found["matches"].as_array().expect("a list").iter().map(entry).collect()
}

/// The rank of a word in a pod and the name of its place, as the documentation of [`SearchOptions`] says.
fn place((namespace, name, uid, app, ip): &Pod, word: &str) -> Option<(u8, &'static str)> {
    let word = word.to_lowercase();
    let places = [
        (*name == word, "name"),
        (name.starts_with(&word), "name"),
        (name.contains(&word), "name"),
        (word.contains('/') && format!("{namespace}/{name}").contains(&word), "key"),
        (word.len() >= 4 && uid.starts_with(&word), "uid"),
        (if word.contains('=') { format!("app={app}").contains(&word) } else { app.contains(&word) }, "label"),
        (ip.contains(&word), "column"),
    ];
    (0..).zip(places).find_map(|(rank, (is, place))| is.then_some((rank, place)))
}

proptest! {
    #[test]
    fn a_search_finds_what_a_model_finds_in_its_order(
        pods in prop::collection::vec(("[ab]", "[ab-]{1,4}", "[ab]{5}", "[ab]{0,3}", "[12.]{0,4}"), 0..12),
        words in prop::collection::vec("[aAbB=/]{1,3}|[ab]{4}|app=[ab]{0,2}|p=[ab]|[12.]{1,3}", 0..3),
        limit in 0..6_usize,
    ) {
        let indexer = cache(&pods);
        // Of pods with the same key, the last one is cached.
        let cached = |at: usize| !pods[at + 1..].iter().any(|other| (&other.0, &other.1) == (&pods[at].0, &pods[at].1));
        let pods: Vec<&Pod> = (0..pods.len()).filter(|at| cached(*at)).map(|at| &pods[at]).collect();
        let mut expected: Vec<((u8, &str), String)> = Vec::new();
        for pod in &pods {
            let places: Option<Vec<_>> = words.iter().map(|word| place(pod, word)).collect();
            if let Some(worst) = places.and_then(|places| places.into_iter().max()) {
                expected.push((worst, format!("{}/{}", pod.0, pod.1)));
            }
        }
        expected.sort();
        let found = found(&indexer, &words.join("  "), limit);
        prop_assert_eq!(&found["total"], &json!(expected.len()));
        prop_assert_eq!(&found["of"], &json!(pods.len()));
        let expected: Vec<_> = expected.into_iter().take(limit).map(|((_, place), key)| (place.to_owned(), key)).collect();
        prop_assert_eq!(keys(&found), expected);
    }
}

#[test]
fn a_match_reports_the_position_of_the_last_word() {
    let pod = |name: &str, app: &str| {
        ("shop".to_owned(), name.to_owned(), "f00d-1".to_owned(), app.to_owned(), "10.0.0.7".to_owned())
    };
    let indexer = cache(&[pod("Web", "café")]);
    let entry = |text: &str| found(&indexer, text, 5)["matches"][0].clone();
    let expected = |place: &str, name: &str, text: &str| json!({ "key": "shop/Web", "uid": "f00d-1", "in": place, "name": name, "text": text });
    assert_eq!(entry("wEb"), expected("name", "", "Web"));
    assert_eq!(entry("web f00d"), expected("uid", "", "f00d-1"));
    assert_eq!(entry("CAFÉ web"), expected("label", "app", "café"));
    assert_eq!(entry("0.0.7 app=ca shop/w"), expected("column", "IP", "10.0.0.7"));
    assert_eq!(entry("9.9.9"), Value::Null, "a column that is not searched");
    assert_eq!(found(&indexer, " ", 5), json!({ "total": 0, "of": 1, "matches": [] }), "no word");
    assert_eq!(found(&indexer, "web", usize::MAX)["total"], 1);
}
