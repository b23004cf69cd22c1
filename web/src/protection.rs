//! Protected contexts: the context that the page is served for, and whether destructive actions in it are confirmed by
//! typing. `web/serve.sh` and the launcher write both into `context.json` beside the page, because the page sees only the proxy.
//!
//! Another proxy may listen on the same port by now, for another context. The file is read again for each confirmation,
//! and when the page is connected again.

use std::cell::OnceCell;

use informer::Freshness;
use js_sys::Promise;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::source::Source;
use crate::visible::visible;

/// Milliseconds until a file that does not arrive counts as unreadable.
const READ_TIMEOUT_MS: u32 = 10_000;

/// Context: its name, and whether it is protected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Context {
    /// Its name in the kubeconfig; empty if unknown.
    pub(crate) name: String,
    pub(crate) is_protected: bool,
}

impl Context {
    /// The context of a file that cannot be read: it counts as protected.
    const fn unknown() -> Self {
        Self { name: String::new(), is_protected: true }
    }
}

/// Reads of the file: the result of the last one, and the number of started ones.
#[derive(Debug)]
struct Reads {
    context: Context,
    latest: u32,
    is_reading: bool,
}

impl Reads {
    const fn new() -> Self {
        Self { context: Context::unknown(), latest: 0, is_reading: false }
    }

    /// Starts a read and returns its number.
    const fn start(&mut self) -> u32 {
        (self.latest, self.is_reading) = (self.latest + 1, true);
        self.latest
    }

    /// Finishes a read. Only the latest one counts: an older one may be of another proxy.
    fn finish(&mut self, number: u32, context: Context) {
        if number == self.latest {
            (self.context, self.is_reading) = (context, false);
        }
    }
}

thread_local! {
    static READS: OnceCell<ArcRwSignal<Reads>> = const { OnceCell::new() };
}

fn reads() -> ArcRwSignal<Reads> {
    READS.with(|reads| reads.get_or_init(|| ArcRwSignal::new(Reads::new())).clone())
}

/// The context, as it was last read. It counts as protected until it is known, and if it cannot be read.
pub(crate) fn context() -> Memo<Context> {
    let reads = reads();
    Memo::new(move |_| reads.with(|reads| reads.context.clone()))
}

/// Whether the context is being read: it may be another one than the last.
pub(crate) fn is_reading() -> Memo<bool> {
    let reads = reads();
    Memo::new(move |_| reads.with(|reads| reads.is_reading))
}

/// Reads the context again.
pub(crate) fn refresh() {
    let reads = reads();
    let Some(number) = reads.try_update(Reads::start) else { return };
    spawn_local(async move {
        let context = file().await.map_or_else(|_| Context::unknown(), |text| read(&text));
        reads.update(|reads| reads.finish(number, context));
    });
}

/// The text of the file; empty if there is none.
async fn file() -> Result<String, JsValue> {
    // The file of the last minute may be that of another context on the same port.
    let options = web_sys::RequestInit::new();
    options.set_cache(web_sys::RequestCache::NoStore);
    options.set_signal(Some(&web_sys::AbortSignal::timeout_with_u32(READ_TIMEOUT_MS)));
    let response: web_sys::Response =
        JsFuture::from(window().fetch_with_str_and_init(&path(), &options)).await?.unchecked_into();
    if response.status() == 404 {
        return Ok(String::new());
    }
    if !response.ok() {
        return Err(response.status().into());
    }
    let text: Promise = response.text()?;
    Ok(JsFuture::from(text).await?.as_string().unwrap_or_default())
}

/// The path of the file. `www/boot.js` names another one for the demo, whose simulated cluster must not bear the name of a real one.
fn path() -> String {
    let named = document().document_element().and_then(|root| root.get_attribute("data-context"));
    named.unwrap_or_else(|| "context.json".to_owned())
}

/// Parses the file. A missing file means unprotected, a damaged one protected.
fn read(text: &str) -> Context {
    let json = if text.trim().is_empty() { Ok(Value::Null) } else { serde_json::from_str::<Value>(text) };
    let name = json.as_ref().ok().and_then(|json| json["context"].as_str()).unwrap_or_default().to_owned();
    let is_protected = json.map_or(true, |json| match &json["protected"] {
        Value::Null => false,
        Value::Bool(is_protected) => *is_protected,
        _ => true,
    });
    Context { name, is_protected }
}

/// The mark in the header of the page.
#[component]
pub(crate) fn Protected(source: Source) -> impl IntoView {
    let context = context();
    let is_connected = Memo::new(move |_| source.status.with(|status| status.freshness != Freshness::Disconnected));
    Effect::new(move || {
        if is_connected.get() {
            refresh();
        }
    });
    let mark = move || {
        let Context { name, is_protected } = context.get();
        (is_protected && !name.is_empty()).then(|| {
            let title = "Protected context: destructive actions are confirmed by typing a name";
            view! { <span class="protected" title=title>{format!("protected: {}", visible(&name))}</span> }
        })
    };
    view! { {mark} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_read_that_ends_later_does_not_count() {
        let context = |name: &str| Context { name: name.to_owned(), is_protected: false };
        let mut reads = Reads::new();
        let (first, second) = (reads.start(), reads.start());
        reads.finish(first, context("dev"));
        assert!(reads.is_reading && reads.context.is_protected, "it may be that of the proxy before");
        reads.finish(second, context("prod"));
        assert_eq!((reads.is_reading, &reads.context), (false, &context("prod")));
        reads.finish(first, context("dev"));
        assert_eq!(reads.context, context("prod"));
    }

    #[test]
    fn a_damaged_file_protects_and_a_missing_one_does_not() {
        let context = |name: &str, is_protected| Context { name: name.to_owned(), is_protected };
        assert_eq!(read(r#"{"context":"prod-eu","protected":true}"#), context("prod-eu", true));
        assert_eq!(read(r#"{"context":"dev","protected":false}"#), context("dev", false));
        assert_eq!(read("{}"), context("", false));
        assert_eq!(read(""), context("", false));
        assert_eq!(read("{"), context("", true));
        assert_eq!(read(r#"{"protected":"yes"}"#), context("", true));
    }
}
