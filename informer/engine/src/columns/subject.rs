//! Subject: the object whose cells are being computed.

use std::borrow::Cow;
use std::cell::OnceCell;

use informer_packing::{Json, Outline};

use super::pod_summary::Summary;
use super::read::{get_members, status_of};

/// Members that hold nearly all data of cells.
const SECTIONS: [&str; 3] = ["metadata", "spec", "status"];

/// Object whose cells are computed. Data that several cells share is computed once.
pub(crate) struct Subject<'o, 'j> {
    object: &'o Outline<'j>,
    sections: OnceCell<[Option<Json<'j>>; 3]>,
    pod: OnceCell<Summary<'j>>,
}

impl<'o, 'j> Subject<'o, 'j> {
    /// Creates the subject of an object.
    pub(crate) fn of(object: &'o Outline<'j>) -> Self {
        Self { object, sections: OnceCell::new(), pod: OnceCell::new() }
    }

    /// Returns the object.
    pub(super) fn outline(&self) -> &'o Outline<'j> {
        self.object
    }

    /// As [`Outline::pointer`].
    pub(crate) fn pointer(&self, pointer: &str) -> Option<Json<'j>> {
        for (name, section) in SECTIONS.iter().zip(self.sections()) {
            if let Some(rest) = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(name))
                && rest.starts_with('/')
            {
                return section.as_ref()?.pointer(rest);
            }
        }
        self.object.pointer(pointer)
    }

    /// Returns `metadata`, `spec` and `status`.
    pub(super) fn sections(&self) -> &[Option<Json<'j>>; 3] {
        self.sections.get_or_init(|| get_members(Some(self.object.root()), SECTIONS))
    }

    /// Returns the summary of its containers, if it is a pod.
    pub(super) fn pod(&self) -> &Summary<'j> {
        let [_, spec, status] = *self.sections();
        self.pod.get_or_init(|| Summary::of(spec, status))
    }
}

/// Status of a condition: `True`, `False` or `Unknown`; empty if the condition is missing.
pub(super) fn condition<'j>(object: &Subject<'_, 'j>, kind: &str) -> Cow<'j, str> {
    status_of(object.pointer("/status/conditions"), kind)
}
