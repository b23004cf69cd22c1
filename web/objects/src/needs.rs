//! Needs of an object: which other objects its summary, relations and diagnosis read.

mod of_kind;

use serde_json::Value;

use crate::field::Fields;
use crate::link::Link;
use crate::need::{By, Need};
use crate::subject::Subject;

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
        let empty =
            matches!(&need.by, By::Name(text) | By::Owner(text) | By::Node(text) | By::About(text) if text.is_empty());
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
}

/// Events about objects, at most ten: each need is an informer.
fn events_of<'a>(objects: impl IntoIterator<Item = &'a Value>) -> impl Iterator<Item = Need> {
    objects.into_iter().filter(|object| !object.uid().is_empty()).take(10).map(Need::events)
}
