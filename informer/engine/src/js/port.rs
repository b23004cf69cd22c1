//! Port: a `MessagePort` that the engine serves.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, JSON};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort, RequestCredentials};

use crate::engine::{Endpoint, Engine, LazySocketTransport, Session};
use crate::message::{CredentialsMode, FromEngine, ServerOptions, ToEngine};
use informer::clock::browser::BrowserClock;
use informer::transport::Transport;
use informer::transport::budget::{Budget, BudgetOptions, host};
use informer::transport::fetch::FetchTransport;
use informer::{ErrorCode, InformerError};

thread_local! {
    /// One engine for all ports of a worker or page.
    static ENGINE: Rc<Engine> = Engine::in_browser(
        Box::new(connect),
        Rc::new(BrowserClock::new()),
        Rc::new(wasm_bindgen_futures::spawn_local),
    );

    /// Connection budget of each host.
    static HOSTS: RefCell<Vec<(String, Budget)>> = const { RefCell::new(Vec::new()) };

    /// Functions that pages use in place of `fetch`. Only a page that runs the engine itself can have one.
    static FETCHES: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };

    /// Open ports.
    static PORTS: RefCell<Vec<MessagePort>> = const { RefCell::new(Vec::new()) };
}

/// Creates the transport of an apiserver. Apiservers of one host, such as those behind a gateway with a path for each
/// cluster, share its connections.
fn connect(endpoint: &Endpoint) -> Rc<dyn Transport> {
    let ServerOptions { url, credentials, max_streams, json, .. } = &endpoint.server;
    let fetch = endpoint.fetch.and_then(|number| FETCHES.with_borrow(|known| known.get(number as usize).cloned()));
    let credentials = match credentials {
        CredentialsMode::SameOrigin => RequestCredentials::SameOrigin,
        CredentialsMode::Include => RequestCredentials::Include,
        CredentialsMode::Omit => RequestCredentials::Omit,
    };
    #[cfg(feature = "split")]
    informer::load_protobuf_with(|| Box::pin(crate::engine::load_protobuf()));
    let http = FetchTransport::new(url).with_credentials(credentials).with_fetch(fetch).with_protobuf(!json);
    let http = endpoint.authenticated(Rc::new(http));
    let sockets = || Rc::new(LazySocketTransport(url.as_str().into())) as Rc<dyn Transport>;
    let sockets = endpoint.allows_sockets().then(sockets);
    let mut options = BudgetOptions::default();
    if let Some(max) = max_streams {
        options.own_streams = *max as usize;
    }
    let host = host(url);
    HOSTS.with_borrow_mut(|hosts| {
        if let Some((_, known)) = hosts.iter().find(|(known, _)| known == host) {
            return Rc::new(known.beside(http, sockets, options));
        }
        let way = Budget::new(http, sockets, Rc::new(BrowserClock::new()), options);
        hosts.push((host.to_owned(), way.clone()));
        Rc::new(way)
    })
}

/// Message listener of a port. It holds the session, which holds the port. The cycle is broken when the session ends,
/// because a garbage collector cannot trace references through wasm.
type MessageListener = Rc<RefCell<Option<Closure<dyn FnMut(MessageEvent)>>>>;

/// Serves a port: it processes the messages of [`crate::message`] until it is closed or rejected. In a `SharedWorker`
/// this is called for each tab's port, in a dedicated worker for the one that its page sent, and in a page for one end
/// of a `MessageChannel`. A tab that ends without a message is not detected here: the caller sends [`ToEngine::Close`]
/// for it. A page that serves itself may pass a function that sends its requests in place of `fetch`.
#[cfg_attr(feature = "serve", wasm_bindgen)]
pub fn serve(port: &MessagePort, fetch: Option<Function>) {
    report_panics();
    PORTS.with_borrow_mut(|ports| ports.push(port.clone()));
    let (outgoing, listener) = (port.clone(), MessageListener::default());
    let kept_listener = Rc::clone(&listener);
    let fetch = fetch.map(fetch_number);
    let session = Session::with_fetch(ENGINE.with(Rc::clone), fetch, move |message| send(&outgoing, &message));
    let own = port.clone();
    let on_message = move |event: MessageEvent| {
        match ToEngine::of_port(&json_text(&event.data())) {
            Ok(message) => session.receive(message),
            Err(error) => session.refuse(&error),
        }
        if session.is_closed() {
            close_port(&own, &kept_listener);
        }
    };
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(on_message);
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    *listener.borrow_mut() = Some(on_message);
}

/// Returns the number of a function: the same for the same function.
fn fetch_number(fetch: Function) -> u32 {
    FETCHES.with_borrow_mut(|known| {
        let at = known.iter().position(|other| *other == fetch).unwrap_or(known.len());
        if at == known.len() {
            known.push(fetch);
        }
        u32::try_from(at).unwrap_or_default()
    })
}

/// Returns the JSON text of a message; empty if it cannot be converted.
fn json_text(data: &JsValue) -> String {
    data.as_string().or_else(|| JSON::stringify(data).ok()?.as_string()).unwrap_or_default()
}

/// Reports a panic, which is a bug, on every port, so that no page waits forever.
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
        // The code that panicked may hold the borrow; then no report is possible.
        let ports = PORTS.with(|ports| ports.try_borrow().map(|ports| ports.clone()).unwrap_or_default());
        for port in ports {
            send(&port, &FromEngine::Refused { error: (&error).into() });
        }
    }));
}

fn close_port(port: &MessagePort, listener: &MessageListener) {
    PORTS.with_borrow_mut(|ports| ports.retain(|served| served != port));
    port.set_onmessage(None);
    port.close();
    // Not at once: this is called by a value that is being dropped.
    let listener = listener.borrow_mut().take();
    wasm_bindgen_futures::spawn_local(async move { drop(listener) });
}

fn send(port: &MessagePort, message: &FromEngine) {
    if let Err(error) = port.post_message(&JsValue::from_str(&message.to_json())) {
        web_sys::console::error_2(&JsValue::from_str("kube-informer: a message could not be sent"), &error);
    }
}
