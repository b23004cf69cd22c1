//! Requests below `/api` and `/apis`: from method and path to the store and back.

mod bodies;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};

use crate::accept::{RequestKind, error_format, negotiate};
use crate::access::{Access, Attributes};
use crate::address::Address;
use crate::delete::Deleted;
use crate::event::EventEncoder;
use crate::fault::{Faults, Limits};
use crate::gzip::{MIN_GZIP_BYTES, accepts_gzip, gzip_reply};
use crate::kinds::Kind;
use crate::object::{Entry, object_key};
use crate::patch::PatchType;
use crate::protobuf::{MEDIA_TYPE, envelope};
use crate::query::Query;
use crate::rbac::Impersonated;
use crate::reply::{Format, json_reply, object_reply, protobuf_reply, wants_pretty};
use crate::reviews::Subject;
use crate::selection::Selection;
use crate::status::Status;
use crate::store::Store;
use crate::view::{Encoding, View};
use crate::watch::WatchTiming;
use crate::write::{Origin, Part, success};
use crate::write_options::{self, WriteOptions};
use crate::{
    crd, discovery, ephemeral, eviction, list, list_options, log, managed_fields, metrics, openapi, preconditions,
    reviews, scale, watch,
};

/// Maximum length of a request body, as in the real server.
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// State that every request needs.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) limits: Limits,
    pub(crate) timing: WatchTiming,
    pub(crate) access: RwLock<Access>,
    /// Time between two lines of a pod's log.
    pub(crate) log_every: Duration,
    /// Whether the simulator and its kubelets run.
    pub(crate) simulates: bool,
    /// Cuts open sessions of exec and attach.
    pub(crate) cut_shells: tokio::sync::watch::Sender<u64>,
    /// Commands that control container output.
    pub(crate) log_commands: Arc<log::Commands>,
}

/// Parsed request to an API resource.
struct Call<'a> {
    app: &'a App,
    kind: Arc<Kind>,
    address: Address,
    query: Query,
    headers: HeaderMap,
    body: Bytes,
    view: View,
    write_options: WriteOptions,
    subject: Subject,
    #[cfg_attr(not(feature = "sockets"), expect(dead_code, reason = "only a shell reads them"))]
    extensions: Extensions,
    /// Schema of a custom kind, for a write.
    schema: Option<Value>,
    /// Warnings of the response.
    warnings: Mutex<Vec<String>>,
}

/// Handles all requests below `/api/` and `/apis/`.
pub(crate) async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let format = error_format(&parts.headers, query.get("pretty"));
    let pretty = wants_pretty(&parts.headers, query.get("pretty"));
    // Two slashes are equivalent to one.
    let path = percent_decode(parts.uri.path()).replace("//", "/");
    let reply = match Address::parse(&path) {
        Some(address) if address.resource.is_empty() => {
            discovery::resources(&app.store, &address.group, &address.version, pretty)
        }
        Some(address) => respond(&app, address, query, parts, body).await,
        // The path is too long for a resource, but its group exists.
        None if app.store.kinds().iter().any(|kind| path.starts_with(&kind.root())) => Err(Status::unknown_resource()),
        None => discovery::group(&app.store, &path, pretty),
    };
    reply.unwrap_or_else(|status| status.into_reply(format))
}

/// Returns the sender of a request, or the 403.
fn subject(
    app: &App,
    method: &Method,
    address: &Address,
    query: &Query,
    headers: &HeaderMap,
) -> Result<Subject, Status> {
    let mut subject = Subject::Known(app.access.read().user(headers)?.to_owned());
    // Every user may request a review of the own permissions.
    let is_review = address.group == "authorization.k8s.io" && *method == Method::POST;
    let attributes = Attributes::of(method, address, query);
    if !is_review {
        subject.check(app, &attributes)?;
    }
    if let Some(impersonated) = Impersonated::of(headers) {
        subject = Subject::Impersonated(impersonated);
        if !is_review {
            subject.check(app, &attributes)?;
        }
    }
    Ok(subject)
}

/// Decodes a path. Escapes occur in few names only (`system%3Anode`).
fn percent_decode(path: &str) -> String {
    // A `+` in a path is a plus; form decoding would make it a space.
    let protected = path.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(protected.as_bytes()).next().map(|(path, _)| path.into_owned()).unwrap_or_default()
}

async fn respond(app: &App, address: Address, query: Query, parts: Parts, body: Body) -> Result<Response, Status> {
    let Parts { ref method, headers, extensions, .. } = parts;
    // First, so that a response does not reveal what exists.
    let subject = subject(app, method, &address, &query, &headers)?;
    let kind = app.store.find_kind(&address.group, &address.version, &address.resource)?;
    let misplaced = if kind.namespaced {
        address.name.is_some() && address.namespace.is_empty()
    } else {
        !address.namespace.is_empty()
    };
    if misplaced {
        return Err(Status::unknown_resource());
    }
    let body = to_bytes(body, BODY_LIMIT)
        .await
        .map_err(|_| Status::too_large(format!("Request entity too large: limit is {BODY_LIMIT}")))?;
    let request_kind = match (method, &address.name) {
        (&Method::GET, _) if query.flag("watch") => RequestKind::Watch,
        (&Method::GET | &Method::DELETE, None) => RequestKind::List,
        _ => RequestKind::Object,
    };
    // A log is always text, and a session has no media type.
    let is_stream = address.is_of_pod("log") || address.is_shell();
    let view =
        if is_stream { View::default() } else { negotiate(&headers, &query, request_kind, (&kind, &address.version))? };
    let write_options = write_options::parse(method, &kind, &address, &query, &headers)?;
    let schema =
        (kind.custom && *method != Method::GET).then(|| schema_from_definition(app, &kind, &address.version)).flatten();
    let warnings = Mutex::default();
    let call =
        Call { app, kind, address, query, headers, body, view, write_options, subject, extensions, schema, warnings };
    let mut reply = call.dispatch(method).await?;
    call.warn(&mut reply);
    Ok(reply)
}

/// Returns the schema of a custom kind, from its definition.
fn schema_from_definition(app: &App, kind: &Kind, version: &str) -> Option<Value> {
    let definition = app.store.find(crd::CRD_ID, &kind.id())?;
    openapi::custom_schema(kind, version, &definition.value())
}

impl Call<'_> {
    async fn dispatch(&self, method: &Method) -> Result<Response, Status> {
        match (method, self.address.subresource.as_deref()) {
            (_, None) if self.kind.review => self.review(method),
            (_, None) if self.kind.is_metrics() => self.metrics(method),
            (_, None) if self.address.name.is_none() => self.collection(method).await,
            (_, None) => self.object(method).await,
            (_, Some("status")) if self.kind.status => self.status(method),
            (_, Some("log")) if self.kind.id() == "pods" => self.log(method),
            (_, Some("exec" | "attach")) if self.kind.id() == "pods" => self.exec(method),
            (_, Some("ephemeralcontainers")) if self.kind.id() == "pods" => self.ephemeral_containers(method),
            (_, Some("eviction")) if self.kind.id() == "pods" => self.evict(method),
            (_, Some("scale")) if self.kind.scale.is_some() => self.scale(method),
            _ => Err(Status::unknown_resource()),
        }
    }

    fn key(&self) -> String {
        object_key(&self.address.namespace, self.address.name.as_deref().unwrap_or_default())
    }

    fn pretty(&self) -> bool {
        wants_pretty(&self.headers, self.query.get("pretty"))
    }

    fn show(&self, code: StatusCode, entry: &Entry) -> Response {
        let (view, kind, version) = (self.view, &self.kind, &self.address.version);
        if view.encoding == Encoding::Protobuf {
            let (api_version, kind_name) = view.type_of(kind, version);
            let body = envelope(&api_version, &kind_name, &view.message(kind, version, entry));
            return if body.len() > MIN_GZIP_BYTES && accepts_gzip(&self.headers) {
                gzip_reply(code, HeaderValue::from_static(MEDIA_TYPE), std::iter::once(body))
            } else {
                protobuf_reply(code, body)
            };
        }
        let mut json = Vec::new();
        view.write(kind, version, entry, &mut json);
        json.push(b'\n');
        let is_json = view.encoding == Encoding::Json && !self.pretty();
        if is_json && json.len() > MIN_GZIP_BYTES && accepts_gzip(&self.headers) {
            gzip_reply(code, HeaderValue::from_static("application/json"), std::iter::once(json))
        } else {
            object_reply(code, json, self.format())
        }
    }

    /// Encoding and layout of a response that is one object.
    fn format(&self) -> Format {
        Format { encoding: self.view.encoding, pretty: self.pretty() }
    }

    async fn collection(&self, method: &Method) -> Result<Response, Status> {
        let (app, kind, version) = (self.app, &self.kind, &self.address.version);
        match *method {
            Method::GET => {
                list_options::check(&self.query)?;
                let selection = Selection::parse(kind, &self.address.namespace, &self.query)?;
                if self.query.flag("watch") {
                    return self.watch(selection).await;
                }
                let page = list::list(&app.store, kind, &selection, &self.query, app.timing.future_wait).await?;
                Ok(page.reply(kind, version, &self.headers, &self.query, self.view))
            }
            Method::POST if kind.namespaced != self.address.namespace.is_empty() => self.create(self.object_body()?),
            Method::DELETE
                if kind.verbs().contains(&"deletecollection")
                    && kind.namespaced != self.address.namespace.is_empty() =>
            {
                list_options::check(&self.query)?;
                let selection = Selection::parse(kind, &self.address.namespace, &self.query)?;
                let options = self.delete_options()?;
                let page = list::list(&app.store, kind, &selection, &self.query, app.timing.future_wait).await?;
                for entry in page.entries() {
                    match app.store.delete(&kind.id(), &entry.key, &options) {
                        // It was deleted meanwhile, perhaps along with its owner.
                        Err(status) if status.code == 404 => {}
                        other => drop(other?),
                    }
                }
                Ok(page.reply(kind, version, &self.headers, &self.query, self.view))
            }
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn metrics(&self, method: &Method) -> Result<Response, Status> {
        if *method != Method::GET || self.query.flag("watch") {
            return Err(Status::method_not_allowed());
        }
        let metrics = metrics::read(&self.app.store, &self.kind, &self.address, &self.query)?;
        Ok(json_reply(StatusCode::OK, metrics.to_string().into_bytes(), self.pretty()))
    }

    async fn watch(&self, selection: Selection) -> Result<Response, Status> {
        let app = self.app;
        let kind = Arc::clone(&self.kind);
        let encoder = EventEncoder::new(Arc::clone(&kind), self.address.version.clone(), self.view);
        watch::watch(Arc::clone(&app.store), kind, encoder, selection, &self.query, app.timing).await
    }

    async fn object(&self, method: &Method) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        match *method {
            Method::GET if self.query.flag("watch") => {
                list_options::check(&self.query)?;
                let mut selection = Selection::parse(kind, &self.address.namespace, &self.query)?;
                selection.name.clone_from(&self.address.name);
                self.watch(selection).await
            }
            Method::GET => {
                self.query.resource_version().map_err(Status::unreasoned)?;
                Ok(self.show(StatusCode::OK, &*store.get(kind, &key)?))
            }
            Method::PUT => {
                let object = self.object_body()?;
                if object["metadata"]["name"].as_str().is_none_or(str::is_empty) {
                    let name = self.address.name.as_deref().unwrap_or_default();
                    return Err(Status::nameless(name));
                }
                let entry = self.put(Part::Main, object)?;
                Ok(self.show(StatusCode::OK, &entry))
            }
            Method::PATCH => self.patch(Part::Main),
            Method::DELETE => match store.delete(&kind.id(), &key, &self.delete_options()?)? {
                Deleted::Marked(entry) => Ok(self.show(StatusCode::OK, &entry)),
                Deleted::Gone(entry) => {
                    let success = success(kind, &entry.name, &entry.uid).to_string();
                    Ok(object_reply(StatusCode::OK, success.into_bytes(), self.format()))
                }
            },
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn log(&self, method: &Method) -> Result<Response, Status> {
        match *method {
            Method::GET => {
                let app = self.app;
                log::log(&app.store, &app.log_commands, &self.key(), &self.query, app.log_every)
            }
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn exec(&self, method: &Method) -> Result<Response, Status> {
        if !matches!(*method, Method::GET | Method::POST) {
            return Err(Status::method_not_allowed());
        }
        // Permission to read does not permit exec, though browsers send a GET.
        let attributes = Attributes { verb: "create", ..Attributes::of(method, &self.address, &self.query) };
        self.subject.check(self.app, &attributes)?;
        self.shell()
    }

    /// Without sockets there are no WebSockets: the response of the real server to a request without an upgrade.
    #[cfg(not(feature = "sockets"))]
    #[expect(clippy::unused_self, reason = "with sockets, it is used")]
    fn shell(&self) -> Result<Response, Status> {
        Err(Status::bad_request("Upgrade request required"))
    }

    #[cfg(feature = "sockets")]
    fn shell(&self) -> Result<Response, Status> {
        let app = self.app;
        let tail = |container: &str| {
            let query = Query::parse(&format!("follow=true&tailLines=0&container={container}"));
            let tail = log::tail(&app.store, &app.log_commands, &self.key(), &query, app.log_every)?;
            tail.ok_or_else(|| Status::bad_request("the pod has no node"))
        };
        let attach = self.address.is_of_pod("attach");
        let cut = app.cut_shells.subscribe();
        crate::exec::exec(&app.store, &self.key(), attach, &self.query, self.extensions.get(), cut, tail)
    }

    fn ephemeral_containers(&self, method: &Method) -> Result<Response, Status> {
        let (store, key) = (&self.app.store, self.key());
        let entry = match *method {
            Method::GET => return Ok(self.show(StatusCode::OK, &*store.get(&self.kind, &key)?)),
            Method::PUT => {
                let wanted = self.object_body()?;
                store.update_with_options("pods", &key, Part::Main, &self.write_options, |kind, pod| {
                    let wanted = preconditions::put(kind, &pod, wanted)?;
                    ephemeral::with(pod, &wanted)
                })?
            }
            Method::PATCH => {
                let (patch_type, patch) = self.patch_body()?;
                if patch_type == PatchType::Apply {
                    self.check_applied(&patch)?;
                }
                store.update_with_options("pods", &key, Part::Main, &self.write_options, |kind, pod| {
                    let wanted = self.patched(kind, patch_type, &patch, pod.clone())?;
                    ephemeral::with(pod, &wanted)
                })?
            }
            _ => return Err(Status::method_not_allowed()),
        };
        if self.app.simulates && !self.write_options.dry_run {
            ephemeral::start(store, &key)?;
        }
        Ok(self.show(StatusCode::OK, &entry))
    }

    fn review(&self, method: &Method) -> Result<Response, Status> {
        match (method, &self.address.name) {
            (&Method::POST, None) => {
                let review = reviews::review(self.app, &self.subject, &self.kind, self.object_body()?)?;
                Ok(object_reply(StatusCode::CREATED, review.to_string().into_bytes(), self.format()))
            }
            (_, None) => Err(Status::method_not_allowed()),
            (_, Some(_)) => Err(Status::unknown_resource()),
        }
    }

    fn evict(&self, method: &Method) -> Result<Response, Status> {
        if *method != Method::POST {
            return Err(Status::method_not_allowed());
        }
        eviction::evict(&self.app.store, &self.key(), &self.eviction()?)?;
        let done = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
        Ok(object_reply(StatusCode::CREATED, done.to_string().into_bytes(), self.format()))
    }

    fn status(&self, method: &Method) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        match *method {
            Method::GET => Ok(self.show(StatusCode::OK, &*store.get(kind, &key)?)),
            Method::PUT => {
                let object = self.object_body()?;
                let entry = self.put(Part::Status, object)?;
                Ok(self.show(StatusCode::OK, &entry))
            }
            Method::PATCH => self.patch(Part::Status),
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn create(&self, object: Value) -> Result<Response, Status> {
        let (id, namespace) = (self.kind.id(), &self.address.namespace);
        let entry = self.app.store.create_with_options(&id, namespace, object, Origin::Client, &self.write_options)?;
        Ok(self.show(StatusCode::CREATED, &entry))
    }

    fn put(&self, part: Part, object: Value) -> Result<Arc<Entry>, Status> {
        let put = |kind: &Kind, old: Value| preconditions::put(kind, &old, object);
        self.app.store.update_with_options(&self.kind.id(), &self.key(), part, &self.write_options, put)
    }

    fn scale(&self, method: &Method) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        let entry = match *method {
            Method::GET => {
                let entry = store.get(kind, &key)?;
                scale::check(kind, &entry.value())?;
                entry
            }
            Method::PUT => {
                let wanted = self.json_body()?;
                store.update_with_options(&kind.id(), &key, Part::Main, &self.write_options, |_, object| {
                    scale::set(kind, object, &wanted)
                })?
            }
            Method::PATCH => {
                let (patch_type, patch) = self.patch_body()?;
                store.update_with_options(&kind.id(), &key, Part::Main, &self.write_options, |kind, object| {
                    let wanted = patch_type.apply(kind, scale::of(kind, &object), &patch)?;
                    scale::set(kind, object, &wanted)
                })?
            }
            _ => return Err(Status::method_not_allowed()),
        };
        let json = scale::of(kind, &entry.value()).to_string();
        Ok(object_reply(StatusCode::OK, json.into_bytes(), self.format()))
    }

    /// Returns the patched object, checked for its kind.
    fn patched(&self, kind: &Kind, patch_type: PatchType, patch: &Value, object: Value) -> Result<Value, Status> {
        match self.write_options.manager.as_ref().filter(|_| patch_type == PatchType::Apply) {
            Some(manager) => {
                let mut applied = managed_fields::apply(kind, &object, patch, manager)?;
                preconditions::copy_immutable(patch, &mut applied);
                self.check_values(applied)
            }
            None => self.check_patched(patch_type, patch, patch_type.apply(kind, object, patch)?),
        }
    }

    fn patch(&self, part: Part) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        let (patch_type, patch) = self.patch_body()?;
        if patch_type == PatchType::Apply {
            self.check_applied(&patch)?;
        }
        let patched = store.update_with_options(&kind.id(), &key, part, &self.write_options, |kind, object| {
            self.patched(kind, patch_type, &patch, object)
        });
        match patched {
            // Server-side apply creates a missing object.
            Err(status) if status.code == 404 && patch_type == PatchType::Apply && part == Part::Main => {
                let object = self.check_object(patch)?;
                if object["metadata"]["name"].as_str().is_none_or(str::is_empty) {
                    return Err(Status::nameless(self.address.name.as_deref().unwrap_or_default()));
                }
                self.create(object)
            }
            patched => Ok(self.show(StatusCode::OK, &*patched?)),
        }
    }
}
