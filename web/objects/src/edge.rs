//! Edges: relations of an object to others: owners, references, selectors, and the reverse of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use informer_references::{Root, Tree, references};
use serde_json::Value;

use crate::field::Fields;
use crate::kinds::{
    CLAIM, DAEMON_SET, DEPLOYMENT, DISRUPTION_BUDGET, JOB, Kind, NETWORK_POLICY, NODE, POD, REPLICA_SET, SERVICE,
    STATEFUL_SET,
};
use crate::link::Link;
use crate::selector::{labels_selector, selector, selects};
use crate::subject::Subject;

/// Relation of another object to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// It owns the object, or owns an owner.
    Owner,
    /// The object owns it, or owns its owner.
    Owned,
    /// The object runs on it: a node.
    RunsOn,
    /// It runs on the object, which is a node.
    Runs,
    /// The object names it.
    Uses,
    /// It names the object.
    UsedBy,
    /// The object's selector selects it.
    Selects,
    /// Its selector selects the object.
    SelectedBy,
}

/// A relation of the object to another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Relation of the other object to it.
    pub relation: Relation,
    /// Distance: 1 for direct dependents, 2 for their dependents.
    pub depth: usize,
    /// The object between, of an owner's owner and of what an owned object owns; none at depth 1.
    pub via: Option<Link>,
    /// The other object. It need not exist, if the object names it.
    pub to: Link,
    /// Role of the reference: `volume data`, `service account`. Empty for owners and selectors.
    pub role: String,
}

/// Returns the relations of an object to the objects of its answers and of its references, each once.
///
/// Order: owners, dependents, node, referenced objects, referring objects, selected objects, selecting objects. Events are
/// omitted: they are listed with their messages.
pub fn edges(subject: &Subject<'_>) -> Vec<Edge> {
    let object = subject.object;
    let around: Vec<&Value> = around(subject);
    let mut edges = Vec::new();
    owners(object, &around, &mut edges);
    owned(object, &around, &mut edges);
    let node = object.text("spec.nodeName");
    if POD.is_of(object) && !node.is_empty() {
        push(&mut edges, Relation::RunsOn, Link::to(NODE, "", node), "");
    }
    named_by(object, |link, role| push(&mut edges, Relation::Uses, link, &role));
    let own = Link::of(object);
    for other in around {
        if NODE.is_of(object) && POD.is_of(other) && other.text("spec.nodeName") == object.name() {
            push(&mut edges, Relation::Runs, Link::of(other), "");
        }
        named_by(other, |link, role| {
            // A reference may omit the group of its kind.
            let is_own = link.kind == own.kind && link.namespace == own.namespace && link.name == own.name;
            if is_own && (link.group.is_empty() || link.group == own.group) {
                push(&mut edges, Relation::UsedBy, Link::of(other), &role);
            }
        });
        if let Some(template) = template_of_claim(object, other) {
            push(&mut edges, Relation::Uses, Link::of(other), &format!("claim template {template}"));
        }
        if let Some(template) = template_of_claim(other, object) {
            push(&mut edges, Relation::UsedBy, Link::of(other), &format!("claim template {template}"));
        }
        if POD.is_of(other) && selects_pods(object, other.namespace(), other) {
            push(&mut edges, Relation::Selects, Link::of(other), "");
        }
        if template_of(object).is_some_and(|pods| selects_pods(other, object.namespace(), pods)) {
            push(&mut edges, Relation::SelectedBy, Link::of(other), "");
        }
    }
    // By relation, in the order in which they were found; each once.
    let mut seen = BTreeSet::new();
    edges.retain(|edge| seen.insert(edge.clone()));
    edges.sort_by_key(|edge| (edge.relation, edge.depth));
    edges
}

/// Most owners of an object that are followed; objects have one or two.
const MAX_OWNERS: usize = 50;

/// Most levels of owners or of dependents.
const MAX_LEVELS: usize = 8;

fn push(edges: &mut Vec<Edge>, relation: Relation, to: Link, role: &str) {
    edges.push(Edge { relation, depth: 1, via: None, to, role: role.to_owned() });
}

/// The objects of all answers, each once, without events and the object itself.
pub(crate) fn around<'a>(subject: &Subject<'a>) -> Vec<&'a Value> {
    let own = Link::of(subject.object);
    let mut seen = BTreeSet::new();
    let objects = subject.answers.iter().flat_map(|answer| answer.objects);
    let objects = objects.filter(|object| object.text("kind") != "Event" && !own.is_to(object));
    objects.filter(|object| seen.insert(Link::of(object))).collect()
}

/// Its owners, their owners, and so on, as far as they are known. A circle of owners ends where it began.
fn owners(object: &Value, around: &[&Value], edges: &mut Vec<Edge>) {
    let (mut level, mut depth) = (vec![object], 1);
    while !level.is_empty() && depth <= MAX_LEVELS {
        let mut next = Vec::new();
        for owned in level {
            for owner in owned.list("metadata.ownerReferences").iter().take(MAX_OWNERS) {
                let found = around.iter().find(|other| !other.uid().is_empty() && other.uid() == owner.text("uid"));
                let to = found.map_or_else(|| Link::of_reference(owner, owned.namespace()), |found| Link::of(found));
                if edges.iter().all(|edge| edge.to != to) {
                    let via = (depth > 1).then(|| Link::of(owned));
                    edges.push(Edge { relation: Relation::Owner, depth, via, to, role: String::new() });
                    next.extend(found.copied());
                }
            }
        }
        (level, depth) = (next, depth + 1);
    }
}

/// Dependents, their dependents, and so on.
fn owned(object: &Value, around: &[&Value], edges: &mut Vec<Edge>) {
    for (depth, owner, other) in dependents(object, around) {
        let via = (depth > 1).then(|| Link::of(owner));
        edges.push(Edge { relation: Relation::Owned, depth, via, to: Link::of(other), role: String::new() });
    }
}

/// Dependents at each depth up to eight, with the owner through which each was found.
pub(crate) fn dependents<'a>(object: &'a Value, around: &[&'a Value]) -> Vec<(usize, &'a Value, &'a Value)> {
    let (mut level, mut depth, mut found) = (vec![object], 1, Vec::new());
    let mut seen = BTreeSet::from([object.uid()]);
    while !level.is_empty() && depth <= MAX_LEVELS {
        let owners: BTreeMap<&str, &Value> =
            level.iter().filter(|owner| !owner.uid().is_empty()).map(|owner| (owner.uid(), *owner)).collect();
        let mut next = Vec::new();
        for other in around {
            let mut references = other.list("metadata.ownerReferences").iter();
            let Some(owner) = references.find_map(|owner| owners.get(owner.text("uid"))) else { continue };
            if seen.insert(other.uid()) {
                found.push((depth, *owner, *other));
                next.push(*other);
            }
        }
        (level, depth) = (next, depth + 1);
    }
    found
}

/// References to its owners, to their owners, and so on, as far as they are known; each with the namespace of what is owned.
pub(crate) fn owner_references<'a>(object: &'a Value, around: &[&'a Value]) -> Vec<(&'a Value, &'a str)> {
    let (mut level, mut references, mut seen) = (vec![object], Vec::new(), BTreeSet::from([object.uid()]));
    for _ in 0..MAX_LEVELS {
        let mut next = Vec::new();
        for owned in level {
            for owner in owned.list("metadata.ownerReferences").iter().take(MAX_OWNERS) {
                if seen.insert(owner.text("uid")) {
                    references.push((owner, owned.namespace()));
                    next.extend(around.iter().copied().find(|other| other.uid() == owner.text("uid")));
                }
            }
        }
        level = next;
    }
    references
}

/// The template of a stateful set that a claim was made of, by its name: `data-db-0` of the template `data` of the set `db`.
fn template_of_claim<'a>(set: &'a Value, claim: &Value) -> Option<&'a str> {
    let (template, ordinal) = claim.name().rsplit_once('-')?;
    let template = template.strip_suffix(set.name())?.strip_suffix('-')?;
    let is_made = STATEFUL_SET.is_of(set)
        && CLAIM.is_of(claim)
        && set.namespace() == claim.namespace()
        && !ordinal.is_empty()
        && ordinal.bytes().all(|digit| digit.is_ascii_digit());
    let mut templates = set.list("spec.volumeClaimTemplates").iter().map(Fields::name);
    templates.find(|name| is_made && *name == template)
}

/// A pod, or the template of the pods of a workload.
pub(crate) fn template_of(object: &Value) -> Option<&Value> {
    if POD.is_of(object) {
        return Some(object);
    }
    let is_workload = [DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET, JOB].iter().any(|kind| kind.is_of(object));
    is_workload.then(|| object.at("spec.template"))
}

/// Whether a selector of an object selects a pod, or pods of a template.
pub(crate) fn selects_pods(object: &Value, namespace: &str, other: &Value) -> bool {
    if object.namespace() != namespace {
        return false;
    }
    let is = |kind: Kind| kind.is_of(object);
    if is(SERVICE) {
        labels_selector(object.at("spec.selector")).is_some_and(|selector| selects(&selector, other))
    } else if is(NETWORK_POLICY) {
        selector(object.at("spec.podSelector")).is_some_and(|selector| selects(&selector, other))
    } else if is(DISRUPTION_BUDGET) {
        selector(object.at("spec.selector")).is_some_and(|selector| selects(&selector, other))
    } else {
        false
    }
}

/// Calls a function for each object that an object names, with its role in words.
pub(crate) fn named_by(object: &Value, mut found: impl FnMut(Link, String)) {
    let service = object.label("kubernetes.io/service-name");
    references(&Parsed(object), object.namespace(), object.name(), service, &mut |reference| {
        let role = match reference.part {
            "" => reference.role.to_owned(),
            part => format!("{} {part}", reference.role),
        };
        let group = if reference.kind == "ClusterRole" || reference.kind == "Role" {
            "rbac.authorization.k8s.io"
        } else {
            reference.group
        };
        found(Link::new(group, reference.kind, reference.namespace, reference.name), role);
    });
}

/// Whether an object names another one, by the value of the engine's relation `references`.
pub(crate) fn names(object: &Value, value: &str) -> bool {
    let mut names = false;
    named_by(object, |link, _| names |= reference_value(&link) == value);
    names
}

/// The value of the engine's relation `references` for an object.
pub(crate) fn reference_value(link: &Link) -> String {
    if link.namespace.is_empty() {
        format!("{}/{}", link.kind, link.name)
    } else {
        format!("{}/{}/{}", link.kind, link.namespace, link.name)
    }
}

/// Parsed JSON, for the table of references.
#[derive(Clone, Copy)]
struct Parsed<'v>(&'v Value);

impl<'v> Tree<'v> for Parsed<'v> {
    fn get(self, name: &str) -> Option<Self> {
        self.0.as_object()?.get(name).map(Self)
    }

    fn text(self) -> Cow<'v, str> {
        Cow::Borrowed(self.0.as_str().unwrap_or_default())
    }

    fn items(self) -> impl Iterator<Item = Self> {
        self.0.as_array().into_iter().flatten().map(Self)
    }

    fn members(self) -> impl Iterator<Item = (Cow<'v, str>, Self)> {
        self.0.as_object().into_iter().flatten().map(|(name, value)| (Cow::Borrowed(name.as_str()), Self(value)))
    }
}

impl<'v> Root<'v> for Parsed<'v> {
    type Tree = Self;

    fn pointer(&self, pointer: &str) -> Option<Self> {
        pointer.split('/').skip(1).try_fold(*self, Tree::get)
    }
}
