//! Counted kinds: what the overview counts of each, and the filters that select the same objects in the table.

/// Kind that the overview counts.
pub(super) struct Kind {
    pub(super) resource: &'static str,
    /// Plural in a sentence.
    pub(super) plural: &'static str,
    pub(super) is_namespaced: bool,
    /// Field selector of its informer.
    pub(super) field_selector: &'static str,
    pub(super) counts: &'static [Count],
}

/// Aggregate of a kind's objects.
pub(super) struct Count {
    /// Columns to group by.
    pub(super) by: &'static [&'static str],
    /// Columns that are summed, after the number of objects.
    pub(super) sums: &'static [&'static str],
    pub(super) filter: &'static str,
    /// Custom columns: a name and a `JSONPath` each; without any, kubectl's columns are used.
    pub(super) columns: &'static [(&'static str, &'static str)],
    /// Maximum number of groups.
    pub(super) limit: u32,
}

const ALL: Count = Count { by: &[], sums: &[], filter: "", columns: &[], limit: 1_000 };

/// Number of namespaces and nodes with the most pods that are listed.
pub(super) const TOP: u32 = 10;

/// Filter of pods that have not ended, as a literal: only those use what they request.
macro_rules! not_ended {
    () => {
        "phase!=Succeeded,Failed"
    };
}

pub(super) const NOT_ENDED: &str = not_ended!();

/// Sums of what pods request and may use, after the number of pods. The engine counts them as the scheduler does.
const RESOURCES: &[&str] = &["cpu-requests", "cpu-limits", "memory-requests", "memory-limits"];

/// Positions of [`RESOURCES`] among the values of a group.
pub(super) const CPU_REQUEST: usize = 1;
pub(super) const CPU_LIMIT: usize = 2;
pub(super) const MEMORY_REQUEST: usize = 3;
pub(super) const MEMORY_LIMIT: usize = 4;

const BY_STATUS: Count = Count { by: &["Status"], ..ALL };

/// Filter of the pods whose last restart is less than an hour ago.
pub(super) const RESTARTED_LATELY: &str = "last-restart<1h";

/// Counts of [`PODS`].
pub(super) const BY_STATE: usize = 0;
pub(super) const RESTARTED: usize = 1;
pub(super) const BY_NAMESPACE: usize = 2;
pub(super) const BY_NODE: usize = 3;
pub(super) const BY_RESTART: usize = 4;

pub(super) const PODS: Kind = Kind {
    resource: "v1/pods",
    plural: "pods",
    is_namespaced: true,
    field_selector: "",
    counts: &[
        BY_STATUS,
        Count { sums: &["Restarts"], filter: WITH_RESTARTS, ..ALL },
        Count { by: &["namespace"], sums: RESOURCES, filter: NOT_ENDED, limit: TOP, ..ALL },
        Count { by: &["node"], sums: RESOURCES, filter: concat!(not_ended!(), " node!="), limit: TOP, ..ALL },
        Count { by: &["restart-minute"], filter: RESTARTED_LATELY, ..ALL },
    ],
};

/// Filter of the pods whose containers have restarted.
pub(super) const WITH_RESTARTS: &str = "restarts>0";

/// Second count of [`NODES`]: cores, bytes and pods that they have room for.
pub(super) const CAPACITY: usize = 1;

/// Position among the counts of [`NODES`] of the first of [`CONDITIONS`].
pub(super) const FIRST_CONDITION: usize = 2;

/// Conditions of nodes that are bad if they are true, as rows, each with its filter.
pub(super) const CONDITIONS: [(&str, &str); 4] = [
    ("Memory pressure", "memory-pressure=True"),
    ("Disk pressure", "disk-pressure=True"),
    ("PID pressure", "pid-pressure=True"),
    ("Network unavailable", "network-unavailable=True"),
];

pub(super) const NODES: Kind = Kind {
    resource: "v1/nodes",
    plural: "nodes",
    is_namespaced: false,
    field_selector: "",
    counts: &[
        BY_STATUS,
        Count {
            sums: &["cpu", "memory", "pods"],
            columns: &[
                ("cpu", "{.status.capacity.cpu}"),
                ("memory", "{.status.capacity.memory}"),
                ("pods", "{.status.capacity.pods}"),
            ],
            ..ALL
        },
        Count { filter: CONDITIONS[0].1, ..ALL },
        Count { filter: CONDITIONS[1].1, ..ALL },
        Count { filter: CONDITIONS[2].1, ..ALL },
        Count { filter: CONDITIONS[3].1, ..ALL },
    ],
};

/// Counts of workloads by a column with a ratio: not ready, ready, and without a pod to run. Each is in exactly one of
/// them.
macro_rules! by_ratio {
    ($column:literal) => {
        &[
            Count { filter: concat!($column, "<1/1"), ..ALL },
            Count { filter: concat!($column, ">=1/1 ", $column, "!=0/0"), ..ALL },
            Count { filter: concat!($column, "=0/0"), ..ALL },
        ]
    };
}

const WORKLOAD: Kind =
    Kind { resource: "", plural: "", is_namespaced: true, field_selector: "", counts: by_ratio!("ready") };

pub(super) const DEPLOYMENTS: Kind = Kind { resource: "apps/v1/deployments", plural: "deployments", ..WORKLOAD };

pub(super) const STATEFUL_SETS: Kind = Kind { resource: "apps/v1/statefulsets", plural: "statefulsets", ..WORKLOAD };

pub(super) const DAEMON_SETS: Kind =
    Kind { resource: "apps/v1/daemonsets", plural: "daemonsets", counts: by_ratio!("readiness"), ..WORKLOAD };

pub(super) const JOBS: Kind = Kind { resource: "batch/v1/jobs", plural: "jobs", counts: &[BY_STATUS], ..WORKLOAD };

/// Filter of warnings in the table of events.
pub(super) const WARNINGS: &str = "type=Warning";

/// Filter of the warnings of the last hour.
pub(super) const LATE_WARNINGS: &str = "type=Warning last-seen<1h";

/// Second count of [`EVENTS`]: by the minute in which an event was last seen.
pub(super) const BY_MINUTE: usize = 1;

pub(super) const EVENTS: Kind = Kind {
    resource: "v1/events",
    plural: "events",
    field_selector: WARNINGS,
    counts: &[Count { by: &["Reason"], ..ALL }, Count { by: &["minute"], filter: LATE_WARNINGS, ..ALL }],
    ..WORKLOAD
};

/// Sums of [`NODE_USE`] and [`POD_USE`], after the number of objects.
pub(super) const CPU_USE: usize = 1;
pub(super) const MEMORY_USE: usize = 2;

/// What nodes use, with their systems.
pub(super) const NODE_USE: Kind = Kind {
    resource: "metrics.k8s.io/v1beta1/nodes",
    plural: "node metrics",
    is_namespaced: false,
    field_selector: "",
    counts: &[Count {
        sums: &["cpu", "memory"],
        columns: &[("cpu", "{.usage.cpu}"), ("memory", "{.usage.memory}")],
        ..ALL
    }],
};

/// What the containers of pods use.
pub(super) const POD_USE: Kind = Kind {
    resource: "metrics.k8s.io/v1beta1/pods",
    plural: "pod metrics",
    is_namespaced: true,
    counts: &[Count {
        sums: &["cpu", "memory"],
        columns: &[("cpu", "{.containers[*].usage.cpu}"), ("memory", "{.containers[*].usage.memory}")],
        ..ALL
    }],
    ..NODE_USE
};
