//! Start of a problem: the time since when an object has it, as far as the object shows it.

use serde_json::Value;

use crate::condition::condition_is;
use crate::field::Fields;
use crate::finding::{Evidence, Finding};
use crate::kinds::POD;

/// Start of the problem that a rule found, in milliseconds since 1970.
///
/// It is the first of these that is known: the deletion, if the evidence has it; the time of the condition in the
/// evidence; the start of the container in the evidence; for a pod, the time since when it is not ready; the creation,
/// if the evidence has it. The end of the last run is no start: a container that crashes has a new one each time.
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
