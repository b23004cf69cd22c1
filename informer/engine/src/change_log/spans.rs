//! Spans of time: the number of changes in each part of a span, and the difference between its ends.

use super::entry::ChangeType;
use super::fields::{FieldChange, field_changes};
use super::{ChangeLog, NotKept};

/// Difference of an object between two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference<'d> {
    /// Key of the object.
    pub key: &'d str,
    /// Whether it exists at the earlier time, the later time, or both.
    pub change: ChangeType,
    /// Its changed fields: none unless it exists at both times.
    pub fields: &'d [FieldChange<'d>],
}

impl ChangeLog {
    /// Returns the numbers of changes of fields, additions and deletions in equal parts of a span of time; the last part
    /// includes its end. O(changes of the span).
    pub fn counts(&self, since: f64, until: f64, parts: usize) -> Vec<u32> {
        let mut counts = vec![0; parts];
        let first = self.entries.partition_point(|entry| entry.time < since);
        let changes = self.entries.range(first..).take_while(|entry| entry.time <= until);
        let Some(last) = parts.checked_sub(1) else { return counts };
        for entry in changes.filter(|entry| !entry.is_quiet) {
            let share = (entry.time - since) / (until - since).max(1.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the parts")]
            let part = ((share * parts as f64) as usize).min(last);
            counts[part] += 1;
        }
        counts
    }

    /// Calls a function with the difference of each object between two times, in the order of their first changes, until
    /// the function returns false. Objects without a changed field are left out. O(changes between them · text).
    ///
    /// # Errors
    /// If the states at the earlier time are not known.
    pub fn differences(
        &self,
        since: f64,
        until: f64,
        mut read: impl FnMut(Difference<'_>) -> bool,
    ) -> Result<(), NotKept> {
        self.check(since)?;
        for key in self.changed_between(since, until) {
            let (before, after) = (self.state_at(&key, since), self.state_at(&key, until));
            let goes_on = match (&before, &after) {
                (None, None) => true,
                (None, Some(_)) => read(Difference { key: &key, change: ChangeType::Added, fields: &[] }),
                (Some(_), None) => read(Difference { key: &key, change: ChangeType::Deleted, fields: &[] }),
                (Some(before), Some(after)) => {
                    let (before, after) = (before.text(), after.text());
                    let fields = field_changes(&before, &after);
                    fields.is_empty() || read(Difference { key: &key, change: ChangeType::Changed, fields: &fields })
                }
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }
}
