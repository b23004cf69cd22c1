//! Orders to the server itself, for tests: `POST /admin/{order}`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;

use crate::api::App;

/// The routes below `/admin`.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/admin/compact", post(compact))
        .route("/admin/cut-watches", post(cut_watches))
        .route("/admin/stall-watches", post(stall_watches))
}

async fn compact(State(app): State<Arc<App>>) -> &'static str {
    app.store.compact();
    "compacted\n"
}

async fn cut_watches(State(app): State<Arc<App>>) -> String {
    let open = app.control.open();
    app.control.cut();
    format!("cut {open}\n")
}

async fn stall_watches(State(app): State<Arc<App>>) -> String {
    let open = app.control.open();
    app.control.stall();
    format!("stalled {open}\n")
}
