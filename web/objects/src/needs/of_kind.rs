//! Needs by kind.

use serde_json::Value;

use super::Needs;
use crate::backend::{need_for_slices, service_needs};
use crate::diagnosis::{
    claims, ingress_services, need_for_jobs, need_for_service_pods, needs_for_webhook, scale_target, storage_class,
    webhooks,
};
use crate::edge::reference_value;
use crate::field::Fields;
use crate::kinds::{
    CLAIM, CLUSTER_ROLE_BINDING, CRON_JOB, DAEMON_SET, DEPLOYMENT, DISRUPTION_BUDGET, INGRESS, INGRESS_CLASS, JOB,
    Kind, NETWORK_POLICY, NODE, POD, REPLICA_SET, ROLE_BINDING, SERVICE, SERVICE_ACCOUNT, STATEFUL_SET, STORAGE_CLASS,
    VOLUME,
};
use crate::link::Link;
use crate::need::{By, Need};
use crate::selector::selector;
use crate::subject::Subject;
use crate::workload::{is_ready, need_for_pods, need_for_replica_sets, pods};

pub(super) fn add(subject: &Subject<'_>, needs: &mut Needs) {
    let object = subject.object;
    let namespace = object.namespace();
    match (object.group(), object.text("kind")) {
        ("", "Pod") => {
            pod(object, needs);
            selectors_of_pods(namespace, needs);
        }
        ("apps", "Deployment") => {
            needs.add(need_for_replica_sets(object));
            workload(subject, needs);
        }
        ("apps", "StatefulSet") => {
            needs.add(Need::named(SERVICE, namespace, object.text("spec.serviceName")));
            workload(subject, needs);
        }
        ("apps", "ReplicaSet" | "DaemonSet") | ("batch", "Job") => workload(subject, needs),
        ("batch", "CronJob") => needs.add(need_for_jobs(object)),
        ("", "Service") => {
            needs.all(need_for_service_pods(object));
            needs.all(need_for_slices(namespace, object.name()));
            used_by(object, &[INGRESS, STATEFUL_SET], needs);
            let pods = need_for_service_pods(object).map(|need| subject.found(&need)).unwrap_or_default();
            unready(pods.iter(), needs);
        }
        ("networking.k8s.io", "Ingress") => {
            needs.add(Need::all(INGRESS_CLASS, ""));
            for service in ingress_services(object) {
                needs.all(service_needs(namespace, service));
            }
        }
        ("networking.k8s.io", "IngressClass") => used_by(object, &[INGRESS], needs),
        ("networking.k8s.io", "NetworkPolicy") => selected(object.at("spec.podSelector"), namespace, needs),
        ("policy", "PodDisruptionBudget") => selected(object.at("spec.selector"), namespace, needs),
        ("autoscaling", "HorizontalPodAutoscaler") => needs.link(&scale_target(object)),
        ("", "Node") => needs.add(Need::new(POD, "", By::Node(object.name().to_owned()))),
        ("", "ConfigMap" | "Secret" | "ServiceAccount") => {
            used_by(object, &[POD, DEPLOYMENT, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB, INGRESS, ROLE_BINDING], needs);
            if object.text("kind") == "Secret" {
                used_by(object, &[SERVICE_ACCOUNT], needs);
            }
            if object.text("kind") == "ServiceAccount" {
                needs.add(Need::new(CLUSTER_ROLE_BINDING, "", By::References(reference_value(&Link::of(object)))));
            }
        }
        _ => storage_and_extensions(object, needs),
    }
}

fn storage_and_extensions(object: &Value, needs: &mut Needs) {
    match (object.group(), object.text("kind")) {
        ("", "PersistentVolumeClaim") => {
            needs.add(Need::named(VOLUME, "", object.text("spec.volumeName")));
            needs.add(Need::named(STORAGE_CLASS, "", storage_class(object)));
            used_by(object, &[POD], needs);
        }
        ("", "PersistentVolume") => {
            let (namespace, name) = (object.text("spec.claimRef.namespace"), object.text("spec.claimRef.name"));
            needs.add(Need::named(CLAIM, namespace, name));
            needs.add(Need::named(STORAGE_CLASS, "", object.text("spec.storageClassName")));
        }
        ("storage.k8s.io", "StorageClass") => used_by(object, &[CLAIM, VOLUME], needs),
        ("rbac.authorization.k8s.io", "Role") => used_by(object, &[ROLE_BINDING], needs),
        ("rbac.authorization.k8s.io", "ClusterRole") => used_by(object, &[ROLE_BINDING, CLUSTER_ROLE_BINDING], needs),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => {
            let role = object.at("roleRef");
            let namespace = if role.text("kind") == "Role" { object.namespace() } else { "" };
            needs.link(&Link::new(role.text("apiGroup"), role.text("kind"), namespace, role.text("name")));
        }
        ("admissionregistration.k8s.io", _) => {
            for (_, namespace, service) in webhooks(object) {
                needs.all(service_needs(namespace, service));
            }
        }
        ("apiregistration.k8s.io", "APIService") => {
            let (namespace, name) = (object.text("spec.service.namespace"), object.text("spec.service.name"));
            if !name.is_empty() {
                needs.all(service_needs(namespace, name));
            }
        }
        _ => {}
    }
}

/// Objects of these kinds that may refer to it; those of its namespace, if it has one.
pub(super) fn used_by(object: &Value, kinds: &[Kind], needs: &mut Needs) {
    let value = reference_value(&Link::of(object));
    if !object.name().is_empty() {
        needs.all(kinds.iter().map(|kind| Need::new(*kind, object.namespace(), By::References(value.clone()))));
    }
}

/// Objects of a namespace that may select its pods.
fn selectors_of_pods(namespace: &str, needs: &mut Needs) {
    needs.all([SERVICE, DISRUPTION_BUDGET, NETWORK_POLICY].map(|kind| Need::all(kind, namespace)));
}

/// The pods that a selector selects.
fn selected(of: &Value, namespace: &str, needs: &mut Needs) {
    needs.all(selector(of).map(|selector| Need::new(POD, namespace, By::Labels(selector))));
}

/// Its pods, what selects them, the needs of pods that are not ready, and its autoscaler.
fn workload(subject: &Subject<'_>, needs: &mut Needs) {
    let object = subject.object;
    needs.all(need_for_pods(object));
    needs.all(needs_for_webhook(subject));
    selectors_of_pods(object.namespace(), needs);
    unready(pods(subject).unwrap_or_default().into_iter(), needs);
    if [DEPLOYMENT, REPLICA_SET, STATEFUL_SET].iter().any(|kind| kind.is_of(object)) {
        used_by(object, &[crate::kinds::AUTOSCALER], needs);
    }
}

/// Needs of the diagnosis of pods that are not ready; claims and nodes of at most ten, because each is an informer.
fn unready<'a>(pods: impl Iterator<Item = &'a Value>, needs: &mut Needs) {
    let bad: Vec<&Value> = pods.filter(|pod| !is_ready(pod) && pod.text("status.phase") != "Succeeded").collect();
    needs.events_of(bad.iter().copied());
    for of in bad.into_iter().take(10) {
        pod(of, needs);
    }
}

fn pod(pod: &Value, needs: &mut Needs) {
    needs.add(Need::named(NODE, "", pod.text("spec.nodeName")));
    needs.all(claims(pod).iter().map(|name| Need::named(CLAIM, pod.namespace(), name)));
}
