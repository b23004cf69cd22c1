//! Tests of filters together with namespaces and label selectors.

use super::*;

/// A page that sees 120 pods in two namespaces.
fn world() -> World {
    let mut world = World::new();
    world.perform(Op::Window(0, 200), &mut Vec::new());
    let mut changes = Vec::new();
    for namespace in ["a", "b"] {
        for n in 0..60u8 {
            let phase = ["Running", "Pending", "Failed"][usize::from(n % 3)];
            let pod = Pod { phase, restarts: n % 4, created: Some(n), ..pod(&format!("{namespace}/p-{n}")) };
            world.perform(Op::Put(pod), &mut changes);
        }
    }
    world.view.apply(&batch(changes), world.now);
    world.receive();
    world.check();
    world
}

/// Applies a view query, compares the rows with the naive model, and returns their number.
fn total_of(world: &mut World, filter: &str, namespaces: &[&str]) -> usize {
    let namespaces = namespaces.iter().map(ToString::to_string).collect();
    let facets = vec!["status".to_owned(), "Namespace".to_owned()];
    world.perform(Op::Change(ViewQuery { facets, namespaces, ..view_query(filter) }), &mut Vec::new());
    world.receive();
    world.check();
    world.totals.0
}

#[test]
fn a_refined_filter_shows_the_rows_of_both() {
    let mut world = world();
    let shown: Vec<usize> =
        ["p-1", "p-10", "p-1", "p-1 status=running", "p-1 status=running age<100s", "", "p-59", "nothing", "p"]
            .map(|filter| total_of(&mut world, filter, &[]))
            .to_vec();
    assert_eq!(shown, [22, 2, 22, 6, 6, 120, 2, 0, 120]);
    // Some rows that passed before are past their limit now.
    assert_eq!(total_of(&mut world, "p-2", &[]), 22);
    assert_eq!(total_of(&mut world, "p-2 age<35s", &[]), 8);
    world.perform(Op::Pass(2), &mut Vec::new());
    world.receive();
    world.check();
}

#[test]
fn other_namespaces_are_filtered_from_all_objects() {
    let mut world = world();
    assert_eq!(total_of(&mut world, "p-1", &["a"]), 11);
    assert_eq!(total_of(&mut world, "p-10", &["b"]), 1);
    assert_eq!(total_of(&mut world, "p-10", &["a", "b"]), 2);
    assert_eq!(total_of(&mut world, "p-10", &["zz"]), 0);
    assert_eq!(total_of(&mut world, "p-10", &["a"]), 1);
    assert_eq!(total_of(&mut world, "p-10 status=running", &["a"]), 0);
    assert_eq!(total_of(&mut world, "status!=running", &["b"]), 40);
    assert_eq!(total_of(&mut world, "", &["b"]), 60);
}

#[test]
fn a_repeated_object_causes_no_patch() {
    let mut view = view_of(5, &[]);
    let object = object(&pod("n/a"), 1);
    view.apply(&batch(vec![add(&object)]), BEGINNING);
    assert!(view.patch(true, BEGINNING).is_some());
    let again = Change::Update { old: Arc::clone(&object), new: Arc::clone(&object) };
    view.apply(&batch(vec![again]), BEGINNING);
    assert_eq!(view.patch(true, BEGINNING), None);
}

#[test]
fn objects_enter_and_leave_by_their_labels() {
    let selector = "phase in (Running, Pending)".parse().expect("a selector");
    let mut view = View::new(cells(), false, Some(selector));
    view.set_window(0, 9);
    let with = |phase: &'static str, version: u32| object(&Pod { phase, ..pod("n/a") }, version);
    let mut keys = |change: Change<Object>| {
        view.apply(&batch(vec![change]), BEGINNING);
        let patch = view.patch(true, BEGINNING).expect("a patch");
        (patch.total, patch.of)
    };
    assert_eq!(keys(add(&with("Running", 1))), (1, 1));
    let update = |from, to, version| Change::Update { old: with(from, version), new: with(to, version + 1) };
    assert_eq!(keys(update("Running", "Failed", 1)), (0, 0));
    assert_eq!(keys(update("Failed", "Pending", 2)), (1, 1));
    // Many at once, which are sorted as a whole.
    let many = (0..200u8).map(|n| {
        let phase = ["Running", "Failed"][usize::from(n % 2)];
        add(&object(&Pod { phase, ..pod(&format!("n/p{n}")) }, 9))
    });
    view.apply(&batch(many.collect()), BEGINNING);
    let patch = view.patch(true, BEGINNING).expect("a patch");
    assert_eq!((patch.total, patch.of), (101, 101));
}
