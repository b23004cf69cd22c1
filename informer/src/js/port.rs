//! A `MessagePort` with the engine behind it.

use std::rc::Rc;

use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use crate::clock::browser::BrowserClock;
use crate::engine::{Engine, Session};
use crate::error::{ErrorCode, InformerError};
use crate::message::{FromEngine, ToEngine};
use crate::transport::fetch::FetchTransport;

thread_local! {
    /// One engine for all ports of a worker, or of a page.
    static ENGINE: Rc<Engine> = Engine::new(
        Box::new(|url| Rc::new(FetchTransport::new(url))),
        Rc::new(BrowserClock::new()),
        Rc::new(wasm_bindgen_futures::spawn_local),
    );
}

/// Serves a port: from now on it speaks the messages of [`crate::message`].
///
/// In a `SharedWorker` this is called for each tab's port, in a dedicated worker for the one that its page sent, and in
/// a page for one end of a `MessageChannel`.
#[wasm_bindgen]
pub fn serve(port: &MessagePort) {
    let answers = port.clone();
    let session = Session::new(ENGINE.with(Rc::clone), move |message| send(&answers, &message));
    let on_message = move |event: MessageEvent| match serde_wasm_bindgen::from_value::<ToEngine>(event.data()) {
        Ok(message) => session.receive(message),
        Err(error) => {
            session.refuse(&InformerError::new(ErrorCode::BadRequest, format!("a message could not be read: {error}")));
        }
    };
    // Held by the port and collected with it.
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(on_message).into_js_value();
    port.set_onmessage(Some(on_message.unchecked_ref()));
}

fn send(port: &MessagePort, message: &FromEngine) {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    let sent = message.serialize(&serializer).map_err(JsValue::from).and_then(|value| port.post_message(&value));
    if let Err(error) = sent {
        web_sys::console::error_2(&JsValue::from_str("kube-informer: a message could not be sent"), &error);
    }
}
