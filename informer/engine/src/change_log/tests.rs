//! Tests of the change log: examples, and a model that keeps full copies of everything.

use std::collections::BTreeMap;

use informer::{KubeObject, Packer, PackerOptions, Reading};
use informer_packing::{Json, Outline};
use proptest::prelude::*;

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
        let fields = change.with_fields(|fields| {
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
    assert_eq!(log.objects_at(2_000.0).map(|objects| objects.len()), Ok(2));
    assert_eq!(log.objects_at(1_000.0).map(|objects| objects.len()), Ok(1));
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
        assert_eq!(
            (log.object_at("n/a", 2_000.0), log.objects_at(2_000.0)),
            (Err(NotKept::Secret), Err(NotKept::Secret))
        );
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
        let filler: String = (0..60).map(|n| format!(r#","f{n}":"{:x}""#, 2_654_435_761_u32.wrapping_mul(n))).collect();
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
    assert_eq!(wholes, 199 / usize::from(DELTAS));
    assert!(log.bytes() / 199 < size_of::<Entry>() + 100, "{} bytes", log.bytes());
}

/// Content of a generated object.
#[derive(Clone, Debug)]
struct State {
    name: u8,
    value: u8,
    /// How long it is.
    length: usize,
    is_packed: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Put(State),
    Delete(u8),
    Resync(u8),
    /// Afterwards there are these objects only.
    Relist(Vec<State>),
    Pass(i16),
}

fn state() -> impl Strategy<Value = State> {
    let length = prop_oneof![8 => 0..200_usize, 1 => 20_000..90_000_usize];
    (0..5u8, 0..4u8, length, any::<bool>()).prop_map(|(name, value, length, is_packed)| State {
        name,
        value,
        length,
        is_packed,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => state().prop_map(Step::Put),
        2 => (0..5u8).prop_map(Step::Delete),
        1 => (0..5u8).prop_map(Step::Resync),
        1 => prop::collection::vec(state(), 0..6).prop_map(Step::Relist),
        4 => (-50..500_i16).prop_map(Step::Pass),
    ]
}

type Copies = BTreeMap<String, String>;

/// The naive model: full copies of all objects after each change, and all changes.
#[derive(Default)]
struct Model {
    /// Time, and the objects from then on.
    copies: Vec<(f64, Copies)>,
    /// Time, key, type, and whether a field changed.
    changes: Vec<(f64, String, ChangeType, bool)>,
}

impl Model {
    fn at(&self, time: f64) -> &Copies {
        &self.copies.iter().rev().find(|(at, _)| *at <= time).expect("a time after the beginning").1
    }
}

struct Scene {
    log: ChangeLog,
    model: Model,
    cache: BTreeMap<u8, Arc<Object>>,
    packer: Packer,
    now: f64,
    version: u32,
}

impl Scene {
    fn object(&mut self, state: &State) -> Arc<Object> {
        self.version += 1;
        let State { name, value, length, is_packed } = state;
        // Half of the changes are only a version, or a heartbeat, for some values.
        let text = format!(
            r#"{{"metadata":{{"name":"o{name}","resourceVersion":"{}"}},"spec":{{"é":"{}","v":{},"text":"{}"}}}}"#,
            self.version,
            "\\u00e9".repeat(usize::from(*value)),
            value / 2,
            "lorem ipsum ".repeat(length / 12),
        );
        if *is_packed { packed(&self.packer, &text) } else { object(&text) }
    }

    fn tell(&mut self, change: &Change<Object>) {
        self.log.record(change, self.now);
        let time = self.now.floor().max(self.model.copies.last().map_or(0.0, |(time, _)| *time));
        let mut copies = self.model.copies.last().map(|(_, copies)| copies.clone()).unwrap_or_default();
        let key = change.object().key().to_owned();
        let (known, kind) = match change {
            Change::Delete { .. } => (copies.remove(&key), ChangeType::Deleted),
            _ => match copies.insert(key.clone(), change.object().json().into_owned()) {
                Some(known) => (Some(known), ChangeType::Changed),
                None => (None, ChangeType::Added),
            },
        };
        let is_change = match kind {
            ChangeType::Added => true,
            ChangeType::Deleted => known.is_some(),
            ChangeType::Changed => known.as_ref() != copies.get(&key),
        };
        if is_change {
            let is_seen = known.zip(copies.get(&key)).is_none_or(|(known, new)| has_field_changes(&known, new));
            self.model.changes.push((time, key, kind, is_seen));
        }
        self.model.copies.push((time, copies));
    }

    fn put(&mut self, state: &State) {
        let object = self.object(state);
        let change = match self.cache.insert(state.name, Arc::clone(&object)) {
            Some(old) => update(&old, &object),
            None => add(&object),
        };
        self.tell(&change);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Put(state) => self.put(state),
            Step::Delete(name) => {
                if let Some(object) = self.cache.remove(name) {
                    self.tell(&delete(&object));
                }
            }
            Step::Resync(name) => {
                if let Some(object) = self.cache.get(name).cloned() {
                    self.tell(&update(&object, &object));
                }
            }
            Step::Relist(states) => {
                let names: Vec<u8> = states.iter().map(|state| state.name).collect();
                let gone: Vec<u8> = self.cache.keys().copied().filter(|name| !names.contains(name)).collect();
                for name in gone {
                    self.step(&Step::Delete(name));
                }
                states.iter().for_each(|state| self.put(state));
            }
            Step::Pass(ms) => self.now = (self.now + f64::from(*ms) + 0.25).max(0.0),
        }
    }

    /// The size is what the entries take, and within the bound.
    fn check_size(&self, max_bytes: usize) -> Result<(), TestCaseError> {
        let log = &self.log;
        let entries: usize = log.entries.iter().map(Entry::size).sum();
        let keys: usize = log.histories.keys().map(|key| History::size(key)).sum();
        prop_assert_eq!(log.bytes(), entries + keys);
        prop_assert!(log.bytes() <= max_bytes);
        Ok(())
    }

    fn check_states(&self) -> Result<(), TestCaseError> {
        let since = self.log.kept_since().expect("it has begun");
        let mut times: Vec<f64> = self.model.copies.iter().map(|(time, _)| *time).collect();
        times.push(self.now + 1e6);
        for time in times.iter().flat_map(|time| [*time, *time + 0.5, *time - 1.0]) {
            if time < since {
                prop_assert_eq!(self.log.object_at("o0", time), Err(NotKept::Dropped(since)));
                continue;
            }
            let copies = self.model.at(time);
            for key in (0..5).map(|name| format!("o{name}")) {
                prop_assert_eq!(self.log.object_at(&key, time), Ok(copies.get(&key).cloned()), "{} at {}", key, time);
            }
            let objects = self.log.objects_at(time).expect("it is kept");
            let found: Copies =
                objects.iter().map(|object| (object.key().to_owned(), object.json().into_owned())).collect();
            prop_assert_eq!(objects.len(), found.len());
            prop_assert_eq!(&found, copies, "at {}", time);
        }
        Ok(())
    }

    fn check_changes(&self, from: f64, length: f64) -> Result<(), TestCaseError> {
        let dropped = self.model.changes.len() - self.log.len();
        let kept = self.model.changes.iter().enumerate().skip(dropped).filter(|(_, (.., is_seen))| *is_seen);
        let kept: Vec<_> = kept.map(|(number, (time, key, kind, _))| (number as u64, *time, &**key, *kind)).collect();
        let found = |selection: &Selection<'_>| -> Vec<_> {
            let change =
                |change: RecordedChange<'_>| (change.number, change.time, change.key.to_owned(), change.change);
            self.log.changes(selection).map(change).collect()
        };
        let expected = |is_meant: &dyn Fn(u64, f64, &str) -> bool| -> Vec<_> {
            let meant = kept.iter().rev().filter(|(number, time, key, _)| is_meant(*number, *time, key));
            meant.map(|(number, time, key, kind)| (*number, *time, (*key).to_owned(), *kind)).collect()
        };
        prop_assert_eq!(found(&Selection::default()), expected(&|_, _, _| true));
        let (since, until) = (Some(from), Some(from + length));
        for key in [None, Some("o1")] {
            let is_meant =
                |time: f64, of: &str| (from..=from + length).contains(&time) && key.is_none_or(|key| key == of);
            prop_assert_eq!(
                found(&Selection { key, since, until, before: None }),
                expected(&|_, time, of| is_meant(time, of))
            );
            let middle = kept.get(kept.len() / 2).map_or(0, |(number, ..)| *number);
            prop_assert_eq!(
                found(&Selection { key, before: Some(middle), ..Selection::default() }),
                expected(&|number, _, of| number < middle && key.is_none_or(|key| key == of))
            );
        }
        for change in self.log.changes(&Selection::default()) {
            let fields = change.with_fields(|fields| fields.len());
            prop_assert_eq!(fields > 0, change.change == ChangeType::Changed);
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn states_and_changes_are_those_of_a_model_with_full_copies(
        initial in prop::collection::vec(state(), 0..4),
        steps in prop::collection::vec(step(), 0..80),
        max_bytes in prop_oneof![Just(0_usize), 200..4_000_usize, Just(1 << 30)],
        from in 0.0..4_000.0,
        length in 0.0..4_000.0,
    ) {
        let (log, model, cache) = (ChangeLog::new(max_bytes, false), Model::default(), BTreeMap::new());
        let mut scene = Scene { log, model, cache, packer: packer(), now: 100.0, version: 0 };
        for state in &initial {
            scene.put(state);
        }
        scene.log.begin(scene.now);
        let copies = scene.model.copies.pop().map(|(_, copies)| copies).unwrap_or_default();
        scene.model = Model { copies: vec![(100.0, copies)], changes: Vec::new() };
        for step in &steps {
            scene.step(step);
            scene.check_size(max_bytes)?;
        }
        scene.check_states()?;
        scene.check_changes(from, length)?;
    }
}
