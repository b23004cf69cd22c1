//! What the packed objects of one resource share.

use crate::resource::GroupVersionResource;

/// How objects are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackerOptions {
    /// Whether `metadata.managedFields` is kept. It is a third of what an apiserver sends of a pod, and hardly anybody
    /// reads it, so it is cut out unless told.
    pub managed_fields: bool,
}

/// What reading many objects of one resource keeps between them.
#[derive(Debug)]
pub struct Packer {
    options: PackerOptions,
}

impl Packer {
    pub(crate) fn new(_resource: &GroupVersionResource, options: PackerOptions) -> Self {
        Self { options }
    }

    /// How it packs.
    pub fn options(&self) -> PackerOptions {
        self.options
    }
}
