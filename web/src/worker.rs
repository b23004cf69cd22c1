//! Finds a place for the engine: a worker that all tabs share, one of this tab alone, or the page itself.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort, SharedWorker, Worker, WorkerOptions, WorkerType};

use crate::engine::Engine;
use crate::lock;

/// Where the engine shall live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Shared,
    /// In the worker of one tab, which serves all of them.
    Elected,
    Dedicated,
    Page,
}

/// A minute's worth of restarts: how long to wait before each.
const PAUSES: [Duration; 3] = [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(5)];

/// What it takes to open another place like the first.
#[derive(Clone)]
struct Line {
    engine: Engine,
    place: Place,
    url: String,
    /// The lock that says that this page is there.
    page: Option<String>,
    restarts: Rc<RefCell<Vec<f64>>>,
}

/// Starts the engine and connects the page to it. Whatever goes wrong is said on the page.
pub(crate) fn start(engine: Engine) {
    let prepared = query().and_then(|query| {
        let url = match query.get("api") {
            Some(url) => on_this_machine(&url)?,
            None => leptos::prelude::window().location().origin()?,
        };
        Ok((place(query.get("worker").as_deref()), url))
    });
    match prepared {
        Ok((place, url)) => lock::hold(move |page| open(Line { engine, place, url, page, restarts: Rc::default() })),
        Err(error) => failed_to_start(engine, &error),
    }
}

fn failed_to_start(engine: Engine, error: &JsValue) {
    engine.fail(format!("The engine could not be started: {}", sentence(error)));
}

fn open(line: Line) {
    let engine = line.engine;
    let opened = match line.place {
        Place::Shared => shared(engine).map(|port| (port, None)),
        Place::Elected => {
            if let Err(error) = open_elected(line) {
                failed_to_start(engine, &error);
            }
            return;
        }
        Place::Dedicated => dedicated(engine).map(|(port, worker)| {
            let end: End = Rc::new(move || worker.terminate());
            (port, Some(end))
        }),
        Place::Page => in_page().map(|port| (port, None)),
    };
    match opened {
        Ok((port, end)) => introduce(line, port, end),
        Err(error) => failed_to_start(engine, &error),
    }
}

/// Ends what was opened for this page.
type End = Rc<dyn Fn()>;

fn introduce(line: Line, port: MessagePort, end: Option<End>) {
    let engine = line.engine;
    if line.place != Place::Page {
        let first = js_sys::Object::new();
        let said = Reflect::set(&first, &"page".into(), &line.page.as_deref().into());
        if let Err(error) = said.and_then(|_| port.post_message(&first)) {
            return failed_to_start(engine, &error);
        }
    }
    let url = line.url.clone();
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

#[wasm_bindgen]
extern "C" {
    /// In `www/boot.js`: calls back with a channel and with what closes it, or with what is wrong.
    #[wasm_bindgen(js_name = openElected, catch)]
    fn open_elected_place(name: &str, script: &str, on_place: &JsValue, on_error: &JsValue) -> Result<(), JsValue>;
}

fn open_elected(line: Line) -> Result<(), JsValue> {
    let engine = line.engine;
    let script = script()?;
    // Two builds of the page must not meet in one worker: the script is named after its files.
    let name = format!("kube-informer-ui {script}");
    // A channel, which does all that is wanted of a port here.
    let on_place = Closure::once_into_js(move |port: JsValue, close: Function| {
        let end: End = Rc::new(move || drop(close.call0(&JsValue::NULL)));
        introduce(line, port.unchecked_into(), Some(end));
    });
    let on_error = Closure::<dyn Fn(String)>::new(move |reason: String| {
        engine.fail(format!("The engine could not be started: {reason}"));
    });
    open_elected_place(&name, &script, &on_place, &on_error.into_js_value())
}

/// A link must not be able to show somebody else's server as one's own cluster: `?api=` is for development, where the
/// apiserver or the proxy is on this machine.
fn on_this_machine(url: &str) -> Result<String, JsValue> {
    let host = web_sys::Url::new(url)?.hostname();
    if matches!(host.as_str(), "127.0.0.1" | "localhost" | "[::1]") {
        return Ok(url.trim_end_matches('/').to_owned());
    }
    Err(JsValue::from_str(&format!("?api= may name a server on this machine only, not {host:?}")))
}

fn query() -> Result<web_sys::UrlSearchParams, JsValue> {
    web_sys::UrlSearchParams::new_with_str(&leptos::prelude::window().location().search()?)
}

fn place(wanted: Option<&str>) -> Place {
    let has = |name: &str| Reflect::has(&js_sys::global(), &name.into()).unwrap_or(false);
    match wanted {
        Some("off") => Place::Page,
        Some("dedicated") => Place::Dedicated,
        Some("elected") => Place::Elected,
        _ if has("SharedWorker") => Place::Shared,
        _ if has("BroadcastChannel") && lock::are_there() => Place::Elected,
        _ => Place::Dedicated,
    }
}

fn shared(engine: Engine) -> Result<MessagePort, JsValue> {
    let worker = SharedWorker::new_with_worker_options(&script()?, &options())?;
    let on_error = failed(engine);
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    on_error.forget();
    Ok(worker.port())
}

fn dedicated(engine: Engine) -> Result<(MessagePort, Worker), JsValue> {
    let worker = Worker::new_with_options(&script()?, &options())?;
    let on_error = failed(engine);
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    on_error.forget();
    let channel = MessageChannel::new()?;
    worker.post_message_with_transfer(&JsValue::NULL, &Array::of1(&channel.port2()))?;
    Ok((channel.port1(), worker))
}

#[cfg(target_arch = "wasm32")]
fn in_page() -> Result<MessagePort, JsValue> {
    let channel = MessageChannel::new()?;
    informer::js::serve(&channel.port2());
    Ok(channel.port1())
}

/// Outside of a browser there is nothing to start; only the compiler comes here.
#[cfg(not(target_arch = "wasm32"))]
fn in_page() -> Result<MessagePort, JsValue> {
    MessageChannel::new().map(|channel| channel.port1())
}

fn failed(engine: Engine) -> Closure<dyn Fn(web_sys::Event)> {
    Closure::new(move |event: web_sys::Event| {
        // Of a trap the worker tells by the port, and then there is another one.
        if engine.is_connected() {
            return;
        }
        // Only an error that is thrown carries a sentence; a script that cannot be had comes as a bare event.
        let reason = Reflect::get(&event, &"message".into()).ok().and_then(|message| message.as_string());
        let reason = reason.filter(|reason| !reason.is_empty()).unwrap_or("its script could not be loaded".to_owned());
        engine.fail(format!("The background worker failed: {reason}. Reload the page to try again."));
    })
}

fn options() -> WorkerOptions {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name("kube-informer");
    options
}

/// The worker's script, told the hashed names of the page's own files.
fn script() -> Result<String, JsValue> {
    let js = linked("link[rel=modulepreload][href$='.js']")?;
    let wasm = linked("link[rel=preload][href$='.wasm']")?;
    Ok(format!("worker.js?js={js}&wasm={wasm}"))
}

/// The last segment of the address that a link of the page points to.
fn linked(selector: &str) -> Result<String, JsValue> {
    let link = leptos::prelude::document().query_selector(selector)?;
    let href = link.and_then(|link| link.get_attribute("href")).unwrap_or_default();
    let name = href.rsplit('/').next().unwrap_or_default();
    if name.is_empty() {
        return Err(format!("the page names no file for {selector}").into());
    }
    Ok(name.to_owned())
}

/// What a JavaScript error says.
fn sentence(error: &JsValue) -> String {
    let message = error.as_string().or_else(|| Reflect::get(error, &"message".into()).ok()?.as_string());
    message.unwrap_or_else(|| format!("{error:?}"))
}
