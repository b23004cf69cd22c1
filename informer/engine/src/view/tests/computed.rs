//! Tests of computed columns in a view: filters read them by name, and nothing shows them.

use super::*;

fn kept(resource: &str, objects: &[&str], filter: &str) -> Vec<String> {
    let resource = resource.parse().expect("a resource");
    let objects: Vec<_> = objects.iter().map(|json| Arc::new(Object::from_json(json, None).expect(json))).collect();
    let mut view = View::new(Cells::of_table(columns_of(&resource, true), &resource), false, None);
    view.set_window(0, 99);
    view.apply(&batch(objects.iter().map(add).collect()), BEGINNING);
    view.change(&view_query(filter), BEGINNING).expect(filter);
    let patch = view.patch(true, BEGINNING).expect("rows");
    patch.rows.into_iter().map(|row| row.key).collect()
}

#[test]
fn a_daemon_set_is_filtered_by_its_readiness() {
    let set = |name: &str, desired: u8, ready: u8| {
        format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"status":{{"desiredNumberScheduled":{desired},"numberReady":{ready}}}}}"#
        )
    };
    let sets = [set("all", 3, 3), set("part", 12, 11), set("none", 2, 0), set("nowhere", 0, 0)];
    let sets = sets.each_ref().map(String::as_str);
    let kept = |filter| kept("apps/v1/daemonsets", &sets, filter);
    assert_eq!(kept("readiness<1/1"), ["n/none", "n/part"]);
    assert_eq!(kept("readiness>=1/1 readiness!=0/0"), ["n/all"]);
    assert_eq!(kept("Readiness=0/0"), ["n/nowhere"]);
}

#[test]
fn a_pod_is_filtered_by_its_requests() {
    let pod = |name: &str, cpu: &str, phase: &str| {
        format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"spec":{{"containers":[{{"resources":{{"requests":{{"cpu":"{cpu}","memory":"1Gi"}}}}}}]}},"status":{{"phase":"{phase}","reason":"Evicted"}}}}"#
        )
    };
    let pods = [pod("small", "500m", "Running"), pod("large", "4", "Failed")];
    let pods = pods.each_ref().map(String::as_str);
    let kept = |filter| kept("v1/pods", &pods, filter);
    assert_eq!(kept("cpu-requests>1"), ["n/large"]);
    assert_eq!(kept("cpu-requests=0.5 memory-requests=1Gi"), ["n/small"]);
    assert_eq!(kept("cpu-limits="), ["n/large", "n/small"]);
    assert_eq!(kept("phase!=Succeeded,Failed"), ["n/small"]);
}

#[test]
fn a_computed_column_is_in_no_header_and_found_by_no_text() {
    let mut view = View::new(cells(), false, None);
    assert!(view.headers().iter().all(|header| !["Phase", "CPU Requests"].contains(&header.name.as_str())));
    let pod = object(&pod("n/a"), 1);
    view.apply(&batch(vec![add(&pod)]), BEGINNING);
    for (filter, says) in [
        ("cpu-requests>x", "is not a number"),
        ("phase:Running", "write phase=Running"),
        ("color=x", "node, nominated-node, readiness-gates, phase, cpu-requests, cpu-limits"),
    ] {
        let rejection = view.change(&view_query(filter), BEGINNING).expect_err(filter);
        assert!(rejection.message.contains(says), "{}", rejection.message);
    }
    let by =
        ViewQuery { order_by: vec![OrderBy { column: "phase".into(), descending: false }], ..ViewQuery::default() };
    let rejection = view.change(&by, BEGINNING).expect_err("it is in no table");
    assert!(rejection.message.contains("no such column"), "{}", rejection.message);
}
