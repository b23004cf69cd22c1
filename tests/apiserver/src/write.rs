//! Create and update: the fields that the server sets, keeps and rejects, for every writer.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::clock;
use crate::history::Verb;
use crate::kinds::Kind;
use crate::managed_fields::{self, Mode, record, same_owners};
use crate::object::{Entry, metadata_mut};
use crate::status::Status;
use crate::store::{State, Store};
use crate::write_options::WriteOptions;
use crate::{crd, defaults, names, preconditions, strategy, validation};

/// Writer of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A client of the API: the server owns status, dates and identity.
    Client,
    /// The simulated cluster: it may write status and dates.
    Cluster,
}

/// Which part of an object an update may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything but the status, if the kind has a status subresource.
    Main,
    /// Only the status.
    Status,
    /// Everything; for the simulated cluster.
    All,
}

/// Returns the present time, as the API formats it.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(clock::now()).to_string()
}

impl Store {
    /// Creates an object and returns it as stored.
    pub(crate) fn create(
        &self,
        id: &str,
        namespace: &str,
        object: Value,
        origin: Origin,
    ) -> Result<Arc<Entry>, Status> {
        self.create_with_options(id, namespace, object, origin, &WriteOptions::default())
    }

    /// Same as `create`, with write options.
    pub(crate) fn create_with_options(
        &self,
        id: &str,
        namespace: &str,
        object: Value,
        origin: Origin,
        options: &WriteOptions,
    ) -> Result<Arc<Entry>, Status> {
        let mut state = self.state.lock();
        let kind = Arc::clone(&state.resource(id)?.kind);
        let mut object = object;
        let config = options.manager.as_ref().filter(|manager| manager.mode != Mode::Update).map(|_| object.clone());
        prepare(&mut state, &kind, namespace, &mut object, origin)?;
        match (&options.manager, config) {
            // An applier owns the applied fields, not the server's defaults.
            (Some(manager), Some(config)) => object = managed_fields::apply(&kind, &object, &config, manager)?,
            (Some(manager), None) => record(&kind, &json!({}), &mut object, manager),
            (None, _) => {}
        }
        let revision = if options.dry_run { 0 } else { state.revision + 1 };
        let entry = Entry::pack(&kind, revision, &object);
        if state.resource(id)?.objects.contains_key(&entry.key) {
            return Err(Status::already_exists(&kind.group, &kind.plural, &entry.name));
        }
        if options.dry_run {
            return Ok(Arc::new(entry));
        }
        let entry = state.commit(id, Verb::Added, entry)?;
        if id == crd::CRD_ID {
            crd::establish(&mut state, &entry.value(), self.options.history)?;
        }
        self.publish(&state);
        Ok(entry)
    }

    /// Reads, changes and writes one object under the lock. Without a difference there is no event.
    pub(crate) fn update(
        &self,
        id: &str,
        key: &str,
        part: Part,
        change: impl FnOnce(&Kind, Value) -> Result<Value, Status>,
    ) -> Result<Arc<Entry>, Status> {
        self.update_with_options(id, key, part, &WriteOptions::default(), change)
    }

    /// Same as `update`, with write options.
    pub(crate) fn update_with_options(
        &self,
        id: &str,
        key: &str,
        part: Part,
        options: &WriteOptions,
        change: impl FnOnce(&Kind, Value) -> Result<Value, Status>,
    ) -> Result<Arc<Entry>, Status> {
        let mut state = self.state.lock();
        let entry = state.get(id, key)?;
        let kind = Arc::clone(&state.resource(id)?.kind);
        let old = entry.value();
        let mut new = change(&kind, old.clone())?;
        preconditions::check(&kind, &entry, &new)?;
        let manager = options.manager.as_ref();
        let by_apply = manager.is_some_and(|manager| manager.mode != Mode::Update);
        let sent_owners = manager.and_then(|_| metadata_mut(&mut new).remove("managedFields"));
        let (applied, edited) = if by_apply { (sent_owners, None) } else { (None, sent_owners) };
        // A writer that sends managedFields may rewrite them: kubectl turns an update into an apply this way.
        let edited = edited.filter(|edited| edited.is_array() && *edited != old["metadata"]["managedFields"]);
        if part == Part::Status {
            new = with_status(&kind, &old, new);
        }
        if part != Part::All {
            validation::update(&kind, part, &old["metadata"], &new["metadata"])?;
            keep_server_owned(&old, &mut new);
        }
        if part == Part::Main
            && kind.status
            && let Some(map) = new.as_object_mut()
        {
            restore(map, &old, "status");
        }
        for field in ["kind", "apiVersion"] {
            if let Some(map) = new.as_object_mut() {
                map.remove(field);
            }
        }
        let unchanged = same(&old, &new) && edited.is_none();
        if let Some(applied) = applied {
            metadata_mut(&mut new).insert("managedFields".to_owned(), applied);
        } else if let Some(manager) = manager.filter(|_| !unchanged) {
            let mut base = old.clone();
            if let Some(edited) = edited {
                metadata_mut(&mut base).insert("managedFields".to_owned(), edited);
            }
            record(&kind, &base, &mut new, manager);
        }
        // An apply that changes only owners is a change, too.
        if unchanged && (!by_apply || same_owners(&old, &new)) {
            return Ok(entry);
        }
        if part != Part::Status && kind.generation && spec_differs(&old, &new) {
            let generation = old["metadata"]["generation"].as_u64().unwrap_or(0) + 1;
            metadata_mut(&mut new).insert("generation".to_owned(), generation.into());
        }
        let revision = if options.dry_run { entry.revision } else { state.revision + 1 };
        let packed = Entry::pack(&kind, revision, &new);
        if options.dry_run {
            return Ok(Arc::new(packed));
        }
        if packed.deleting && !packed.finalizers && entry.finalizers && id != "pods" {
            self.finish_delete(&mut state, id, key, false)?;
            self.publish(&state);
            return Ok(entry);
        }
        let entry = state.commit(id, Verb::Modified, packed)?;
        if id == crd::CRD_ID {
            crd::establish(&mut state, &entry.value(), self.options.history)?;
        }
        self.publish(&state);
        Ok(entry)
    }
}

fn prepare(state: &mut State, kind: &Kind, namespace: &str, object: &mut Value, origin: Origin) -> Result<(), Status> {
    if !object.is_object() {
        return Err(Status::bad_request("the object provided is not a JSON object"));
    }
    let uid = names::uid(&mut state.random);
    let suffix = names::suffix(&mut state.random);
    let metadata = metadata_mut(object);
    if metadata.get("name").and_then(Value::as_str).is_none_or(str::is_empty)
        && let Some(prefix) = metadata.get("generateName").and_then(Value::as_str)
    {
        let name = format!("{prefix}{suffix}");
        metadata.insert("name".to_owned(), name.into());
    }
    let name = metadata.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    names::check(kind, &name)?;
    if origin == Origin::Client {
        validation::metadata(kind, &name, &object["metadata"])?;
    }
    let metadata = metadata_mut(object);
    if kind.namespaced {
        let given = metadata.get("namespace").and_then(Value::as_str).unwrap_or_default();
        if !given.is_empty() && given != namespace {
            return Err(Status::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        metadata.insert("namespace".to_owned(), namespace.into());
    } else {
        metadata.remove("namespace");
    }
    if metadata.get("resourceVersion").and_then(Value::as_str).is_some_and(|version| !version.is_empty()) {
        return Err(Status::unreasoned("resourceVersion should not be set on objects to be created"));
    }
    metadata.insert("uid".to_owned(), uid.into());
    if origin == Origin::Client || !metadata.contains_key("creationTimestamp") {
        metadata.insert("creationTimestamp".to_owned(), now().into());
    }
    if origin == Origin::Client {
        metadata.remove("deletionTimestamp");
        metadata.remove("deletionGracePeriodSeconds");
        metadata.remove("managedFields");
    }
    metadata.remove("generation");
    if kind.generation || kind.custom {
        metadata.insert("generation".to_owned(), 1.into());
    }
    if kind.namespaced {
        state.get("namespaces", namespace)?;
    }
    if origin == Origin::Client {
        // A node registers itself with its status; the server sets the status of all other objects.
        if kind.status
            && kind.plural != "nodes"
            && let Some(map) = object.as_object_mut()
        {
            map.remove("status");
        }
        defaults::apply(kind, &name, object);
    }
    if kind.id() == crd::CRD_ID {
        crd::check(&name, object)?;
    }
    Ok(())
}

/// Restores the fields that a client cannot change.
fn keep_server_owned(old: &Value, new: &mut Value) {
    let metadata = metadata_mut(new);
    let server_owned = [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
    ];
    for field in server_owned {
        restore(metadata, &old["metadata"], field);
    }
}

/// Returns the stored object with the status of the given one, and with its metadata as far as the kind allows that.
fn with_status(kind: &Kind, old: &Value, mut new: Value) -> Value {
    let mut result = old.clone();
    let status = new["status"].take();
    if !status.is_null() {
        result["status"] = status;
    }
    if let Some(kept) = strategy::kept_by_status(kind) {
        let mut metadata = std::mem::take(metadata_mut(&mut new));
        for field in kept {
            restore(&mut metadata, &old["metadata"], field);
        }
        result["metadata"] = Value::Object(metadata);
    }
    result
}

fn restore(map: &mut Map<String, Value>, old: &Value, field: &str) {
    match old.get(field) {
        Some(value) => map.insert(field.to_owned(), value.clone()),
        None => map.remove(field),
    };
}

/// Empty maps and nulls in metadata are ignored: `labels: {}` is no change.
fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether two states are equal apart from versions, field owners and empty values.
fn same(old: &Value, new: &Value) -> bool {
    let has_value = |&(name, value): &(&String, &Value)| name != "metadata" && !value.is_null();
    let is_significant = |&(name, value): &(&String, &Value)| {
        !matches!(name.as_str(), "resourceVersion" | "managedFields") && !is_empty(value)
    };
    fields(old).filter(has_value).eq(fields(new).filter(has_value))
        && fields(&old["metadata"]).filter(is_significant).eq(fields(&new["metadata"]).filter(is_significant))
}

fn spec_differs(old: &Value, new: &Value) -> bool {
    let of_spec = |(name, _): &(&String, &Value)| *name != "metadata" && *name != "status";
    !fields(old).filter(of_spec).eq(fields(new).filter(of_spec))
}

/// Sorted fields of an object. Compared in place: copying each state would double the cost of a write.
fn fields(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

/// Response to a deletion without a remaining object.
pub(crate) fn success(kind: &Kind, name: &str, uid: &str) -> Value {
    let mut details = json!({"name": name, "kind": kind.plural, "uid": uid});
    if !kind.group.is_empty() {
        details["group"] = kind.group.clone().into();
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}
