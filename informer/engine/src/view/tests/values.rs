//! Tests of completion values for a term of a filter, and of tests that no value can pass.

use super::*;
use crate::value_counts::ValuesOptions;

fn values(view: &View, filter: &str, column: &str, containing: &str) -> Result<Vec<(String, usize)>, Rejection> {
    let [filter, column, containing] = [filter, column, containing].map(str::to_owned);
    let facet = view.values(&ValuesOptions { filter, column, containing }, BEGINNING)?;
    Ok(facet.values.into_iter().map(|FacetValue { value, count }| (value, count)).collect())
}

fn of(pods: &[(&str, &'static str)]) -> View {
    let mut view = View::new(cells(), false, None);
    let pods = pods.iter().map(|(key, phase)| Pod { phase, ..pod(key) });
    view.apply(&batch(pods.map(|pod| add(&object(&pod, 1))).collect()), BEGINNING);
    view
}

#[test]
fn values_are_counted_over_the_rows_of_another_filter() {
    let mut view =
        of(&[("a/x", "Running"), ("a/y", "Running"), ("b/x", "Running"), ("b/z", "Failed"), ("b/y", "Pending")]);
    view.change(&view_query("status=ru"), BEGINNING).expect("applied");
    let pairs = |pairs: &[(&str, usize)]| pairs.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect();
    assert_eq!(values(&view, "", "status", ""), Ok(pairs(&[("Running", 3), ("Failed", 1), ("Pending", 1)])));
    assert_eq!(values(&view, "name=x", "Status", ""), Ok(pairs(&[("Running", 2)])));
    assert_eq!(values(&view, "", "Status", "IN"), Ok(pairs(&[("Running", 3), ("Pending", 1)])));
    view.change(&ViewQuery { namespaces: vec!["b".to_owned()], ..view_query("status=ru") }, BEGINNING)
        .expect("applied");
    assert_eq!(values(&view, "", "Status", "run"), Ok(pairs(&[("Running", 1)])), "of the rows in scope");
    view.apply(
        &batch(vec![Change::Delete {
            object: object(&Pod { phase: "Failed", ..pod("b/z") }, 1),
            final_state_unknown: false,
        }]),
        BEGINNING,
    );
    assert_eq!(values(&view, "", "Status", "fail"), Ok(Vec::new()));
    assert_eq!(view.ranked.shown(), 0, "the view itself is as it was");
    assert!(values(&view, "(", "Status", "").is_err());
    assert!(values(&view, "", "Colour", "").is_err() && values(&view, "", "Name", "").is_err());
}

#[test]
fn a_term_that_no_value_can_be_meant_by_says_so() {
    let mut view = view_of(5, &["n/a", "n/b"]);
    for (filter, start, end, says) in [
        ("a restarts>x", 2, 12, "\"x\" is not a number; compare \"restarts\" with a number, for example restarts>3"),
        ("restarts=1,many", 0, 15, "\"many\" is not a number"),
        ("ready>x", 0, 7, "for example ready>1/2"),
        ("status:Running", 0, 14, "status=Running"),
        ("web -(Status:Running)", 6, 20, "Status=Running"),
        ("label:app", 0, 9, "label=app"),
    ] {
        let rejection = view.change(&view_query(filter), BEGINNING).expect_err(filter);
        assert_eq!((rejection.start, rejection.end), (start, end), "{filter}");
        assert!(rejection.message.contains(says), "{filter}: {}", rejection.message);
    }
    for filter in
        ["restarts = 0", "restarts=", "restarts=<none>", "ready>0/2", "ready=1/1", "\"status:Running\"", "system:a"]
    {
        view.change(&view_query(filter), BEGINNING).unwrap_or_else(|rejection| panic!("{filter}: {rejection:?}"));
    }
}

#[test]
fn columns_of_time_are_compared_with_durations() {
    let version = r#"{"name":"v1","additionalPrinterColumns":[
        {"name":"Expires","type":"date","jsonPath":".status.until"},
        {"name":"Size","type":"number","jsonPath":".spec.size"}]}"#;
    let definition = format!(r#"{{"spec":{{"scope":"Namespaced","versions":[{version}]}}}}"#);
    let columns = printer_columns(&Outline::of(Json::new(&definition)), "v1").expect("its columns");
    let things = "example.dev/v1/things".parse().expect("a resource");
    let mut view = View::new(Cells::of_table(columns, &things), false, None);
    view.set_window(0, 9);
    let thing = |name: &str, until: &str| {
        let json = format!(r#"{{"metadata":{{"name":"{name}","namespace":"n"}},"status":{{"until":"{until}"}}}}"#);
        add(&Arc::new(Object::from_json(&json, None).expect("valid")))
    };
    let changes = [("far", "2026-03-01T00:00:00Z"), ("near", "2026-01-11T00:00:00Z"), ("past", "2025-12-27T00:00:00Z")];
    view.apply(&batch(changes.map(|(name, until)| thing(name, until)).into()), BEGINNING);
    for (filter, names) in
        [("expires<20d", "near past"), ("expires<7d", "past"), ("expires > 20d", "far"), ("expires=", "")]
    {
        view.change(&view_query(filter), BEGINNING).expect(filter);
        let patch = view.patch(true, BEGINNING);
        let shown: Vec<_> =
            patch.iter().flat_map(|patch| &patch.rows).map(|row| row.key.trim_start_matches("n/")).collect();
        assert_eq!(shown.join(" "), names, "{filter}");
    }
    for (filter, says) in
        [("expires=soon", "\"expires\" is a time"), ("expires>5", "expires<30m"), ("size>big", "not a number")]
    {
        let rejection = view.change(&view_query(filter), BEGINNING).expect_err(filter);
        assert!(rejection.message.contains(says), "{filter}: {}", rejection.message);
    }
}
