//! Time since when an object has a problem, as far as the object says it.

use serde_json::Value;

use crate::condition::condition_is;
use crate::field::Fields;
use crate::finding::{Evidence, Finding};
use crate::kinds::POD;

/// Since when an object has what a rule found, in milliseconds since 1970.
///
/// A deletion is the reason of what is found because of it; otherwise it is the time since when the condition in the
/// evidence holds, and of a pod since when it is not ready. The end of the last run is no such time: a container that
/// crashes has a new one each time.
pub(super) fn since(object: &Value, finding: &Finding) -> Option<f64> {
    let field = |name: &str| {
        finding.evidence.iter().find_map(|evidence| match evidence {
            Evidence::Field { of: None, path, value } if path.ends_with(name) => informer::parse_rfc3339(value),
            _ => None,
        })
    };
    let conditions = finding.evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Condition { of: None, since, .. } => *since,
        _ => None,
    });
    field("deletionTimestamp")
        .or_else(|| conditions.reduce(f64::min))
        .or_else(|| field("startedAt"))
        .or_else(|| condition_is(object, "Ready", "False").filter(|_| POD.is_of(object))?.moment("lastTransitionTime"))
        .or_else(|| field("creationTimestamp"))
}
