//! Needs of an object: which other objects its summary, relations and diagnosis read.

mod of_kind;
mod relations;

use serde_json::Value;

use crate::field::Fields;
use crate::kinds::EVENT;
use crate::link::Link;
use crate::need::{By, Need};
use crate::subject::Subject;

pub use relations::needs_of_relations;

/// Most objects whose events, or whose own objects, are needed.
const MOST: usize = 200;

/// Returns the other objects that the summary, relations and diagnosis of an object read, each once.
///
/// Answers lead to further needs: a pod names a claim, and the claim a class. Call it again with the answers until no
/// need is new; a need never disappears because of an answer, except when the object that named it changes.
pub fn needs(subject: &Subject<'_>) -> Vec<Need> {
    let object = subject.object;
    let mut needs = Needs::default();
    if !object.uid().is_empty() {
        needs.add(Need::events(object));
        if crate::kinds::NODE.is_of(object) {
            needs.add(Need::events_of_kubelet(object.name()));
        }
    }
    for owner in object.list("metadata.ownerReferences") {
        needs.link(&Link::of_reference(owner, object.namespace()));
    }
    of_kind::add(subject, &mut needs);
    needs.0
}

/// Needs that are being gathered.
#[derive(Default)]
struct Needs(Vec<Need>);

impl Needs {
    /// Adds a need, unless it exists. A need with an empty name, uid or node is ignored.
    fn add(&mut self, need: Need) {
        let empty = match &need.by {
            By::Name(text) | By::Owner(text) | By::Node(text) | By::About(text) => text.is_empty(),
            By::Owners(uids) | By::AboutAny(uids) => uids.is_empty(),
            By::All | By::Labels(_) | By::References(_) => false,
        };
        if !empty && !self.0.contains(&need) {
            self.0.push(need);
        }
    }

    fn link(&mut self, link: &Link) {
        self.add(Need::link(link));
    }

    fn all(&mut self, needs: impl IntoIterator<Item = Need>) {
        needs.into_iter().for_each(|need| self.add(need));
    }

    /// Events about objects: one need for each of their namespaces, because each need is an informer.
    fn events_of<'a>(&mut self, objects: impl IntoIterator<Item = &'a Value>) {
        for object in objects.into_iter().filter(|object| !object.uid().is_empty()) {
            let (namespace, uid) = (Need::events(object).namespace, object.uid());
            let new = Need::new(EVENT, &namespace, By::AboutAny(Vec::new()));
            let at = self.0.iter().position(|known| known.has_source_of(&new)).unwrap_or_else(|| {
                self.0.push(new);
                self.0.len() - 1
            });
            if let Some(Need { by: By::AboutAny(uids), .. }) = self.0.get_mut(at)
                && uids.len() < MOST
                && uids.iter().all(|known| known != uid)
            {
                uids.push(uid.to_owned());
            }
        }
    }
}
