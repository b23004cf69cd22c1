//! Tests of the change log: examples.

mod model;

use informer::{KubeObject, Packer, PackerOptions, Reading};
use informer_packing::{Json, Outline};

use super::*;

fn object(json: &str) -> Arc<Object> {
    Arc::new(Object::from_json(json, None).expect("an object"))
}

/// An object as an informer caches it.
fn packed(packer: &Packer, json: &str) -> Arc<Object> {
    match Object::read(&Outline::of(Json::new(json)), None, packer, &|_| None).expect("an object") {
        Reading::New(object) => Arc::new(object),
        Reading::Known(object) => object,
    }
}

fn packer() -> Packer {
    Object::packer(&"v1/pods".parse().expect("a resource"), PackerOptions::default())
}

fn pod(name: &str, version: u32, image: &str) -> Arc<Object> {
    object(&format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"{version}"}},"spec":{{"containers":[{{"name":"c","image":"{image}"}}]}}}}"#
    ))
}

fn add(object: &Arc<Object>) -> Change<Object> {
    Change::Add { object: Arc::clone(object), is_in_initial_list: false }
}

fn update(old: &Arc<Object>, new: &Arc<Object>) -> Change<Object> {
    Change::Update { old: Arc::clone(old), new: Arc::clone(new) }
}

fn delete(object: &Arc<Object>) -> Change<Object> {
    Change::Delete { object: Arc::clone(object), final_state_unknown: false }
}

/// A log that has begun at 1,000 with one pod.
fn begun(is_secret: bool) -> ChangeLog {
    let mut log = ChangeLog::new(1 << 20, is_secret);
    log.record(&add(&pod("a", 1, "v1")), 900.0);
    log.begin(1_000.0);
    log
}

/// Changes with their paths, the newest first.
fn lines(log: &ChangeLog, selection: &Selection<'_>) -> Vec<String> {
    let line = |change: RecordedChange<'_>| {
        let fields = change.with_fields(|_, fields| {
            let line = |field: &FieldChange<'_>| {
                let text = |json: Option<Json<'_>>| json.map_or("-", Json::text).to_owned();
                format!(" {} {} {}", json_path(&field.path), text(field.before), text(field.after))
            };
            fields.iter().map(line).collect::<String>()
        });
        format!("{} {} {} {:?}{fields}", change.number, change.time, change.key, change.change)
    };
    log.changes(selection).map(line).collect()
}

#[test]
fn changes_are_listed_with_their_fields_and_states_are_restored() {
    let mut log = begun(false);
    let [a1, a2, a3, b] = [pod("a", 1, "v1"), pod("a", 2, "v2"), pod("a", 3, "v2"), pod("b", 1, "w")];
    log.record(&update(&a1, &a2), 1_500.9);
    log.record(&add(&b), 2_000.0);
    log.record(&update(&a2, &a3), 2_500.0);
    log.record(&update(&a3, &a3), 2_600.0);
    log.record(&delete(&a3), 3_000.0);
    let all = [
        "3 3000 n/a Deleted",
        "1 2000 n/b Added",
        r#"0 1500 n/a Changed .spec.containers[?(@.name=="c")].image "v1" "v2""#,
    ];
    assert_eq!(lines(&log, &Selection::default()), all, "that only the version changed is no change of a field");
    assert_eq!(lines(&log, &Selection { key: Some("n/a"), ..Selection::default() }), [all[0], all[2]]);
    assert_eq!(
        lines(&log, &Selection { since: Some(2_000.0), until: Some(2_999.0), ..Selection::default() }),
        all[1..2]
    );
    assert_eq!(lines(&log, &Selection { before: Some(3), ..Selection::default() }), all[1..]);
    assert_eq!(lines(&log, &Selection { key: Some("n/c"), ..Selection::default() }), [""; 0]);
    assert_eq!((log.len(), log.kept_since()), (4, Some(1_000.0)));
    for (time, state) in [
        (1_000.0, Some(&a1)),
        (1_499.0, Some(&a1)),
        (1_500.0, Some(&a2)),
        (2_499.0, Some(&a2)),
        (2_500.0, Some(&a3)),
        (2_999.9, Some(&a3)),
        (3_000.0, None),
        (f64::MAX, None),
    ] {
        let expected = state.map(|object| object.json().into_owned());
        assert_eq!(log.object_at("n/a", time), Ok(expected), "at {time}");
    }
    assert_eq!(log.object_at("n/a", 999.0), Err(NotKept::Dropped(1_000.0)));
    assert_eq!(log.object_at("n/a", f64::NAN), Err(NotKept::Dropped(1_000.0)));
}

#[test]
fn nothing_is_recorded_before_the_first_list_is_complete() {
    let mut log = ChangeLog::new(1 << 20, false);
    let [first, second] = [pod("a", 1, "v1"), pod("a", 2, "v2")];
    log.record(&add(&first), 1.0);
    log.record(&update(&first, &second), 2.0);
    assert_eq!((log.len(), log.bytes(), log.object_at("n/a", 2.0)), (0, 0, Err(NotKept::NotBegun)));
    log.begin(3.0);
    log.begin(9.0);
    assert_eq!(log.object_at("n/a", 3.0), Ok(Some(second.json().into_owned())));
}

#[test]
fn a_clock_that_goes_back_does_not_reorder_changes() {
    let mut log = begun(false);
    let [a1, a2] = [pod("a", 1, "v1"), pod("a", 2, "v2")];
    log.record(&update(&a1, &a2), 5_000.0);
    log.record(&delete(&a2), 2_000.0);
    let times: Vec<f64> = log.changes(&Selection::default()).map(|change| change.time).collect();
    assert_eq!(times, [5_000.0, 5_000.0]);
    assert_eq!(log.object_at("n/a", 5_000.0), Ok(None));
}

#[test]
fn of_secrets_neither_states_nor_sizes_are_recorded() {
    let size_with = |value: &str| {
        let mut log = begun(true);
        let [old, new] = [pod("a", 1, "v1"), pod("a", 2, value)];
        log.record(&update(&old, &new), 2_000.0);
        log.record(&update(&new, &new), 2_500.0);
        log.record(&delete(&new), 3_000.0);
        assert_eq!(lines(&log, &Selection::default()), ["1 3000 n/a Deleted", "0 2000 n/a Changed"]);
        assert_eq!(log.object_at("n/a", 2_000.0), Err(NotKept::Secret));
        assert!(log.objects.is_empty());
        assert!(log.entries.iter().all(|entry| matches!(entry.before, Before::Hidden)));
        log.bytes()
    };
    assert_eq!(size_with("a"), size_with(&"a".repeat(10_000)));
}

#[test]
fn a_small_change_takes_few_bytes_and_no_state_needs_many_steps() {
    let mut log = ChangeLog::new(1 << 20, false);
    let packer = packer();
    let state = |version: u32| {
        let field = |n: u32| format!(r#","f{n}":"{:x}""#, 2_654_435_761_u32.wrapping_mul(n));
        let filler = (0..60).map(field).collect::<Vec<_>>().concat();
        packed(
            &packer,
            &format!(
                r#"{{"metadata":{{"name":"a","resourceVersion":"{version}"}},"spec":{{"a":"{version}"{filler}}}}}"#
            ),
        )
    };
    let states: Vec<_> = (0..200).map(state).collect();
    log.record(&add(&states[0]), 0.0);
    log.begin(0.0);
    for (pair, time) in states.windows(2).zip(1_u32..) {
        log.record(&update(&pair[0], &pair[1]), time.into());
    }
    for (state, time) in states.iter().zip(0_u32..) {
        assert_eq!(log.object_at("a", time.into()), Ok(Some(state.json().into_owned())));
    }
    let wholes = log.entries.iter().filter(|entry| matches!(entry.before, Before::Whole(_))).count();
    assert_eq!(wholes, 199 / usize::from(KEYFRAME_INTERVAL));
    assert!(log.bytes() / 199 < size_of::<Entry>() + 100, "{} bytes", log.bytes());
}
