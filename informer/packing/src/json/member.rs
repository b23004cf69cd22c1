//! Members of an object, as recorded by an outline.

use super::escapes::is_key;

/// Member of an object or element of an array, as recorded by an outline. The members of its value follow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Range of its key without quotes, relative to the object's start; empty in an array.
    pub(crate) key: (u32, u32),
    /// Range of its value, relative to the object's start.
    pub(crate) value: (u32, u32),
    /// One, plus the number of members in its value.
    pub(crate) skip: u32,
    /// The [`tag`] of its key; [`UNKNOWN_TAG`] if the key has escapes and may equal any name.
    pub(crate) tag: u32,
}

/// Tag of a key that must be compared in full.
pub(crate) const UNKNOWN_TAG: u32 = u32::MAX;

/// Tag of a name, which distinguishes most names: length, first, middle and last byte.
#[inline]
pub(crate) fn tag(name: &[u8]) -> u32 {
    let (Some(first), Some(middle), Some(last)) = (name.first(), name.get(name.len() / 2), name.last()) else {
        return 0;
    };
    // A name of 255 bytes with three bytes 0xFF is invalid UTF-8.
    u32::from_le_bytes([name.len().to_le_bytes()[0], *first, *middle, *last])
}

impl Member {
    /// Returns its key in the text of its object.
    #[inline]
    pub(crate) fn key_in<'j>(&self, object: &'j [u8]) -> &'j [u8] {
        object.get(self.key.0 as usize..self.key.1 as usize).unwrap_or_default()
    }

    /// Whether its key is this name with this tag.
    #[inline]
    pub(super) fn key_is(&self, object: &[u8], name: &str, tag: u32) -> bool {
        self.tag == tag && self.key_in(object) == name.as_bytes()
            || self.tag == UNKNOWN_TAG && is_key(self.key_in(object), name)
    }

    /// Returns its value, with the members recorded for it, by its index among the members of its object.
    #[inline]
    pub(crate) fn value_in<'j, 'm>(
        self,
        index: usize,
        object: &'j [u8],
        members: &'m [Self],
    ) -> (&'j [u8], &'m [Self]) {
        let text = object.get(self.value.0 as usize..self.value.1 as usize).unwrap_or_default();
        (text, members.get(index + 1..index + self.skip as usize).unwrap_or_default())
    }
}

/// Finds the last member of one object with this name.
pub(crate) fn find(object: &[u8], members: &[Member], name: &str) -> Option<(usize, Member)> {
    if object.first() != Some(&b'{') {
        return None;
    }
    let tag = tag(name.as_bytes());
    let (mut found, mut index) = (None, 0);
    // By reference, reading at most two fields of most members: this saves half a microsecond per pod.
    while let Some(member) = members.get(index) {
        if member.key_is(object, name, tag) {
            found = Some((index, member));
        }
        index += member.skip.max(1) as usize;
    }
    found.map(|(index, member)| (index, *member))
}

/// Iterates over the members of one object, with their indexes.
#[inline]
pub(crate) fn siblings(members: &[Member]) -> impl Iterator<Item = (usize, Member)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let member = *members.get(next)?;
        let index = next;
        next += member.skip.max(1) as usize;
        Some((index, member))
    })
}

/// Splits a pointer into its first name and the rest.
#[inline]
pub(crate) fn next_name(pointer: &str) -> Option<(&str, &str)> {
    let rest = pointer.strip_prefix('/')?;
    Some(rest.split_at(rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len())))
}
