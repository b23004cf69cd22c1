//! Rules for ingresses: class, services, endpoints.

use serde_json::Value;

use super::Rule;
use crate::backend::counts;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{INGRESS, INGRESS_CLASS, SERVICE};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;

pub(super) const RULES: &[Rule] = &[
    Rule { code: "IngressClassMissing", severity: Severity::Error, kinds: &[INGRESS], check: class_missing },
    Rule { code: "IngressNoClass", severity: Severity::Error, kinds: &[INGRESS], check: no_class },
    Rule { code: "IngressServiceMissing", severity: Severity::Error, kinds: &[INGRESS], check: service_missing },
    Rule { code: "IngressPortMissing", severity: Severity::Error, kinds: &[INGRESS], check: port_missing },
    Rule { code: "IngressNoEndpoints", severity: Severity::Error, kinds: &[INGRESS], check: no_endpoints },
];

/// Annotation that preceded the field.
const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// Most backends that are judged: each service needs informers.
const MAX_BACKENDS: usize = 200;

/// Its backends: where the backend is, the service's name and its port, each service and port once.
fn backends(ingress: &Value) -> Vec<(String, &Value)> {
    let mut found: Vec<(String, &Value)> = Vec::new();
    let default = ingress.at("spec.defaultBackend.service");
    let default = default.is_object().then(|| ("the default backend".to_owned(), default));
    let rules = ingress.list("spec.rules").iter().flat_map(|rule| {
        rule.list("http.paths").iter().map(move |path| {
            let host = if rule.text("host").is_empty() { "*" } else { rule.text("host") };
            (format!("{host}{}", path.text("path")), path.at("backend.service"))
        })
    });
    for (place, service) in default.into_iter().chain(rules).take(MAX_BACKENDS) {
        if !service.text("name").is_empty() && found.iter().all(|(_, other)| *other != service) {
            found.push((place, service));
        }
    }
    found
}

/// Names of the services that an ingress names.
pub(crate) fn services(ingress: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = backends(ingress).into_iter().map(|(_, service)| service.text("name")).collect();
    names.dedup();
    names
}

fn class_missing(subject: &Subject<'_>) -> Vec<Finding> {
    let ingress = subject.object;
    let class = ingress.text("spec.ingressClassName");
    let Some(classes) = subject.answer(&Need::all(INGRESS_CLASS, "")).filter(|_| !class.is_empty()) else {
        return Vec::new();
    };
    if classes.iter().any(|other| other.name() == class) {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("IngressClass {class}, which the ingress names, does not exist: probably no controller serves it, because controllers find their ingresses by class."),
            "Correct spec.ingressClassName: kubectl get ingressclass.",
        )
        .field(ingress, "spec.ingressClassName")
        .absent(format!("IngressClass {class}")),
    ]
}

fn no_class(subject: &Subject<'_>) -> Vec<Finding> {
    let ingress = subject.object;
    let named = !ingress.text("spec.ingressClassName").is_empty() || !ingress.annotation(CLASS_ANNOTATION).is_empty();
    let Some(classes) = subject.answer(&Need::all(INGRESS_CLASS, "")).filter(|_| !named) else { return Vec::new() };
    let is_default = |class: &Value| class.annotation("ingressclass.kubernetes.io/is-default-class") == "true";
    // A controller that gave it an address serves it without a class.
    if classes.iter().any(is_default) || !ingress.list("status.loadBalancer.ingress").is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(
            "The ingress names no class, no class is the default, and no controller has given it an address.",
            "Set spec.ingressClassName.",
        )
        .field(ingress, "spec.ingressClassName")
        .field(ingress, "status.loadBalancer")
        .absent("an IngressClass that is the default"),
    ]
}

fn service_missing(subject: &Subject<'_>) -> Vec<Finding> {
    let ingress = subject.object;
    let missing = backends(ingress)
        .into_iter()
        .filter(|(_, service)| subject.is_absent(&Need::named(SERVICE, ingress.namespace(), service.text("name"))));
    let finding = |(place, service): (String, &Value)| {
        let name = service.text("name");
        Finding::new(
            format!("Service {name}, to which {place} leads, does not exist."),
            "Create the service, or correct its name in the ingress.",
        )
        .value("backend.service.name", name)
        .absent(format!("Service {name} in namespace {}", ingress.namespace()))
        .related(Link::to(SERVICE, ingress.namespace(), name))
    };
    missing.map(finding).collect()
}

/// A port by number or name that the service does not have.
fn port_missing(subject: &Subject<'_>) -> Vec<Finding> {
    let ingress = subject.object;
    let finding = |(place, backend): (String, &Value)| {
        let name = backend.text("name");
        let service = subject.one(&Need::named(SERVICE, ingress.namespace(), name))?;
        let (number, port_name) = (backend.number("port.number"), backend.text("port.name"));
        let has = service.list("spec.ports").iter().any(|port| match number {
            Some(number) => port.count("port") == number,
            None => port.text("name") == port_name,
        });
        if has || (number.is_none() && port_name.is_empty()) {
            return None;
        }
        let port = number.map_or_else(|| port_name.to_owned(), |number| number.to_string());
        Some(
            Finding::new(
                format!("Service {name}, to which {place} leads, has no port {port}."),
                "Correct the port in the ingress or in the service.",
            )
            .value("backend.service.port", backend.at("port").to_string())
            .field_of(service, "spec.ports")
            .related(Link::of(service)),
        )
    };
    backends(ingress).into_iter().filter_map(finding).collect()
}

fn no_endpoints(subject: &Subject<'_>) -> Vec<Finding> {
    let ingress = subject.object;
    let finding = |(place, backend): (String, &Value)| {
        let name = backend.text("name");
        let service = subject.one(&Need::named(SERVICE, ingress.namespace(), name))?;
        let (ready, all) = counts(subject, ingress.namespace(), name)?;
        if ready > 0 || service.text("spec.type") == "ExternalName" {
            return None;
        }
        let which =
            if all == 0 { "has no endpoints".to_owned() } else { format!("has no ready endpoint ({all} not ready)") };
        Some(
            Finding::new(
                format!("Service {name}, to which {place} leads, {which}."),
                format!("Open service {name}: its diagnosis says why."),
            )
            .field_of(service, "spec.selector")
            .absent(format!("ready endpoints of service {name}"))
            .related(Link::of(service)),
        )
    };
    let mut findings: Vec<Finding> = backends(ingress).into_iter().filter_map(finding).collect();
    findings.dedup_by(|a, b| a.related == b.related);
    findings
}
