//! Deletion: grace for pods, finalizers, and what goes along with an owner or a namespace.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::crd;
use crate::history::Verb;
use crate::object::{Entry, child_mut, metadata_mut};
use crate::status::Status;
use crate::store::{State, Store};
use crate::write::now;

/// What a client may ask of a deletion.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_period_seconds: Option<i64>,
    pub(crate) propagation_policy: Option<String>,
    pub(crate) preconditions: Option<Preconditions>,
}

/// Identity the object must still have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
}

/// What a deletion left.
#[derive(Debug)]
pub(crate) enum Deleted {
    /// The object stays for a while, with a deletionTimestamp.
    Marked(Arc<Entry>),
    /// The object is gone.
    Gone(Arc<Entry>),
}

impl Store {
    /// Deletes one object and, unless orphaned, what it owns.
    pub(crate) fn delete(&self, id: &str, key: &str, options: &DeleteOptions) -> Result<Deleted, Status> {
        let mut state = self.state.lock();
        let entry = state.get(id, key)?;
        check(&state, id, &entry, options)?;
        let orphan = options.propagation_policy.as_deref() == Some("Orphan");
        let deleted = self.delete_one(&mut state, id, key, options.grace_period_seconds, orphan);
        self.publish(&state);
        deleted
    }

    /// Takes away a pod whose kubelet has let it go.
    pub(crate) fn release(&self, key: &str) {
        let mut state = self.state.lock();
        // Gone already when someone deleted it without grace meanwhile.
        if state.get("pods", key).is_ok_and(|pod| pod.deleting)
            && self.finish_delete(&mut state, "pods", key, false).is_ok()
        {
            self.publish(&state);
        }
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
        if id == "pods" && grace != Some(0) {
            let marked = mark(state, id, &entry, grace.unwrap_or(30))?;
            if entry.finalizers {
                return Ok(Deleted::Marked(marked));
            }
            // With a kubelet the pod stays until it lets go.
            if !self.options.kubelet {
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

    /// Removes an object, then what it owned or contained.
    pub(crate) fn finish_delete(&self, state: &mut State, id: &str, key: &str, orphan: bool) -> Result<(), Status> {
        let mut pending = VecDeque::from([(id.to_owned(), key.to_owned())]);
        while let Some((id, key)) = pending.pop_front() {
            let Ok(entry) = state.get(&id, &key) else { continue };
            // The contents of a namespace or of a definition go first, as the real controllers do it.
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
    let conflict = |what: &str, wanted: &str, found: &str| {
        let why = format!("Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {found}");
        Err(Status::conflict(&kind.group, &kind.plural, &entry.name, &why))
    };
    if let Some(uid) = preconditions.uid.as_ref().filter(|uid| **uid != entry.uid) {
        return conflict("UID", uid, &entry.uid);
    }
    let found = entry.revision.to_string();
    if let Some(version) = preconditions.resource_version.as_ref().filter(|version| **version != found) {
        return conflict("ResourceVersion", version, &found);
    }
    Ok(())
}

/// Commits the MODIFIED with a deletionTimestamp that comes before a graceful DELETED.
fn mark(state: &mut State, id: &str, entry: &Arc<Entry>, grace: i64) -> Result<Arc<Entry>, Status> {
    if entry.deleting {
        return Ok(Arc::clone(entry));
    }
    let mut object = entry.value();
    let metadata = metadata_mut(&mut object);
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
