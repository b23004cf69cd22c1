//! Users: the objects that refer to one or several objects, followed for the dialog of their deletion.

use std::sync::Arc;

use informer::ResourceInfo;
use kube_objects::{Edge, Relation};
use leptos::prelude::*;
use serde_json::Value;

use super::related_objects::{NeedStates, RelatedObjects, loading_and_failed, with_subject};
use crate::cluster::Cluster;

/// Users of objects, as far as they have been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Users {
    /// Kind and name of each: `pod web-1`.
    pub(crate) names: Vec<String>,
    /// Whether lists are still loading.
    pub(crate) is_reading: bool,
    /// Kinds whose objects could not be read.
    pub(crate) unread: Vec<String>,
}

/// Follows the users of all `objects` until the owner is cleaned up. `None` before the kinds of the server are known.
///
/// The informers are shared among objects of one namespace. Each object costs one read per kind that may refer to it.
pub(crate) fn users(cluster: Cluster, objects: Vec<Memo<Option<Arc<Value>>>>) -> Memo<Option<Users>> {
    let resources = RwSignal::new(Vec::<ResourceInfo>::new());
    cluster.resources(move |answer| {
        resources.try_set(answer.unwrap_or_default());
    });
    let open = |object| {
        let related = RelatedObjects::new(cluster, resources, object);
        related.open_relations();
        (object, related.states)
    };
    let followed: Vec<_> = objects.into_iter().map(open).collect();
    Memo::new(move |_| {
        if resources.with(Vec::is_empty) {
            return None;
        }
        let each = followed.iter().filter_map(|(object, states)| {
            object.with(|object| {
                let object = object.as_deref()?;
                Some(states.with(|states| users_of(&with_subject(object, states, &[], kube_objects::edges), states)))
            })
        });
        each.reduce(Users::and)
    })
}

impl Users {
    /// Users of two objects, each named once.
    fn and(mut self, other: Self) -> Self {
        let add = |to: &mut Vec<String>, from: Vec<String>| {
            for name in from {
                if !to.contains(&name) {
                    to.push(name);
                }
            }
        };
        add(&mut self.names, other.names);
        add(&mut self.unread, other.unread);
        Self { is_reading: self.is_reading || other.is_reading, ..self }
    }
}

fn users_of(edges: &[Edge], states: &NeedStates) -> Users {
    let (loading, failed) = loading_and_failed(states);
    let names = edges.iter().filter(|edge| edge.relation == Relation::UsedBy).map(name).collect();
    let unread = failed.into_iter().map(|(kind, _)| kind).collect();
    Users { names, is_reading: !loading.is_empty(), unread }
}

fn name(Edge { to, .. }: &Edge) -> String {
    format!("{} {}", to.kind.to_lowercase(), to.name)
}

#[cfg(test)]
mod tests {
    use kube_objects::{By, Link, Need};

    use super::super::related_objects::NeedState;
    use super::*;

    #[test]
    fn referring_objects_are_named_with_the_kinds_that_could_not_be_read() {
        let edge = |relation, kind: &str, name: &str| Edge {
            relation,
            depth: 1,
            via: None,
            to: Link::new("", kind, "shop", name),
            role: String::new(),
        };
        let edges = [edge(Relation::UsedBy, "Pod", "web-1"), edge(Relation::Owner, "Release", "shop")];
        let state = |kind: &str, state: NeedState| {
            let by = By::References("ConfigMap/shop/settings".to_owned());
            (Need { group: String::new(), kind: kind.to_owned(), namespace: "shop".to_owned(), by }, state)
        };
        let mut states =
            vec![state("Pod", NeedState::Found(Arc::default())), state("Job", NeedState::TooMany(100_000))];
        let users =
            |is_reading| Users { names: vec!["pod web-1".to_owned()], is_reading, unread: vec!["Job".to_owned()] };
        assert_eq!(users_of(&edges, &states), users(false));
        states.push(state("CronJob", NeedState::Loading));
        assert_eq!(users_of(&edges, &states), users(true));
    }

    #[test]
    fn users_of_several_objects_are_named_once() {
        let users = |names: &[&str], is_reading, unread: &[&str]| {
            let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect();
            Users { names: texts(names), is_reading, unread: texts(unread) }
        };
        let first = users(&["pod a", "pod b"], false, &["Job"]);
        let second = users(&["pod b", "pod c"], true, &["Job", "CronJob"]);
        assert_eq!(first.and(second), users(&["pod a", "pod b", "pod c"], true, &["Job", "CronJob"]));
    }
}
