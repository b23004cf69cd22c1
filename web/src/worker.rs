//! The engine's place: a worker that all tabs share, one of this tab alone, or the page itself. `www/boot.js` finds it, and
//! opens the first one before the page's wasm is there.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort, Url};

use crate::engine::Engine;
use crate::lock;

/// Where the engine lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a worker, shared or not.
    Worker,
    /// In the worker of one tab, which serves all of them.
    Elected,
    Page,
}

#[wasm_bindgen]
extern "C" {
    /// In `www/boot.js`: `shared`, `elected`, `dedicated` or `page`.
    #[wasm_bindgen(js_name = placeKind)]
    fn place_kind() -> String;

    /// In `www/boot.js`: calls back with a port, or a channel that does all that is wanted of one, and with what closes the
    /// place where it is this page's own; or with what is wrong, and whether it is the script, which may have been running.
    #[wasm_bindgen(js_name = openPlace)]
    fn open_place(on_open: &JsValue, on_failed: &JsValue);
}

/// A minute's worth of restarts: how long to wait before each.
const PAUSES: [Duration; 3] = [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(5)];

/// What it takes to open another place like the first.
#[derive(Clone)]
struct Line {
    engine: Engine,
    place: Place,
    url: String,
    restarts: Rc<RefCell<Vec<f64>>>,
}

/// Starts the engine and connects the page to it. Whatever goes wrong is said on the page.
pub(crate) fn start(engine: Engine) {
    let url = leptos::prelude::window().location().href().and_then(|address| server(&Url::new(&address)?));
    let place = match place_kind().as_str() {
        "page" => Place::Page,
        "elected" => Place::Elected,
        _ => Place::Worker,
    };
    match url {
        Ok(url) => open(Line { engine, place, url, restarts: Rc::default() }),
        Err(error) => failed_to_start(engine, &error),
    }
}

fn failed_to_start(engine: Engine, error: &JsValue) {
    engine.fail(format!("The engine could not be started: {}", sentence(error)));
}

/// Ends what was opened for this page.
type End = Rc<dyn Fn()>;

fn open(line: Line) {
    let engine = line.engine;
    if line.place == Place::Page {
        return match in_page() {
            Ok(port) => connect(line, port, None),
            Err(error) => failed_to_start(engine, &error),
        };
    }
    let on_open = Closure::once_into_js(move |port: JsValue, close: Option<Function>| {
        let end = close.map(|close| -> End { Rc::new(move || drop(close.call0(&JsValue::NULL))) });
        connect(line, port.unchecked_into(), end);
    });
    let on_failed = Closure::once_into_js(move |reason: String, script: bool| {
        if script {
            engine.script_failed(format!("The background worker failed: {reason}. Reload the page to try again."));
        } else {
            failed_to_start(engine, &reason.into());
        }
    });
    open_place(&on_open, &on_failed);
}

fn connect(line: Line, port: MessagePort, end: Option<End>) {
    let (engine, url) = (line.engine, line.url.clone());
    engine.connect(port, url, move |reason, lock| {
        if let Some(end) = &end {
            end();
        }
        restart(line.clone(), reason, lock);
    });
}

/// Another engine in place of one that is gone, unless that happens again and again.
fn restart(line: Line, reason: String, lock: Option<String>) {
    // The tab that was elected is gone, with its lock: nothing is wrong, and it is another one's turn.
    let hands_over = line.place == Place::Elected && lock.is_none();
    let now = js_sys::Date::now();
    let mut restarts = line.restarts.borrow_mut();
    restarts.retain(|at| now - at < 60_000.0);
    // One in the page goes only with the page.
    let pause = PAUSES.get(restarts.len()).filter(|_| line.place != Place::Page);
    let pause = if hands_over { Some(&Duration::ZERO) } else { pause };
    let Some(pause) = pause else { return line.engine.fail(reason) };
    if !hands_over {
        restarts.push(now);
    }
    drop(restarts);
    line.engine.lost();
    let again = move || leptos::prelude::set_timeout(move || open(line), *pause);
    match lock {
        // A shared worker is found by its name for as long as it is there, however dead.
        Some(lock) => lock::when_gone(&lock, again),
        None => again(),
    }
}

/// The apiserver of a page at this address.
pub(crate) fn server(address: &Url) -> Result<String, JsValue> {
    match address.search_params().get("api") {
        Some(url) => on_this_machine(&url),
        None => Ok(address.origin()),
    }
}

/// A link must not be able to show somebody else's server as one's own cluster: `?api=` is for development, where the
/// apiserver or the proxy is on this machine.
fn on_this_machine(url: &str) -> Result<String, JsValue> {
    let host = Url::new(url)?.hostname();
    if matches!(host.as_str(), "127.0.0.1" | "localhost" | "[::1]") {
        return Ok(url.trim_end_matches('/').to_owned());
    }
    Err(JsValue::from_str(&format!("?api= may name a server on this machine only, not {host:?}")))
}

#[cfg(target_arch = "wasm32")]
fn in_page() -> Result<MessagePort, JsValue> {
    let channel = MessageChannel::new()?;
    informer_engine::js::serve(&channel.port2());
    Ok(channel.port1())
}

/// Outside of a browser there is nothing to start; only the compiler comes here.
#[cfg(not(target_arch = "wasm32"))]
fn in_page() -> Result<MessagePort, JsValue> {
    MessageChannel::new().map(|channel| channel.port1())
}

/// What a JavaScript error says.
fn sentence(error: &JsValue) -> String {
    let message = error.as_string().or_else(|| Reflect::get(error, &"message".into()).ok()?.as_string());
    message.unwrap_or_else(|| format!("{error:?}"))
}
