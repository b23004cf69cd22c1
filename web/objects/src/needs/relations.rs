//! Needs of the relations alone: what a custom object owns, owners of owners, events of dependents, and further referrers.

use serde_json::Value;

use super::of_kind::used_by;
use super::{MOST, Needs, needs};
use crate::edge::{around, dependents, owner_references, reference_value};
use crate::field::Fields;
use crate::kinds::{
    API_SERVICE, CLAIM, CONFIG_MAP, CRON_JOB, DAEMON_SET, DEPLOYMENT, GATEWAY, GATEWAY_CLASS, GRPC_ROUTE, HTTP_ROUTE,
    INGRESS, JOB, Kind, MUTATING_WEBHOOKS, NODE, POD, PRIORITY_CLASS, REPLICA_SET, RUNTIME_CLASS, SECRET, SERVICE,
    STATEFUL_SET, VALIDATING_WEBHOOKS, VOLUME, VOLUME_ATTACHMENT, is_custom,
};
use crate::link::Link;
use crate::need::{By, Need};
use crate::selector::selector;
use crate::subject::Subject;

/// Kinds of which a custom object may own objects, those that other objects own first.
const OWNED: [Kind; 12] = [
    DEPLOYMENT,
    STATEFUL_SET,
    DAEMON_SET,
    CRON_JOB,
    JOB,
    REPLICA_SET,
    POD,
    SERVICE,
    INGRESS,
    CLAIM,
    CONFIG_MAP,
    SECRET,
];

/// Kinds of these that a cluster-scoped object is not expected to own itself: clusters have very many of them.
const MANY: [Kind; 3] = [JOB, REPLICA_SET, POD];

/// Returns the other objects that the relations of an object read, those of [`needs`] first.
///
/// For a custom object, these are objects of some kinds in its namespace, or in all namespaces if it has none: the usual ones, and
/// the `siblings`, which are the kinds of its API group.
pub fn needs_of_relations(subject: &Subject<'_>, siblings: &[&str]) -> Vec<Need> {
    let object = subject.object;
    let mut needs = Needs(needs(subject));
    let around = around(subject);
    for (owner, namespace) in owner_references(object, &around) {
        needs.link(&Link::of_reference(owner, namespace));
    }
    let dependents: Vec<&Value> = dependents(object, &around).into_iter().map(|(.., dependent)| dependent).collect();
    if is_custom(object.group()) {
        owned(object, &dependents, siblings, &mut needs);
    }
    if CRON_JOB.is_of(object) {
        let jobs = dependents.iter().filter(|dependent| JOB.is_of(dependent));
        needs.add(Need::new(POD, object.namespace(), By::Owners(uids(jobs.copied()))));
    }
    needs.events_of(dependents);
    referrers(object, &mut needs);
    needs.0
}

/// What a custom object owns, and what these own.
fn owned(object: &Value, dependents: &[&Value], siblings: &[&str], needs: &mut Needs) {
    let is_leaf = |object: &Value| [POD, CLAIM, CONFIG_MAP, SECRET].iter().any(|kind| kind.is_of(object));
    let owners = dependents.iter().copied().filter(|dependent| !is_leaf(dependent));
    let owners = By::Owners(uids(std::iter::once(object).chain(owners)));
    let namespace = object.namespace();
    let kinds = OWNED.iter().filter(|kind| !namespace.is_empty() || !MANY.contains(kind));
    needs.all(kinds.map(|kind| Need::new(*kind, namespace, owners.clone())));
    needs.all(siblings.iter().take(MOST).map(|kind| Need {
        group: object.group().to_owned(),
        kind: (*kind).to_owned(),
        namespace: namespace.to_owned(),
        by: owners.clone(),
    }));
}

/// The uids of objects, each once.
fn uids<'a>(objects: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let uids = objects.map(Fields::uid).filter(|uid| !uid.is_empty() && seen.insert(*uid));
    uids.take(MOST).map(str::to_owned).collect()
}

/// Objects that refer to it, beside those that its summary shows.
fn referrers(object: &Value, needs: &mut Needs) {
    let mut from_cluster = |kinds: &[Kind]| {
        let value = reference_value(&Link::of(object));
        needs.all(kinds.iter().map(|kind| Need::new(*kind, "", By::References(value.clone()))));
    };
    if object.name().is_empty() {
    } else if SERVICE.is_of(object) {
        from_cluster(&[VALIDATING_WEBHOOKS, MUTATING_WEBHOOKS, API_SERVICE]);
        // A route of another namespace may name it, too.
        from_cluster(&[HTTP_ROUTE, GRPC_ROUTE]);
    } else if VOLUME.is_of(object) {
        from_cluster(&[VOLUME_ATTACHMENT]);
    } else if GATEWAY.is_of(object) {
        from_cluster(&[HTTP_ROUTE, GRPC_ROUTE]);
    } else if GATEWAY_CLASS.is_of(object) {
        from_cluster(&[GATEWAY]);
    } else if NODE.is_of(object) {
        from_cluster(&[VOLUME_ATTACHMENT]);
    } else if PRIORITY_CLASS.is_of(object) || RUNTIME_CLASS.is_of(object) {
        from_cluster(&[POD, DEPLOYMENT, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB]);
    } else if CLAIM.is_of(object) {
        used_by(object, &[DEPLOYMENT, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB], needs);
        // A claim of a template is named in no field of its set.
        if object.name().ends_with(|digit: char| digit.is_ascii_digit()) {
            needs.add(Need::all(STATEFUL_SET, object.namespace()));
        }
    } else if STATEFUL_SET.is_of(object) && !object.list("spec.volumeClaimTemplates").is_empty() {
        // Claims of templates have the labels of the selector.
        needs.all(
            selector(object.at("spec.selector"))
                .map(|selector| Need::new(CLAIM, object.namespace(), By::Labels(selector))),
        );
    }
}
