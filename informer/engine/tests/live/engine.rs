//! Session of the engine with a real server: messages in, messages out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use informer::Freshness;
use informer_engine::engine::{Endpoint, Engine, Session};
use informer_engine::message::{
    EventHandlerOptions, FromEngine, InformerOptions, PROTOCOL_VERSION, Read, ToEngine, ViewOptions,
};
use serde_json::{Value, json};

use super::scene::{Scene, until};
use super::target::{self, live_test};

/// Messages that a page has received.
#[derive(Clone, Default)]
pub(crate) struct Inbox(Rc<RefCell<Vec<FromEngine>>>);

impl Inbox {
    pub(crate) fn put(&self, message: FromEngine) {
        self.0.borrow_mut().push(message);
    }

    /// First message that matches.
    pub(crate) fn find<T>(&self, look: impl FnMut(&FromEngine) -> Option<T>) -> Option<T> {
        self.0.borrow().iter().find_map(look)
    }

    /// Number of rows of the view, and the keys of its window.
    pub(crate) fn window(&self) -> (usize, Vec<String>) {
        let (mut whole, mut shown) = (0, BTreeMap::new());
        for message in &*self.0.borrow() {
            if let FromEngine::View { total, start, end, rows, .. } = message {
                whole = *total;
                shown.extend(rows.iter().map(|row| (row.index, row.key.clone())));
                shown.retain(|index, _| (start..end).contains(&index));
            }
        }
        (whole, shown.into_values().collect())
    }
}

#[live_test]
async fn a_session_shows_a_page_its_window_and_what_changes_in_it() {
    let scene = Scene::new().await;
    for name in ["a", "b", "c", "d"] {
        scene.create(name, &json!({})).await;
    }
    let transport = Rc::clone(&scene.runtime.transport);
    let connector = Box::new(move |_: &Endpoint| Rc::clone(&transport));
    let engine = Engine::new(connector, Rc::clone(&scene.runtime.clock), target::spawn());
    let inbox = Inbox::default();
    let post = inbox.clone();
    let session = Session::new(engine, move |message| post.put(message));

    session.receive(ToEngine::Connect {
        version: PROTOCOL_VERSION,
        server: target::apiserver().as_str().into(),
        persist: false,
    });
    let options = InformerOptions { namespace: Some(scene.namespace.clone()), ..InformerOptions::default() };
    session.receive(ToEngine::Informer { informer: 1, resource: "v1/configmaps".into(), options });
    session.receive(ToEngine::Start);
    let options = ViewOptions { start: 0, end: 2, ..ViewOptions::default() };
    session.receive(ToEngine::OpenView { view: 1, informer: 1, query_id: 1, options });
    let key = |name: &str| format!("{}/{name}", scene.namespace);
    until("a window of two", || inbox.window() == (4, vec![key("a"), key("b")])).await;
    let is_live = |message: &FromEngine| match message {
        FromEngine::Status { status, .. } => (status.freshness == Freshness::Live).then_some(()),
        _ => None,
    };
    until("live", || inbox.find(is_live).is_some()).await;

    session.receive(ToEngine::SetWindow { view: 1, start: 2, end: 4 });
    until("scrolled", || inbox.window() == (4, vec![key("c"), key("d")])).await;
    session.receive(ToEngine::AddEventHandler { informer: 1, handler: 1, options: EventHandlerOptions::default() });
    let synced = |message: &FromEngine| matches!(message, FromEngine::HandlerSynced { handler: 1 }).then_some(());
    until("replayed", || inbox.find(synced).is_some()).await;
    session.receive(ToEngine::Follow { follow: 1, informer: 1, key: key("a") });
    scene.delete("b").await;
    scene.change("a", "followed").await;
    until("one row up", || inbox.window() == (3, vec![key("d")])).await;
    let followed = |message: &FromEngine| match message {
        FromEngine::Object { json, .. } => json.as_ref().filter(|json| json.contains("followed")).cloned(),
        _ => None,
    };
    until("followed", || inbox.find(followed).is_some()).await;

    session.receive(ToEngine::Read { request: 1, informer: 1, read: Read::ListKeys });
    let reply = |message: &FromEngine| match message {
        FromEngine::Reply { json, .. } => Some(json.clone()),
        _ => None,
    };
    until("answered", || inbox.find(reply).is_some()).await;
    let keys: Value = serde_json::from_str(&inbox.find(reply).expect("answered")).expect("JSON");
    assert_eq!(keys, json!([key("a"), key("c"), key("d")]));

    session.receive(ToEngine::Close);
    until("released", || scene.transport.open() == 0).await;
}
