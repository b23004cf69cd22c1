//! Access control: bearer tokens and a list of rules, simple enough for a test to write down.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, Method, header};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::query::Query;
use crate::status::Status;

/// Permissions of all users. By default every user may do everything.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Access {
    /// Users by bearer token. If there are any, a request without a known token is answered by 401.
    pub tokens: BTreeMap<String, String>,
    /// Rules. A user without a granting rule may do everything that no rule denies.
    pub rules: Vec<AccessRule>,
}

/// Access rule. An empty list matches everything.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessRule {
    /// Denies instead of granting; a denial overrides every grant.
    pub deny: bool,
    /// Users that it applies to.
    pub users: Vec<String>,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verbs: Vec<String>,
    /// API groups; the core group is the empty string.
    pub groups: Vec<String>,
    /// Resources such as `pods` or `pods/log`.
    pub resources: Vec<String>,
    /// Namespaces; the empty string is a cluster-wide request.
    pub namespaces: Vec<String>,
}

/// User name when there are no tokens.
const DEFAULT_USER: &str = "admin";

/// Attributes of a request, as in Kubernetes' authorization.
#[derive(Debug, Clone)]
pub(crate) struct Attributes<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    /// Resource with its subresource: `pods/log`.
    pub(crate) resource: String,
    pub(crate) namespace: &'a str,
    /// Name of the object; empty for a collection.
    pub(crate) name: &'a str,
}

impl Access {
    /// Returns the user of a request, or the 401.
    pub(crate) fn user(&self, headers: &HeaderMap) -> Result<&str, Status> {
        if self.tokens.is_empty() {
            return Ok(DEFAULT_USER);
        }
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = given.strip_prefix("Bearer ").map(str::trim).unwrap_or_default();
        self.tokens.get(token).map(String::as_str).ok_or_else(Status::unauthorized)
    }

    /// Whether a user may perform a request.
    pub(crate) fn allows(&self, user: &str, attributes: &Attributes) -> bool {
        if self.rules.iter().any(|rule| rule.deny && rule.covers(user, attributes)) {
            return false;
        }
        let mut rules = self.granting_rules(user).peekable();
        rules.peek().is_none() || rules.any(|rule| rule.covers(user, attributes))
    }

    /// Returns the rules that grant a user anything.
    pub(crate) fn granting_rules(&self, user: &str) -> impl Iterator<Item = &AccessRule> {
        self.rules.iter().filter(move |rule| !rule.deny && contains(&rule.users, user))
    }

    /// Whether a rule denies a user anything.
    pub(crate) fn denies(&self, user: &str) -> bool {
        self.rules.iter().any(|rule| rule.deny && contains(&rule.users, user))
    }
}

fn contains(list: &[String], item: &str) -> bool {
    list.is_empty() || list.iter().any(|known| known == item || known == "*")
}

impl AccessRule {
    /// Whether it applies to a namespace.
    pub(crate) fn is_in(&self, namespace: &str) -> bool {
        contains(&self.namespaces, namespace)
    }

    fn covers(&self, user: &str, attributes: &Attributes) -> bool {
        contains(&self.users, user)
            && contains(&self.verbs, attributes.verb)
            && contains(&self.groups, attributes.group)
            && contains(&self.resources, &attributes.resource)
            && self.is_in(attributes.namespace)
    }
}

fn verb(method: &Method, address: &Address, query: &Query) -> &'static str {
    match (method.as_str(), &address.name) {
        ("GET" | "HEAD", _) if query.flag("watch") => "watch",
        ("GET" | "HEAD", Some(_)) => "get",
        ("GET" | "HEAD", None) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", Some(_)) => "delete",
        ("DELETE", None) => "deletecollection",
        _ => "",
    }
}

impl<'a> Attributes<'a> {
    pub(crate) fn of(method: &Method, address: &'a Address, query: &Query) -> Self {
        let subresource = address.subresource.as_ref().map(|name| format!("/{name}")).unwrap_or_default();
        let core_namespace = address.group.is_empty() && address.resource == "namespaces";
        let namespace = if core_namespace { address.name.as_deref() } else { Some(address.namespace.as_str()) };
        Self {
            verb: verb(method, address, query),
            group: &address.group,
            resource: format!("{}{subresource}", address.resource),
            namespace: namespace.unwrap_or_default(),
            name: address.name.as_deref().unwrap_or_default(),
        }
    }

    /// Returns the 403.
    pub(crate) fn forbidden(&self, user: &str) -> Status {
        let scope = if self.namespace.is_empty() {
            "at the cluster scope".to_owned()
        } else {
            format!("in the namespace \"{}\"", self.namespace)
        };
        let why = format!(
            "User \"{user}\" cannot {} resource \"{}\" in API group \"{}\" {scope}",
            self.verb, self.resource, self.group
        );
        let resource = self.resource.split('/').next().unwrap_or_default();
        Status::forbidden(self.group, resource, self.name, &why)
    }
}
