//! Requests below `/api` and `/apis`: from method and path to the store and back.

mod bodies;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use parking_lot::RwLock;

use crate::accept::{Answer, negotiate};
use crate::access::{Access, Attributes};
use crate::address::Address;
use crate::delete::Deleted;
use crate::event::Teller;
use crate::fault::{Faults, Limits};
use crate::gzip::{GZIP_FROM, accepts_gzip, gzip_reply};
use crate::kinds::Kind;
use crate::object::{Entry, object_key};
use crate::patch::PatchType;
use crate::query::Query;
use crate::rbac::Impersonated;
use crate::reply::{json_reply, wants_pretty, yaml_reply};
use crate::selection::Selection;
use crate::status::Status;
use crate::store::Store;
use crate::terms::{Terms, terms};
use crate::view::View;
use crate::watch::WatchTiming;
use crate::write::{Origin, Part, success};
use crate::{discovery, list, list_options, log, managed_fields, scale, watch};

/// Longest request body, as with the real server.
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// What every request needs.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) limits: Limits,
    pub(crate) timing: WatchTiming,
    pub(crate) access: RwLock<Access>,
    /// Time between two lines of a pod's log.
    pub(crate) log_every: Duration,
}

/// One request, taken apart.
struct Call<'a> {
    app: &'a App,
    kind: Arc<Kind>,
    address: Address,
    query: Query,
    headers: HeaderMap,
    body: Bytes,
    view: View,
    terms: Terms,
}

/// Answers everything below `/api/` and `/apis/`.
pub(crate) async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let pretty = wants_pretty(&parts.headers, query.get("pretty"));
    // Two slashes are as good as one.
    let path = percent_decode(parts.uri.path()).replace("//", "/");
    let reply = match Address::parse(&path) {
        Some(address) if address.resource.is_empty() => {
            discovery::resources(&app.store, &address.group, &address.version, pretty)
        }
        Some(address) => answer(&app, &parts.method, address, query, parts.headers, body).await,
        // Too long for anything, but below a group that is there.
        None if app.store.kinds().iter().any(|kind| path.starts_with(&kind.root())) => Err(Status::unknown_resource()),
        None => discovery::group(&app.store, &path, pretty),
    };
    reply.unwrap_or_else(|status| status.into_reply(pretty))
}

/// Paths of objects hold no escapes but those of a few names (`system%3Anode`).
fn percent_decode(path: &str) -> String {
    // A `+` in a path is a plus; form decoding would make it a space.
    let protected = path.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(protected.as_bytes()).next().map(|(path, _)| path.into_owned()).unwrap_or_default()
}

async fn answer(
    app: &App,
    method: &Method,
    address: Address,
    query: Query,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Status> {
    {
        // Before anything else, so that a response does not show what exists.
        let access = app.access.read();
        access.check(access.user(&headers)?, method, &address, &query)?;
    }
    if let Some(somebody) = Impersonated::of(&headers) {
        let asked = Attributes::of(&somebody.user, method, &address, &query);
        if !somebody.may(&app.store, &asked, address.name.as_deref()) {
            return Err(asked.forbidden(&address));
        }
    }
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
    let answer = match (method, &address.name) {
        (&Method::GET, _) if query.flag("watch") => Answer::Watch,
        (&Method::GET | &Method::DELETE, None) => Answer::List,
        _ => Answer::Object,
    };
    // A log is text whatever is accepted.
    let is_log = address.subresource.as_deref() == Some("log");
    let view = if is_log { View::default() } else { negotiate(&headers, &query, answer, &kind)? };
    let terms = terms(method, &kind, &address, &query, &headers)?;
    let call = Call { app, kind, address, query, headers, body, view, terms };
    match (method, call.address.subresource.as_deref()) {
        (_, None) if call.address.name.is_none() => call.collection(method).await,
        (_, None) => call.object(method).await,
        (_, Some("status")) if call.kind.status => call.status(method),
        (_, Some("log")) if call.kind.id() == "pods" => call.log(method),
        (_, Some("scale")) if call.kind.scale => call.scale(method),
        _ => Err(Status::unknown_resource()),
    }
}

impl Call<'_> {
    fn key(&self) -> String {
        object_key(&self.address.namespace, self.address.name.as_deref().unwrap_or_default())
    }

    fn pretty(&self) -> bool {
        wants_pretty(&self.headers, self.query.get("pretty"))
    }

    fn show(&self, code: StatusCode, entry: &Entry) -> Response {
        let mut json = Vec::new();
        self.view.write(&self.kind, &self.address.version, entry, &mut json);
        json.push(b'\n');
        if self.view.yaml {
            yaml_reply(code, &json)
        } else if json.len() > GZIP_FROM && !self.pretty() && accepts_gzip(&self.headers) {
            gzip_reply(code, std::iter::once(json))
        } else {
            json_reply(code, json, self.pretty())
        }
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
            Method::POST if kind.namespaced != self.address.namespace.is_empty() => {
                let object = self.object_body()?;
                let entry =
                    app.store.create_on(&kind.id(), &self.address.namespace, object, Origin::Client, &self.terms)?;
                Ok(self.show(StatusCode::CREATED, &entry))
            }
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
                        // Gone meanwhile, perhaps along with its owner.
                        Err(status) if status.code == 404 => {}
                        other => drop(other?),
                    }
                }
                Ok(page.reply(kind, version, &self.headers, &self.query, self.view))
            }
            _ => Err(Status::method_not_allowed()),
        }
    }

    async fn watch(&self, selection: Selection) -> Result<Response, Status> {
        let app = self.app;
        let kind = Arc::clone(&self.kind);
        let teller = Teller::new(Arc::clone(&kind), self.address.version.clone(), self.view);
        watch::watch(Arc::clone(&app.store), kind, teller, selection, &self.query, app.timing).await
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
                    return Err(Status::bad_request(format!(
                        "the name of the object ({name} based on URL) was undeterminable: name must be provided"
                    )));
                }
                let entry = store.update_on(&kind.id(), &key, Part::Main, &self.terms, |_, _| Ok(object))?;
                Ok(self.show(StatusCode::OK, &entry))
            }
            Method::PATCH => self.patch(Part::Main),
            Method::DELETE => match store.delete(&kind.id(), &key, &self.delete_options()?)? {
                Deleted::Marked(entry) => Ok(self.show(StatusCode::OK, &entry)),
                Deleted::Gone(entry) => {
                    let success = success(kind, &entry.name, &entry.uid).to_string();
                    Ok(json_reply(StatusCode::OK, success.into_bytes(), self.pretty()))
                }
            },
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn log(&self, method: &Method) -> Result<Response, Status> {
        match *method {
            Method::GET => log::log(&self.app.store, &self.key(), &self.query, self.app.log_every),
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn status(&self, method: &Method) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        match *method {
            Method::GET => Ok(self.show(StatusCode::OK, &*store.get(kind, &key)?)),
            Method::PUT => {
                let object = self.object_body()?;
                let entry = store.update_on(&kind.id(), &key, Part::Status, &self.terms, |_, _| Ok(object))?;
                Ok(self.show(StatusCode::OK, &entry))
            }
            Method::PATCH => self.patch(Part::Status),
            _ => Err(Status::method_not_allowed()),
        }
    }

    fn scale(&self, method: &Method) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        let entry = match *method {
            Method::GET => store.get(kind, &key)?,
            Method::PUT => {
                let wanted = self.json_body()?;
                store.update_on(&kind.id(), &key, Part::Main, &self.terms, |_, object| scale::set(object, &wanted))?
            }
            Method::PATCH => {
                let (patch_type, patch) = self.patch_body()?;
                store.update_on(&kind.id(), &key, Part::Main, &self.terms, |kind, object| {
                    let wanted = patch_type.apply(kind, scale::of(&object), &patch)?;
                    scale::set(object, &wanted)
                })?
            }
            _ => return Err(Status::method_not_allowed()),
        };
        let json = scale::of(&entry.value()).to_string();
        Ok(json_reply(StatusCode::OK, json.into_bytes(), self.pretty()))
    }

    fn patch(&self, part: Part) -> Result<Response, Status> {
        let (store, kind, key) = (&self.app.store, &self.kind, self.key());
        let (patch_type, patch) = self.patch_body()?;
        if patch_type == PatchType::Apply {
            self.check_applied(&patch)?;
        }
        let patched = store.update_on(&kind.id(), &key, part, &self.terms, |kind, object| {
            match self.terms.manager.as_ref().filter(|_| patch_type == PatchType::Apply) {
                Some(manager) => managed_fields::apply(kind, &object, &patch, manager),
                None => self.check_patched(patch_type.apply(kind, object, &patch)?),
            }
        });
        match patched {
            // Server-side apply creates what is not there.
            Err(status) if status.code == 404 && patch_type == PatchType::Apply && part == Part::Main => {
                let mut object = self.check_object(patch)?;
                if let Some(name) = &self.address.name {
                    crate::object::metadata_mut(&mut object).insert("name".to_owned(), name.clone().into());
                }
                let entry =
                    store.create_on(&kind.id(), &self.address.namespace, object, Origin::Client, &self.terms)?;
                Ok(self.show(StatusCode::CREATED, &entry))
            }
            patched => Ok(self.show(StatusCode::OK, &*patched?)),
        }
    }
}
