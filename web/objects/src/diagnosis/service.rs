//! Rules for services: endpoints, ports, load balancers.

use serde_json::Value;

use super::{Rule, diagnose};
use crate::backend::{counts, need_for_slices};
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::SERVICE;
use crate::link::Link;
use crate::need::{By, Need};
use crate::selector::labels_selector;
use crate::subject::Subject;
use crate::words::{count, duration, quoted};
use crate::workload::{has_ended, is_ready};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "ServiceSelectsNothing", severity: Severity::Error, kinds: &[SERVICE], check: selects_nothing },
    Rule { code: "ServiceNoReadyPod", severity: Severity::Error, kinds: &[SERVICE], check: no_ready_pod },
    Rule { code: "ServicePortUnknown", severity: Severity::Error, kinds: &[SERVICE], check: port_unknown },
    Rule { code: "ServiceNoEndpoints", severity: Severity::Warning, kinds: &[SERVICE], check: no_endpoints },
    Rule { code: "LoadBalancerPending", severity: Severity::Error, kinds: &[SERVICE], check: load_balancer },
];

/// The pods that a service selects.
pub(crate) fn need_for_pods(service: &Value) -> Option<Need> {
    Some(Need::new(crate::kinds::POD, service.namespace(), By::Labels(labels_selector(service.at("spec.selector"))?)))
}

/// The pods that a service selects and that have not ended; `None` while they are unknown, and without a selector.
fn pods<'a>(subject: &Subject<'a>) -> Option<Vec<&'a Value>> {
    let service = subject.object;
    if service.text("spec.type") == "ExternalName" || service.has("metadata.deletionTimestamp") {
        return None;
    }
    Some(subject.answer(&need_for_pods(service)?)?.iter().filter(|pod| !has_ended(pod)).collect())
}

fn selector_text(service: &Value) -> String {
    labels_selector(service.at("spec.selector")).map_or_else(String::new, |selector| selector.to_string())
}

fn selects_nothing(subject: &Subject<'_>) -> Vec<Finding> {
    let service = subject.object;
    if pods(subject).is_none_or(|pods| !pods.is_empty()) {
        return Vec::new();
    }
    let selector = selector_text(service);
    vec![
        Finding::new(
            format!("The service has no endpoints, because no pod has the labels {selector}."),
            "Compare spec.selector with the labels of the pods; start pods if they are scaled to zero.",
        )
        .field(service, "spec.selector")
        .absent(format!("pods with {selector} in namespace {}", service.namespace())),
    ]
}

fn no_ready_pod(subject: &Subject<'_>) -> Vec<Finding> {
    let service = subject.object;
    let Some(pods) = pods(subject).filter(|pods| !pods.is_empty() && !pods.iter().any(|pod| is_ready(pod))) else {
        return Vec::new();
    };
    if service.is("spec.publishNotReadyAddresses") {
        return Vec::new();
    }
    let first = pods.iter().find_map(|pod| Some((*pod, diagnose(&subject.about(pod)).into_iter().next()?)));
    let why = first.as_ref().map(|(pod, found)| format!(" Pod {}: {}", pod.name(), found.sentence)).unwrap_or_default();
    let which = if pods.len() == 1 {
        "the only pod that it selects is not".to_owned()
    } else {
        format!("none of the {} that it selects is", count(pods.len(), "pod"))
    };
    let mut finding = Finding::new(
        format!("The service has no ready endpoint, because {which} ready.{why}"),
        "Open one of these pods.",
    )
    .field(service, "spec.selector");
    for pod in pods.iter().take(10) {
        finding = finding.condition_of(pod, "Ready").related(Link::of(pod));
    }
    if let Some((pod, found)) = first {
        let of = Link::of(pod);
        finding.evidence.extend(found.evidence.into_iter().map(|evidence| evidence.of_other(Some(&of))));
    }
    vec![finding]
}

/// A port by name that no container of the pods has.
fn port_unknown(subject: &Subject<'_>) -> Vec<Finding> {
    let service = subject.object;
    let Some(pods) = pods(subject).filter(|pods| pods.iter().any(|pod| is_ready(pod))) else { return Vec::new() };
    let has = |pod: &Value, port: &Value| {
        let protocol = |port: &Value| match port.text("protocol") {
            "" => "TCP".to_owned(),
            protocol => protocol.to_owned(),
        };
        let containers = ["spec.containers", "spec.initContainers"].into_iter().flat_map(|path| pod.list(path));
        containers
            .flat_map(|container| container.list("ports"))
            .any(|of_pod| of_pod.text("name") == port.text("targetPort") && protocol(of_pod) == protocol(port))
    };
    let unknown = service
        .list("spec.ports")
        .iter()
        .filter(|port| !port.text("targetPort").is_empty() && !pods.iter().any(|pod| has(pod, port)));
    let finding = |port: &Value| {
        let (number, target) = (port.count("port"), port.text("targetPort"));
        Finding::new(
            format!(
                "Port {number} of the service has no endpoints, because no selected pod has a port named {target}."
            ),
            "Correct targetPort, or name the container's port.",
        )
        .value(format!("spec.ports[{number}].targetPort"), target)
        .field_of(pods[0], "spec.containers")
        .related(Link::of(pods[0]))
    };
    unknown.map(finding).collect()
}

/// A service without a selector, whose endpoints another controller makes.
fn no_endpoints(subject: &Subject<'_>) -> Vec<Finding> {
    let service = subject.object;
    let has_selector = service.at("spec.selector").as_object().is_some_and(|selector| !selector.is_empty());
    let external = service.text("spec.type") == "ExternalName";
    let own = service.namespace() == "default" && service.name() == "kubernetes";
    if has_selector || external || own || counts(subject, service.namespace(), service.name()) != Some((0, 0)) {
        return Vec::new();
    }
    let need =
        need_for_slices(service.namespace(), service.name()).map(|need| need.label_selector()).unwrap_or_default();
    vec![
        Finding::new(
            "The service has no selector, and no EndpointSlice gives it endpoints.",
            "Add a selector, or create an EndpointSlice for the service.",
        )
        .field(service, "spec.selector")
        .absent(format!("EndpointSlices with {need}")),
    ]
}

fn load_balancer(subject: &Subject<'_>) -> Vec<Finding> {
    let service = subject.object;
    let waited = subject.since(service.moment("metadata.creationTimestamp")).unwrap_or_default();
    let is_balancer = service.text("spec.type") == "LoadBalancer" && !service.has("metadata.deletionTimestamp");
    if !is_balancer || !service.list("status.loadBalancer.ingress").is_empty() || waited < 60_000.0 {
        return Vec::new();
    }
    let event = event::last(subject, service, &["SyncLoadBalancerFailed", "CreatingLoadBalancerFailed"], |_| true);
    let (sentence, next) = match event {
        Some(event) => (
            format!("The load balancer cannot be created: {}", quoted(event::message(event))),
            "Read the message of the cloud provider's controller.",
        ),
        None => (
            format!("The service has waited {} for the address of its load balancer.", duration(waited)),
            "Check that a controller for load balancers runs in this cluster, and read its log.",
        ),
    };
    vec![Finding::new(sentence, next).field(service, "spec.type").field(service, "status.loadBalancer").event(event)]
}
