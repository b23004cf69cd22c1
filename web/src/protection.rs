//! Protected contexts: the context that the page is served for, and whether destructive actions in it are confirmed by
//! typing. `web/serve.sh` writes both into `context.json` beside the page, because the page sees only the proxy.

use std::cell::OnceCell;

use js_sys::Promise;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::visible::visible;

/// Context: its name, and whether it is protected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Context {
    /// Its name in the kubeconfig; empty if unknown.
    pub(crate) name: String,
    pub(crate) is_protected: bool,
}

thread_local! {
    static CONTEXT: OnceCell<ArcRwSignal<Context>> = const { OnceCell::new() };
}

/// The context. It counts as protected until it is known, and if it cannot be read.
pub(crate) fn context() -> Memo<Context> {
    let known = CONTEXT.with(|context| {
        context
            .get_or_init(|| {
                let signal = ArcRwSignal::new(Context { name: String::new(), is_protected: true });
                let known = signal.clone();
                spawn_local(async move {
                    if let Ok(text) = file().await {
                        known.set(read(&text));
                    }
                });
                signal
            })
            .clone()
    });
    Memo::new(move |_| known.get())
}

/// The text of the file; empty if there is none.
async fn file() -> Result<String, JsValue> {
    // The file of the last minute may be that of another context on the same port.
    let options = web_sys::RequestInit::new();
    options.set_cache(web_sys::RequestCache::NoStore);
    let response: web_sys::Response =
        JsFuture::from(window().fetch_with_str_and_init("context.json", &options)).await?.unchecked_into();
    if response.status() == 404 {
        return Ok(String::new());
    }
    if !response.ok() {
        return Err(response.status().into());
    }
    let text: Promise = response.text()?;
    Ok(JsFuture::from(text).await?.as_string().unwrap_or_default())
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
pub(crate) fn Protected() -> impl IntoView {
    let context = context();
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
