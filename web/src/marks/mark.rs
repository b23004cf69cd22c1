//! Mark: one marked object, followed once it is requested, and the limit of the size of all marked objects.

use std::cell::OnceCell;
use std::rc::Rc;

use leptos::prelude::*;
use serde::Deserialize;

use crate::actions::{Subject, Target};
use crate::cluster::Informer;

/// Marked object.
pub(super) struct Mark {
    pub(super) key: String,
    pub(super) subject: Subject,
    json: ArcRwSignal<Option<String>>,
    deleted: ArcRwSignal<bool>,
    pub(super) is_requested: bool,
}

impl Mark {
    /// A mark of an object that is not requested yet.
    pub(super) fn new(resource: &str, key: String) -> Self {
        let (json, deleted) = (ArcRwSignal::new(None), ArcRwSignal::new(false));
        let (namespace, name) = key.split_once('/').map_or((None, key.as_str()), |(space, name)| (Some(space), name));
        let (namespace, name) = (namespace.map(str::to_owned), name.to_owned());
        let target = Target { resource: resource.to_owned(), namespace, name };
        let subject =
            Subject { target, json: json.clone().into(), deleted: deleted.clone().into(), subscription: None };
        Self { key, subject, json, deleted, is_requested: false }
    }

    /// Size of the object's JSON in bytes, once it is loaded.
    pub(super) fn size(&self) -> Option<usize> {
        self.json.with_untracked(|json| json.as_ref().map(String::len))
    }

    /// Whether the object is requested and has not arrived yet.
    pub(super) fn is_loading(&self) -> bool {
        self.subject.subscription.is_some() && self.size().is_none()
    }

    /// Requests the object, which is followed from then on. `on_loaded` is called for each state, with whether it is
    /// the first one; `on_deleted` if the object is deleted, which it cannot be before the informer `has_synced`.
    pub(super) fn request(
        &mut self,
        informer: &Informer,
        has_synced: impl Fn() -> bool + 'static,
        on_loaded: impl Fn(bool) + 'static,
        on_deleted: impl Fn() + 'static,
    ) {
        let (json, deleted, uid) = (self.json.clone(), self.deleted.clone(), OnceCell::new());
        let on_change = move |text: Option<String>| {
            let is_same = match &text {
                Some(text) => {
                    let now = uid_of(text);
                    uid.get_or_init(|| now.clone()) == &now
                }
                // An informer that has just started has no object yet: that is no deletion.
                None => !has_synced(),
            };
            if !is_same {
                deleted.set(true);
                on_deleted();
            } else if text.is_some() {
                let is_first = json.with_untracked(Option::is_none);
                json.set(text);
                on_loaded(is_first);
            }
        };
        self.subject.subscription = informer.object(&self.key, on_change).map(Rc::new);
        self.is_requested = true;
    }
}

/// The objects to keep if all are too large together: the loaded ones in their order, as far as they fit.
pub(super) fn keep_fitting(sizes: impl Iterator<Item = Option<usize>>, limit: usize) -> Vec<bool> {
    let mut room = limit;
    let fits = |size: Option<usize>| {
        let left = size.and_then(|size| room.checked_sub(size));
        room = left.unwrap_or(room);
        left.is_some()
    };
    sizes.map(fits).collect()
}

/// The uid of an object; empty if it has none.
fn uid_of(json: &str) -> String {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Metadata {
        uid: String,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Object {
        metadata: Metadata,
    }
    serde_json::from_str::<Object>(json).unwrap_or_default().metadata.uid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_not_marked() {
        let stays = |sizes: &[Option<usize>]| keep_fitting(sizes.iter().copied(), 10);
        assert_eq!(stays(&[Some(4), Some(6), Some(1)]), [true, true, false]);
        assert_eq!(stays(&[Some(11), Some(3), None, Some(7)]), [false, true, false, true]);
    }

    #[test]
    fn the_uid_is_that_of_the_object_and_not_of_its_owner() {
        let json = r#"{"metadata":{"name":"web","ownerReferences":[{"uid":"a"}],"uid":"b"},"spec":{"uid":"c"}}"#;
        assert_eq!(uid_of(json), "b");
        assert_eq!(uid_of("{}"), "");
    }
}
