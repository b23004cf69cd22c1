//! Summary: sections of facts about an object.

mod access;
mod config;
mod deployment;
mod general;
mod network;
mod node;
mod pod;
mod policy;
mod replica_set;
mod storage;
mod template;
mod webhooks;
mod workloads;

use crate::field::Fields;
use crate::section::{Section, Sections};
use crate::subject::Subject;

/// Returns the sections of an object, those of its kind first.
///
/// They never contain the values of a Secret, or the annotation in which `kubectl apply` repeats them.
pub fn summary(subject: &Subject<'_>) -> Vec<Section> {
    let object = subject.object;
    let mut sections = Sections::default();
    if let Some(add) = of_kind(object.group(), object.text("kind")) {
        add(subject, &mut sections);
    } else {
        general::at_a_glance(object, &mut sections);
    }
    general::conditions(object, &mut sections);
    general::metadata(object, &mut sections);
    sections.0
}

/// Whether there is a special summary for a kind. Of other kinds, a UI shows the columns of its table, too.
pub fn has_summary(group: &str, kind: &str) -> bool {
    of_kind(group, kind).is_some()
}

/// Returns the function that adds the sections of a kind; `None` for a kind without a special summary.
fn of_kind(group: &str, kind: &str) -> Option<fn(&Subject<'_>, &mut Sections)> {
    Some(match (group, kind) {
        ("", "Pod") => pod::add,
        ("", "Node") => node::add,
        ("", "Service") => network::service,
        ("", "ConfigMap") => config::config_map,
        ("", "Secret") => config::secret,
        ("" | "events.k8s.io", "Event") => config::event,
        ("", "PersistentVolumeClaim") => storage::claim,
        ("", "PersistentVolume") => storage::volume,
        ("", "ResourceQuota") => policy::quota,
        ("apps", "Deployment") => deployment::add,
        ("apps", "ReplicaSet") => replica_set::add,
        ("apps", "StatefulSet") => workloads::stateful_set,
        ("apps", "DaemonSet") => workloads::daemon_set,
        ("batch", "Job") => workloads::job,
        ("batch", "CronJob") => workloads::cron_job,
        ("autoscaling", "HorizontalPodAutoscaler") => policy::autoscaler,
        ("policy", "PodDisruptionBudget") => policy::disruption_budget,
        ("networking.k8s.io", "Ingress") => network::ingress,
        ("networking.k8s.io", "NetworkPolicy") => network::network_policy,
        ("discovery.k8s.io", "EndpointSlice") => network::endpoint_slice,
        ("storage.k8s.io", "StorageClass") => storage::class,
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => access::role,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => access::binding,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => policy::definition,
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            webhooks::add
        }
        _ => return None,
    })
}
