//! Computed cells of the ResourceQuota table.

use super::Cell;
use super::read::{join, members, string, text};
use super::subject::Subject;

/// Used and hard amounts, as `cpu: 1/2, pods: 3/10`: limits if the prefix is `limits.`, otherwise requests.
pub(super) fn used(quota: &Subject<'_, '_>, prefix: &str) -> Cell {
    let used = quota.pointer("/status/used");
    let mut list = String::new();
    for (resource, hard) in members(quota.pointer("/status/hard")) {
        if resource.starts_with("limits.") != prefix.is_empty() {
            let used = string(used.and_then(|used| used.get(&resource)));
            let used = if used.is_empty() { "0" } else { &used };
            join(&mut list, ", ", &format!("{resource}: {used}/{}", string(Some(hard))));
        }
    }
    text(list.into())
}
