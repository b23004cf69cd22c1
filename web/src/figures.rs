//! Figures: the groups of an aggregate as plain values.

use std::collections::BTreeMap;

use crate::client::AggregateSnapshot;
use crate::text::lower;

/// Objects with the same values in the columns of an aggregate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Group {
    pub(crate) key: Vec<String>,
    /// The number of objects, then sums.
    pub(crate) values: Vec<f64>,
}

/// Groups of an aggregate, and the values over all objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// Groups, those with the most objects first.
    pub(crate) groups: Vec<Group>,
    pub(crate) total: Vec<f64>,
}

impl Figures {
    /// Converts a snapshot; `None` until the first list is complete, because numbers of an incomplete list are wrong.
    pub(crate) fn of(snapshot: &AggregateSnapshot) -> Option<Self> {
        let total = snapshot.total().filter(|_| snapshot.has_synced())?;
        let groups = snapshot.groups();
        let groups = groups.iter().map(|group| Group {
            key: group.key().iter().map(|text| String::from(&text)).collect(),
            values: numbers(&group.values()),
        });
        Some(Self { groups: groups.collect(), total: numbers(&total) })
    }

    /// The number of objects.
    pub(crate) fn count(&self) -> u64 {
        count(&self.total)
    }
}

/// Numbers of objects by the first value. The filter language ignores case, so values that differ only by case are one
/// row.
pub(crate) fn count_by_value(groups: &[Group]) -> Vec<(String, u64)> {
    let mut values: Vec<(String, u64)> = Vec::new();
    let mut indexes: BTreeMap<String, usize> = BTreeMap::new();
    for group in groups {
        let value = group.key.first().cloned().unwrap_or_default();
        let at = *indexes.entry(lower(&value)).or_insert(values.len());
        match values.get_mut(at) {
            Some((_, known)) => *known += count(&group.values),
            None => values.push((value, count(&group.values))),
        }
    }
    values
}

/// The number of objects of a group.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are whole, and it saturates")]
pub(crate) fn count(values: &[f64]) -> u64 {
    values.first().copied().unwrap_or_default() as u64
}

/// A sum of a group, by its index among the values.
pub(crate) fn sum(values: &[f64], index: usize) -> f64 {
    values.get(index).copied().unwrap_or_default()
}

/// Converts numbers. Sums of no object are 0 in the package, so that null does not occur.
fn numbers(values: &js_sys::Array) -> Vec<f64> {
    values.iter().map(|value| value.as_f64().unwrap_or_default()).collect()
}
