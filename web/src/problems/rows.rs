//! Rows of the list: a line for each problem and, below an expanded one, its owner and its objects.

use std::collections::BTreeSet;

use super::order::Line;

/// Number of objects of an expanded line before the others are a link to the table.
const MAX_MEMBERS: usize = 10;

/// Maximum number of lines that are shown.
pub(super) const MAX_LINES: usize = 300;

/// Part of a line that a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The line itself.
    Line,
    /// Its owner.
    Owner,
    /// The object at an index.
    Member(usize),
    /// The number of further objects.
    More,
}

/// Row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Id, the same while the row exists.
    pub(super) id: String,
    /// Index of the line.
    pub(super) line: usize,
    pub(super) part: Part,
}

/// Rows of the lines.
pub(super) fn rows(lines: &[Line], expanded: &BTreeSet<String>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, line) in lines.iter().take(MAX_LINES).enumerate() {
        rows.push(Row { id: line.id.clone(), line: at, part: Part::Line });
        if !expanded.contains(&line.id) {
            continue;
        }
        let below = |name: &str| format!("{}\n\n{name}", line.id);
        let owner = line.problem.what.link();
        let is_listed = line.members.iter().any(|listed| listed.member.link == *owner);
        if !owner.name.is_empty() && !is_listed {
            rows.push(Row { id: below("owner"), line: at, part: Part::Owner });
        }
        for (number, listed) in line.members.iter().take(MAX_MEMBERS).enumerate() {
            let link = &listed.member.link;
            let id = below(&[&*link.kind, &link.namespace, &link.name].join("/"));
            rows.push(Row { id, line: at, part: Part::Member(number) });
        }
        if hidden(line) > 0 {
            rows.push(Row { id: below("more"), line: at, part: Part::More });
        }
    }
    rows
}

/// Number of objects of a line that are not rows, without resolved ones.
pub(super) fn hidden(line: &Line) -> usize {
    line.members.iter().skip(MAX_MEMBERS).filter(|listed| !listed.gone).count()
}
