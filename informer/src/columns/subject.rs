//! An object, while its cells are taken.

use std::cell::OnceCell;
use std::ops::Deref;

use informer_packing::Outline;

use super::pod::Summary;

/// An object of which several cells are taken: what more than one of them says is found out once.
pub(crate) struct Subject<'o, 'j> {
    object: &'o Outline<'j>,
    pod: OnceCell<Summary<'j>>,
}

impl<'o, 'j> Subject<'o, 'j> {
    /// An object to be asked.
    pub(crate) fn of(object: &'o Outline<'j>) -> Self {
        Self { object, pod: OnceCell::new() }
    }

    /// What its containers come to, if it is a pod.
    pub(super) fn pod(&self) -> &Summary<'j> {
        self.pod.get_or_init(|| Summary::of(self.object))
    }
}

impl<'j> Deref for Subject<'_, 'j> {
    type Target = Outline<'j>;

    fn deref(&self) -> &Outline<'j> {
        self.object
    }
}
