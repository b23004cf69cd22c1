//! RBAC of impersonated users: `kubectl --as` and the `Impersonate-User` header.
//!
//! Without impersonation, `access` determines the permissions. An impersonated user has those of the bound roles and
//! cluster roles, as in the real server. A test therefore sets a user's permissions with ordinary objects.

use axum::http::HeaderMap;
use serde_json::Value;

use crate::access::Attributes;
use crate::object::object_key;
use crate::store::Store;

const GROUP: &str = "rbac.authorization.k8s.io";
/// Group of all authenticated users.
const AUTHENTICATED: &str = "system:authenticated";

/// Impersonated user.
#[derive(Debug)]
pub(crate) struct Impersonated {
    pub(crate) user: String,
    groups: Vec<String>,
}

/// Rule of a role that is bound to a user, with its origin.
pub(crate) struct Grant {
    pub(crate) rule: Value,
    /// Reason, as the real server words it in a review: `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`.
    pub(crate) reason: String,
}

impl Impersonated {
    /// Returns the user that the headers name.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let user = headers.get("impersonate-user").map(text)?;
        let mut groups: Vec<String> = headers.get_all("impersonate-group").iter().map(text).collect();
        groups.push(AUTHENTICATED.to_owned());
        Some(Self { user, groups })
    }

    /// Whether the user may do everything.
    pub(crate) fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == "system:masters")
    }

    /// Returns the grant, cluster-wide or in the namespace, that allows a request.
    pub(crate) fn grant(&self, store: &Store, attributes: &Attributes) -> Option<Grant> {
        self.grants(store, attributes.namespace).into_iter().find(|grant| allows(&grant.rule, attributes))
    }

    /// Returns all grants in a namespace, cluster-wide ones first.
    pub(crate) fn grants(&self, store: &Store, namespace: &str) -> Vec<Grant> {
        let mut grants = self.grants_of_bindings(store, "clusterrolebindings", "");
        if !namespace.is_empty() {
            grants.extend(self.grants_of_bindings(store, "rolebindings", namespace));
        }
        grants
    }

    fn grants_of_bindings(&self, store: &Store, plural: &str, namespace: &str) -> Vec<Grant> {
        let bindings = store.snapshot(&format!("{plural}.{GROUP}"), None).map(|(bindings, _)| bindings);
        let bindings = bindings.unwrap_or_default().into_values().filter(|binding| binding.namespace == namespace);
        let mut grants = Vec::new();
        for binding in bindings.map(|binding| binding.value()) {
            let subjects = binding["subjects"].as_array().into_iter().flatten();
            let Some(subject) = subjects.into_iter().find(|subject| self.is_subject(subject)) else { continue };
            let reason = reason(&binding, subject, namespace);
            let rules = rules(store, &binding["roleRef"], namespace);
            grants.extend(rules.into_iter().map(|rule| Grant { rule, reason: reason.clone() }));
        }
        grants
    }

    fn is_subject(&self, subject: &Value) -> bool {
        let name = text(&subject["name"]);
        match subject["kind"].as_str() {
            Some("User") => name == self.user,
            Some("Group") => self.groups.iter().any(|group| group == name),
            Some("ServiceAccount") => {
                self.user == format!("system:serviceaccount:{}:{name}", text(&subject["namespace"]))
            }
            _ => false,
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn reason(binding: &Value, subject: &Value, namespace: &str) -> String {
    let (role, name) = (&binding["roleRef"], text(&binding["metadata"]["name"]));
    let role = format!("{} \"{}\"", text(&role["kind"]), text(&role["name"]));
    let (binding, name) = if namespace.is_empty() {
        ("ClusterRoleBinding", name.to_owned())
    } else {
        ("RoleBinding", format!("{name}/{namespace}"))
    };
    let subject = match text(&subject["kind"]) {
        "ServiceAccount" => {
            format!("ServiceAccount \"{}/{}\"", text(&subject["name"]), text(&subject["namespace"]))
        }
        kind => format!("{kind} \"{}\"", text(&subject["name"])),
    };
    format!("{binding} \"{name}\" of {role} to {subject}")
}

/// Returns the rules of a referenced role.
fn rules(store: &Store, reference: &Value, namespace: &str) -> Vec<Value> {
    let (plural, namespace) =
        if reference["kind"] == "ClusterRole" { ("clusterroles", "") } else { ("roles", namespace) };
    let key = object_key(namespace, text(&reference["name"]));
    let role = store.find(&format!("{plural}.{GROUP}"), &key);
    role.and_then(|role| role.value()["rules"].as_array().cloned()).unwrap_or_default()
}

fn allows(rule: &Value, attributes: &Attributes) -> bool {
    let names = rule["resourceNames"].as_array().filter(|names| !names.is_empty());
    contains(&rule["verbs"], attributes.verb)
        && contains(&rule["apiGroups"], attributes.group)
        && contains_resource(&rule["resources"], &attributes.resource)
        && names.is_none_or(|names| names.iter().any(|known| known == attributes.name))
}

/// Whether a rule allows a verb on a non-resource path.
pub(crate) fn allows_path(rule: &Value, verb: &str, path: &str) -> bool {
    let covers = |known: &Value| match text(known).strip_suffix('*') {
        Some(prefix) => path.starts_with(prefix),
        None => text(known) == path,
    };
    contains(&rule["verbs"], verb) && rule["nonResourceURLs"].as_array().into_iter().flatten().any(covers)
}

fn contains(list: &Value, item: &str) -> bool {
    list.as_array().into_iter().flatten().any(|known| known == "*" || known == item)
}

/// `*/scale` matches the scale of every resource.
fn contains_resource(list: &Value, resource: &str) -> bool {
    contains(list, resource)
        || resource.split_once('/').is_some_and(|(_, subresource)| {
            list.as_array().into_iter().flatten().any(|known| text(known).strip_prefix("*/") == Some(subresource))
        })
}
