//! Controller revisions: one for each pod template that a stateful set or a daemon set has had, as its controller keeps
//! them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::controllers::owner;
use super::rollout::template_hash;
use super::world::World;
use crate::object::{Entry, child_mut};

const ID: &str = "controllerrevisions.apps";

/// Number of old revisions that are kept: the default of `spec.revisionHistoryLimit`.
const MAX_OLD_REVISIONS: usize = 10;

/// Creates the revision of a pod template. Its data is the strategic merge patch that restores the template.
pub(super) fn revision(entry: &Entry, kind: &str, template: &Value, number: u64) -> Value {
    let mut restored = template.clone();
    child_mut(&mut restored, "metadata");
    if let Some(fields) = restored.as_object_mut() {
        fields.insert("$patch".to_owned(), "replace".into());
    }
    json!({
        "metadata": {
            "name": format!("{}-{}", entry.name, template_hash(template)),
            "labels": template["metadata"]["labels"],
            "ownerReferences": owner(entry, "apps/v1", kind),
        },
        "data": {"spec": {"template": restored}},
        "revision": number,
    })
}

fn number(revision: &Value) -> u64 {
    revision["revision"].as_u64().unwrap_or(0)
}

impl World {
    /// Makes the template of a workload its newest revision. Returns the name of the revision.
    pub(super) fn record_revision(&self, entry: &Entry, kind: &str) -> String {
        let template = &entry.value()["spec"]["template"];
        let mut known: Vec<(Arc<Entry>, Value)> =
            self.owned(&entry.uid, ID).into_iter().map(|found| (Arc::clone(&found), found.value())).collect();
        known.sort_by_key(|(_, revision)| number(revision));
        let newest = known.last().map_or(0, |(_, revision)| number(revision));
        let wanted = revision(entry, kind, template, newest + 1);
        let name = wanted["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        match known.iter().position(|(_, revision)| revision["data"] == wanted["data"]) {
            None => drop(self.create(ID, &entry.namespace, wanted)),
            // A template that was restored becomes the newest revision again.
            Some(at) if at + 1 < known.len() => {
                self.change(ID, &known[at].0.key, |revision| revision["revision"] = (newest + 1).into());
            }
            Some(_) => {}
        }
        known.retain(|(old, _)| old.name != name);
        for (old, _) in known.iter().take(known.len().saturating_sub(MAX_OLD_REVISIONS)) {
            self.delete(ID, &old.key);
        }
        name
    }
}
