//! Message port between a page and the engine, as in a worker; browsers only.

use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine, ViewOptions};
use js_sys::JSON;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{MessageChannel, MessageEvent};

use super::engine::Inbox;
use super::scene::{Scene, until};
use super::target::{self, live_test};

/// A message to the engine, as a page writes it.
fn text_of(message: &ToEngine) -> String {
    let (kind, mut fields) = match serde_json::to_value(message).expect("plain") {
        Value::Object(variant) => variant.into_iter().next().expect("a variant"),
        kind => (kind.as_str().expect("a word").to_owned(), json!({})),
    };
    fields["type"] = kind.into();
    fields.to_string()
}

/// Decodes a message from the engine. From text, because it may contain embedded JSON.
fn read(text: &str) -> FromEngine {
    let message: Value = serde_json::from_str(text).expect("JSON");
    serde_json::from_str(&format!("{{{}:{text}}}", message["type"])).expect("a message")
}

#[live_test]
async fn a_port_serves_a_page_and_rejects_invalid_messages() {
    let scene = Scene::new().await;
    for name in ["a", "b", "c"] {
        scene.create(name, &json!({})).await;
    }
    let channel = MessageChannel::new().expect("there");
    let (page, worker) = (channel.port1(), channel.port2());
    informer_engine::js::serve(&worker, None);
    let inbox = Inbox::default();
    let post = inbox.clone();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        post.put(read(&event.data().as_string().expect("text")));
    });
    page.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    let say = |message: ToEngine| {
        page.post_message(&JSON::parse(&text_of(&message)).expect("JSON")).expect("open");
    };
    say(ToEngine::Connect { version: PROTOCOL_VERSION, server: target::apiserver().as_str().into(), persist: false });
    let options = InformerOptions { namespace: Some(scene.namespace.clone()), ..InformerOptions::default() };
    say(ToEngine::Informer { informer: 1, resource: "v1/configmaps".into(), options });
    say(ToEngine::Start);
    say(ToEngine::OpenView {
        view: 1,
        informer: 1,
        query_id: 1,
        options: ViewOptions { end: 2, ..ViewOptions::default() },
    });
    let key = |name: &str| format!("{}/{name}", scene.namespace);
    until("a window of two", || inbox.window() == (3, vec![key("a"), key("b")])).await;

    page.post_message(&JsValue::from_str("nonsense")).expect("open");
    let error = |message: &FromEngine| matches!(message, FromEngine::Refused { .. }).then_some(());
    until("refused", || inbox.find(error).is_some()).await;
}
