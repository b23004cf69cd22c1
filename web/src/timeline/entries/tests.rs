//! Tests of the entries: how changes of several informers are merged.

use serde_json::json;

use super::*;

fn change(id: u64, time: f64, key: &str) -> Change {
    let fields =
        vec![ChangedField { path: ".spec.replicas".to_owned(), before: Some(json!(1)), after: Some(json!(2)) }];
    Change { id, time, key: key.to_owned(), kind: ChangeType::Changed, uid: String::new(), fields }
}

fn list(informer: u32, resource: &str, changes: Vec<Change>) -> Arc<Vec<Arc<Entry>>> {
    Arc::new(changes.into_iter().map(|change| Arc::new(Entry::of_change(informer, resource, change))).collect())
}

fn ids(entries: &[Arc<Entry>]) -> Vec<Id> {
    entries.iter().map(|entry| entry.id).collect()
}

#[test]
fn changes_are_merged_by_time_the_newest_first() {
    let pods = list(1, "v1/pods", vec![change(2, 30.0, "a/x"), change(1, 30.0, "a/y"), change(0, 10.0, "b/x")]);
    let maps = list(2, "v1/configmaps", vec![change(7, 20.0, "a/z")]);
    let all = merged([pods.clone(), maps.clone()], &EntryFilter::default());
    assert_eq!(ids(&all), [(1, 2), (1, 1), (2, 7), (1, 0)]);
    let of = |filter: EntryFilter| ids(&merged([pods.clone(), maps.clone()], &filter));
    assert_eq!(of(EntryFilter { namespaces: vec!["b".to_owned()], ..EntryFilter::default() }), [(1, 0)]);
    assert_eq!(of(EntryFilter { text: "CONFIG replicas".to_owned(), ..EntryFilter::default() }), [(2, 7)]);
    assert_eq!(of(EntryFilter { hidden: vec![Category::Scale], ..EntryFilter::default() }), []);
}

#[test]
fn differences_keep_their_order() {
    let difference = |key: &str| Difference { key: key.to_owned(), kind: ChangeType::Added, fields: Vec::new() };
    let entry = |index, key| Arc::new(Entry::of_difference(1, index, "v1/pods", difference(key)));
    let all = merged([Arc::new(vec![entry(0, "a/x"), entry(1, "a/a")])], &EntryFilter::default());
    assert_eq!(ids(&all), [(1, 0), (1, 1)]);
    assert_eq!((all[0].kind, all[0].line.as_str()), (EntryKind::Change(Category::Created), "created"));
}

#[test]
fn newer_changes_are_added_once_and_the_oldest_dropped() {
    let known = with_newer(
        &[],
        vec![Entry::of_change(1, "r", change(3, 9.0, "x")), Entry::of_change(1, "r", change(2, 9.0, "x"))],
        3,
    );
    let newer = [5, 4, 3].map(|id| Entry::of_change(1, "r", change(id, 9.0, "x"))).into();
    assert_eq!(ids(&with_newer(&known, newer, 3)), [(1, 5), (1, 4), (1, 3)]);
}

#[test]
fn for_a_secret_a_note_states_that_values_are_not_recorded() {
    let change = Change { fields: Vec::new(), ..change(1, 1.0, "a/key") };
    assert_eq!(Entry::of_change(1, "v1/secrets", change).line, "changed; its values are not recorded");
}

#[test]
fn a_change_is_read_as_the_package_sends_it() {
    let text = r#"[{"id":3,"time":5,"key":"a/b","type":"changed","uid":"u","fields":[{"path":".a","before":1}]}]"#;
    let read: Vec<Change> = serde_json::from_str(text).expect("readable");
    let fields = vec![ChangedField { path: ".a".to_owned(), before: Some(json!(1)), after: None }];
    assert_eq!(
        read,
        [Change { id: 3, time: 5.0, key: "a/b".to_owned(), kind: ChangeType::Changed, uid: "u".to_owned(), fields }]
    );
}
