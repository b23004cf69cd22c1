//! Update strategies: what the real server checks, keeps and requires in an update of each kind.

use crate::kinds::Kind;
use crate::write::Part;

/// Pass of metadata validation. An update has several, and each lists its errors again among the causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValidationPass {
    /// Whether it compares immutable fields with the stored ones.
    pub(crate) compares: bool,
    /// Whether it checks that finalizers have a domain.
    pub(crate) finalizers: bool,
}

const COMMON: [ValidationPass; 2] =
    [ValidationPass { compares: false, finalizers: false }, ValidationPass { compares: true, finalizers: false }];
const COMPARE_ALL: ValidationPass = ValidationPass { compares: true, finalizers: true };
const CHECK_FINALIZERS: ValidationPass = ValidationPass { compares: false, finalizers: true };
const CUSTOM: ValidationPass = ValidationPass { compares: true, finalizers: false };

/// Returns the passes over the metadata of an update, in order: two of every kind, then those of its strategy.
pub(crate) fn passes(kind: &Kind, part: Part) -> impl Iterator<Item = ValidationPass> + use<> {
    let own: &[ValidationPass] = match (part, kind.plural.as_str()) {
        _ if kind.custom => &[CUSTOM],
        (_, "events" | "poddisruptionbudgets") | (Part::Status, "cronjobs") => &[],
        (Part::Status, _)
        | (
            _,
            "services"
            | "resourcequotas"
            | "deployments"
            | "replicasets"
            | "daemonsets"
            | "statefulsets"
            | "cronjobs"
            | "networkpolicies"
            | "horizontalpodautoscalers",
        ) => &[COMPARE_ALL],
        (_, "limitranges" | "endpointslices") => &[CHECK_FINALIZERS],
        (_, "jobs" | "nodes" | "storageclasses") => &[CHECK_FINALIZERS, COMPARE_ALL],
        _ if kind.group == "rbac.authorization.k8s.io" => &[CHECK_FINALIZERS, COMPARE_ALL],
        _ => &[COMPARE_ALL, CHECK_FINALIZERS],
    };
    COMMON.into_iter().chain(own.iter().copied())
}

/// Whether a new object of a kind may have no finalizer without a domain.
pub(crate) fn checks_finalizers(kind: &Kind) -> bool {
    passes(kind, Part::Main).any(|pass| pass.finalizers)
}

/// Metadata that a write of the status does not change; `None` for all of it.
pub(crate) fn kept_by_status(kind: &Kind) -> Option<&'static [&'static str]> {
    match kind.plural.as_str() {
        _ if kind.custom => None,
        "pods" => Some(&["ownerReferences", "deletionTimestamp"]),
        "deployments" => Some(&["labels"]),
        _ => Some(&[]),
    }
}

/// Whether a PUT must have a `resourceVersion`.
pub(crate) fn needs_version(kind: &Kind) -> bool {
    kind.custom || kind.plural == "poddisruptionbudgets"
}
