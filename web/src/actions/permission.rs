//! Permission for an action, from the server's access reviews, which the package caches.

use std::collections::{BTreeSet, HashMap};

use informer::ResourceInfo;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::request::Target;
use super::rights::Right;
use super::subject::Subject;
use super::table::{Action, Item};
use crate::client::failure::Failure;
use crate::client::{Factory, requests};

/// Result of an access review. Without a result the action is offered, and the server decides about the request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Permission {
    Allowed,
    /// Denied, with the reason.
    Denied(String),
}

/// Permissions of a menu, of the objects that it was last opened for. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Permissions {
    results: RwSignal<HashMap<Action, Permission>>,
    /// Number of times that the menu was opened. Results for an earlier opening are dropped.
    generation: StoredValue<u32>,
}

impl Permissions {
    pub(super) fn new() -> Self {
        Self { results: RwSignal::new(HashMap::new()), generation: StoredValue::new(0) }
    }

    /// Clears all results, because the menu opens for other objects.
    pub(super) fn clear(self) {
        self.results.update(HashMap::clear);
        self.generation.update_value(|generation| *generation += 1);
    }

    /// Returns the result for an action; none before its review has ended. Tracked.
    pub(super) fn of(self, action: Action) -> Option<Permission> {
        self.results.try_with(|results| results.get(&action).cloned()).flatten()
    }

    /// Returns the reason why an action is not allowed; none without a result, or once the menu is gone.
    pub(super) fn reason(self, action: Action) -> Option<String> {
        let denial = |results: &HashMap<Action, Permission>| match results.get(&action) {
            Some(Permission::Denied(reason)) => Some(reason.clone()),
            _ => None,
        };
        self.results.try_with(denial).flatten()
    }
}

/// Maximum number of reviews for one action.
const MAX_REVIEWS: usize = 16;

/// The targets of the access reviews, one of each namespace first: a right is usually one to a whole namespace, but may
/// be one to some names. `None` if there are too many for a denial to be certain.
fn review_targets(list: &[Subject], right: Right) -> Option<Vec<Target>> {
    let mut namespaces = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        list.iter().map(|subject| &subject.target).partition(|target| namespaces.insert(&target.namespace));
    let others = others.into_iter().filter(|_| right.by_name);
    let targets: Vec<_> = first.into_iter().chain(others).cloned().collect();
    (targets.len() <= MAX_REVIEWS).then_some(targets)
}

/// Requests the permission for an action on each object. The action is denied if one of its rights is denied for all of
/// them. A denial for some objects only, or for more of them than are reviewed, appears as the error of the request.
pub(super) fn request_permissions(factory: &Factory, list: &[Subject], item: Item, permissions: Permissions) {
    let rights: Vec<_> = item.rights.iter().filter_map(|right| Some((*right, review_targets(list, *right)?))).collect();
    // Without a review the server decides about the request.
    if rights.is_empty() {
        permissions.results.update(|results| drop(results.insert(item.action, Permission::Allowed)));
        return;
    }
    let (factory, generation) = (factory.clone(), permissions.generation.get_value());
    spawn_local(async move {
        let mut permission = Permission::Allowed;
        for (right, targets) in rights {
            for target in targets {
                permission = review(&factory, target, right).await;
                if permission == Permission::Allowed {
                    break;
                }
            }
            if permission != Permission::Allowed {
                break;
            }
        }
        if permissions.generation.try_get_value() == Some(generation) {
            permissions.results.try_update(|results| results.insert(item.action, permission));
        }
    });
}

async fn review(factory: &Factory, target: Target, right: Right) -> Permission {
    let Right { verb, resource, subresource, by_name } = right;
    let resource = resource.map_or(target.resource, str::to_owned);
    let mut options = serde_json::Map::new();
    options.extend(target.namespace.map(|namespace| ("namespace".to_owned(), Value::from(namespace))));
    options.extend(by_name.then(|| ("name".to_owned(), target.name.into())));
    options.extend(subresource.map(|subresource| ("subresource".to_owned(), subresource.into())));
    let what = subresource.map_or_else(|| resource.clone(), |subresource| format!("{resource}/{subresource}"));
    match requests::call(factory, "access", &[verb.into(), resource.into(), options.into()]).await {
        Ok(answer) if answer["allowed"] == false => {
            let reason = answer["reason"].as_str().unwrap_or_default();
            let sentence = format!("You may not {verb} {what}.");
            Permission::Denied(if reason.is_empty() { sentence } else { format!("{sentence} {reason}") })
        }
        Err(failure) if is_from_proxy(&failure) => Permission::Denied(READ_ONLY.to_owned()),
        _ => Permission::Allowed,
    }
}

/// Reason why no object of a resource can be created, in a namespace or without one; `None` if it can, or without an
/// answer.
pub(crate) async fn creation_denial(factory: &Factory, info: &ResourceInfo, namespace: Option<&str>) -> Option<String> {
    let resource = info.gvr().to_string();
    if !info.verbs.iter().any(|verb| verb == "create") {
        return Some(format!("The server creates no {resource}. Open the page of another kind to create its objects."));
    }
    let target = Target { resource, namespace: namespace.map(str::to_owned), name: String::new() };
    let right = Right { verb: "create", resource: None, subresource: None, by_name: false };
    match review(factory, target, right).await {
        Permission::Denied(reason) if reason == READ_ONLY => Some(reason),
        Permission::Denied(reason) => {
            Some(format!("{reason} Open the page of another kind, or of another namespace, to create objects there."))
        }
        Permission::Allowed => None,
    }
}

/// Reason why no action is allowed.
pub(crate) const READ_ONLY: &str = "Read only: the proxy rejects writes (READONLY=1, --read-only).";

/// Whether the proxy rejected a request, not the server, which gives a reason.
fn is_from_proxy(failure: &Failure) -> bool {
    failure.code == "forbidden" && failure.reason.is_empty()
}

/// Whether the proxy rejects all writes. An access review is one.
pub(crate) async fn is_read_only(factory: &Factory) -> bool {
    let review = ["create".into(), "v1/configmaps".into(), serde_json::json!({ "namespace": "default" })];
    requests::call(factory, "access", &review).await.is_err_and(|failure| is_from_proxy(&failure))
}
