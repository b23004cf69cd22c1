//! Model test: after any history, states and changes are those of a model that keeps full copies of everything.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

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
            self.model.copies.push((time, copies));
        }
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
                for state in states {
                    self.put(state);
                }
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
