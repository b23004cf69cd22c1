//! Members of a JSON value, with an error if it cannot be decoded.

use std::collections::HashSet;

use informer_packing::{Json, Key, Members};

use crate::error::{ErrorCode, InformerError, Result};

fn broken() -> InformerError {
    InformerError::new(ErrorCode::Decode, "the input of the JSONPath is not JSON")
}

/// Iterator over the values of an object or array, in the order of the text; empty for other values.
pub(super) struct Children<'j>(Members<'j>);

impl<'j> Children<'j> {
    pub(super) fn of_object(value: &'j str) -> Option<Self> {
        value.starts_with('{').then(|| Self(Json::new(value).children()))
    }

    pub(super) fn of_array(value: &'j str) -> Option<Self> {
        value.starts_with('[').then(|| Self(Json::new(value).children()))
    }
}

impl<'j> Iterator for Children<'j> {
    type Item = Result<(Key<'j>, &'j str)>;

    fn next(&mut self) -> Option<Self::Item> {
        let was_broken = self.0.is_broken();
        match self.0.next() {
            Some((key, value)) => Some(Ok((key, value.text()))),
            None => (self.0.is_broken() && !was_broken).then(|| Err(broken())),
        }
    }
}

/// Returns the member of an object with this key; of duplicates, the last.
pub(super) fn field<'j>(value: &'j str, name: &str) -> Result<Option<&'j str>> {
    let mut found = None;
    for child in Children::of_object(value).into_iter().flatten() {
        let (key, value) = child?;
        if key.is(name) {
            found = Some(value);
        }
    }
    Ok(found)
}

/// Appends the values of an object or the elements of an array to `to`. Of duplicate keys, the last.
pub(super) fn push_children<'j>(value: &'j str, to: &mut Vec<&'j str>) -> Result<()> {
    if let Some(elements) = Children::of_array(value) {
        for element in elements {
            to.push(element?.1);
        }
    }
    let Some(members) = Children::of_object(value) else { return Ok(()) };
    let start = to.len();
    let mut seen = HashSet::new();
    for (key, value) in members.collect::<Result<Vec<_>>>()?.into_iter().rev() {
        if seen.insert(key.name()) {
            to.push(value);
        }
    }
    to.get_mut(start..).unwrap_or_default().reverse();
    Ok(())
}
