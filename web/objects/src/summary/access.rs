//! Summaries of roles and bindings, in words.

use serde_json::Value;

use super::general::{MOST, cut};
use crate::field::Fields;
use crate::kinds::{CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING, SERVICE_ACCOUNT};
use crate::link::Link;
use crate::need::{By, Need};
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::subject::Subject;

fn list(values: &[Value]) -> Vec<String> {
    values.iter().take(50).map(scalar).collect()
}

/// A rule in words: `get, list and watch pods and services`.
fn sentence(rule: &Value) -> String {
    let verbs = list(rule.list("verbs"));
    let may = if verbs.iter().any(|verb| verb == "*") { "do anything with".to_owned() } else { joined(&verbs) };
    let urls = list(rule.list("nonResourceURLs"));
    if !urls.is_empty() {
        return format!("{may} the paths {}", joined(&urls));
    }
    let groups = list(rule.list("apiGroups"));
    let group = match groups.as_slice() {
        [one] if one == "*" => " of all API groups".to_owned(),
        [one] if one.is_empty() => String::new(),
        [] => String::new(),
        groups => {
            let named: Vec<String> =
                groups.iter().map(|group| if group.is_empty() { "core".to_owned() } else { group.clone() }).collect();
            format!(" of {}", joined(&named))
        }
    };
    let resources = list(rule.list("resources"));
    let resources =
        if resources.iter().any(|resource| resource == "*") { "all resources".to_owned() } else { joined(&resources) };
    let names = list(rule.list("resourceNames"));
    let names = if names.is_empty() { String::new() } else { format!(", only {}", joined(&names)) };
    format!("{may} {resources}{group}{names}")
}

/// `a`, `a and b`, `a, b and c`.
fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Whether a rule grants all rights to all resources.
fn gives_all(rule: &Value) -> bool {
    let has = |path: &str| rule.list(path).iter().any(|value| value.as_str() == Some("*"));
    has("verbs") && has("resources") && has("apiGroups")
}

/// The rules of a role as facts.
fn rules(role: &Value, title: &str, sections: &mut Sections) {
    let mut facts = Facts::default();
    let cell = |rule: &Value| Cell::text(cut(&sentence(rule))).with_tone(gives_all(rule).then_some(Tone::Warn));
    facts.cells("May", role.list("rules").iter().take(MOST).map(cell));
    let aggregated = role.list("aggregationRule.clusterRoleSelectors").iter().take(MOST);
    let selectors =
        aggregated.filter_map(crate::selector::selector).map(|selector| Cell::text(cut(&selector.to_string())));
    facts.cells("Aggregates roles with", selectors);
    sections.facts(title, facts);
}

pub(super) fn role(subject: &Subject<'_>, sections: &mut Sections) {
    let role = subject.object;
    rules(role, "Permissions", sections);
    let value = crate::edge::reference_value(&Link::of(role));
    let by = |kind, namespace: &str| Need::new(kind, namespace, By::References(value.clone()));
    let mut needs = vec![by(ROLE_BINDING, role.namespace())];
    if CLUSTER_ROLE.is_of(role) {
        needs.push(by(CLUSTER_ROLE_BINDING, ""));
    }
    let bindings = needs.iter().flat_map(|need| subject.found(need));
    let row = |binding: &Value| {
        let subjects = binding.list("subjects").iter().take(20).map(subject_text).collect::<Vec<_>>();
        let scope = if binding.namespace().is_empty() {
            "the whole cluster".to_owned()
        } else {
            format!("namespace {}", binding.namespace())
        };
        vec![Cell::kind_link(Link::of(binding)), Cell::text(cut(&joined(&subjects))), Cell::text(scope)]
    };
    sections.table("Granted to", &["Binding", "Subjects", "In"], bindings.take(MOST).map(row).collect());
}

fn subject_text(subject: &Value) -> String {
    let kind = match subject.text("kind") {
        "ServiceAccount" => "service account",
        "User" => "user",
        "Group" => "group",
        kind => kind,
    };
    let namespace = subject.text("namespace");
    let within = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
    format!("{kind} {within}{}", subject.text("name"))
}

pub(super) fn binding(subject: &Subject<'_>, sections: &mut Sections) {
    let binding = subject.object;
    let mut facts = Facts::default();
    let named = binding.at("roleRef");
    let (kind, namespace) = if named.text("kind") == "Role" { (ROLE, binding.namespace()) } else { (CLUSTER_ROLE, "") };
    let link = Link::to(kind, namespace, named.text("name"));
    facts.cell("Role", Cell::kind_link(link.clone()));
    let scope = if binding.namespace().is_empty() {
        "the whole cluster".to_owned()
    } else {
        format!("namespace {}", binding.namespace())
    };
    facts.text("In", scope);
    let subjects = binding.list("subjects").iter().take(MOST).map(|subject| {
        let cell = Cell::text(cut(&subject_text(subject)));
        if subject.text("kind") == "ServiceAccount" {
            let namespace =
                if subject.text("namespace").is_empty() { binding.namespace() } else { subject.text("namespace") };
            Cell { link: Some(Link::to(SERVICE_ACCOUNT, namespace, subject.text("name"))), ..cell }
        } else {
            cell
        }
    });
    facts.cells("Granted to", subjects);
    sections.facts("Binding", facts);
    if let Some(role) = subject.one(&Need::link(&link)) {
        rules(role, "Permissions of the role", sections);
    } else if subject.is_absent(&Need::link(&link)) {
        let mut facts = Facts::default();
        facts.cell("Role", Cell::toned("does not exist: the binding grants nothing", Tone::Warn));
        sections.facts("Permissions of the role", facts);
    }
}
