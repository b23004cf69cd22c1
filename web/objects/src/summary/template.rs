//! Sections of a pod spec, shared by Pods and pod templates.

mod containers;
mod mounts;
mod placement;

use serde_json::Value;

use crate::section::Sections;

/// Containers, their probes and mounts, and where the pod may run.
pub(super) fn add(spec: &Value, namespace: &str, sections: &mut Sections) {
    containers::add(spec, sections);
    mounts::add(spec, namespace, sections);
    placement::add(spec, sections);
}
