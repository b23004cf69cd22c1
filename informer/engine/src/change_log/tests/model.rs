//! Model test: after any history, states and changes are those of a model that keeps full copies of everything.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::message::FromEngine;
use crate::view::{LiveView, Past, Rewindable};
use informer::ChangeBatch;

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
    /// Shows the objects as they were at this share of the kept time; `None` returns to the present.
    Rewind(Option<f64>),
}

fn state() -> impl Strategy<Value = State> {
    let length = prop_oneof![30 => 0..200_usize, 1 => 20_000..70_000_usize];
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
        2 => prop::option::weighted(0.8, 0.0..1.0).prop_map(Step::Rewind),
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

/// A view that shows all its objects, for the test to read.
#[derive(Clone, Default)]
struct Shown(Rc<RefCell<Copies>>);

impl LiveView for Shown {
    fn apply(&mut self, batch: &ChangeBatch<Object>, _: f64) {
        let mut shown = self.0.borrow_mut();
        for change in &batch.changes {
            let (key, text) = (change.object().key().to_owned(), change.object().json().into_owned());
            match change {
                Change::Delete { .. } => drop(shown.remove(&key)),
                _ => drop(shown.insert(key, text)),
            }
        }
    }

    fn updates(&mut self, _: u32, _: u32, _: bool, _: f64) -> Vec<FromEngine> {
        Vec::new()
    }

    fn due_at(&self) -> Option<f64> {
        None
    }
}

struct Scene {
    view: Rewindable,
    shown: Shown,
    /// The time that the view is rewound to.
    time: Option<f64>,
    /// Later changes have at least this time.
    passed: f64,
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

    fn deliver(&mut self, change: &Change<Object>) {
        self.log.record(change, self.now);
        let batch = ChangeBatch { changes: vec![change.clone()], resource_version: String::new(), relist: false };
        self.view.apply(&batch, self.now);
        let last = self.model.copies.last().map_or(0.0, |(time, _)| *time);
        let time = self.now.floor().max(last).max(self.passed);
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
            self.model.copies.push((time, copies));
        }
    }

    fn put(&mut self, state: &State) {
        let object = self.object(state);
        let change = match self.cache.insert(state.name, Arc::clone(&object)) {
            Some(old) => update(&old, &object),
            None => add(&object),
        };
        self.deliver(&change);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Put(state) => self.put(state),
            Step::Delete(name) => {
                if let Some(object) = self.cache.remove(name) {
                    self.deliver(&delete(&object));
                }
            }
            Step::Resync(name) => {
                if let Some(object) = self.cache.get(name).cloned() {
                    self.deliver(&update(&object, &object));
                }
            }
            Step::Relist(states) => {
                let names: Vec<u8> = states.iter().map(|state| state.name).collect();
                let gone: Vec<u8> = self.cache.keys().copied().filter(|name| !names.contains(name)).collect();
                for name in gone {
                    self.step(&Step::Delete(name));
                }
                for state in states {
                    self.put(state);
                }
            }
            Step::Rewind(share) => {
                let since = self.log.kept_since().expect("it has begun");
                // At the latest the last millisecond, as of the current one more changes may come.
                let last = self.now.floor().max(self.model.copies.last().expect("a beginning").0) - 1.0;
                self.time = share.filter(|_| since <= last).map(|share| (since + share * (last - since)).floor());
                if let Some(time) = self.time {
                    self.log.advance(time + 1.0);
                    self.passed = self.passed.max(time + 1.0);
                }
            }
            Step::Pass(ms) => self.now = (self.now + f64::from(*ms) + 0.25).max(0.0),
        }
    }

    /// The view shows the objects of its time.
    fn check_view(&mut self) -> Result<(), TestCaseError> {
        let moment = self.time.map(|time| self.log.moment(time));
        self.view.show(moment.as_ref().map(|moment| moment as &dyn Past), self.now);
        let expected = match self.time {
            Some(time) => self.model.at(time),
            None => &self.model.copies.last().expect("a beginning").1,
        };
        prop_assert_eq!(&*self.shown.0.borrow(), expected, "at {:?}", self.time);
        Ok(())
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
        }
        Ok(())
    }

    /// The differences are those of the full copies of both times.
    fn check_differences(&self, since: f64, until: f64) -> Result<(), TestCaseError> {
        let mut found = BTreeMap::new();
        let read = |difference: Difference<'_>| {
            let change = (difference.change, difference.fields.len());
            found.insert(difference.key.to_owned(), change);
            true
        };
        if let Err(reason) = self.log.differences(since, until, read) {
            prop_assert_eq!(reason, NotKept::Dropped(self.log.kept_since().expect("it has begun")));
            return Ok(());
        }
        let (before, after) = (self.model.at(since), self.model.at(until));
        let mut expected = BTreeMap::new();
        for key in before.keys().chain(after.keys()) {
            let change = match (before.get(key), after.get(key)) {
                (None, _) => (ChangeType::Added, 0),
                (_, None) => (ChangeType::Deleted, 0),
                (Some(before), Some(after)) => (ChangeType::Changed, field_changes(before, after).len()),
            };
            if change != (ChangeType::Changed, 0) {
                expected.insert(key.clone(), change);
            }
        }
        prop_assert_eq!(found, expected);
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
        let counts = self.log.counts(from, from + length, 7);
        let mut expected_counts = vec![0; 7];
        for (_, time, ..) in kept.iter().filter(|(_, time, ..)| (from..=from + length).contains(time)) {
            let begin = |part: &usize| from + length.max(1.0) / 7.0 * *part as f64;
            let part = (0..7).rev().find(|part| begin(part) <= *time).expect("it is in the span");
            expected_counts[part] += 1;
        }
        prop_assert_eq!(counts.iter().sum::<u32>(), expected_counts.iter().sum::<u32>());
        // Rounding may put a change at the border of two parts into either.
        let sums = |counts: &[u32]| {
            counts
                .iter()
                .scan(0, |sum, count| {
                    *sum += count;
                    Some(*sum)
                })
                .collect::<Vec<u32>>()
        };
        for (sum, expected) in sums(&counts).into_iter().zip(sums(&expected_counts)) {
            prop_assert!(sum.abs_diff(expected) <= 1, "{:?} and {:?}", counts, expected_counts);
        }
        self.check_differences(from, from + length)?;
        for change in self.log.changes(&Selection::default()) {
            let fields = change.with_fields(|_, fields| fields.len());
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
        let shown = Shown::default();
        let view = Rewindable::new(Box::new(shown.clone()));
        let mut scene = Scene { view, shown, time: None, passed: 0.0, log, model, cache, packer: packer(), now: 100.0, version: 0 };
        for state in &initial {
            scene.put(state);
        }
        scene.log.begin(scene.now);
        let copies = scene.model.copies.pop().map(|(_, copies)| copies).unwrap_or_default();
        scene.model = Model { copies: vec![(100.0, copies)], changes: Vec::new() };
        for step in &steps {
            scene.step(step);
            scene.check_size(max_bytes)?;
            scene.check_view()?;
        }
        scene.check_states()?;
        scene.check_changes(from, length)?;
    }
}
