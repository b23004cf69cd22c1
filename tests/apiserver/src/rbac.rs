//! RBAC of impersonated users: `kubectl --as` and the `Impersonate-User` header.
//!
//! Who comes as himself may do what `access` says. Who is impersonated may do what the roles and cluster roles bound to
//! him allow, as with the real server; so a test can try on somebody's rights with ordinary objects.

use axum::http::HeaderMap;
use serde_json::Value;

use crate::access::Attributes;
use crate::object::object_key;
use crate::store::Store;

const GROUP: &str = "rbac.authorization.k8s.io";
/// A group that everybody is in who is somebody.
const AUTHENTICATED: &str = "system:authenticated";

/// Somebody who is impersonated.
pub(crate) struct Impersonated {
    pub(crate) user: String,
    groups: Vec<String>,
}

impl Impersonated {
    /// The one whom the headers name.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let user = headers.get("impersonate-user").map(text)?;
        let mut groups: Vec<String> = headers.get_all("impersonate-group").iter().map(text).collect();
        groups.push(AUTHENTICATED.to_owned());
        Some(Self { user, groups })
    }

    /// Whether a binding, of the cluster or of the namespace, allows what is asked.
    pub(crate) fn may(&self, store: &Store, asked: &Attributes, name: Option<&str>) -> bool {
        if self.groups.iter().any(|group| group == "system:masters") {
            return true;
        }
        let bound = |plural: &str, namespace: &str| {
            let bindings = store.snapshot(&format!("{plural}.{GROUP}"), None).map(|(bindings, _)| bindings);
            let bindings = bindings.unwrap_or_default().into_values().filter(|binding| binding.namespace == namespace);
            bindings
                .map(|binding| binding.value())
                .any(|binding| self.is_subject(&binding) && role(store, &binding["roleRef"], namespace, asked, name))
        };
        bound("clusterrolebindings", "") || (!asked.namespace.is_empty() && bound("rolebindings", asked.namespace))
    }

    fn is_subject(&self, binding: &Value) -> bool {
        binding["subjects"].as_array().into_iter().flatten().any(|subject| {
            let name = subject["name"].as_str().unwrap_or_default();
            match subject["kind"].as_str() {
                Some("User") => name == self.user,
                Some("Group") => self.groups.iter().any(|group| group == name),
                Some("ServiceAccount") => {
                    let namespace = subject["namespace"].as_str().unwrap_or_default();
                    self.user == format!("system:serviceaccount:{namespace}:{name}")
                }
                _ => false,
            }
        })
    }
}

/// Whether the role that is referred to allows it.
fn role(store: &Store, reference: &Value, namespace: &str, asked: &Attributes, name: Option<&str>) -> bool {
    let (plural, namespace) =
        if reference["kind"] == "ClusterRole" { ("clusterroles", "") } else { ("roles", namespace) };
    let key = object_key(namespace, reference["name"].as_str().unwrap_or_default());
    let Some(role) = store.find(&format!("{plural}.{GROUP}"), &key) else { return false };
    let role = role.value();
    role["rules"].as_array().into_iter().flatten().any(|rule| {
        let names = rule["resourceNames"].as_array().filter(|names| !names.is_empty());
        holds(&rule["verbs"], asked.verb)
            && holds(&rule["apiGroups"], asked.group)
            && holds(&rule["resources"], &asked.resource)
            && names.is_none_or(|names| names.iter().any(|known| name.is_some_and(|name| known == name)))
    })
}

fn holds(list: &Value, item: &str) -> bool {
    list.as_array().into_iter().flatten().any(|known| known == "*" || known == item)
}
