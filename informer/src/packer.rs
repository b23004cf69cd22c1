//! Packer: dictionary, shared labels and columns of the packed objects of one resource.

use std::cell::{Cell as Slot, OnceCell, RefCell, RefMut};

use informer_packing::{DictionaryCompressor, Interner, Outline};

use crate::cell::{Cell, ReadCells};
use crate::resource::GroupVersionResource;
use crate::transform::DroppedFields;

/// Options of packing.
#[derive(Clone, Debug, Default)]
pub struct PackerOptions {
    /// Whether `metadata.managedFields` is kept. It is a third or more of a pod's text and rarely used, so it
    /// is removed by default.
    pub managed_fields: bool,
    /// Fields that are removed.
    pub dropped: Option<DroppedFields>,
}

/// Creates the reader of the cells that objects of a resource carry.
pub type Carry = fn(&GroupVersionResource) -> Box<dyn ReadCells>;

thread_local! {
    /// `None` until [`carry_cells`] is called: its code may have to be loaded first.
    static CARRY: Slot<Option<Carry>> = const { Slot::new(None) };
}

/// Enables cells: objects that this thread decodes from now on carry them. Reading the cells of an earlier object
/// decompresses it once.
pub fn carry_cells(with: Carry) {
    CARRY.set(Some(with));
}

/// State shared by the objects of one resource: the dictionary of their bodies, their label sets, the columns of
/// their cells, and work buffers.
#[derive(Debug)]
pub struct Packer {
    options: PackerOptions,
    resource: GroupVersionResource,
    cells: OnceCell<Box<dyn ReadCells>>,
    buffers: RefCell<Buffers>,
}

/// Work buffers, and the state that grows with the objects.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) compressor: DictionaryCompressor,
    pub(crate) labels: Interner,
    pub(crate) record: Vec<u8>,
    pub(crate) scratch: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(resource: &GroupVersionResource, options: PackerOptions) -> Self {
        Self { options, resource: resource.clone(), cells: OnceCell::new(), buffers: RefCell::default() }
    }

    /// Options.
    pub fn options(&self) -> &PackerOptions {
        &self.options
    }

    /// Cells of an object: those of its resource's columns, without the namespace column.
    pub(crate) fn cells(&self, object: &Outline<'_>) -> Vec<Cell> {
        let carry = || CARRY.get().map(|carry| self.cells.get_or_init(|| carry(&self.resource)));
        self.cells.get().or_else(carry).map(|cells| cells.cells(object)).unwrap_or_default()
    }

    /// Borrows the work buffers. They must not stay borrowed across a call that borrows them again.
    pub(crate) fn buffers(&self) -> RefMut<'_, Buffers> {
        self.buffers.borrow_mut()
    }
}
