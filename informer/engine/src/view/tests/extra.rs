//! Tests of columns by path: those of a view alone, and those that it adds to the resource's table.

use super::*;

#[test]
fn columns_added_to_those_of_the_table_follow_them_and_are_filtered_sorted_and_counted() {
    let pods = "v1/pods".parse().expect("a resource");
    let extra = [("app", "metadata.labels.app"), ("Status", ".metadata.uid")];
    let extra = extra.map(|(name, path)| (name.to_owned(), path.to_owned())).into();
    let cells = || Cells::of_table(columns_of(&pods, true), &pods).with_extra(&extra).expect("paths");
    let mut view = View::new(cells(), false, None);
    let own: Vec<String> = view.headers().into_iter().map(|header| header.name).skip(9).collect();
    assert_eq!(own, ["Readiness Gates", "Status", "app"], "by name, after kubectl's");
    view.set_window(0, 9);
    view.apply(&batch(["n/b", "n/a", "n/c"].map(|key| add(&object(&pod(key), 1))).to_vec()), BEGINNING);
    let order_by = vec![OrderBy { column: "App".into(), descending: true }];
    let facets = vec!["app".to_owned()];
    let query = ViewQuery { filter: "app!=b status=Running".into(), order_by, facets, ..ViewQuery::default() };
    view.change(&query, BEGINNING).expect("applied: of two columns of a name, the table's is meant");
    let patch = view.patch(true, BEGINNING).expect("rows");
    assert_eq!(seen(&patch), [(0, "n/c"), (1, "n/a")]);
    assert_eq!(patch.rows[0].cells[10..], [Cell::Text("u1".into()), Cell::Text("c".into())]);
    let counted = view.facets(BEGINNING).expect("counted").remove(0).values;
    assert_eq!(counted.iter().map(|value| (&*value.value, value.count)).collect::<Vec<_>>(), [("a", 1), ("c", 1)]);
    informer::carry_cells(crate::columns::carried);
    let plain = object(&pod("n/web"), 1);
    let json = plain.json();
    let reads_pods = Object::packer(&pods, PackerOptions::default());
    let packed = Object::read(&Outline::of(Json::new(&json)), None, &reads_pods, &|_| None).expect("valid").into_arc();
    assert_eq!((cells().of(&packed), packed.cells().is_empty()), (cells().of(&plain), false), "cached cells too");
}

#[test]
fn columns_of_its_own_are_paths() {
    let paths = [("when", "{.metadata.creationTimestamp}"), ("node", ".spec.nodeName"), ("none", "a.b")];
    let paths = paths.map(|(name, path)| (name.to_owned(), path.to_owned())).into();
    let mut view = View::new(Cells::of_paths(&paths).expect("paths"), false, None);
    view.set_window(0, 9);
    let pods = [("n/a", 0, 5), ("n/b", 1, 60), ("n/c", 2, 1)];
    let pods = pods.map(|(key, restarts, s)| Pod { restarts, created: Some(s), ..pod(key) });
    view.apply(&batch(pods.iter().map(|pod| add(&object(pod, 1))).collect()), BEGINNING);
    let order_by = vec![OrderBy { column: "when".into(), descending: true }];
    let view_query =
        ViewQuery { filter: "node!=node-1 when<1h none= age>=0s".into(), order_by, ..ViewQuery::default() };
    view.change(&view_query, BEGINNING + 60_000.0).expect("applied");
    let patch = view.patch(true, BEGINNING + 60_000.0).expect("rows");
    assert_eq!(seen(&patch), [(0, "n/c"), (1, "n/a")]);
    let error = Cells::of_paths(&[("x".to_owned(), "{".to_owned())].into()).err().expect("no path");
    assert!(error.message().starts_with("column \"x\": "), "{}", error.message());
}
