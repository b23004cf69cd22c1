//! Deletion: graceful for pods, finalizers, and dependents of an owner or a namespace.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::crd;
use crate::history::Verb;
use crate::object::{Entry, child_mut, metadata_mut};
use crate::status::Status;
use crate::store::{State, Store};
use crate::write::now;

/// Options of a deletion.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_period_seconds: Option<i64>,
    pub(crate) propagation_policy: Option<String>,
    pub(crate) preconditions: Option<Preconditions>,
    /// Performs everything except the deletion.
    #[serde(deserialize_with = "dry_run")]
    pub(crate) dry_run: bool,
    /// The older form of the propagation policy.
    pub(crate) orphan_dependents: Option<bool>,
}

/// Decodes `["All"]` in a request body.
fn dry_run<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<Vec<String>>::deserialize(deserializer)?.is_some_and(|stages| !stages.is_empty()))
}

/// Identity the object must still have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
}

impl Preconditions {
    fn check(&self, group: &str, kind: &str, name: &str, uid: &str, version: &str) -> Result<(), Status> {
        let conflict = |what: &str, wanted: &str, found: &str| {
            let fate = if what == "UID" { "deleted and then recreated" } else { "modified" };
            let why = format!(
                "the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). The object \
                 might have been {fate}"
            );
            Err(Status::conflict(group, kind, name, &why))
        };
        if let Some(wanted) = self.uid.as_ref().filter(|wanted| *wanted != uid) {
            return conflict("UID", wanted, uid);
        }
        if let Some(wanted) = self.resource_version.as_ref().filter(|wanted| *wanted != version) {
            return conflict("ResourceVersion", wanted, version);
        }
        Ok(())
    }
}

impl DeleteOptions {
    /// Rejects an object that is no longer the intended one.
    pub(crate) fn check_identity(&self, kind: &str, metadata: &Value) -> Result<(), Status> {
        let Some(preconditions) = &self.preconditions else { return Ok(()) };
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        preconditions.check("", kind, text("name"), text("uid"), text("resourceVersion"))
    }

    /// Rejects an unknown propagation policy, or two different ones.
    pub(crate) fn check(&self) -> Result<(), Status> {
        let policy = self.propagation_policy.as_deref();
        let why = match policy {
            Some(policy) if self.orphan_dependents.is_some() => {
                format!("Invalid value: {policy:?}: orphanDependents and deletionPropagation cannot be both set")
            }
            None | Some("" | "Foreground" | "Background" | "Orphan") => return Ok(()),
            Some(other) => format!(
                "Unsupported value: \"{other}\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
            ),
        };
        Err(Status::invalid("meta.k8s.io", "DeleteOptions", "", "propagationPolicy", &why))
    }
}

/// Result of a deletion.
#[derive(Debug)]
pub(crate) enum Deleted {
    /// The object stays for now, with a deletionTimestamp.
    Marked(Arc<Entry>),
    /// The object was deleted.
    Gone(Arc<Entry>),
}

impl Store {
    /// Deletes one object and, unless orphaned, its dependents.
    pub(crate) fn delete(&self, id: &str, key: &str, options: &DeleteOptions) -> Result<Deleted, Status> {
        let mut state = self.state.lock();
        let entry = state.get(id, key)?;
        check(&state, id, &entry, options)?;
        if options.dry_run {
            return Ok(if id == "pods" || entry.finalizers { Deleted::Marked(entry) } else { Deleted::Gone(entry) });
        }
        let policy = match options.orphan_dependents {
            Some(true) => "Orphan",
            _ => options.propagation_policy.as_deref().unwrap_or_default(),
        };
        let dependents = state.owned_by(&entry.uid);
        let orphan = policy == "Orphan";
        if orphan {
            for (id, key) in &dependents {
                remove_owner(&mut state, id, key, &entry.uid)?;
            }
        } else if policy == "Foreground" && !dependents.is_empty() && !entry.finalizers && id != "pods" {
            let deleted = self.delete_in_foreground(&mut state, id, &entry, &dependents);
            self.publish(&state);
            return deleted;
        }
        let deleted = self.delete_one(&mut state, id, key, options.grace_period_seconds, orphan);
        self.publish(&state);
        deleted
    }

    /// Removes a pod that its kubelet has terminated.
    pub(crate) fn release(&self, key: &str) {
        let mut state = self.state.lock();
        // A deletion without grace may have removed it already.
        if state.get("pods", key).is_ok_and(|pod| pod.deleting)
            && self.finish_delete(&mut state, "pods", key, false).is_ok()
        {
            self.publish(&state);
        }
    }

    /// Marks the owner as waiting for its dependents, deletes those, then the owner.
    fn delete_in_foreground(
        &self,
        state: &mut State,
        id: &str,
        entry: &Arc<Entry>,
        dependents: &[(String, String)],
    ) -> Result<Deleted, Status> {
        let mut object = entry.value();
        metadata_mut(&mut object).insert("finalizers".to_owned(), json!(["foregroundDeletion"]));
        let waiting = repack(state, id, &object)?;
        let marked = mark(state, id, &Arc::new(waiting), 0)?;
        for (id, key) in dependents {
            self.delete_one(state, id, key, None, false)?;
        }
        self.finish_delete(state, id, &entry.key, false)?;
        Ok(Deleted::Marked(marked))
    }

    fn delete_one(
        &self,
        state: &mut State,
        id: &str,
        key: &str,
        grace: Option<i64>,
        orphan: bool,
    ) -> Result<Deleted, Status> {
        let entry = state.get(id, key)?;
        if id == "pods" {
            let grace = grace_period(&entry.value(), grace);
            let marked = mark(state, id, &entry, grace)?;
            // With a kubelet the pod stays until the kubelet confirms its end by a deletion without grace.
            if !entry.finalizers && (grace == 0 || !self.options.kubelet) {
                self.finish_delete(state, id, key, orphan)?;
            }
            return Ok(Deleted::Marked(marked));
        }
        if entry.finalizers {
            return Ok(Deleted::Marked(mark(state, id, &entry, 0)?));
        }
        if id == "namespaces" {
            let marked = mark(state, id, &entry, 0)?;
            self.finish_delete(state, id, key, orphan)?;
            return Ok(Deleted::Marked(marked));
        }
        self.finish_delete(state, id, key, orphan)?;
        Ok(Deleted::Gone(entry))
    }

    /// Removes an object, then its dependents and contents.
    pub(crate) fn finish_delete(&self, state: &mut State, id: &str, key: &str, orphan: bool) -> Result<(), Status> {
        let mut pending = VecDeque::from([(id.to_owned(), key.to_owned())]);
        while let Some((id, key)) = pending.pop_front() {
            let Ok(entry) = state.get(&id, &key) else { continue };
            // The contents of a namespace or definition are deleted first, as by the real controllers.
            if id == "namespaces" {
                for (id, key) in state.in_namespace(&entry.name) {
                    erase(state, &id, &key)?;
                }
            } else if id == crd::CRD_ID {
                let custom = entry.name.clone();
                let keys: Vec<String> = state
                    .resource(&custom)
                    .map(|resource| resource.objects.keys().cloned().collect())
                    .unwrap_or_default();
                for key in keys {
                    erase(state, &custom, &key)?;
                }
                state.unregister(&custom);
            }
            erase(state, &id, &key)?;
            if orphan {
                continue;
            }
            for (id, key) in state.owned_by(&entry.uid) {
                let Ok(dependent) = state.get(&id, &key) else { continue };
                if id == "pods" || dependent.finalizers {
                    self.delete_one(state, &id, &key, None, false)?;
                } else {
                    pending.push_back((id, key));
                }
            }
        }
        Ok(())
    }
}

fn check(state: &State, id: &str, entry: &Entry, options: &DeleteOptions) -> Result<(), Status> {
    let Some(preconditions) = &options.preconditions else { return Ok(()) };
    let kind = &state.resource(id)?.kind;
    preconditions.check(&kind.group, &kind.name, &entry.name, &entry.uid, &entry.revision.to_string())
}

/// Removes an owner from a dependent that stays.
fn remove_owner(state: &mut State, id: &str, key: &str, owner: &str) -> Result<(), Status> {
    let Ok(entry) = state.get(id, key) else { return Ok(()) };
    let mut object = entry.value();
    let metadata = metadata_mut(&mut object);
    if let Some(owners) = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut) {
        owners.retain(|reference| reference["uid"] != owner);
        if owners.is_empty() {
            metadata.remove("ownerReferences");
        }
    }
    let free = repack(state, id, &object)?;
    state.commit(id, Verb::Modified, free).map(drop)
}

/// Grace period of a pod in seconds: 0 if no kubelet would stop anything.
fn grace_period(pod: &Value, requested: Option<i64>) -> i64 {
    let on_a_node = pod["spec"]["nodeName"].as_str().is_some_and(|name| !name.is_empty());
    if !on_a_node || matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed")) {
        return 0;
    }
    requested.or_else(|| pod["spec"]["terminationGracePeriodSeconds"].as_i64()).unwrap_or(30).max(0)
}

/// Commits the MODIFIED with a deletionTimestamp that precedes a graceful DELETED. If the object is marked already, its
/// grace period can only become shorter.
fn mark(state: &mut State, id: &str, entry: &Arc<Entry>, grace: i64) -> Result<Arc<Entry>, Status> {
    let mut object = entry.value();
    let metadata = metadata_mut(&mut object);
    let left = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0);
    if entry.deleting && grace >= left {
        return Ok(Arc::clone(entry));
    }
    metadata.insert("deletionTimestamp".to_owned(), now().into());
    metadata.insert("deletionGracePeriodSeconds".to_owned(), grace.into());
    if id == "namespaces" {
        child_mut(&mut object, "status").insert("phase".to_owned(), json!("Terminating"));
    }
    let packed = repack(state, id, &object)?;
    state.commit(id, Verb::Modified, packed)
}

fn erase(state: &mut State, id: &str, key: &str) -> Result<(), Status> {
    let Ok(entry) = state.get(id, key) else { return Ok(()) };
    let last = repack(state, id, &entry.value())?;
    state.commit(id, Verb::Deleted, last).map(drop)
}

fn repack(state: &State, id: &str, object: &Value) -> Result<Entry, Status> {
    Ok(Entry::pack(&state.resource(id)?.kind, state.revision + 1, object))
}
