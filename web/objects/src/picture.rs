//! Picture: the relations of an object as a graph, with each object once and many objects of a kind as one node.
//!
//! The object is in the middle. A branch joins it, or an object of another branch, to all objects of one relation.

use std::collections::{BTreeMap, BTreeSet};

use crate::edge::{Edge, Relation};
use crate::link::Link;

/// The most objects of a kind in a branch, besides one that would be folded alone.
const MOST: usize = 3;

/// Where a branch is, seen from the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Owners.
    Above,
    /// Objects that refer to the object.
    Before,
    /// Objects that the object refers to.
    After,
    /// Objects that the object owns or runs.
    Below,
}

/// The objects of one relation to one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// What the objects are to `from`.
    pub relation: Relation,
    /// The object of the picture, or one of another branch.
    pub from: Link,
    /// The objects, those of a kind one after the other. Never empty.
    pub nodes: Vec<Node>,
}

/// A node of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// One object.
    One {
        /// The object. It need not exist.
        to: Link,
        /// Its relations to the object of the picture, that of the branch first, each with its role.
        roles: Vec<(Relation, String)>,
    },
    /// The objects of a kind that are not nodes of their own.
    Many {
        /// The objects.
        objects: Vec<Link>,
        /// Number of further objects that are reached only through them, at any depth.
        beyond: usize,
    },
}

impl Branch {
    /// Where it is.
    pub fn side(&self) -> Side {
        match self.relation {
            Relation::Owner => Side::Above,
            Relation::UsedBy | Relation::SelectedBy => Side::Before,
            Relation::RunsOn | Relation::Uses | Relation::Selects => Side::After,
            Relation::Runs | Relation::Owned => Side::Below,
        }
    }
}

/// The branches of an object, in reading order: owners from the farthest to the nearest, what refers to the object, what
/// it refers to, what it runs and owns.
///
/// `edges` are those of [`edges`](crate::edges). An object with several relations is in the branch of the first one.
pub fn picture(own: &Link, edges: &[Edge]) -> Vec<Branch> {
    let leaves = leaves(own, edges);
    let between: BTreeSet<&Link> = leaves.iter().filter_map(|leaf| leaf.edge.via.as_ref()).collect();
    let mut groups: Vec<(Relation, &Link, Vec<Leaf<'_>>)> = Vec::new();
    for leaf in leaves {
        let (relation, from) = (leaf.edge.relation, leaf.edge.via.as_ref().unwrap_or(own));
        match groups.iter_mut().find(|(of, at, _)| (*of, *at) == (relation, from)) {
            Some((.., group)) => group.push(leaf),
            None => groups.push((relation, from, vec![leaf])),
        }
    }
    let mut branches: Vec<Branch> = Vec::new();
    // Branch and node of each object that has no node of its own.
    let mut folded: BTreeMap<&Link, (usize, usize)> = BTreeMap::new();
    for (relation, from, group) in groups {
        if let Some(&(branch, node)) = folded.get(from) {
            if let Some(Node::Many { beyond, .. }) = branches.get_mut(branch).and_then(|of| of.nodes.get_mut(node)) {
                *beyond += group.len();
            }
            folded.extend(group.iter().map(|leaf| (&leaf.edge.to, (branch, node))));
            continue;
        }
        let mut nodes = Vec::new();
        for kind in by_kind(group) {
            let (shown, rest) = fold(kind, &between);
            nodes.extend(shown.into_iter().map(|leaf| Node::One { to: leaf.edge.to.clone(), roles: leaf.roles }));
            if !rest.is_empty() {
                folded.extend(rest.iter().map(|leaf| (&leaf.edge.to, (branches.len(), nodes.len()))));
                let objects = rest.iter().map(|leaf| leaf.edge.to.clone()).collect();
                nodes.push(Node::Many { objects, beyond: 0 });
            }
        }
        branches.push(Branch { relation, from: from.clone(), nodes });
    }
    let is_owner = |branch: &Branch| branch.relation == Relation::Owner;
    let (owners, mut others): (Vec<_>, Vec<_>) = branches.into_iter().partition(is_owner);
    others.sort_by_key(|branch| match branch.side() {
        Side::Above | Side::Before => 0,
        Side::After => 1,
        Side::Below => 2,
    });
    owners.into_iter().rev().chain(others).collect()
}

/// An object with all its relations to the object of the picture.
struct Leaf<'a> {
    /// The first of them.
    edge: &'a Edge,
    roles: Vec<(Relation, String)>,
}

/// The objects of all edges, each once.
fn leaves<'a>(own: &Link, edges: &'a [Edge]) -> Vec<Leaf<'a>> {
    let mut leaves: Vec<Leaf<'a>> = Vec::new();
    let mut places: BTreeMap<&Link, usize> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.to != *own) {
        let at = *places.entry(&edge.to).or_insert(leaves.len());
        let role = (edge.relation, edge.role.clone());
        match leaves.get_mut(at) {
            Some(leaf) if leaf.roles.contains(&role) => {}
            Some(leaf) => leaf.roles.push(role),
            None => leaves.push(Leaf { edge, roles: vec![role] }),
        }
    }
    leaves
}

/// Objects by kind, in the order in which the kinds come first.
fn by_kind(leaves: Vec<Leaf<'_>>) -> Vec<Vec<Leaf<'_>>> {
    let mut kinds: Vec<Vec<Leaf<'_>>> = Vec::new();
    let of = |leaf: &Leaf<'_>| (leaf.edge.to.group.clone(), leaf.edge.to.kind.clone());
    for leaf in leaves {
        let kind = of(&leaf);
        match kinds.iter_mut().find(|kinds| kinds.first().map(of).as_ref() == Some(&kind)) {
            Some(same) => same.push(leaf),
            None => kinds.push(vec![leaf]),
        }
    }
    kinds
}

/// The objects that are shown, and the rest. Those that lead to further objects come first: of replica sets of a
/// deployment the one with pods. The state of an object does not count: nodes would come and go with it.
fn fold<'a>(leaves: Vec<Leaf<'a>>, between: &BTreeSet<&Link>) -> (Vec<Leaf<'a>>, Vec<Leaf<'a>>) {
    if leaves.len() <= MOST + 1 {
        return (leaves, Vec::new());
    }
    let leads = |leaf: &Leaf<'_>| between.contains(&leaf.edge.to);
    let places = |is: bool| leaves.iter().enumerate().filter(move |(_, leaf)| leads(leaf) == is).map(|(at, _)| at);
    let chosen: BTreeSet<usize> = places(true).chain(places(false)).take(MOST).collect();
    let (shown, rest): (Vec<_>, Vec<_>) = leaves.into_iter().enumerate().partition(|(at, _)| chosen.contains(at));
    let leaves = |numbered: Vec<(usize, Leaf<'a>)>| numbered.into_iter().map(|(_, leaf)| leaf).collect();
    (leaves(shown), leaves(rest))
}
