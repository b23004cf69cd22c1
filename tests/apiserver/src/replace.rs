//! Cluster replacement: the same objects, created again. All versions and UIDs that clients know become invalid.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::names;
use crate::object::{Entry, metadata_mut};
use crate::store::{State, Store};

impl Store {
    /// Gives every object a new UID, and versions from `revision` on. The history is empty afterwards.
    pub(crate) fn replace(&self, revision: u64) {
        let mut state = self.state.lock();
        let mut objects: Vec<(String, Arc<Entry>)> = state.all();
        objects.sort_by_key(|(_, entry)| entry.revision);
        let uids: HashMap<String, String> =
            objects.iter().map(|(_, entry)| (entry.uid.clone(), names::uid(&mut state.random))).collect();
        state.revision = revision;
        for (id, entry) in objects {
            let object = with_new_uids(&entry, &uids);
            state.revision += 1;
            let revision = state.revision;
            state.insert_without_history(&id, revision, &object);
        }
        state.clear_histories();
        self.publish(&state);
    }
}

/// Returns the object with new UIDs for itself and its owners.
fn with_new_uids(entry: &Entry, uids: &HashMap<String, String>) -> Value {
    let new = |uid: &str| uids.get(uid).map_or_else(|| uid.to_owned(), Clone::clone);
    let mut object = entry.value();
    let metadata = metadata_mut(&mut object);
    metadata.insert("uid".to_owned(), new(&entry.uid).into());
    let owners = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten() {
        owner["uid"] = new(owner["uid"].as_str().unwrap_or_default()).into();
    }
    object
}

impl State {
    /// Replaces an object without a history entry.
    fn insert_without_history(&mut self, id: &str, revision: u64, object: &Value) {
        let Ok(resource) = self.resource(id) else { return };
        let entry = Arc::new(Entry::pack(&resource.kind, revision, object));
        self.restore(id, &entry);
    }
}
