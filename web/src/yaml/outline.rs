//! Outline: the value of each line, and the foldable blocks.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identity of a value: the same one when others are added before it or its own content changes.
pub(crate) type NodeId = u64;

/// One step from a value to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Key(String),
    Index(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    /// Nothing for the document.
    parent: Option<u32>,
    segment: Segment,
    id: NodeId,
    depth: u32,
}

/// A block that can be folded: its first line stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    pub(crate) first: u32,
    /// The line after its last one.
    pub(crate) end: u32,
    pub(crate) id: NodeId,
    /// Number of enclosing folds.
    pub(crate) depth: u32,
}

/// The outline of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    nodes: Vec<Node>,
    /// Per line: the innermost value that begins or continues on it.
    lines: Vec<u32>,
    /// In the order of their first lines; one at most begins on a line.
    folds: Vec<Fold>,
}

impl Default for Outline {
    fn default() -> Self {
        let root = Node { parent: None, segment: Segment::Index(0), id: 0, depth: 0 };
        Self { nodes: vec![root], lines: Vec::new(), folds: Vec::new() }
    }
}

impl Outline {
    /// The value of a line.
    pub(crate) fn id(&self, line: usize) -> NodeId {
        self.lines.get(line).and_then(|node| self.nodes.get(*node as usize)).map_or(0, |node| node.id)
    }

    /// How deep the value of a line is in the document, from 1.
    pub(crate) fn level(&self, line: usize) -> u32 {
        self.lines.get(line).and_then(|node| self.nodes.get(*node as usize)).map_or(1, |node| node.depth.max(1))
    }

    /// The path to the value of a line.
    pub(crate) fn path(&self, line: usize) -> Vec<&Segment> {
        let mut path = Vec::new();
        let mut node = self.lines.get(line).and_then(|node| self.nodes.get(*node as usize));
        while let Some(Node { parent: Some(parent), segment, .. }) = node {
            path.push(segment);
            node = self.nodes.get(*parent as usize);
        }
        path.reverse();
        path
    }

    /// The block that begins on a line.
    pub(crate) fn fold_at(&self, line: usize) -> Option<Fold> {
        let at = self.folds.binary_search_by_key(&line, |fold| fold.first as usize).ok()?;
        self.folds.get(at).copied()
    }

    /// The blocks that a line is in, its own excluded, from the outermost to the innermost.
    pub(crate) fn folds_around(&self, line: usize) -> impl Iterator<Item = Fold> {
        let before = self.folds.partition_point(|fold| (fold.first as usize) < line);
        self.folds[..before].iter().filter(move |fold| line < fold.end as usize).copied()
    }

    /// All blocks that are in no other.
    pub(crate) fn outermost(&self) -> impl Iterator<Item = Fold> {
        self.folds.iter().filter(|fold| fold.depth == 0).copied()
    }

    /// Lines that stay visible if these blocks are folded.
    pub(crate) fn visible(&self, folded: &HashSet<NodeId>) -> Vec<u32> {
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let mut closed = self.folds.iter().filter(|fold| folded.contains(&fold.id));
        let mut rows = Vec::with_capacity(self.lines.len());
        let mut line = 0;
        while line < count {
            let end = closed
                .by_ref()
                .find(|fold| fold.first >= line)
                .map_or((count, count), |fold| (fold.first + 1, fold.end));
            rows.extend(line..end.0);
            line = end.1;
        }
        rows
    }
}

/// Recorder of an outline, while lines are printed.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    outline: Outline,
    current: u32,
    /// Number of earlier values of a parent with the same identity.
    twins: HashMap<NodeId, u32>,
}

/// A value that is being printed.
pub(super) struct Entered {
    parent: u32,
    first: usize,
}

impl Recorder {
    /// Enters a value. `name` distinguishes it from its siblings.
    pub(super) fn enter(&mut self, segment: Segment, name: &str) -> Entered {
        let parent = self.current;
        let mut hasher = DefaultHasher::new();
        let (id, depth) = self.outline.nodes.get(parent as usize).map_or((0, 0), |node| (node.id, node.depth + 1));
        id.hash(&mut hasher);
        matches!(segment, Segment::Index(_)).hash(&mut hasher);
        name.hash(&mut hasher);
        let twin = self.twins.entry(hasher.finish()).or_default();
        twin.hash(&mut hasher);
        *twin += 1;
        self.current = u32::try_from(self.outline.nodes.len()).unwrap_or(u32::MAX);
        self.outline.nodes.push(Node { parent: Some(parent), segment, id: hasher.finish(), depth });
        Entered { parent, first: self.outline.lines.len() }
    }

    /// Records a line of the current value.
    pub(super) fn line(&mut self) {
        self.outline.lines.push(self.current);
    }

    /// Leaves a value.
    pub(super) fn leave(&mut self, Entered { parent, first }: Entered) {
        let end = self.outline.lines.len();
        let id = self.outline.nodes.get(self.current as usize).map_or(0, |node| node.id);
        self.current = parent;
        let lines = u32::try_from(first).ok().zip(u32::try_from(end).ok());
        if let Some((first, end)) = lines.filter(|(first, end)| end - first > 1) {
            self.outline.folds.push(Fold { first, end, id, depth: 0 });
        }
    }

    /// Returns the outline of the printed lines.
    pub(super) fn finish(self) -> Outline {
        let mut outline = self.outline;
        // An item of a list and its first field begin on one line: it folds the item.
        outline.folds.sort_by_key(|fold| (fold.first, u32::MAX - fold.end));
        outline.folds.dedup_by_key(|fold| fold.first);
        let mut around: Vec<u32> = Vec::new();
        for fold in &mut outline.folds {
            while around.last().is_some_and(|end| *end <= fold.first) {
                around.pop();
            }
            fold.depth = u32::try_from(around.len()).unwrap_or(u32::MAX);
            around.push(fold.end);
        }
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Printing, Yaml};
    use super::*;

    fn document(json: &str) -> Document {
        Yaml::of(json, &Printing::default()).expect("valid JSON").body.as_ref().clone()
    }

    fn folds(document: &Document) -> Vec<(String, u32, u32)> {
        let named = |fold: &Fold| (document.lines[fold.first as usize].to_string(), fold.end - fold.first, fold.depth);
        document.outline.folds.iter().map(named).collect()
    }

    const POD: &str = r#"{"kind":"Pod","spec":{"containers":[{"name":"a","args":["x"]},{"env":[{"name":"E","value":"1"}],"name":"b"}]},
        "data":{"file":"1\n2\n3\n","empty":{}},"last":[[1,2],3]}"#;

    #[test]
    fn each_block_folds_to_its_first_line() {
        let document = document(POD);
        let expected = [
            ("spec:", 9, 0),
            ("  containers:", 8, 1),
            ("  - name: a", 3, 2),
            ("    args:", 2, 3),
            ("  - env:", 4, 2),
            ("    - name: E", 2, 3),
            ("data:", 6, 0),
            ("  file: |", 4, 1),
            ("last:", 4, 0),
            ("- - 1", 2, 1),
        ];
        let expected: Vec<_> = expected.iter().map(|(line, of, depth)| ((*line).to_owned(), *of, *depth)).collect();
        assert_eq!(folds(&document), expected);
        assert_eq!(document.outline.lines.len(), document.lines.len());
        assert_eq!(document.outline.fold_at(0), None, "the object itself does not fold");
        let around: Vec<u32> = document.outline.folds_around(4).map(|fold| fold.first).collect();
        assert_eq!((document.lines[4].to_string().as_str(), &*around), ("    args:", &[1, 2, 3][..]));
    }

    #[test]
    fn folded_blocks_leave_their_first_line() {
        let document = document(POD);
        let shown = |names: &[&str]| {
            let at = |name: &&str| document.lines.iter().position(|line| line.to_string() == *name).expect("a line");
            let folded = names.iter().map(|name| document.outline.fold_at(at(name)).expect("a block").id).collect();
            let rows = document.outline.visible(&folded).into_iter();
            rows.map(|row| document.lines[row as usize].to_string()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(document.outline.visible(&HashSet::new()).len(), document.lines.len());
        assert_eq!(shown(&["spec:", "data:", "last:"]), "kind: Pod|spec:|data:|last:");
        assert_eq!(
            shown(&["spec:", "    args:", "data:", "last:"]),
            "kind: Pod|spec:|data:|last:",
            "one inside the other"
        );
        assert!(shown(&["  - name: a"]).starts_with("kind: Pod|spec:|  containers:|  - name: a|  - env:|"));
        let all: Vec<u32> = document.outline.outermost().map(|fold| fold.first).collect();
        assert_eq!(all, [1, 10, 16]);
    }

    #[test]
    fn a_line_has_the_path_to_its_value() {
        let document = document(POD);
        let path = |text: &str| {
            let at = document.lines.iter().position(|line| line.to_string().trim() == text).expect("a line");
            let segments = document.outline.path(at).into_iter();
            segments
                .map(|segment| match segment {
                    Segment::Key(key) => key.clone(),
                    Segment::Index(index) => index.to_string(),
                })
                .collect::<Vec<_>>()
                .join("/")
        };
        assert_eq!(path("- x"), "spec/containers/0/args/0");
        assert_eq!(path("- name: a"), "spec/containers/0/name");
        assert_eq!(path("value: '1'"), "spec/containers/1/env/0/value");
        assert_eq!(path("2"), "data/file", "a line of a text");
        assert_eq!(path("- - 1"), "last/0/0");
    }

    #[test]
    fn items_keep_their_identity_when_others_come_before_them() {
        let ids = |json: &str| {
            let document = document(json);
            (0..document.lines.len())
                .map(|at| (document.lines[at].value.clone(), document.outline.id(at)))
                .collect::<HashMap<_, _>>()
        };
        let before = ids(r#"{"list":[{"name":"a","v":1},{"name":"b","v":2}],"args":["x","z"]}"#);
        let after =
            ids(r#"{"list":[{"name":"new","v":0},{"name":"a","v":1},{"name":"b","v":2}],"args":["new","x","z"]}"#);
        for value in ["a", "1", "b", "2", "x", "z"] {
            assert_eq!(before[value], after[value], "{value}");
        }
        let twins = document(r#"{"list":[{"name":"a"},{"name":"a"}]}"#);
        assert_ne!(twins.outline.id(1), twins.outline.id(2));
    }
}
