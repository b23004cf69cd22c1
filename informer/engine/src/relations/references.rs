//! References: the objects that an object names, by the table of `informer-references`.

use std::borrow::Cow;

use informer::{Keyed, Object};
use informer_packing::{Json, Outline};
use informer_references::{Root, Tree};

use super::Values;

/// JSON text read in place, for the table.
#[derive(Clone, Copy)]
struct Node<'j>(Json<'j>);

impl<'j> Tree<'j> for Node<'j> {
    fn get(self, name: &str) -> Option<Self> {
        self.0.get(name).map(Self)
    }

    fn text(self) -> Cow<'j, str> {
        self.0.as_str().unwrap_or_default()
    }

    fn items(self) -> impl Iterator<Item = Self> {
        self.0.items().map(Self)
    }

    fn members(self) -> impl Iterator<Item = (Cow<'j, str>, Self)> {
        self.0.members().map(|(name, value)| (name, Self(value)))
    }
}

struct Outlined<'o, 'j>(&'o Outline<'j>);

impl<'j> Root<'j> for Outlined<'_, 'j> {
    type Tree = Node<'j>;

    fn pointer(&self, pointer: &str) -> Option<Self::Tree> {
        self.0.pointer(pointer).map(Node)
    }
}

pub(super) fn of(object: &Object, outline: &Outline<'_>, values: &mut Values) {
    let labels = object.labels();
    let service = labels.get("kubernetes.io/service-name").unwrap_or_default();
    informer_references::references(&Outlined(outline), object.namespace(), object.name(), service, &mut |reference| {
        values.named(reference.kind, reference.namespace, reference.name);
    });
}
