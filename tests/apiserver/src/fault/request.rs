//! Faults of requests: applied before a request is processed, and around its response.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::event::EventForm;
use super::request_target::RequestTarget;
use super::stream::{FaultyStream, Plan};
use super::{FaultAction, error_response};
use crate::accept::error_format;
use crate::api::App;
use crate::clock::{Instant, sleep};
use crate::query::Query;
use crate::reply::Format;

/// Marker of a request whose response is sent over a WebSocket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViaWebSocket;

/// Limits of the server, which clients see like faults.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Maximum duration of a response other than a watch.
    pub(crate) request_timeout: Duration,
    /// Maximum number of concurrent requests; a watch counts until its first byte.
    pub(crate) max_in_flight: Option<usize>,
    in_flight: Arc<AtomicUsize>,
}

/// Guard that counts a request as in flight until it is dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard(Arc<AtomicUsize>);

impl Limits {
    pub(crate) fn new(request_timeout: Duration, max_in_flight: Option<usize>) -> Self {
        Self { request_timeout, max_in_flight, in_flight: Arc::default() }
    }

    /// Counts a request as in flight; `None` if there are too many.
    fn admit(&self) -> Option<InFlightGuard> {
        let guard = InFlightGuard(Arc::clone(&self.in_flight));
        let taken = self.in_flight.fetch_add(1, Ordering::Relaxed);
        self.max_in_flight.is_none_or(|max| taken < max).then_some(guard)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Middleware: forwards a request, unless a fault affects it.
pub(crate) async fn middleware(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let target = RequestTarget::of(&request);
    let format = format(&request);
    let started = Instant::now();
    if app.faults.is_unreachable() {
        return error_response::unavailable(request.extensions().get::<ViaWebSocket>().is_some());
    }
    // Registered here, so that a command during the request's delay reaches its watch.
    let open = target.is_watch().then(|| app.faults.open.register(&target));
    let mut plan = Plan::default();
    for action in app.faults.on_request(&target) {
        match action {
            FaultAction::Delay { ms } => sleep(Duration::from_millis(ms)).await,
            FaultAction::Hold => app.faults.released(&target).await,
            FaultAction::Error { code, retry_after } => {
                return error_response::error(code, retry_after, &target, format);
            }
            FaultAction::Html => return error_response::html(),
            FaultAction::ErrorEvent { code } => {
                plan.error_event = Some(error_response::status_json(code, &target).to_string());
            }
            action => plan.add(&action),
        }
    }
    let Some(guard) = app.limits.admit() else { return error_response::error(429, 1, &target, format) };
    let mut reply = next.run(request).await;
    if reply.status() != StatusCode::OK {
        return reply;
    }
    if plan.gzip {
        reply.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        reply.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    // A complete, unchanged body keeps its Content-Length.
    if open.is_none() && plan.is_empty() && reply.body().size_hint().exact().is_some() {
        return reply;
    }
    let deadline = (!target.is_long_running()).then(|| started + app.limits.request_timeout);
    let guard = (!target.is_long_running()).then_some(guard);
    let (mut parts, body) = reply.into_parts();
    // The body may become shorter or longer.
    parts.headers.remove(header::CONTENT_LENGTH);
    let form = EventForm::of(&parts.headers);
    let stream = FaultyStream::new(body.into_data_stream(), Arc::clone(&app.faults), target, form, plan)
        .with_open(open)
        .with_limits(deadline, guard);
    Response::from_parts(parts, Body::from_stream(stream.into_stream()))
}

fn format(request: &Request) -> Format {
    let query = Query::parse(request.uri().query().unwrap_or_default());
    error_format(request.headers(), query.get("pretty"))
}
