//! Where the fields of an object stand in its text.

use crate::json::Json;

/// An object of which much is asked at once.
#[derive(Clone, Debug)]
pub struct Outline<'j> {
    root: Json<'j>,
}

impl<'j> Outline<'j> {
    /// The outline of a value.
    pub fn of(root: Json<'j>) -> Self {
        Self { root }
    }

    /// The whole value.
    pub fn root(&self) -> Json<'j> {
        self.root
    }

    /// As [`Json::pointer`].
    pub fn pointer(&self, pointer: &str) -> Option<Json<'j>> {
        self.root.pointer(pointer)
    }
}
