//! `fetch` transport with streaming bodies, in pages and in every kind of worker.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, stream};
use gloo_net::http::Response as Fetched;
use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, Performance, PerformanceResourceTiming, ReadableStreamDefaultReader,
    ReadableStreamReadResult, RequestCache, RequestCredentials, RequestInit, RequestRedirect,
};

use super::slices::Slices;
use super::{Body, Request, Response, Transport};
use crate::clock::browser::BrowserClock;
use crate::error::{ErrorCode, InformerError, Result};

/// Bytes of a body that are passed on at once, which take a millisecond or two to decode. A browser delivers everything
/// it has buffered, which may be megabytes.
const CHUNK_BYTES: u32 = 128 << 10;

/// Sends requests with `fetch`, relative to a base URL. While passing a body on, it yields to messages and timers after
/// every half frame of work.
#[derive(Clone)]
pub struct FetchTransport {
    base: String,
    credentials: RequestCredentials,
    /// Function in place of the global `fetch`.
    fetch: Option<Function>,
    protobuf: bool,
    slices: Rc<Slices>,
    multiplexed: Rc<Cell<Option<bool>>>,
}

impl FetchTransport {
    /// Creates a transport for an apiserver, or for a proxy's prefix.
    pub fn new(base: &str) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            credentials: RequestCredentials::SameOrigin,
            fetch: None,
            protobuf: true,
            slices: Slices::new(Rc::new(BrowserClock::new())),
            multiplexed: Rc::default(),
        }
    }

    /// Sets which requests carry cookies and other credentials of the browser. Default: those to the page's own origin.
    #[must_use]
    pub fn with_credentials(mut self, credentials: RequestCredentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Sets a function that sends the requests in place of the global `fetch`. It gets the URL as a string, and options
    /// as `fetch` takes them.
    #[must_use]
    pub fn with_fetch(mut self, fetch: Option<Function>) -> Self {
        self.fetch = fetch;
        self
    }

    /// Sets whether requests may accept protobuf. Default: yes.
    #[must_use]
    pub fn with_protobuf(mut self, protobuf: bool) -> Self {
        self.protobuf = protobuf;
        self
    }

    fn init(&self, request: &Request, abort: &Abort) -> std::result::Result<RequestInit, JsValue> {
        let (init, headers) = (RequestInit::new(), Headers::new()?);
        for (name, value) in &request.user_headers.0 {
            headers.append(name, value)?;
        }
        for (name, value) in &request.headers {
            headers.set(name, value)?;
        }
        init.set_method(request.method());
        init.set_headers(&headers);
        init.set_signal(Some(&abort.0.signal()));
        init.set_credentials(self.credentials);
        if !request.user_headers.0.is_empty() {
            // A server that they are not meant for must not get them.
            init.set_redirect(RequestRedirect::Error);
        }
        // no-store: a list of some 60 MB must not fill the HTTP cache, and no response may come from it.
        init.set_cache(RequestCache::NoStore);
        if let Some(body) = request.body {
            init.set_body(&JsValue::from_str(body));
        }
        Ok(init)
    }

    async fn fetch(&self, url: &str, init: RequestInit) -> std::result::Result<Fetched, JsValue> {
        let Some(fetch) = &self.fetch else {
            let request: gloo_net::http::Request = web_sys::Request::new_with_str_and_init(url, &init)?.into();
            return request.send().await.map_err(|error| js_sys::Error::new(&error.to_string()).into());
        };
        let response = Promise::resolve(&fetch.call2(&JsValue::UNDEFINED, &JsValue::from_str(url), &init)?);
        match JsFuture::from(response).await?.dyn_into::<web_sys::Response>() {
            Ok(response) => Ok(response.into()),
            Err(_) => Err(js_sys::Error::new("the `fetch` option resolved to something else than a Response").into()),
        }
    }
}

impl Transport for FetchTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let url = format!("{}{}", self.base, request.path);
        let this = self.clone();
        async move {
            let abort = Abort::new()?;
            let response = async { this.fetch(&url, this.init(&request, &abort)?).await };
            let response = response.await.map_err(|error| no_response(&reason_of(&error)))?;
            let headers = response.headers();
            let head = (headers.get("content-type"), headers.get("content-encoding"), headers.get("retry-after"));
            let body = match response.body() {
                Some(stream) => this.slices.of(body_chunks(stream.get_reader().unchecked_into(), abort)),
                None => Box::pin(stream::empty()),
            };
            Ok(Response {
                status: response.status(),
                content_type: head.0,
                content_encoding: head.1,
                retry_after: head.2.and_then(|seconds| seconds.trim().parse().ok()),
                body,
            })
        }
        .boxed_local()
    }

    /// Reads the protocol of finished responses from the browser's resource timing. Servers on other origins must allow
    /// that (`Timing-Allow-Origin`); otherwise HTTP/1.1 is assumed.
    fn is_multiplexed(&self) -> bool {
        if self.multiplexed.get().is_none() {
            self.multiplexed.set(protocol(&self.base).map(|protocol| !protocol.starts_with("http/")));
        }
        self.multiplexed.get().unwrap_or_default()
    }

    fn accepts_protobuf(&self) -> bool {
        self.protobuf
    }
}

/// Returns the protocol of a response from below a URL: `http/1.1`, `h2`, `h3`.
fn protocol(base: &str) -> Option<String> {
    let performance = Reflect::get(&js_sys::global(), &JsValue::from_str("performance")).ok()?;
    let entries = performance.dyn_into::<Performance>().ok()?.get_entries_by_type("resource");
    // Newest first. API paths only: the page's own files may come from another server below the same URL.
    entries.iter().rev().find_map(|entry| {
        let entry: PerformanceResourceTiming = entry.unchecked_into();
        let path = entry.name().strip_prefix(base)?.to_owned();
        let protocol = entry.next_hop_protocol();
        (path.starts_with("/api") && !protocol.is_empty()).then_some(protocol)
    })
}

/// Aborts its request when dropped, in any state.
struct Abort(AbortController);

impl Abort {
    fn new() -> Result<Self> {
        AbortController::new()
            .map(Self)
            .map_err(|_| InformerError::new(ErrorCode::Internal, "this browser cannot abort requests"))
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn body_chunks(reader: ReadableStreamDefaultReader, abort: Abort) -> Body {
    Box::pin(stream::unfold(Some((reader, abort, Uint8Array::new_with_length(0))), |state| async move {
        let (reader, abort, mut chunk) = state?;
        if chunk.length() == 0 {
            match JsFuture::from(reader.read()).await {
                Ok(result) => {
                    let result: ReadableStreamReadResult = result.unchecked_into();
                    if result.get_done().unwrap_or(true) {
                        return None;
                    }
                    chunk = result.get_value().unchecked_into();
                }
                Err(error) => return Some((Err(broken_off(&error)), None)),
            }
        }
        // One copy, from the browser's memory into this one, of one piece at most.
        let part = chunk.subarray(0, CHUNK_BYTES).to_vec();
        let rest = chunk.subarray(CHUNK_BYTES, u32::MAX);
        Some((Ok(part), Some((reader, abort, rest))))
    }))
}

/// A rejected connection, a DNS failure and a CORS error look the same to `fetch`: the message names all of them.
fn no_response(reason: &str) -> InformerError {
    InformerError::new(
        ErrorCode::Network,
        format!(
            "no response: the proxy or apiserver is unreachable, or does not allow this page's origin by CORS ({reason})"
        ),
    )
}

fn broken_off(error: &JsValue) -> InformerError {
    InformerError::new(ErrorCode::Network, format!("the connection was lost ({})", reason_of(error)))
}

/// Message of an exception; empty if it is no `Error`.
fn reason_of(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message())).unwrap_or_default()
}
