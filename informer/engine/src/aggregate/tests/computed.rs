//! Tests of computed columns in an aggregate: their sums follow each change of an object.

use super::*;

fn pod(name: &str, node: &str, cpu: &str, phase: &str) -> Arc<Object> {
    object(&format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"spec":{{"nodeName":"{node}","initContainers":[{{"resources":{{"requests":{{"cpu":"2"}}}}}}],"containers":[{{"resources":{{"requests":{{"cpu":"{cpu}"}},"limits":{{"memory":"1Gi"}}}}}}]}},"status":{{"phase":"{phase}"}}}}"#
    ))
}

#[test]
fn requests_of_pods_are_summed_as_the_scheduler_counts_them() {
    let of = [(AggregateOp::Count, ""), (AggregateOp::Sum, "CPU Requests"), (AggregateOp::Max, "memory-limits")];
    let options = AggregateOptions { filter: "phase!=Succeeded,Failed".into(), ..options(&["node"], &of) };
    let mut aggregate = of_pods(options);
    let mut page = Reader::default();
    let pods = [
        pod("a", "x", "500m", "Running"),
        pod("b", "x", "3", "Pending"),
        pod("c", "y", "3", "Running"),
        pod("d", "y", "9", "Failed"),
    ];
    aggregate.apply(&batch(pods.iter().map(add).collect()), BEGINNING);
    page.hear(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["x=2 5 1073741824", "y=1 3 1073741824"], "the init container of a needs 2");
    // A change takes what was added, and no more.
    aggregate
        .apply(&batch(vec![add(&pod("b", "x", "4", "Running")), add(&pod("c", "y", "3", "Succeeded"))]), BEGINNING);
    page.hear(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["x=2 6 1073741824"]);
    aggregate.apply(&batch(vec![delete(&pods[0]), delete(&pods[1])]), BEGINNING);
    page.hear(&mut aggregate, BEGINNING);
    assert_eq!((page.lines(), page.total), (vec![], vec!["0".to_owned(), "0".to_owned(), "null".to_owned()]));
}

#[test]
fn it_cannot_group_by_a_computed_column() {
    let rejection = Aggregate::new(cells("v1/pods"), options(&["phase"], &[]), None).err().expect("rejected");
    assert!(rejection.message.contains("cannot group by \"phase\": no such column"), "{}", rejection.message);
}
