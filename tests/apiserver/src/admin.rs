//! Admin interface for tests: faults below `/admin/faults` and short forms of the usual ones, access rules, logs.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post};
use serde_json::json;

use crate::access::Access;
use crate::api::App;
use crate::fault::{Fault, FaultAction};
use crate::log::{self, LogCommand};
use crate::reply::{json_reply, text_reply};

/// Returns the routes below `/admin`.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/admin/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/admin/faults/{id}", delete(clear_fault))
        .route("/admin/rbac", get(rbac).post(set_rbac).delete(clear_rbac))
        .route("/admin/cut-shells", post(cut_shells))
        .route("/admin/logs", post(log_command))
        .route("/admin/compact", post(compact))
        .route("/admin/cut-watches", post(cut_watches))
        .route("/admin/stall-watches", post(stall_watches))
}

async fn faults(State(app): State<Arc<App>>) -> Response {
    let list = json!({"faults": app.faults.list(), "openWatches": app.faults.open.count()});
    json_reply(StatusCode::OK, list.to_string().into_bytes(), true)
}

async fn add_fault(State(app): State<Arc<App>>, body: Bytes) -> Response {
    match Fault::from_json(&body) {
        Ok(fault) => {
            let id = json!({"id": app.faults.add(fault)});
            json_reply(StatusCode::CREATED, id.to_string().into_bytes(), false)
        }
        Err(why) => text_reply(StatusCode::BAD_REQUEST, format!("This is not a fault: {why}.\n")),
    }
}

async fn clear_faults(State(app): State<Arc<App>>) -> String {
    format!("cleared {}\n", app.faults.clear(None))
}

async fn clear_fault(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Response {
    match app.faults.clear(Some(id)) {
        0 => text_reply(StatusCode::NOT_FOUND, format!("No fault {id} is in force.\n")),
        cleared => text_reply(StatusCode::OK, format!("cleared {cleared}\n")),
    }
}

async fn rbac(State(app): State<Arc<App>>) -> Response {
    let access = serde_json::to_vec(&*app.access.read()).unwrap_or_default();
    json_reply(StatusCode::OK, access, true)
}

async fn set_rbac(State(app): State<Arc<App>>, body: Bytes) -> Response {
    match serde_json::from_slice::<Access>(&body) {
        Ok(access) => {
            let said = format!("{} tokens, {} rules\n", access.tokens.len(), access.rules.len());
            *app.access.write() = access;
            text_reply(StatusCode::OK, said)
        }
        Err(why) => text_reply(StatusCode::BAD_REQUEST, format!("These are not tokens and rules: {why}.\n")),
    }
}

async fn clear_rbac(State(app): State<Arc<App>>) -> &'static str {
    *app.access.write() = Access::default();
    "cleared\n"
}

async fn log_command(State(app): State<Arc<App>>, body: Bytes) -> Response {
    match LogCommand::from_json(&body) {
        Ok(command) => {
            log::command(&app.store, &app.log_commands, command);
            text_reply(StatusCode::OK, "done\n")
        }
        Err(why) => text_reply(StatusCode::BAD_REQUEST, format!("This is no command for logs: {why}.\n")),
    }
}

async fn compact(State(app): State<Arc<App>>) -> &'static str {
    app.faults.add(FaultAction::Compact.into());
    "compacted\n"
}

async fn cut_watches(State(app): State<Arc<App>>) -> String {
    let open = app.faults.open.count();
    app.faults.add(FaultAction::CutOpen.into());
    format!("cut {open}\n")
}

async fn cut_shells(State(app): State<Arc<App>>) -> &'static str {
    app.cut_shells.send_modify(|times| *times += 1);
    "cut\n"
}

async fn stall_watches(State(app): State<Arc<App>>) -> String {
    let open = app.faults.open.count();
    app.faults.add(FaultAction::StallOpen.into());
    format!("stalled {open}\n")
}
