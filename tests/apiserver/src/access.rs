//! Access control: bearer tokens and a list of rules, simple enough for a test to write down.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, Method, header};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::query::Query;
use crate::status::Status;

/// Everything the server knows about permissions. The default lets everybody do everything.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Access {
    /// Users by bearer token. Once there is one, a request without a known token is answered 401.
    pub tokens: BTreeMap<String, String>,
    /// The rules. A user whom no rule grants anything may do everything that no rule denies.
    pub rules: Vec<AccessRule>,
}

/// One rule. An empty list stands for all.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessRule {
    /// Denies instead of granting; this wins over every grant.
    pub deny: bool,
    /// Users it is about.
    pub users: Vec<String>,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verbs: Vec<String>,
    /// API groups; the core group is the empty string.
    pub groups: Vec<String>,
    /// Resources such as `pods` or `pods/log`.
    pub resources: Vec<String>,
    /// Namespaces; a request across all of them, or for something outside of any, has the empty string.
    pub namespaces: Vec<String>,
}

/// The user when there are no tokens.
const NOBODY_ASKED: &str = "admin";

/// What a request wants to do.
pub(crate) struct Attributes<'a> {
    user: &'a str,
    pub(crate) verb: &'static str,
    pub(crate) group: &'a str,
    /// With its subresource: `pods/log`.
    pub(crate) resource: String,
    pub(crate) namespace: &'a str,
}

impl Access {
    /// The user behind a request, or the 401.
    pub(crate) fn user(&self, headers: &HeaderMap) -> Result<&str, Status> {
        if self.tokens.is_empty() {
            return Ok(NOBODY_ASKED);
        }
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = given.strip_prefix("Bearer ").map(str::trim).unwrap_or_default();
        self.tokens.get(token).map(String::as_str).ok_or_else(Status::unauthorized)
    }

    /// Lets a request pass, or says 403.
    pub(crate) fn check(&self, user: &str, method: &Method, address: &Address, query: &Query) -> Result<(), Status> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let asked = Attributes::of(user, method, address, query);
        if self.allows(&asked) { Ok(()) } else { Err(asked.forbidden(address)) }
    }

    fn allows(&self, asked: &Attributes) -> bool {
        if self.rules.iter().any(|rule| rule.deny && rule.covers(asked)) {
            return false;
        }
        let mut granted = self.rules.iter().filter(|rule| !rule.deny && holds(&rule.users, asked.user)).peekable();
        granted.peek().is_none() || granted.any(|rule| rule.covers(asked))
    }
}

fn holds(list: &[String], item: &str) -> bool {
    list.is_empty() || list.iter().any(|known| known == item || known == "*")
}

impl AccessRule {
    fn covers(&self, asked: &Attributes) -> bool {
        holds(&self.users, asked.user)
            && holds(&self.verbs, asked.verb)
            && holds(&self.groups, asked.group)
            && holds(&self.resources, &asked.resource)
            && holds(&self.namespaces, asked.namespace)
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
    pub(crate) fn of(user: &'a str, method: &Method, address: &'a Address, query: &Query) -> Self {
        let subresource = address.subresource.as_ref().map(|name| format!("/{name}")).unwrap_or_default();
        let core_namespace = address.group.is_empty() && address.resource == "namespaces";
        let namespace = if core_namespace { address.name.as_deref() } else { Some(address.namespace.as_str()) };
        Self {
            user,
            verb: verb(method, address, query),
            group: &address.group,
            resource: format!("{}{subresource}", address.resource),
            namespace: namespace.unwrap_or_default(),
        }
    }

    /// The 403.
    pub(crate) fn forbidden(&self, address: &Address) -> Status {
        let scope = if self.namespace.is_empty() {
            "at the cluster scope".to_owned()
        } else {
            format!("in the namespace \"{}\"", self.namespace)
        };
        let why = format!(
            "User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {scope}",
            self.user, self.verb, self.resource, self.group
        );
        Status::forbidden(self.group, &address.resource, address.name.as_deref().unwrap_or_default(), &why)
    }
}
