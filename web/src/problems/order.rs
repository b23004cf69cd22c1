//! Order of the lines: that of the problems, except while the pointer or the focus is in the list. Then no line moves:
//! new ones are at the end, and resolved ones stay, marked.

use kube_objects::{Member, Problem};

/// Line of the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) problem: Problem,
    /// Whether the problem is resolved, and the line only keeps its position.
    pub(super) gone: bool,
    /// Objects of the problem, in the order in which they are shown.
    pub(super) members: Vec<ListedMember>,
}

/// Object below a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListedMember {
    pub(super) member: Member,
    /// Whether the object no longer has the problem.
    pub(super) gone: bool,
}

impl Line {
    fn new(problem: &Problem) -> Self {
        let members =
            problem.members.iter().map(|member| ListedMember { member: member.clone(), gone: false }).collect();
        Self { id: problem.id(), problem: problem.clone(), gone: false, members }
    }
}

/// The lines of the problems. `before` are those that must keep their positions.
pub(super) fn lines(before: &[Line], problems: &[Problem]) -> Vec<Line> {
    let now = problems.iter().map(Line::new).collect();
    let is_same = |a: &Line, b: &Line| a.id == b.id;
    let update = |before: &Line, mut now: Line| {
        let is_same = |a: &ListedMember, b: &ListedMember| a.member.link == b.member.link;
        let mark_gone = |before: &ListedMember| ListedMember { gone: true, ..before.clone() };
        now.members = keep_order(&before.members, now.members, is_same, |_, now| now, mark_gone);
        now
    };
    keep_order(before, now, is_same, update, |before| Line { gone: true, ..before.clone() })
}

/// The previous items in their order, updated or marked as gone, then the new ones in their order.
fn keep_order<T>(
    before: &[T],
    now: Vec<T>,
    is_same: impl Fn(&T, &T) -> bool,
    update: impl Fn(&T, T) -> T,
    mark_gone: impl Fn(&T) -> T,
) -> Vec<T> {
    let mut now: Vec<Option<T>> = now.into_iter().map(Some).collect();
    let mut items: Vec<T> = Vec::with_capacity(now.len());
    for known in before {
        let found = now.iter_mut().find(|item| item.as_ref().is_some_and(|item| is_same(known, item)));
        items.push(match found.and_then(Option::take) {
            Some(item) => update(known, item),
            None => mark_gone(known),
        });
    }
    items.extend(now.into_iter().flatten());
    items
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Problems of pods by deployment and name: "web/1".
    fn found(pods: &[&str]) -> Vec<Problem> {
        let pod = |pod: &&str| {
            let (owner, name) = pod.split_once('/').expect("an owner");
            json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": owner, "controller": true}]},
                "status": {"phase": "Failed", "reason": "Evicted"}})
        };
        let pods: Vec<Value> = pods.iter().map(pod).collect();
        kube_objects::problems(&pods.iter().collect::<Vec<_>>(), &[], 0.0)
    }

    fn shown(lines: &[Line]) -> Vec<String> {
        let mark = |gone: bool| if gone { "!" } else { "" };
        let text_of = |line: &Line| {
            let members: Vec<String> =
                line.members.iter().map(|listed| format!("{}{}", mark(listed.gone), listed.member.link.name)).collect();
            format!("{}{}: {}", mark(line.gone), line.problem.what.link().name, members.join(" "))
        };
        lines.iter().map(text_of).collect()
    }

    #[test]
    fn frozen_lines_keep_their_positions() {
        let before = lines(&[], &found(&["a/1", "a/2", "b/3"]));
        assert_eq!(shown(&before), ["a: 1 2", "b: 3"]);
        let now = found(&["b/3", "b/4", "b/0", "c/5", "a/2"]);
        assert_eq!(shown(&lines(&[], &now)), ["b: 0 3 4", "a: 2", "c: 5"], "not frozen");
        let frozen = lines(&before, &now);
        assert_eq!(shown(&frozen), ["a: !1 2", "b: 3 0 4", "c: 5"]);
        let frozen = lines(&frozen, &found(&["a/1", "b/3"]));
        assert_eq!(shown(&frozen), ["a: 1 !2", "b: 3 !0 !4", "!c: 5"], "what is lost may come back");
    }
}
