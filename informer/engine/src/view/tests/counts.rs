//! Tests of value counts.

use super::*;

#[test]
fn facets_have_a_hundred_values_and_the_number_of_others() {
    let mut view = View::new(cells(), false, None);
    view.change(&ViewQuery { facets: vec!["NODE".into(), "ready".into()], ..ViewQuery::default() }, BEGINNING)
        .expect("applied");
    let pods = (0..150u8).map(|n| Pod { restarts: n, ..pod(&format!("n/p{n}")) });
    view.apply(&batch(pods.map(|pod| add(&object(&pod, 1))).collect()), BEGINNING);
    let facets = view.facets(BEGINNING).expect("new");
    assert_eq!((facets[0].column.as_str(), facets[0].values.len(), facets[0].more), ("NODE", 100, 50));
    let half = |value: &str| FacetValue { value: value.into(), count: 75 };
    assert_eq!((&facets[1].values, facets[1].more), (&vec![half("0/1"), half("1/1")], 0));
    assert_eq!(view.facets(BEGINNING + 300.0), None);
}

#[test]
fn counts_are_sent_four_times_a_second_and_at_once_after_a_view_query() {
    let mut view = view_of(5, &["n/a"]);
    let counting = ViewQuery { facets: vec!["node".into()], ..ViewQuery::default() };
    view.change(&counting, BEGINNING).expect("applied");
    assert!(view.facets(BEGINNING).is_some());
    view.apply(&batch(vec![add(&object(&pod("n/b"), 2))]), BEGINNING + 10.0);
    assert_eq!((view.facets(BEGINNING + 10.0), view.due_at()), (None, Some(BEGINNING + 250.0)));
    assert!(view.facets(BEGINNING + 250.0).is_some());
    assert_eq!(view.due_at(), None);
    view.change(&ViewQuery { filter: "b".into(), ..counting }, BEGINNING + 251.0).expect("applied");
    assert!(view.facets(BEGINNING + 251.0).is_some());
    // Setting the clock back delays nothing.
    view.apply(&batch(vec![add(&object(&pod("n/bb"), 3))]), BEGINNING);
    assert!(view.facets(BEGINNING - 3_600_000.0).is_some());
}

#[test]
fn facets_have_the_most_frequent_values() {
    // 150 nodes: every third has two pods, every fifth one more. None is at the position of its count.
    let times = |n: u8| 1 + usize::from(n.is_multiple_of(3)) + usize::from(n.is_multiple_of(5));
    let mut pods = Vec::new();
    for n in (0..150u16).filter_map(|n| u8::try_from(n * 77 % 150).ok()) {
        pods.extend((0..times(n)).map(|copy| Pod { restarts: n, ..pod(&format!("n/p{n}-{copy}")) }));
    }
    let mut view = View::new(cells(), false, None);
    view.change(&ViewQuery { facets: vec!["node".into()], ..ViewQuery::default() }, BEGINNING).expect("applied");
    view.apply(&batch(pods.iter().map(|pod| add(&object(pod, 1))).collect()), BEGINNING);
    let facet = view.facets(BEGINNING).expect("new").remove(0);
    let mut nodes: Vec<u8> = pods.iter().map(|pod| pod.restarts).collect();
    nodes.sort_by_key(|n| (std::cmp::Reverse(times(*n)), *n));
    nodes.dedup();
    let expected: Vec<FacetValue> =
        nodes.iter().take(100).map(|n| FacetValue { value: format!("node-{n}"), count: times(*n) }).collect();
    assert_eq!((facet.values, facet.more), (expected, nodes.len() - 100));
}
