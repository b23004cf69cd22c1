//! Finds a place for the engine: a worker that all tabs share, one of this tab alone, or the page itself.

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort, SharedWorker, Worker, WorkerOptions, WorkerType};

use crate::engine::Engine;

/// Where the engine shall live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Shared,
    Dedicated,
    Page,
}

/// Starts the engine and connects the page to it. Whatever goes wrong is said on the page.
pub(crate) fn start(engine: Engine) {
    let started = query().and_then(|query| {
        let port = match place(query.get("worker").as_deref()) {
            Place::Shared => shared(engine),
            Place::Dedicated => dedicated(engine),
            Place::Page => in_page(),
        }?;
        let url = match query.get("api") {
            Some(url) => on_this_machine(&url)?,
            None => leptos::prelude::window().location().origin()?,
        };
        engine.connect(port, url);
        Ok(())
    });
    if let Err(error) = started {
        engine.fail(format!("The engine could not be started: {}", sentence(&error)));
    }
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
        _ if has("SharedWorker") => Place::Shared,
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

fn dedicated(engine: Engine) -> Result<MessagePort, JsValue> {
    let worker = Worker::new_with_options(&script()?, &options())?;
    let on_error = failed(engine);
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    on_error.forget();
    let channel = MessageChannel::new()?;
    worker.post_message_with_transfer(&JsValue::NULL, &Array::of1(&channel.port2()))?;
    Ok(channel.port1())
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
