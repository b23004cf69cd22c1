//! Store of the apiserver: pods, the changes of this cluster, and the rest of earlier ones.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::pod_history::PodHistory;
use crate::scope::NAMESPACES;

/// `namespace/pod-n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// Index into [`NAMESPACES`].
    pub(crate) namespace: u8,
    pub(crate) number: u8,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/pod-{}", NAMESPACES[usize::from(self.namespace)], self.number)
    }
}

/// State of a pod.
#[derive(Debug)]
pub(crate) struct Pod {
    pub(crate) key: Key,
    pub(crate) uid: u32,
    pub(crate) version: u64,
    pub(crate) web: bool,
    /// Seconds on the virtual clock.
    pub(crate) created: u64,
}

impl Pod {
    /// Returns the pod as JSON, with a status that contains the version of its write, so that content of another
    /// version is visible in a view's cells. `version` is that of the event, which for a deletion is not the pod's;
    /// `head` is the text before the metadata, because items of a list have no kind.
    pub(crate) fn json(&self, version: u64, head: &str) -> String {
        let (namespace, number, uid) = (NAMESPACES[usize::from(self.key.namespace)], self.key.number, self.uid);
        let (minute, second, app) = (self.created / 60 % 60, self.created % 60, if self.web { "web" } else { "db" });
        let (hour, day) = (self.created / 3600 % 24, 1 + self.created / 86400);
        let own = self.version;
        format!(
            "{{{head}\"metadata\":{{\"name\":\"pod-{number}\",\"namespace\":\"{namespace}\",\"uid\":\"u{uid}\",\
             \"resourceVersion\":\"{version}\",\"creationTimestamp\":\"2026-01-{day:02}T{hour:02}:{minute:02}:{second:02}Z\",\
             \"labels\":{{\"app\":\"{app}\"}}}},\"status\":{{\"phase\":\"v{own}\",\"é\":\"ü\"}}}}"
        )
    }
}

/// Change at a version of this life.
#[derive(Clone)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) before: Option<Rc<Pod>>,
    pub(crate) after: Option<Rc<Pod>>,
}

type Pods = BTreeMap<Key, Rc<Pod>>;

/// First versions of the lives after a restore: each far enough below all earlier ones that no version means two
/// states. (On real servers one can, undetected.)
const LOWER_BASES: [u64; 4] = [40_000, 30_000, 20_000, 10_000];

pub(crate) struct Store {
    pods: Pods,
    pub(crate) version: u64,
    /// Oldest version at which a watch can begin, or a list be requested.
    pub(crate) floor: u64,
    /// Changes of this life, oldest first.
    pub(crate) changes: Vec<Change>,
    /// The pods at each version of this life.
    states: Vec<(u64, Rc<Pods>)>,
    /// Beginning of this life, if there was an earlier one.
    pub(crate) life_began: Option<Duration>,
    backup: Pods,
    restored: usize,
    highest: u64,
    next_uid: u32,
    /// Number of replacements of the cluster.
    pub(crate) replaced: u32,
    pub(crate) pod_history: PodHistory,
}

impl Store {
    pub(crate) fn new(pods: impl IntoIterator<Item = (Key, bool)>) -> Self {
        let version = 50_000;
        let mut store = Self {
            pods: Pods::new(),
            version,
            floor: version,
            changes: Vec::new(),
            states: Vec::new(),
            life_began: None,
            backup: Pods::new(),
            restored: 0,
            highest: version,
            next_uid: 1,
            replaced: 0,
            pod_history: PodHistory::default(),
        };
        // All of the first pods are older than every life that a restore may lead back to.
        for (at, (key, web)) in pods.into_iter().enumerate() {
            let pod = Rc::new(Pod { key, uid: store.uid(), version: 100 + at as u64, web, created: 0 });
            store.pod_history.record(key, Duration::ZERO, pod.version, Some(&pod));
            store.pods.insert(key, pod);
        }
        store.backup = store.pods.clone();
        store.states.push((version, Rc::new(store.pods.clone())));
        store
    }

    fn uid(&mut self) -> u32 {
        self.next_uid += 1;
        self.next_uid - 1
    }

    pub(crate) fn pods(&self) -> &Pods {
        &self.pods
    }

    /// Returns the pods at a version of this life: the state of the last change up to it.
    pub(crate) fn at(&self, version: u64) -> Rc<Pods> {
        let after = self.states.partition_point(|(of, _)| *of <= version);
        self.states[after.saturating_sub(1)].1.clone()
    }

    /// Creates or changes a pod; `relabel` moves it into or out of the label selector.
    pub(crate) fn put(&mut self, key: Key, relabel: bool, gap: u64, now: Duration) {
        let before = self.pods.get(&key).cloned();
        let (uid, web, created) = match &before {
            Some(pod) => (pod.uid, pod.web != relabel, pod.created),
            None => (self.uid(), key.number.is_multiple_of(2) != relabel, now.as_secs()),
        };
        let version = self.version + gap;
        let after = Some(Rc::new(Pod { key, uid, version, web, created }));
        self.change(Change { version, before, after }, key, now);
    }

    /// Deletes a pod, if it exists.
    pub(crate) fn delete(&mut self, key: Key, gap: u64, now: Duration) -> bool {
        let before = self.pods.get(&key).cloned();
        let exists = before.is_some();
        if exists {
            self.change(Change { version: self.version + gap, before, after: None }, key, now);
        }
        exists
    }

    fn change(&mut self, change: Change, key: Key, now: Duration) {
        self.version = change.version;
        self.highest = self.highest.max(change.version);
        match &change.after {
            Some(pod) => drop(self.pods.insert(key, Rc::clone(pod))),
            None => drop(self.pods.remove(&key)),
        }
        self.pod_history.record(key, now, change.version, change.after.as_ref());
        self.states.push((change.version, Rc::new(self.pods.clone())));
        self.changes.push(change);
    }

    /// Drops the history, by a compaction or with the watch cache of a server that restarts.
    pub(crate) fn compact(&mut self) {
        self.floor = self.version;
    }

    /// Restores the cluster from its backup, at a lower version; false if no lower version is left.
    pub(crate) fn restore(&mut self, now: Duration) -> bool {
        let Some(base) = LOWER_BASES.get(self.restored).copied() else { return false };
        self.restored += 1;
        let pods = self.backup.clone();
        self.begin(pods, base, now);
        true
    }

    /// Replaces the cluster: the same names with new uids, at versions lower or higher than all before.
    pub(crate) fn replace(&mut self, lower: bool, now: Duration) -> bool {
        let base = if lower {
            let Some(base) = LOWER_BASES.get(self.restored).copied() else { return false };
            self.restored += 1;
            base
        } else {
            self.highest + 10_000
        };
        let mut pods = Pods::new();
        for pod in self.pods.values().cloned().collect::<Vec<_>>() {
            // In a cluster that is created again, early objects get the same low versions: only the uid distinguishes
            // them.
            let new = Pod {
                key: pod.key,
                uid: self.uid(),
                version: 100 + pods.len() as u64,
                web: pod.web,
                created: now.as_secs(),
            };
            pods.insert(pod.key, Rc::new(new));
        }
        self.backup.clone_from(&pods);
        self.replaced += 1;
        // Earlier objects are deleted, also those with the same name.
        for key in self.pods.keys() {
            self.pod_history.record(*key, now, 0, None);
        }
        self.begin(pods, base, now);
        true
    }

    fn begin(&mut self, pods: Pods, base: u64, now: Duration) {
        self.life_began = Some(now);
        let keys: Vec<Key> = self.pods.keys().chain(pods.keys()).copied().collect();
        self.pods = pods;
        for key in keys {
            self.pod_history.record(key, now, 0, self.pods.get(&key));
        }
        (self.version, self.floor, self.highest) = (base, base, self.highest.max(base));
        self.changes.clear();
        self.states = vec![(base, Rc::new(self.pods.clone()))];
    }
}
