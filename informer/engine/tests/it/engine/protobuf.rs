//! Protobuf in the engine: lists and watches accept it, and an inspection shows it.

use std::rc::Rc;

use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::scripted::Reply;
use informer_engine::message::{InformerOptions, ToEngine};
use serde_json::json;

use super::Page;

const LIST: &[u8] = include_bytes!("../../../../protobuf/tests/wire/pods-list.bin");

#[test]
fn lists_and_watches_accept_protobuf_behind_all_transports_of_the_engine() {
    let page = Page::with_transport(|http, clock| Rc::new(Budget::new(http, None, clock, BudgetOptions::default())));
    page.world.transport.reply(Reply::Whole(200, "application/vnd.kubernetes.protobuf", LIST.to_vec()));
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    let requests = page.world.transport.requests();
    let pods = requests.iter().filter(|request| request.path.starts_with("/api/v1/pods"));
    let accepts: Vec<_> =
        pods.filter_map(|request| request.headers.iter().find(|(name, _)| *name == "Accept")).collect();
    assert!(
        accepts.len() > 1 && accepts.iter().all(|(_, value)| value.starts_with("application/vnd.kubernetes.protobuf,")),
        "{accepts:?}"
    );
    let transport = &page.request(ToEngine::Inspect { request: 9, informer: 1 }).expect("an inspection")["transport"];
    assert_eq!((&transport["protobuf"], &transport["bytes"]), (&json!(true), &json!(LIST.len())));
}
