//! Field changes: the difference of two states of an object, field by field.

use std::ops::Deref;

use informer_packing::Json;

use super::merge_key::by_merge_key;
use super::named::Named;
use super::path::Step;

/// Maximum depth of a compared field. The decoder of objects rejects deeper ones.
const MAX_DEPTH: usize = 128;

/// Changed field, with its values; `None` if it did not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange<'j> {
    /// Path from the object to the field.
    pub path: Vec<Step<'j>>,
    /// Value before the change.
    pub before: Option<Json<'j>>,
    /// Value after it.
    pub after: Option<Json<'j>>,
}

/// Returns the changed fields of an object, in the order of its text; added ones follow the others.
///
/// Objects are compared by member. Lists are compared by their merge key where Kubernetes merges them by one, otherwise
/// by index; a list whose elements changed their order is one field. `metadata.resourceVersion`,
/// `metadata.managedFields` and heartbeats (`lastHeartbeatTime` and `lastProbeTime` of conditions, `renewTime` of
/// leases) are left out. O(both texts · depth), and only the parts that differ are read in detail.
pub fn field_changes<'j>(before: &'j str, after: &'j str) -> Vec<FieldChange<'j>> {
    let mut found = Vec::new();
    walk(before, after, &mut |path, before, after| {
        found.push(FieldChange { path: path.to_vec(), before, after });
        true
    });
    found
}

/// Whether an object has a changed field: see [`field_changes`].
pub fn has_field_changes(before: &str, after: &str) -> bool {
    let mut is_found = false;
    walk(before, after, &mut |_, _, _| {
        is_found = true;
        false
    });
    is_found
}

/// Receives a changed field; returns whether the comparison continues.
type Found<'j, 'f> = dyn FnMut(&[Step<'j>], Option<Json<'j>>, Option<Json<'j>>) -> bool + 'f;

fn walk<'j>(before: &'j str, after: &'j str, found: &mut Found<'j, '_>) {
    let (before, after) = (Json::new(before), Json::new(after));
    let is_lease = after.get("kind").and_then(Json::as_str).is_some_and(|kind| kind == "Lease");
    Walk { path: Vec::new(), is_lease, is_over: false, found }.value(before, after);
}

/// Comparison in progress.
struct Walk<'j, 'f, 'c> {
    path: Vec<Step<'j>>,
    is_lease: bool,
    is_over: bool,
    found: &'f mut Found<'j, 'c>,
}

impl<'j> Walk<'j, '_, '_> {
    fn value(&mut self, before: Json<'j>, after: Json<'j>) {
        if before == after || self.is_over {
            return;
        }
        let is_deep = self.path.len() > MAX_DEPTH;
        match (before.text().as_bytes().first(), after.text().as_bytes().first()) {
            (Some(b'{'), Some(b'{')) if !is_deep => self.object(before, after),
            (Some(b'['), Some(b'[')) if !is_deep => self.list(before, after),
            // One string with different escapes.
            (Some(b'"'), Some(b'"')) if before.as_str() == after.as_str() => {}
            _ => self.report(Some(before), Some(after)),
        }
    }

    /// Compares a field that may be missing on one side.
    fn field(&mut self, step: Step<'j>, before: Option<Json<'j>>, after: Option<Json<'j>>) {
        self.path.push(step);
        match (before, after) {
            _ if is_ignored(&self.path, self.is_lease) => {}
            (Some(before), Some(after)) => self.value(before, after),
            _ => self.report(before, after),
        }
        self.path.pop();
    }

    fn report(&mut self, before: Option<Json<'j>>, after: Option<Json<'j>>) {
        if !self.is_over {
            self.is_over = !(self.found)(&self.path, before, after);
        }
    }

    /// Compares objects member by member. Nearly always both have the same names in the same order; from the first
    /// other name on, the members are compared by their names.
    fn object(&mut self, before: Json<'j>, after: Json<'j>) {
        let (mut earlier, mut later) = (before.members(), after.members());
        while !self.is_over {
            match (earlier.next(), later.next()) {
                (None, None) => return,
                (Some((name, before)), Some((other, after))) if name == other => {
                    self.field(Step::Name(name), Some(before), Some(after));
                }
                (before, after) => {
                    let earlier = Named::members(before.into_iter().chain(earlier));
                    let later = Named::members(after.into_iter().chain(later));
                    return self.named(Step::Name, &earlier, &later);
                }
            }
        }
    }

    /// Compares values by their names, each of which is a step of the path.
    fn named<N: Deref<Target = str> + Clone>(
        &mut self,
        step: impl Fn(N) -> Step<'j>,
        earlier: &Named<'j, N>,
        later: &Named<'j, N>,
    ) {
        for (name, value) in earlier.iter() {
            self.field(step(name.clone()), Some(value), later.get(name));
        }
        for (name, value) in later.iter().filter(|(name, _)| earlier.get(name).is_none()) {
            self.field(step(name.clone()), None, Some(value));
        }
    }

    fn list(&mut self, before: Json<'j>, after: Json<'j>) {
        let keyed = match self.path.last() {
            Some(Step::Name(name)) => by_merge_key(name, before, after),
            _ => None,
        };
        let Some((name, earlier, later)) = keyed else { return self.by_index(before, after) };
        if !earlier.has_order_of(&later) {
            return self.report(Some(before), Some(after));
        }
        self.named(|key| Step::Key(name, Json::new(key)), &earlier, &later);
    }

    /// Compares lists element by element.
    fn by_index(&mut self, before: Json<'j>, after: Json<'j>) {
        let (mut earlier, mut later) = (before.items(), after.items());
        for index in 0.. {
            match (earlier.next(), later.next()) {
                (None, None) => break,
                _ if self.is_over => break,
                (before, after) => self.field(Step::Index(index), before, after),
            }
        }
    }
}

/// Whether a field is not compared: a version, a managed field or a heartbeat.
fn is_ignored(path: &[Step<'_>], is_lease: bool) -> bool {
    let name = |at: usize| match path.get(at) {
        Some(Step::Name(name)) => &**name,
        _ => "",
    };
    match path.len() {
        2 => match name(0) {
            "metadata" => matches!(name(1), "resourceVersion" | "managedFields"),
            "spec" => is_lease && name(1) == "renewTime",
            _ => false,
        },
        4 => (name(0), name(1)) == ("status", "conditions") && matches!(name(3), "lastHeartbeatTime" | "lastProbeTime"),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
