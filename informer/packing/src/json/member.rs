//! Members of objects, as an outline notes them.

use super::escapes::is_key;

/// A member of an object or an element of an array, as an outline notes it. Those that are in its value follow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Where its key stands, without the quotes, counted from where the object begins; in an array, nowhere.
    pub(crate) key: (u32, u32),
    /// Where its value stands, counted from there too.
    pub(crate) value: (u32, u32),
    /// One, and how many members are in its value.
    pub(crate) skip: u32,
    /// The [`tag`] of its key; [`ANY`] where that has escapes and may stand for any name.
    pub(crate) tag: u32,
}

/// The tag of a key that has to be looked at.
pub(crate) const ANY: u32 = u32::MAX;

/// What most names are told from each other by: how long one is, its first byte, one in the middle, and its last.
#[inline]
pub(crate) fn tag(name: &[u8]) -> u32 {
    let (Some(first), Some(middle), Some(last)) = (name.first(), name.get(name.len() / 2), name.last()) else {
        return 0;
    };
    // A name of 255 bytes and 0xFF thrice is none.
    u32::from_le_bytes([name.len().to_le_bytes()[0], *first, *middle, *last])
}

impl Member {
    /// Its key, in the text of its object.
    #[inline]
    pub(crate) fn key_in<'j>(&self, object: &'j [u8]) -> &'j [u8] {
        object.get(self.key.0 as usize..self.key.1 as usize).unwrap_or_default()
    }

    /// Whether its key is this name, whose tag this is.
    #[inline]
    pub(super) fn key_is(&self, object: &[u8], name: &str, tag: u32) -> bool {
        self.tag == tag && self.key_in(object) == name.as_bytes()
            || self.tag == ANY && is_key(self.key_in(object), name)
    }

    /// The text of its value, and what is noted of that, by its place among the members of its object.
    #[inline]
    pub(crate) fn inside<'j, 'm>(self, place: usize, object: &'j [u8], members: &'m [Self]) -> (&'j [u8], &'m [Self]) {
        let text = object.get(self.value.0 as usize..self.value.1 as usize).unwrap_or_default();
        (text, members.get(place + 1..place + self.skip as usize).unwrap_or_default())
    }
}

/// The last of the members of one object that has this name.
pub(crate) fn find(object: &[u8], members: &[Member], name: &str) -> Option<(usize, Member)> {
    if object.first() != Some(&b'{') {
        return None;
    }
    let tag = tag(name.as_bytes());
    let (mut found, mut place) = (None, 0);
    // By reference, and no more than two fields of most: half a microsecond of a pod goes by here.
    while let Some(member) = members.get(place) {
        if member.key_is(object, name, tag) {
            found = Some((place, member));
        }
        place += member.skip.max(1) as usize;
    }
    found.map(|(place, member)| (place, *member))
}

/// The members of one object among those that an outline has noted of it, with their places.
#[inline]
pub(crate) fn siblings(members: &[Member]) -> impl Iterator<Item = (usize, Member)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let member = *members.get(next)?;
        let place = next;
        next += member.skip.max(1) as usize;
        Some((place, member))
    })
}

/// The first name of a pointer, and the pointer after it.
#[inline]
pub(crate) fn next_name(pointer: &str) -> Option<(&str, &str)> {
    let rest = pointer.strip_prefix('/')?;
    Some(rest.split_at(rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len())))
}
