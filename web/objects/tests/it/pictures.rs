//! Pictures: which branches and nodes given edges make.

use kube_objects::{Branch, Edge, Link, Node, Relation, Side, edges, picture};

use crate::fixtures::named;

fn link(kind: &str, name: &str) -> Link {
    Link::new("", kind, "shop", name)
}

fn edge(relation: Relation, kind: &str, name: &str) -> Edge {
    Edge { relation, depth: 1, via: None, to: link(kind, name), role: String::new() }
}

/// An edge of depth two.
fn through(relation: Relation, via: (&str, &str), kind: &str, name: &str) -> Edge {
    Edge { depth: 2, via: Some(link(via.0, via.1)), ..edge(relation, kind, name) }
}

/// Each branch as a line: `from Relation: nodes`.
fn lines(branches: &[Branch]) -> Vec<String> {
    let node = |node: &Node| match node {
        Node::One { to, roles } => {
            let roles: Vec<String> =
                roles.iter().skip(1).map(|(relation, role)| format!("+{relation:?} {role}")).collect();
            format!("{}{}", to.name, roles.join(" "))
        }
        Node::Many { objects, beyond } => format!("{} {} beyond {beyond}", objects.len(), objects[0].kind),
    };
    let line = |branch: &Branch| {
        let nodes: Vec<String> = branch.nodes.iter().map(node).collect();
        format!("{} {:?}: {}", branch.from.name, branch.relation, nodes.join(", "))
    };
    branches.iter().map(line).collect()
}

fn of(edges: &[Edge]) -> Vec<String> {
    lines(&picture(&link("Pod", "own"), edges))
}

#[test]
fn branches_are_in_reading_order_from_the_farthest_owner_to_what_is_owned() {
    let edges = [
        edge(Relation::Owner, "ReplicaSet", "web-1"),
        through(Relation::Owner, ("ReplicaSet", "web-1"), "Deployment", "web"),
        edge(Relation::Owned, "Claim", "data"),
        edge(Relation::RunsOn, "Node", "n1"),
        edge(Relation::Uses, "Secret", "db"),
        edge(Relation::UsedBy, "EndpointSlice", "s"),
        edge(Relation::SelectedBy, "Service", "web"),
    ];
    let branches = picture(&link("Pod", "own"), &edges);
    assert_eq!(
        lines(&branches),
        [
            "web-1 Owner: web",
            "own Owner: web-1",
            "own UsedBy: s",
            "own SelectedBy: web",
            "own RunsOn: n1",
            "own Uses: db",
            "own Owned: data",
        ]
    );
    let sides: Vec<Side> = branches.iter().map(Branch::side).collect();
    assert_eq!(sides, [Side::Above, Side::Above, Side::Before, Side::Before, Side::After, Side::After, Side::Below]);
}

#[test]
fn many_of_a_kind_are_one_node_and_one_more_than_fits_is_not_folded() {
    let pods =
        |count: usize| -> Vec<Edge> { (0..count).map(|at| edge(Relation::Runs, "Pod", &format!("p{at}"))).collect() };
    assert_eq!(of(&pods(4)), ["own Runs: p0, p1, p2, p3"]);
    assert_eq!(of(&pods(5)), ["own Runs: p0, p1, p2, 2 Pod beyond 0"]);
    assert_eq!(of(&pods(200)), ["own Runs: p0, p1, p2, 197 Pod beyond 0"]);
    // Kinds are folded apart, and stand together.
    let mut mixed = pods(6);
    mixed.insert(3, edge(Relation::Runs, "Job", "j"));
    assert_eq!(of(&mixed), ["own Runs: p0, p1, p2, 3 Pod beyond 0, j"]);
}

#[test]
fn an_object_that_leads_to_others_is_not_folded_before_those_that_do_not() {
    let mut edges: Vec<Edge> = (0..10).map(|at| edge(Relation::Owned, "ReplicaSet", &format!("r{at}"))).collect();
    edges.push(through(Relation::Owned, ("ReplicaSet", "r7"), "Pod", "p"));
    assert_eq!(of(&edges), ["own Owned: r0, r1, r7, 7 ReplicaSet beyond 0", "r7 Owned: p"]);
}

#[test]
fn objects_behind_folded_ones_are_counted() {
    let mut edges: Vec<Edge> = (0..6).map(|at| edge(Relation::Owned, "Job", &format!("j{at}"))).collect();
    for at in 0..6 {
        let (job, pod) = (format!("j{at}"), format!("p{at}"));
        edges.push(through(Relation::Owned, ("Job", &job), "Pod", &pod));
        edges.push(Edge { depth: 3, ..through(Relation::Owned, ("Pod", &pod), "Claim", &format!("c{at}")) });
    }
    assert_eq!(
        of(&edges),
        [
            "own Owned: j0, j1, j2, 3 Job beyond 6",
            "j0 Owned: p0",
            "p0 Owned: c0",
            "j1 Owned: p1",
            "p1 Owned: c1",
            "j2 Owned: p2",
            "p2 Owned: c2",
        ]
    );
}

#[test]
fn an_object_is_in_the_picture_once_with_all_its_relations() {
    let with_role = |role: &str| Edge { role: role.to_owned(), ..edge(Relation::Uses, "Secret", "db") };
    let edges = [
        edge(Relation::Owned, "EndpointSlice", "s"),
        with_role("volume v"),
        with_role("environment c"),
        edge(Relation::UsedBy, "EndpointSlice", "s"),
        edge(Relation::Uses, "Pod", "own"),
    ];
    assert_eq!(of(&edges), ["own Uses: db+Uses environment c", "own Owned: s+UsedBy "]);
    assert_eq!(of(&[edge(Relation::Owner, "Pod", "own")]), Vec::<String>::new(), "never the object itself");
}

#[test]
fn a_deployment_has_its_pods_below_the_replica_set_that_owns_them() {
    let branches = named("deployment/healthy").with(|subject| picture(&Link::of(subject.object), &edges(subject)));
    let lines = lines(&branches);
    assert!(lines.iter().any(|line| line.starts_with("web Owned: web-7d9c5b7c64")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("web-7d9c5b7c64 Owned: web-7d9c5b7c64-p0")), "{lines:#?}");
}
