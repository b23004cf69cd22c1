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
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["x=2 5 1073741824", "y=1 3 1073741824"], "the init container of a needs 2");
    // A change takes what was added, and no more.
    aggregate
        .apply(&batch(vec![add(&pod("b", "x", "4", "Running")), add(&pod("c", "y", "3", "Succeeded"))]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["x=2 6 1073741824"]);
    aggregate.apply(&batch(vec![delete(&pods[0]), delete(&pods[1])]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!((page.lines(), page.total), (vec![], vec!["0".to_owned(), "0".to_owned(), "null".to_owned()]));
}

#[test]
fn objects_are_grouped_by_a_computed_column() {
    let mut aggregate = of_pods(options(&["phase", "node"], &[]));
    let mut page = Reader::default();
    let pods = [pod("a", "x", "1", "Running"), pod("b", "x", "1", "Running"), pod("c", "y", "1", "Failed")];
    aggregate.apply(&batch(pods.iter().map(add).collect()), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["Running/x=2", "Failed/y=1"]);
    aggregate.apply(&batch(vec![add(&pod("b", "x", "1", "Failed"))]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["Failed/x=1", "Failed/y=1", "Running/x=1"]);
    let rejection = Aggregate::new(cells("v1/pods"), options(&["last-restart"], &[]), None).err().expect("rejected");
    assert!(rejection.message.contains("nearly every object has a different value"), "{}", rejection.message);
}

#[test]
fn events_and_restarts_are_counted_by_the_minute_until_they_are_too_old() {
    let event = |name: &str, times: &str| {
        object(&format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"type":"Warning",{times}}}"#
        ))
    };
    let events = [
        event("a", r#""lastTimestamp":"2026-01-01T00:00:00Z""#),
        event("b", r#""lastTimestamp":"2026-01-01T00:00:59Z""#),
        event("c", r#""lastTimestamp":null,"eventTime":"2026-01-01T00:01:00.123456Z""#),
        event("d", r#""eventTime":null"#),
    ];
    let by_minute = AggregateOptions { filter: "last-seen<2m".into(), ..options(&["minute"], &[]) };
    let mut aggregate = Aggregate::new(cells("v1/events"), by_minute, None).expect("valid");
    let mut page = Reader::default();
    aggregate.apply(&batch(events.iter().map(add).collect()), BEGINNING + 90_000.0);
    page.receive(&mut aggregate, BEGINNING + 90_000.0);
    assert_eq!(page.lines(), ["1767225600=2", "1767225660=1"]);
    assert!(page.receive(&mut aggregate, BEGINNING + 120_000.0));
    assert_eq!(page.lines(), ["1767225600=1", "1767225660=1"]);

    let restarted = |name: &str, restarts: u8, at: &str| {
        object(&format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"status":{{"phase":"Running","containerStatuses":[{{"name":"c","restartCount":{restarts},"state":{{"running":{{}}}},"lastState":{{"terminated":{{"exitCode":1,"finishedAt":"{at}"}}}}}}]}}}}"#
        ))
    };
    let pods = [
        restarted("a", 1, "2026-01-01T00:00:30Z"),
        restarted("b", 0, "2026-01-01T00:00:30Z"),
        pod("c", "x", "1", "Running"),
    ];
    let of = [(AggregateOp::Count, ""), (AggregateOp::Max, "last-restart")];
    let mut aggregate =
        of_pods(AggregateOptions { filter: "last-restart<1h".into(), ..options(&["restart-minute"], &of) });
    let mut page = Reader::default();
    aggregate.apply(&batch(pods.iter().map(add).collect()), BEGINNING + 60_000.0);
    page.receive(&mut aggregate, BEGINNING + 60_000.0);
    assert_eq!(page.lines(), ["1767225600=1 1767225630000"]);
    assert_eq!(aggregate.due_at(), Some(BEGINNING + 3_630_000.0));
    assert!(page.receive(&mut aggregate, BEGINNING + 3_630_000.0));
    assert_eq!(page.lines(), Vec::<String>::new());
}
