//! Rules for extensions of the apiserver: webhooks, API services, definitions.

use serde_json::Value;

use super::Rule;
use crate::backend::counts;
use crate::condition::{condition_is, explanation};
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{API_SERVICE, DEFINITION, MUTATING_WEBHOOKS, SERVICE, VALIDATING_WEBHOOKS};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;
use crate::words::quoted;

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "WebhookServiceMissing",
        severity: Severity::Error,
        kinds: &[VALIDATING_WEBHOOKS, MUTATING_WEBHOOKS],
        check: service_missing,
    },
    Rule {
        code: "WebhookNoEndpoints",
        severity: Severity::Error,
        kinds: &[VALIDATING_WEBHOOKS, MUTATING_WEBHOOKS],
        check: no_endpoints,
    },
    Rule { code: "ApiServiceUnavailable", severity: Severity::Error, kinds: &[API_SERVICE], check: api_service },
    Rule { code: "DefinitionNamesConflict", severity: Severity::Error, kinds: &[DEFINITION], check: names_conflict },
    Rule { code: "DefinitionNotEstablished", severity: Severity::Error, kinds: &[DEFINITION], check: not_established },
];

/// Webhooks with a service: the webhook, the service's namespace and name.
pub(crate) fn webhooks(configuration: &Value) -> impl Iterator<Item = (&Value, &str, &str)> {
    configuration.list("webhooks").iter().filter_map(|webhook| {
        let service = webhook.at("clientConfig.service");
        (!service.text("name").is_empty()).then(|| (webhook, service.text("namespace"), service.text("name")))
    })
}

/// Consequence of a webhook that does not respond.
fn consequence(webhook: &Value) -> &'static str {
    // The default of admissionregistration.k8s.io/v1.
    if webhook.text("failurePolicy") == "Ignore" {
        "requests are accepted without it (failurePolicy Ignore)"
    } else {
        "matching requests are rejected (failurePolicy Fail)"
    }
}

fn service_missing(subject: &Subject<'_>) -> Vec<Finding> {
    let missing = webhooks(subject.object)
        .filter(|(_, namespace, name)| subject.is_absent(&Need::named(SERVICE, namespace, name)));
    let finding = |(webhook, namespace, name): (&Value, &str, &str)| {
        Finding::new(
            format!(
                "Webhook {}: its service {namespace}/{name} does not exist, and {}.",
                webhook.text("name"),
                consequence(webhook)
            ),
            "Install the webhook's server, or delete the configuration if the server was uninstalled.",
        )
        .value(format!("webhooks[{}].clientConfig.service", webhook.text("name")), format!("{namespace}/{name}"))
        .absent(format!("Service {name} in namespace {namespace}"))
        .related(Link::to(SERVICE, namespace, name))
    };
    missing.map(finding).collect()
}

fn no_endpoints(subject: &Subject<'_>) -> Vec<Finding> {
    let finding = |(webhook, namespace, name): (&Value, &str, &str)| {
        let service = subject.one(&Need::named(SERVICE, namespace, name))?;
        let (ready, _) = counts(subject, namespace, name)?;
        (ready == 0 && service.text("spec.type") != "ExternalName").then(|| {
            Finding::new(
                format!(
                    "Webhook {}: its service {namespace}/{name} has no ready endpoint, and {}.",
                    webhook.text("name"),
                    consequence(webhook)
                ),
                format!("Open service {name}: its diagnosis says why."),
            )
            .value(format!("webhooks[{}].failurePolicy", webhook.text("name")), webhook.text("failurePolicy"))
            .absent(format!("ready endpoints of service {namespace}/{name}"))
            .related(Link::of(service))
        })
    };
    webhooks(subject.object).filter_map(finding).collect()
}

fn api_service(subject: &Subject<'_>) -> Vec<Finding> {
    let service = subject.object;
    let Some(condition) =
        condition_is(service, "Available", "False").or_else(|| condition_is(service, "Available", "Unknown"))
    else {
        return Vec::new();
    };
    let (namespace, name) = (service.text("spec.service.namespace"), service.text("spec.service.name"));
    vec![
        Finding::new(
            format!(
                "The API {}/{} is not available: {}",
                service.text("spec.group"),
                service.text("spec.version"),
                quoted(explanation(condition))
            ),
            "Check the pods of the service behind it, and whether the apiserver reaches them.",
        )
        .condition(service, "Available")
        .related(Link::to(SERVICE, namespace, name)),
    ]
}

fn names_conflict(subject: &Subject<'_>) -> Vec<Finding> {
    let definition = subject.object;
    let Some(condition) = condition_is(definition, "NamesAccepted", "False") else { return Vec::new() };
    vec![
        Finding::new(
            format!("The kind is not served, because its names are taken: {}", quoted(explanation(condition))),
            "Delete the other definition, or choose other names.",
        )
        .condition(definition, "NamesAccepted"),
    ]
}

fn not_established(subject: &Subject<'_>) -> Vec<Finding> {
    let definition = subject.object;
    let established =
        condition_is(definition, "Established", "False").filter(|condition| condition.text("reason") != "Installing");
    let Some(condition) = established.filter(|_| condition_is(definition, "NamesAccepted", "False").is_none()) else {
        return Vec::new();
    };
    vec![
        Finding::new(format!("The kind is not served: {}", quoted(explanation(condition))), "Correct the definition.")
            .condition(definition, "Established"),
    ]
}
