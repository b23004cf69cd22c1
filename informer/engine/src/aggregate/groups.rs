//! Groups of an aggregate: an index by key, an order by first value, and the patches for the reader.

use std::cmp::Ordering;

use informer_packing::{ArrayWriter, ObjectWriter, Ranked, Slots, hash, write_number};

use super::group::{Group, Kind, Output};
use crate::value::{Amount, natural};
use informer::rows::row_id;

/// Number of groups that are sent by default.
const DEFAULT_LIMIT: usize = 1_000;

/// Maximum number of groups that are sent.
const MAX_GROUPS: usize = 10_000;

type Values = Vec<Option<Amount>>;

/// Groups by small id, and the values that the reader has received. Ids are reused.
pub(super) struct Groups {
    outputs: Vec<Output>,
    /// Kinds of the totals of a group.
    kinds: Vec<Kind>,
    total: Group,
    entries: Vec<Entry>,
    by_key: Slots,
    free: Vec<u32>,
    /// Groups that have changed since the last patch. An empty one keeps its id until then.
    changed: Vec<u32>,
    /// Largest first value first, then by key.
    ranked: Ranked,
    limit: usize,
    /// Ids of the sent groups, in order.
    order: Vec<u32>,
    sent: Option<Totals>,
}

struct Entry {
    key: Box<[Box<str>]>,
    group: Group,
    has_changed: bool,
    is_listed: bool,
    /// Values that the reader has; `None` if it does not have this group.
    sent: Option<Values>,
}

#[derive(PartialEq)]
struct Totals {
    synced: bool,
    count: usize,
    total: Values,
}

impl Groups {
    pub(super) fn new((outputs, kinds): (Vec<Output>, Vec<Kind>), limit: usize) -> Self {
        Self {
            outputs,
            total: Group::new(&kinds),
            kinds,
            entries: Vec::new(),
            by_key: Slots::default(),
            free: Vec::new(),
            changed: Vec::new(),
            ranked: Ranked::default(),
            limit: if limit == 0 { DEFAULT_LIMIT } else { limit.min(MAX_GROUPS) },
            order: Vec::new(),
            sent: None,
        }
    }

    /// Adds an object, and returns the id of its group; 0 without a key, because then there is only the total.
    pub(super) fn add(&mut self, key: &[&str], amounts: &[Option<Amount>]) -> u32 {
        self.total.add(amounts);
        if key.is_empty() {
            return 0;
        }
        let id = self.find(key).unwrap_or_else(|| self.create(key));
        self.entries[id as usize].group.add(amounts);
        self.mark(id);
        id
    }

    /// Removes an object from a group, with the amounts that it was added with.
    pub(super) fn remove(&mut self, id: u32, amounts: &[Option<Amount>]) {
        self.total.remove(amounts);
        if let Some(entry) = self.entries.get_mut(id as usize) {
            entry.group.remove(amounts);
            self.mark(id);
        }
    }

    fn mark(&mut self, id: u32) {
        if !std::mem::replace(&mut self.entries[id as usize].has_changed, true) {
            self.changed.push(id);
        }
    }

    fn find(&self, key: &[&str]) -> Option<u32> {
        let is = &mut |id: u32| self.entries[id as usize].key.iter().map(|text| &**text).eq(key.iter().copied());
        self.by_key.find(hash_of(key.iter().copied()), is)
    }

    fn create(&mut self, key: &[&str]) -> u32 {
        let entry = Entry {
            key: key.iter().map(|text| Box::from(*text)).collect(),
            group: Group::new(&self.kinds),
            has_changed: false,
            is_listed: false,
            sent: None,
        };
        let id = if let Some(id) = self.free.pop() {
            self.entries[id as usize] = entry;
            id
        } else {
            self.entries.push(entry);
            row_id(self.entries.len() - 1)
        };
        let entries = &self.entries;
        self.by_key.insert(id, &mut |id| hash_of(entries[id as usize].key.iter().map(|text| &**text)));
        id
    }

    fn delete(&mut self, id: u32) {
        let entries = &self.entries;
        self.by_key.remove(id, &mut |id| hash_of(entries[id as usize].key.iter().map(|text| &**text)));
        self.free.push(id);
    }

    /// Returns the patch to the current state, as JSON text: see [`crate::message::FromEngine::Patch`]. `None` if
    /// there is nothing new. Before the first list is complete, an aggregate without objects sends no patch.
    pub(super) fn patch(&mut self, synced: bool) -> Option<String> {
        if !synced && self.total.objects == 0 && self.sent.is_none() {
            return None;
        }
        let mut gone = Vec::new();
        let order = if self.changed.is_empty() { None } else { Some(self.rank(&mut gone)) };
        let mut groups = Vec::new();
        for &id in order.iter().flatten() {
            let entry = &mut self.entries[id as usize];
            // Most listed groups are unchanged.
            if !std::mem::take(&mut entry.has_changed) && entry.sent.is_some() {
                continue;
            }
            let values = values(&entry.group, &self.outputs);
            if entry.sent.as_ref() != Some(&values) {
                entry.sent = Some(values);
                groups.push(id);
            }
        }
        let order = order.filter(|order| *order != self.order);
        let totals = Totals { synced, count: self.ranked.shown(), total: values(&self.total, &self.outputs) };
        if groups.is_empty() && gone.is_empty() && order.is_none() && self.sent.as_ref() == Some(&totals) {
            return None;
        }
        let patch = self.encode(&totals, &gone, &groups, order.as_deref());
        self.order = order.unwrap_or_else(|| std::mem::take(&mut self.order));
        self.sent = Some(totals);
        Some(patch)
    }

    /// Ranks the changed groups and returns the groups to send, in order. Adds to `gone` the sent ones that are not
    /// among them.
    fn rank(&mut self, gone: &mut Vec<u32>) -> Vec<u32> {
        let changed = std::mem::take(&mut self.changed);
        // All are removed before the first is inserted: the ranking compares current values.
        for &id in &changed {
            self.ranked.remove(id);
        }
        for &id in &changed {
            if self.entries[id as usize].group.objects == 0 {
                self.delete(id);
            } else {
                let (entries, first) = (&self.entries, self.outputs.first().copied().unwrap_or(Output::Count));
                self.ranked
                    .insert(id, true, &mut |other| compare(&entries[id as usize], &entries[other as usize], first));
            }
        }
        let order = self.ranked.first(self.limit);
        for &id in &order {
            self.entries[id as usize].is_listed = true;
        }
        // `patch` compares listed groups with their sent values.
        for &id in &changed {
            let entry = &mut self.entries[id as usize];
            entry.has_changed &= entry.is_listed;
        }
        for &id in &self.order {
            let entry = &mut self.entries[id as usize];
            if !entry.is_listed && entry.sent.take().is_some() {
                gone.push(id);
            }
        }
        for &id in &order {
            self.entries[id as usize].is_listed = false;
        }
        order
    }

    fn encode(&self, totals: &Totals, gone: &[u32], groups: &[u32], order: Option<&[u32]>) -> String {
        let mut json = String::new();
        let mut patch = ObjectWriter::new(&mut json);
        patch.bool("synced", totals.synced).number("count", totals.count as u64);
        write_values(&mut patch.array("total"), &totals.total);
        write_ids(&mut patch.array("gone"), gone);
        let mut list = patch.array("groups");
        for &id in groups {
            let entry = &self.entries[id as usize];
            let mut group = list.object();
            group.number("id", id.into());
            let mut key = group.array("key");
            for text in &entry.key {
                key.text(text);
            }
            drop(key);
            write_values(&mut group.array("values"), entry.sent.as_deref().unwrap_or_default());
        }
        drop(list);
        if let Some(order) = order {
            write_ids(&mut patch.array("order"), order);
        }
        drop(patch);
        json
    }
}

fn values(group: &Group, outputs: &[Output]) -> Values {
    outputs.iter().map(|output| group.value(*output)).collect()
}

/// The largest value first; groups without a value last; ties by key.
fn compare(a: &Entry, b: &Entry, first: Output) -> Ordering {
    let by_key = || {
        let pairs = a.key.iter().zip(&b.key).map(|(a, b)| natural(a, b));
        pairs.fold(Ordering::Equal, Ordering::then)
    };
    b.group.value(first).cmp(&a.group.value(first)).then_with(by_key)
}

fn hash_of<'t>(key: impl Iterator<Item = &'t str>) -> u32 {
    key.fold(0, |sum: u32, text| sum.rotate_left(7) ^ hash(text.as_bytes()))
}

fn write_values(out: &mut ArrayWriter<'_>, values: &[Option<Amount>]) {
    for value in values {
        match value {
            Some(amount) => amount.write(out.element()),
            None => drop(out.raw("null")),
        }
    }
}

fn write_ids(out: &mut ArrayWriter<'_>, ids: &[u32]) {
    for id in ids {
        write_number(out.element(), u64::from(*id));
    }
}
