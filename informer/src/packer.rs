//! What the packed objects of one resource share.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use informer_packing::{Interner, Press};

use crate::columns::Column;
use crate::columns::columns_of;
use crate::resource::GroupVersionResource;

/// How objects are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackerOptions {
    /// Whether `metadata.managedFields` is kept. It is a third and more of what an apiserver sends of a pod, and hardly
    /// anybody reads it, so it is cut out unless told.
    pub managed_fields: bool,
}

/// What reading many objects of one resource keeps between them: the dictionary of their bodies, their label sets, the
/// columns whose cells they carry, and memory for the work.
#[derive(Debug)]
pub struct Packer {
    options: PackerOptions,
    columns: Vec<Rc<Column>>,
    press: RefCell<Workplace>,
}

/// Memory for the work, and what grows by it.
#[derive(Debug, Default)]
pub(crate) struct Workplace {
    pub(crate) press: Press,
    pub(crate) labels: Interner,
    pub(crate) record: Vec<u8>,
    pub(crate) scratch: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(resource: &GroupVersionResource, options: PackerOptions) -> Self {
        Self { options, columns: columns_of(resource, false), press: RefCell::default() }
    }

    /// How it packs.
    pub fn options(&self) -> PackerOptions {
        self.options
    }

    /// The columns whose cells the objects carry, in the order of their places: those of the resource, without the one
    /// that shows the namespace.
    pub(crate) fn columns(&self) -> &[Rc<Column>] {
        &self.columns
    }

    /// Nobody holds it across a call that could ask for it again.
    pub(crate) fn workplace(&self) -> RefMut<'_, Workplace> {
        self.press.borrow_mut()
    }
}
