//! A `MessagePort` with the engine behind it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use super::wire::json_text;
use crate::engine::{Engine, LateSockets, Session};
use crate::message::{FromEngine, ToEngine};
use informer::clock::browser::BrowserClock;
use informer::transport::Transport;
use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::fetch::FetchTransport;
use informer::{ErrorCode, InformerError};

thread_local! {
    /// One engine for all ports of a worker, or of a page.
    static ENGINE: Rc<Engine> = Engine::in_browser(
        Box::new(|url| connect(url)),
        Rc::new(BrowserClock::new()),
        Rc::new(wasm_bindgen_futures::spawn_local),
    );

    /// The way to each host.
    static HOSTS: RefCell<Vec<(String, Budget)>> = const { RefCell::new(Vec::new()) };

    /// The ports that are served.
    static PORTS: RefCell<Vec<MessagePort>> = const { RefCell::new(Vec::new()) };
}

/// The way to an apiserver. Those of one host, as behind a gateway with a path for each cluster, share its connections.
fn connect(url: &str) -> Rc<dyn Transport> {
    let (http, sockets) =
        (Rc::new(FetchTransport::new(url)), Some(Rc::new(LateSockets(url.into())) as Rc<dyn Transport>));
    let start = url.find("://").map_or(0, |at| at + 3);
    let host = url[start..].find('/').map_or(url, |end| &url[..start + end]);
    HOSTS.with_borrow_mut(|hosts| {
        if let Some((_, known)) = hosts.iter().find(|(known, _)| known == host) {
            return Rc::new(known.beside(http, sockets));
        }
        let way = Budget::new(http, sockets, Rc::new(BrowserClock::new()), BudgetOptions::default());
        hosts.push((host.to_owned(), way.clone()));
        Rc::new(way)
    })
}

/// What hears a port. It holds the session, which holds the port: the ring is opened by hand when the session ends, as
/// no collector sees through wasm.
type Ear = Rc<RefCell<Option<Closure<dyn FnMut(MessageEvent)>>>>;

/// Serves a port: from now on it speaks the messages of [`crate::message`], until it is closed or refused.
///
/// In a `SharedWorker` this is called for each tab's port, in a dedicated worker for the one that its page sent, and in
/// a page for one end of a `MessageChannel`. A tab that ends without a word is not detected here: the caller sends
/// [`ToEngine::Close`] for it.
#[cfg_attr(feature = "serve", wasm_bindgen)]
pub fn serve(port: &MessagePort) {
    report_panics();
    PORTS.with_borrow_mut(|ports| ports.push(port.clone()));
    let (answers, ear) = (port.clone(), Ear::default());
    let heard = Rc::clone(&ear);
    let session = Session::new(ENGINE.with(Rc::clone), move |message| send(&answers, &message));
    let own = port.clone();
    let on_message = move |event: MessageEvent| {
        match ToEngine::from_json(&json_text(&event.data())) {
            Ok(message) => session.receive(message),
            Err(error) => session.refuse(&error),
        }
        if session.is_closed() {
            hang_up(&own, &heard);
        }
    };
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(on_message);
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    *ear.borrow_mut() = Some(on_message);
}

/// Says on every port that the engine has died: a panic is a bug of ours, and no page must wait for what cannot come.
fn report_panics() {
    thread_local! {
        static REPORTED: Cell<bool> = const { Cell::new(false) };
    }
    if REPORTED.replace(true) {
        return;
    }
    std::panic::set_hook(Box::new(|panic| {
        let message = format!("the engine has crashed ({panic})");
        web_sys::console::error_1(&JsValue::from_str(&message));
        let error = InformerError::new(ErrorCode::Internal, message);
        // It may have been borrowed by what panicked: then there is nothing more to be done.
        let ports = PORTS.with(|ports| ports.try_borrow().map(|ports| ports.clone()).unwrap_or_default());
        for port in ports {
            send(&port, &FromEngine::Refused { error: (&error).into() });
        }
    }));
}

fn hang_up(port: &MessagePort, ear: &Ear) {
    PORTS.with_borrow_mut(|ports| ports.retain(|served| served != port));
    port.set_onmessage(None);
    port.close();
    // Not now: this is called from what is dropped.
    let ear = ear.borrow_mut().take();
    wasm_bindgen_futures::spawn_local(async move { drop(ear) });
}

fn send(port: &MessagePort, message: &FromEngine) {
    if let Err(error) = port.post_message(&JsValue::from_str(&message.to_json())) {
        web_sys::console::error_2(&JsValue::from_str("kube-informer: a message could not be sent"), &error);
    }
}
