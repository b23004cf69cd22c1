//! Summary of webhook configurations: where each webhook is, when it is called, and what happens if it does not answer.

use serde_json::Value;

use super::general::{MOST, cut};
use crate::field::Fields;
use crate::kinds::SERVICE;
use crate::link::Link;
use crate::section::{Cell, Sections, Tone, scalar};
use crate::subject::Subject;

pub(super) fn add(subject: &Subject<'_>, sections: &mut Sections) {
    let row = |webhook: &Value| {
        let policy = match webhook.text("failurePolicy") {
            // The default of admissionregistration.k8s.io/v1.
            "" => "Fail",
            policy => policy,
        };
        vec![
            Cell::text(cut(webhook.text("name"))),
            server(webhook),
            Cell::text(cut(&rules(webhook))),
            Cell::text(cut(policy)).with_tone((policy == "Ignore").then_some(Tone::Idle)),
            Cell::text(format!("{} s", webhook.number("timeoutSeconds").unwrap_or(10))),
        ]
    };
    let rows = subject.object.list("webhooks").iter().take(MOST).map(row).collect();
    sections.table("Webhooks", &["Webhook", "Service", "Rules", "On failure", "Timeout"], rows);
}

/// The service of a webhook, or its URL.
fn server(webhook: &Value) -> Cell {
    let service = webhook.at("clientConfig.service");
    let (namespace, name) = (service.text("namespace"), service.text("name"));
    if name.is_empty() {
        return Cell::text(cut(webhook.text("clientConfig.url")));
    }
    let port = service.number("port").unwrap_or(443);
    let text = format!("{namespace}/{name}:{port}{}", service.text("path"));
    Cell { text: cut(&text), ..Cell::link(Link::to(SERVICE, namespace, name)) }
}

/// Its rules in words: `CREATE, UPDATE of pods; CREATE of deployments in apps`.
fn rules(webhook: &Value) -> String {
    let rule = |rule: &Value| {
        let all = |path: &str, star: &str| {
            let words = rule.list(path).iter().take(50).map(scalar);
            words.map(|word| if word == "*" { star.to_owned() } else { word }).collect::<Vec<_>>().join(", ")
        };
        let groups = all("apiGroups", "all API groups");
        let groups = if groups.is_empty() { String::new() } else { format!(" in {groups}") };
        let scope = match rule.text("scope") {
            "" | "*" => String::new(),
            scope => format!(" ({scope})"),
        };
        format!("{} of {}{groups}{scope}", all("operations", "any request"), all("resources", "all resources"))
    };
    webhook.list("rules").iter().take(MOST).map(rule).collect::<Vec<_>>().join("; ")
}
