//! Requests to the server: each is parsed, then a fault or the response of an apiserver applies.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt};
use informer::clock::Clock;
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, InformerError, Result};

use crate::connection::{BodyStream, Connection, ConnectionEnd};
use crate::faults::{Fault, Kind};
use crate::responses::apply_fault;
use crate::scope::Scope;
use crate::server::{RequestSource, Server};
use crate::wire::WholeResponse;

/// Path of the request for the cluster's identity.
const NAMESPACE: &str = "/api/v1/namespaces/kube-system";

/// Path of a heartbeat.
const VERSION: &str = "/version";

/// Path of the list of namespaces, for clients that may not list all namespaces together.
const NAMESPACES: &str = "/api/v1/namespaces";

/// Transport of a client: of the application's factory, or of the engine that serves pages.
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) server: Rc<Server>,
}

/// Head of a response.
pub(crate) enum Head {
    Refused,
    Hang,
    Received { status: u16, content_type: &'static str, retry_after: Option<u32>, encoding: Option<&'static str> },
}

impl Head {
    pub(crate) fn ok() -> Self {
        Self::Received { status: 200, content_type: "application/json", retry_after: None, encoding: None }
    }
}

impl Transport for Client {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let server = Rc::clone(&self.server);
        if path == NAMESPACE {
            return futures::future::ready(server.identify(self.name)).boxed_local();
        }
        if path == VERSION {
            return match server.heartbeat(self.name) {
                Some(response) => futures::future::ready(response).boxed_local(),
                None => futures::future::pending().boxed_local(),
            };
        }
        if path == NAMESPACES {
            return futures::future::ready(Ok(forbidden())).boxed_local();
        }
        // An engine reads the namespace of an informer without objects. Each one exists here.
        if let Some(name) = path.strip_prefix(NAMESPACES).and_then(|rest| rest.strip_prefix('/'))
            && !name.contains('/')
        {
            let namespace = json(200, format!(r#"{{"metadata":{{"name":"{name}"}}}}"#));
            return futures::future::ready(Ok(namespace)).boxed_local();
        }
        let Some(scope) = Scope::of(path, &format!("&{query}")) else {
            server.fail(|| format!("an unexpected request: {request}"));
            return futures::future::pending().boxed_local();
        };
        let (id, connection, head, delay) = server.respond((self.name, scope), query);
        let body = BodyStream::new(Rc::clone(&server), id, connection);
        async move {
            if !delay.is_zero() {
                server.clock.sleep(delay).await;
            }
            match head {
                Head::Refused => {
                    drop(body);
                    Err(InformerError::new(ErrorCode::Network, "connection refused"))
                }
                Head::Hang => {
                    futures::future::pending::<()>().await;
                    drop(body);
                    Err(InformerError::new(ErrorCode::Network, "never"))
                }
                Head::Received { status, content_type, retry_after, encoding } => Ok(Response {
                    status,
                    content_type: Some(content_type.to_owned()),
                    content_encoding: encoding.map(str::to_owned),
                    retry_after,
                    body: body.boxed_local(),
                }),
            }
        }
        .boxed_local()
    }
}

pub(crate) fn value<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

pub(crate) fn number(query: &str, name: &str) -> Option<u64> {
    value(query, name)?.parse().ok()
}

/// Returns the rejection of a list of namespaces.
fn forbidden() -> Response {
    json(403, r#"{"kind":"Status","code":403,"reason":"Forbidden"}"#.to_owned())
}

fn json(status: u16, text: String) -> Response {
    Response {
        status,
        content_type: Some("application/json".to_owned()),
        content_encoding: None,
        retry_after: None,
        body: futures::stream::iter([Ok(text.into_bytes())]).boxed_local(),
    }
}

impl Server {
    /// Responds to a heartbeat; never while requests hang.
    fn heartbeat(&self, client: &'static str) -> Option<Result<Response>> {
        let now = self.now();
        let mut state = self.state.borrow_mut();
        state.note(now, || format!("   {client} sends a heartbeat"));
        if state.is_unreachable(now) {
            return Some(Err(InformerError::new(ErrorCode::Network, "connection refused")));
        }
        (!state.faults.requests_hang(now)).then(|| Ok(json(200, "{}".to_owned())))
    }

    /// Responds with the identity of the cluster.
    fn identify(&self, client: &'static str) -> Result<Response> {
        let uid = self.state.borrow_mut().identify(client, self.now());
        let uid = uid.ok_or_else(|| InformerError::new(ErrorCode::Network, "connection refused"))?;
        Ok(json(200, format!(r#"{{"metadata":{{"name":"kube-system","uid":"c-{uid}"}}}}"#)))
    }

    /// Determines a response; the connection determines its timing.
    fn respond(&self, source: RequestSource, query: &str) -> (u64, Rc<RefCell<Connection>>, Head, Duration) {
        let now = self.now();
        let state = &mut *self.state.borrow_mut();
        let (id, shared) = state.connect(source);
        let watch = value(query, "watch") == Some("true");
        let kind = match value(query, "continue") {
            _ if watch => Kind::Watch,
            Some(_) => Kind::Page,
            None => Kind::List,
        };
        let mut delay = Duration::ZERO;
        let mut has_fault = false;
        let head = {
            let connection = &mut *shared.borrow_mut();
            let is_storm = state.count_request(source, query, now);
            let fault = state.request_fault(source, kind, now);
            state.note(now, || {
                let fault = fault.map_or_else(String::new, |fault| format!(" -> {fault:?}"));
                format!("   {} {}{fault}", connection.name(), describe_query(query))
            });
            let traffic = state.traffic.entry(source).or_default();
            if fault.is_some() || !watch {
                traffic.disrupted_at = now;
            }
            if watch {
                traffic.may_only_list = fault.is_some();
            }
            let has_reason = !traffic.needs_no_list
                || traffic.may_only_list
                || traffic.lost_event
                || state.excuses.missing_bookmarks
                || state.short_watches;
            if let Some(Fault::Status(429, pause)) = fault {
                traffic.pause_requested(Duration::from_secs(pause.into()), now);
            }
            has_fault |= fault.is_some();
            connection.has_fault = has_fault;
            traffic.watches += u64::from(watch);
            connection.is_first = watch && traffic.watches == 1;
            // After a silence the request may be a probe.
            let is_probe = number(query, "limit") == Some(1) && traffic.is_silent(now);
            let is_list = (kind == Kind::List && !is_probe) || value(query, "sendInitialEvents").is_some();
            traffic.lost_event &= !is_list;
            if is_list && !has_reason {
                state.fail(now, || format!("{} lists again without a reason", connection.name()));
            }
            match fault {
                Some(Fault::Delay(ms)) => delay = Duration::from_millis(ms),
                Some(Fault::ExpiredToken) => delay = Duration::from_millis(connection.rng.u64(..30_000)),
                _ => {}
            }
            match fault
                .and_then(|fault| apply_fault(connection, fault, number(query, "resourceVersion").unwrap_or(0), now))
            {
                // A client that sends requests without end would keep the story from ending.
                _ if is_storm => Head::Hang,
                Some(head) => head,
                None if watch => state.open_watch(connection, query, now),
                None => {
                    let response = state.list(connection, query, now, &mut delay);
                    send_whole(connection, &response)
                }
            }
        };
        if has_fault {
            state.traffic.entry(source).or_default().record_failure();
        }
        (id, shared, head, delay)
    }
}

/// Sends a body that is known from the beginning.
pub(crate) fn send_whole(connection: &mut Connection, response: &WholeResponse) -> Head {
    connection.send(response.body.as_bytes());
    connection.end(ConnectionEnd::End);
    let WholeResponse { status, content_type, retry_after, .. } = *response;
    Head::Received { status, content_type, retry_after, encoding: None }
}

/// Returns the relevant part of a query.
fn describe_query(query: &str) -> String {
    let mut text = String::from(if value(query, "watch").is_some() { "watch" } else { "list" });
    for name in ["resourceVersion", "limit", "continue", "timeoutSeconds", "sendInitialEvents"] {
        if let Some(value) = value(query, name) {
            let _ = write!(text, " {name}={value}");
        }
    }
    text
}
