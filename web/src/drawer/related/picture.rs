//! Picture of the related objects: the object in the middle, a node for each related object, and lines by relation.
//!
//! `kube_objects::picture` decides which nodes there are, `placement.rs` where they are. A node stays the same element
//! while it moves and while its state changes.

use std::collections::BTreeMap;

use kube_objects::{Branch, Link, Node, Relation, Side};
use leptos::html::Div;
use leptos::prelude::*;

use super::entry::{Condition, Entry, condition, title};
use super::placement::{Placement, branch_id, node_id, object_id};
use super::words::{roles, worst};
use crate::discovery::resource_of;
use crate::drawer::link::{link, text};
use crate::drawer::opened::Opened;
use crate::loading;
use crate::visible::visible;

/// State that all nodes read. Copies share their state.
#[derive(Clone, Copy)]
struct PictureContext {
    opened: Opened,
    branches: Memo<Vec<Branch>>,
    conditions: Memo<BTreeMap<Link, Condition>>,
    placement: Placement,
    list: Callback<&'static str>,
}

/// The picture. `list` shows the objects of a relation in the list; it gets the relation's title.
#[component]
pub(super) fn Picture(opened: Opened, entries: Memo<Vec<Entry>>, list: Callback<&'static str>) -> impl IntoView {
    let derived = opened.derived;
    let own = Memo::new(move |_| derived.object.with(|object| object.as_deref().map(Link::of)));
    let branches = Memo::new(move |_| {
        let branches = own.get().map(|own| derived.edges.with(|edges| kube_objects::picture(&own, edges)));
        branches.unwrap_or_default()
    });
    let conditions = Memo::new(move |_| {
        let entry = |entry: &Entry| (entry.edge.to.clone(), entry.condition.clone());
        let mut all: BTreeMap<Link, Condition> = entries.with(|entries| entries.iter().map(entry).collect());
        derived.object.with(|object| {
            if let Some(object) = object {
                all.insert(Link::of(object), derived.related.states.with(|states| condition(object, states)));
            }
        });
        all
    });
    let scroller = NodeRef::<Div>::new();
    let placement = Placement::follow(scroller, own, branches);
    let context = PictureContext { opened, branches, conditions, placement, list };
    let part = move |is_above: bool| {
        let each = move || {
            let is_here = |branch: &&Branch| (branch.side() == Side::Above) == is_above;
            branches.with(|branches| branches.iter().filter(is_here).map(branch_id).collect::<Vec<_>>())
        };
        view! { <For each=each key=Clone::clone let:id>{context.branch(&id)}</For> }
    };
    let line = move |id: String| view! { <path d=move || placement.line(&id)></path> };
    view! {
        <Show when=move || !branches.with(Vec::is_empty)>
            {move || placement.has_failed().then(|| loading::failed(move || placement.retry()))}
            {move || placement.is_loading().then(|| view! { <p class="hint">{"Loading …"}</p> })}
            <div class="picture" role="group" aria-label="Picture of the related objects" node_ref=scroller>
                <div
                    class="picture-area"
                    style:width=move || placement.width()
                    style:height=move || placement.height()
                >
                    <svg class="lines" aria-hidden="true">
                        <For each=move || placement.lines() key=Clone::clone children=line />
                    </svg>
                    {part(true)} {move || own.get().map(|own| context.middle(&own))} {part(false)}
                </div>
            </div>
        </Show>
    }
}

impl PictureContext {
    /// A branch: its label, and a list of its nodes.
    fn branch(self, id: &str) -> impl IntoView + use<> {
        let owned_id = id.to_owned();
        let branch = Memo::new(move |_| {
            self.branches.with(|branches| branches.iter().find(|branch| branch_id(branch) == owned_id).cloned())
        });
        let Some(Branch { relation, from, .. }) = branch.get_untracked() else { return ().into_any() };
        let is_own = self.opened.derived.object.with_untracked(|own| own.as_deref().is_some_and(|own| from.is_to(own)));
        let label = match title(relation) {
            title if is_own => title.to_owned(),
            title => format!("{} {}: {title}", visible(&from.kind), visible(&from.name)),
        };
        let nodes = move || branch.get().map(|branch| keyed(&branch)).unwrap_or_default();
        view! {
            // The list has the same words as its name.
            <span
                class="relation"
                class:placed=self.is_placed(id)
                style:transform=self.transform(id)
                data-node=id.to_owned()
                aria-hidden="true"
            >
                {title(relation)}
            </span>
            <ul aria-label=label>
                <For each=nodes key=move |(id, node)| (id.clone(), roles(relation, node)) let:keyed>
                    {self.node(relation, branch, &keyed.0, &keyed.1)}
                </For>
            </ul>
        }
        .into_any()
    }

    fn node(self, relation: Relation, branch: Memo<Option<Branch>>, id: &str, node: &Node) -> impl IntoView + use<> {
        let content = match node {
            Node::One { to, .. } => {
                let condition = self.condition(to);
                view! {
                    <span class="kind">{text(&to.kind)}</span>
                    {link(self.opened, to, &to.name)}
                    <span class="role">{text(&roles(relation, node))}</span>
                    {state(condition)}
                }
                .into_any()
            }
            Node::Many { .. } => self.many(relation, branch, id).into_any(),
        };
        view! {
            <li class="node" class:placed=self.is_placed(id) style:transform=self.transform(id) data-node=id.to_owned()>
                {content}
            </li>
        }
    }

    /// The node of many objects.
    fn many(self, relation: Relation, branch: Memo<Option<Branch>>, id: &str) -> impl IntoView + use<> {
        let id = id.to_owned();
        let node = Memo::new(move |_| {
            let nodes = branch.with(|branch| branch.as_ref().map(keyed)).unwrap_or_default();
            match nodes.into_iter().find(|(other, _)| *other == id) {
                Some((_, Node::Many { objects, beyond })) => (objects, beyond),
                _ => Default::default(),
            }
        });
        let label = move || {
            node.with(|(objects, _)| {
                let first = objects.first()?;
                let plural = self
                    .opened
                    .resources
                    .with(|all| resource_of(all, &first.group, &first.kind).map(|info| info.resource.clone()));
                let plural = plural.unwrap_or_else(|| visible(&first.kind).into_owned());
                Some(format!("{} more {plural}", objects.len()))
            })
        };
        let beyond = move || {
            let count = node.with(|(_, beyond)| *beyond);
            (count > 0).then(|| format!("with {count} beyond"))
        };
        let condition = Memo::new(move |_| {
            node.with(|(objects, _)| {
                self.conditions.with(|all| worst(objects.iter().filter_map(|other| all.get(other))))
            })
        });
        view! {
            <button class="to" type="button" title="Show them in the list" on:click=move |_| self.list.run(title(relation))>
                {label}
            </button>
            <span class="role">{beyond}</span>
            {state(condition)}
        }
    }

    /// The object of the picture.
    fn middle(self, own: &Link) -> impl IntoView + use<> {
        let id = object_id(own);
        view! {
            <div class="node own" class:placed=self.is_placed(&id) style:transform=self.transform(&id) data-node=id>
                <span class="kind">{text(&own.kind)}</span>
                <strong>{text(&own.name)}</strong>
                {state(self.condition(own))}
            </div>
        }
    }

    fn condition(self, link: &Link) -> Memo<Condition> {
        let link = link.clone();
        Memo::new(move |_| self.conditions.with(|all| all.get(&link).cloned().unwrap_or_default()))
    }

    /// Whether it is known where an element is. Until then the style sheet hides it.
    fn is_placed(self, id: &str) -> impl Fn() -> bool + Send + use<> {
        let id = id.to_owned();
        move || self.placement.position(&id).is_some()
    }

    fn transform(self, id: &str) -> impl Fn() -> Option<String> + Send + use<> {
        let id = id.to_owned();
        move || self.placement.position(&id).map(|(x, y)| format!("translate({x}px, {y}px)"))
    }
}

/// The nodes of a branch with their ids.
fn keyed(branch: &Branch) -> Vec<(String, Node)> {
    branch.nodes.iter().map(|node| (node_id(branch, node), node.clone())).collect()
}

fn state(condition: Memo<Condition>) -> impl IntoView {
    view! {
        <span
            class="state value"
            data-tone=move || condition.with(|(_, tone)| *tone)
            title=move || condition.with(|(label, _)| visible(label).into_owned())
        >
            {move || condition.with(|(label, _)| text(label))}
        </span>
    }
}
