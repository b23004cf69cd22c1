//! Faults of requests: applied before a request is processed, and around its response.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::{Instant, sleep};

use super::asked::Asked;
use super::stream::{Plan, Tampered};
use super::{FaultAction, answer};
use crate::api::App;
use crate::query::Query;
use crate::reply::wants_pretty;

/// Marker of a request whose response is sent over a WebSocket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViaWebSocket;

/// Limits of the server, which act at the same place: clients see them like faults.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Maximum duration of a response other than a watch.
    pub(crate) request_timeout: Duration,
    /// Maximum number of concurrent requests; a watch counts until its first byte.
    pub(crate) max_in_flight: Option<usize>,
    in_flight: Arc<AtomicUsize>,
}

/// Place of a request among those in flight.
#[derive(Debug)]
pub(super) struct Seat(Arc<AtomicUsize>);

impl Limits {
    pub(crate) fn new(request_timeout: Duration, max_in_flight: Option<usize>) -> Self {
        Self { request_timeout, max_in_flight, in_flight: Arc::default() }
    }

    /// Takes a seat; `None` if all are taken.
    fn seat(&self) -> Option<Seat> {
        let seat = Seat(Arc::clone(&self.in_flight));
        let taken = self.in_flight.fetch_add(1, Ordering::Relaxed);
        self.max_in_flight.is_none_or(|most| taken < most).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Forwards a request, unless a fault affects it.
pub(crate) async fn seam(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let asked = Asked::of(&request);
    let pretty = is_pretty(&request);
    let started = Instant::now();
    if app.faults.is_away() {
        return answer::away(request.extensions().get::<ViaWebSocket>().is_some());
    }
    // Registered here, so that an order during the request's delay reaches its watch.
    let open = asked.is_watch().then(|| app.faults.open.enter(&asked));
    let mut plan = Plan::default();
    for action in app.faults.on_request(&asked) {
        match action {
            FaultAction::Delay { ms } => sleep(Duration::from_millis(ms)).await,
            FaultAction::Hold => app.faults.released(&asked).await,
            FaultAction::Error { code, retry_after } => return answer::error(code, retry_after, &asked, pretty),
            FaultAction::Html => return answer::html(),
            FaultAction::ErrorEvent { code } => {
                plan.error_event = Some(answer::status_json(code, &asked).to_string());
            }
            action => plan.add(&action),
        }
    }
    let Some(seat) = app.limits.seat() else { return answer::error(429, 1, &asked, pretty) };
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
    let deadline = (!asked.is_long_running()).then(|| started + app.limits.request_timeout);
    let seat = (!asked.is_long_running()).then_some(seat);
    let (mut parts, body) = reply.into_parts();
    // The body may become shorter or longer.
    parts.headers.remove(header::CONTENT_LENGTH);
    let tampered = Tampered::new(body.into_data_stream(), Arc::clone(&app.faults), asked, plan)
        .with_open(open)
        .with_limits(deadline, seat);
    Response::from_parts(parts, Body::from_stream(tampered.into_stream()))
}

fn is_pretty(request: &Request) -> bool {
    let query = Query::parse(request.uri().query().unwrap_or_default());
    wants_pretty(request.headers(), query.get("pretty"))
}
