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
    /// With the reason.
    Denied(String),
}

/// Permissions of a menu, of the objects that it was last opened for. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Permissions {
    known: RwSignal<HashMap<Action, Permission>>,
    /// Number of the opening. An answer for another one does not count.
    opening: StoredValue<u32>,
}

impl Permissions {
    pub(super) fn new() -> Self {
        Self { known: RwSignal::new(HashMap::new()), opening: StoredValue::new(0) }
    }

    /// Forgets everything: the menu opens for other objects.
    pub(super) fn clear(self) {
        self.known.update(HashMap::clear);
        self.opening.update_value(|opening| *opening += 1);
    }

    /// Returns the reason why an action is not allowed; none without a result, or once the menu is gone.
    pub(super) fn reason(self, action: Action) -> Option<String> {
        let of = |known: &HashMap<Action, Permission>| match known.get(&action) {
            Some(Permission::Denied(reason)) => Some(reason.clone()),
            _ => None,
        };
        self.known.try_with(of).flatten()
    }
}

/// Most reviews for one action.
const REVIEWS: usize = 16;

/// The targets to ask for, one of each namespace first: a right is usually one to a whole namespace, but may be one to
/// some names. `None` if there are too many for a denial to be certain.
fn asked(list: &[Subject], right: Right) -> Option<Vec<Target>> {
    let mut namespaces = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        list.iter().map(|subject| &subject.target).partition(|target| namespaces.insert(&target.namespace));
    let others = others.into_iter().filter(|_| right.named);
    let targets: Vec<_> = first.into_iter().chain(others).cloned().collect();
    (targets.len() <= REVIEWS).then_some(targets)
}

/// Requests the permission for an action on each object. The action is denied if one of its rights is denied for all of
/// them. A denial for some objects only, or for more of them than are asked for, appears as the error of the request.
pub(super) fn ask(factory: &Factory, list: &[Subject], item: Item, permissions: Permissions) {
    let rights: Vec<_> = item.rights.iter().filter_map(|right| Some((*right, asked(list, *right)?))).collect();
    if rights.is_empty() {
        return;
    }
    let (factory, opening) = (factory.clone(), permissions.opening.get_value());
    spawn_local(async move {
        let mut permission = Permission::Allowed;
        for (right, targets) in rights {
            for target in targets {
                permission = one(&factory, target, right).await;
                if permission == Permission::Allowed {
                    break;
                }
            }
            if permission != Permission::Allowed {
                break;
            }
        }
        if permissions.opening.try_get_value() == Some(opening) {
            permissions.known.try_update(|known| known.insert(item.action, permission));
        }
    });
}

async fn one(factory: &Factory, target: Target, right: Right) -> Permission {
    let Right { verb, resource, subresource, named } = right;
    let resource = resource.map_or(target.resource, str::to_owned);
    let mut options = serde_json::Map::new();
    options.extend(target.namespace.map(|namespace| ("namespace".to_owned(), Value::from(namespace))));
    options.extend(named.then(|| ("name".to_owned(), target.name.into())));
    options.extend(subresource.map(|subresource| ("subresource".to_owned(), subresource.into())));
    let what = subresource.map_or_else(|| resource.clone(), |subresource| format!("{resource}/{subresource}"));
    match requests::call(factory, "access", &[verb.into(), resource.into(), options.into()]).await {
        Ok(answer) if answer["allowed"] == false => {
            let reason = answer["reason"].as_str().unwrap_or_default();
            let sentence = format!("You may not {verb} {what}.");
            Permission::Denied(if reason.is_empty() { sentence } else { format!("{sentence} {reason}") })
        }
        Err(failure) if is_of_proxy(&failure) => Permission::Denied(READ_ONLY.to_owned()),
        _ => Permission::Allowed,
    }
}

/// Why no object of a resource can be created, in a namespace or without one; none if it can, or without an answer.
pub(crate) async fn creation(factory: &Factory, info: &ResourceInfo, namespace: Option<&str>) -> Option<String> {
    let resource = info.gvr().to_string();
    if !info.verbs.iter().any(|verb| verb == "create") {
        return Some(format!("The server creates no {resource}. Open the page of another kind to create its objects."));
    }
    let target = Target { resource, namespace: namespace.map(str::to_owned), name: String::new() };
    let right = Right { verb: "create", resource: None, subresource: None, named: false };
    match one(factory, target, right).await {
        Permission::Denied(reason) if reason == READ_ONLY => Some(reason),
        Permission::Denied(reason) => {
            Some(format!("{reason} Open the page of another kind, or of another namespace, to create objects there."))
        }
        Permission::Allowed => None,
    }
}

/// Reason why no action is allowed.
pub(crate) const READ_ONLY: &str = "Read only: the proxy rejects writes (READONLY=1).";

/// Whether the proxy rejected a request, not the server, which gives a reason.
fn is_of_proxy(failure: &Failure) -> bool {
    failure.code == "forbidden" && failure.reason.is_empty()
}

/// Whether the proxy rejects all writes. An access review is one.
pub(crate) async fn is_read_only(factory: &Factory) -> bool {
    let review = ["create".into(), "v1/configmaps".into(), serde_json::json!({ "namespace": "default" })];
    requests::call(factory, "access", &review).await.is_err_and(|failure| is_of_proxy(&failure))
}
