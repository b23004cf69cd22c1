//! What the packed objects of one resource share.

use std::cell::{Cell as Slot, OnceCell, RefCell, RefMut};

use informer_packing::{Interner, Outline, Press};

use crate::cell::{Cell, ReadCells};
use crate::resource::GroupVersionResource;

/// How objects are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackerOptions {
    /// Whether `metadata.managedFields` is kept. It is a third and more of what an apiserver sends of a pod, and hardly
    /// anybody reads it, so it is cut out unless told.
    pub managed_fields: bool,
}

/// Makes what reads the cells that objects of a resource carry.
pub type Carry = fn(&GroupVersionResource) -> Box<dyn ReadCells>;

thread_local! {
    /// `None` until [`carry_cells`] is called: its code may have to be loaded first.
    static CARRY: Slot<Option<Carry>> = const { Slot::new(None) };
}

/// From now on the objects that this thread reads carry cells. Objects that were read before carry none: who wants theirs
/// inflates each once.
pub fn carry_cells(with: Carry) {
    CARRY.set(Some(with));
}

/// What reading many objects of one resource keeps between them: the dictionary of their bodies, their label sets, the
/// columns whose cells they carry, and memory for the work.
#[derive(Debug)]
pub struct Packer {
    options: PackerOptions,
    resource: GroupVersionResource,
    cells: OnceCell<Box<dyn ReadCells>>,
    workplace: RefCell<Workplace>,
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
        Self { options, resource: resource.clone(), cells: OnceCell::new(), workplace: RefCell::default() }
    }

    /// How it packs.
    pub fn options(&self) -> PackerOptions {
        self.options
    }

    /// The cells that an object is to carry: those of its resource's columns, without the one that shows the namespace.
    pub(crate) fn cells(&self, object: &Outline<'_>) -> Vec<Cell> {
        let carry = || CARRY.get().map(|carry| self.cells.get_or_init(|| carry(&self.resource)));
        self.cells.get().or_else(carry).map(|cells| cells.cells(object)).unwrap_or_default()
    }

    /// Nobody holds it across a call that could ask for it again.
    pub(crate) fn workplace(&self) -> RefMut<'_, Workplace> {
        self.workplace.borrow_mut()
    }
}
