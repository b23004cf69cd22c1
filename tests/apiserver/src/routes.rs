//! Router: fixed paths here, everything below `/api` and `/apis` in `api`.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path as UrlPath, RawQuery, Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
#[cfg(feature = "sockets")]
use axum::middleware::from_fn;
use axum::middleware::{Next, from_fn_with_state};
#[cfg(feature = "sockets")]
use axum::response::Redirect;
use axum::response::Response;
use axum::routing::{any, get};
use serde_json::{Value, json};
use tower_http::cors::CorsLayer;
#[cfg(feature = "sockets")]
use tower_http::services::ServeDir;

use crate::accept::error_format;
use crate::api::{self, App};
use crate::query::Query;
use crate::reply::{Format, json_reply, text_reply, wants_pretty};
use crate::status::Status;
#[cfg(feature = "sockets")]
use crate::websocket;
use crate::{admin, discovery, fault, openapi};

/// Returns the router of all paths.
pub(crate) fn router(app: Arc<App>, www: Option<(&Path, &str)>, cors: bool) -> Router {
    let router = Router::new()
        .route("/api", any(root))
        .route("/api/", any(root))
        .route("/apis", any(root))
        .route("/apis/", any(root))
        .route("/api/{*path}", any(api::serve))
        .route("/apis/{*path}", any(api::serve))
        .route("/version", get(version))
        .route("/healthz", get(ok))
        .route("/livez", get(ok))
        .route("/readyz", get(ok))
        .route("/openapi/v3", get(openapi_index))
        .route("/openapi/v3/{*path}", get(openapi_document))
        .layer(from_fn_with_state(Arc::clone(&app), fault::middleware));
    #[cfg(feature = "sockets")]
    let router = router.layer(from_fn(websocket::layer));
    let router = router
        .layer(from_fn_with_state(Arc::clone(&app), authenticate))
        .merge(admin::routes())
        .method_not_allowed_fallback(not_allowed);
    let router = with_files(router, www).with_state(app);
    if cors { router.layer(CorsLayer::permissive().expose_headers(tower_http::cors::Any)) } else { router }
}

/// Adds the static files.
#[cfg(feature = "sockets")]
fn with_files(router: Router<Arc<App>>, www: Option<(&Path, &str)>) -> Router<Arc<App>> {
    let Some((directory, prefix)) = www else { return router.fallback(unknown) };
    let prefix = prefix.trim_matches('/').to_owned();
    let files = ServeDir::new(directory);
    if prefix.is_empty() {
        return router.fallback_service(files);
    }
    let target = format!("/{prefix}/");
    let to_folder = move || {
        let target = target.clone();
        async move { Redirect::temporary(&target) }
    };
    let nested = Router::new().route_service("/", files.clone()).fallback_service(files);
    router.route(&format!("/{prefix}"), get(to_folder)).nest_service(&format!("/{prefix}/"), nested).fallback(unknown)
}

/// Without sockets, no files are served.
#[cfg(not(feature = "sockets"))]
fn with_files(router: Router<Arc<App>>, _: Option<(&Path, &str)>) -> Router<Arc<App>> {
    router.fallback(unknown)
}

/// Returns 401 for requests without a known token, if there are tokens.
async fn authenticate(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let known = app.access.read().user(request.headers()).map(drop);
    match known {
        Ok(()) => next.run(request).await,
        Err(status) => status.into_reply(format(request.headers(), request.uri().query())),
    }
}

async fn root(
    State(app): State<Arc<App>>,
    method: Method,
    uri: axum::http::Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let pretty = is_pretty(&headers, query.as_deref());
    if method != Method::GET {
        return Status::method_not_allowed().into_reply(format(&headers, query.as_deref()));
    }
    let core = uri.path().trim_end_matches('/') == "/api";
    discovery::root(&app.store, core, &headers, pretty)
}

fn is_pretty(headers: &HeaderMap, query: Option<&str>) -> bool {
    wants_pretty(headers, Query::parse(query.unwrap_or_default()).get("pretty"))
}

/// Format of an error.
fn format(headers: &HeaderMap, query: Option<&str>) -> Format {
    error_format(headers, Query::parse(query.unwrap_or_default()).get("pretty"))
}

/// Pretty-printed for every client, as by the real server.
async fn version() -> Response {
    let version = json!({
        "major": "1",
        "minor": "36",
        "gitVersion": concat!("v1.36.2-embedded.", env!("CARGO_PKG_VERSION")),
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": "embedded",
    });
    json_reply(StatusCode::OK, version.to_string().into_bytes(), true)
}

fn show(value: &Value, headers: &HeaderMap, query: Option<&str>) -> Response {
    json_reply(StatusCode::OK, value.to_string().into_bytes(), is_pretty(headers, query))
}

async fn ok() -> Response {
    text_reply(StatusCode::OK, "ok")
}

async fn openapi_index(State(app): State<Arc<App>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    show(&openapi::index(&app.store), &headers, query.as_deref())
}

async fn openapi_document(
    State(app): State<Arc<App>>,
    UrlPath(path): UrlPath<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::parse(query.as_deref().unwrap_or_default());
    openapi::document(&app.store, &path, &query, &headers)
}

async fn not_allowed(RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    Status::method_not_allowed().into_reply(format(&headers, query.as_deref()))
}

async fn unknown() -> Response {
    Status::unknown_path().into_reply(Format::default())
}
