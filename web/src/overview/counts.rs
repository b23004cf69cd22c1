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
    /// Columns of its own: a name and a `JSONPath` each; without any they are kubectl's.
    pub(super) columns: &'static [(&'static str, &'static str)],
    /// Maximum number of groups.
    pub(super) limit: u32,
}

const ALL: Count = Count { by: &[], sums: &[], filter: "", columns: &[], limit: 1_000 };

/// Number of namespaces and nodes with the most pods that are listed.
pub(super) const TOP: u32 = 10;

/// Filter of the table for pods that have not ended: only those use what they request.
pub(super) const NOT_ENDED: &str = "field=status.phase!=Succeeded field=status.phase!=Failed";

/// The same for the columns of [`RESOURCES`].
const COUNTED: &str = "phase!=Succeeded,Failed";

/// What a pod requests and may use: of its containers, of its sidecars, and the overhead of its runtime class.
const RESOURCES: &[(&str, &str)] = &[
    ("phase", "{.status.phase}"),
    ("node", "{.spec.nodeName}"),
    ("cpu", "{.spec.containers[*].resources.requests.cpu}"),
    ("sidecar-cpu", "{.spec.initContainers[?(@.restartPolicy==\"Always\")].resources.requests.cpu}"),
    ("overhead-cpu", "{.spec.overhead.cpu}"),
    ("memory", "{.spec.containers[*].resources.requests.memory}"),
    ("sidecar-memory", "{.spec.initContainers[?(@.restartPolicy==\"Always\")].resources.requests.memory}"),
    ("overhead-memory", "{.spec.overhead.memory}"),
    ("cpu-limit", "{.spec.containers[*].resources.limits.cpu}"),
    ("sidecar-cpu-limit", "{.spec.initContainers[?(@.restartPolicy==\"Always\")].resources.limits.cpu}"),
    ("memory-limit", "{.spec.containers[*].resources.limits.memory}"),
    ("sidecar-memory-limit", "{.spec.initContainers[?(@.restartPolicy==\"Always\")].resources.limits.memory}"),
];

/// Sums of [`RESOURCES`], after the number of pods at 0.
const SUMS: &[&str] = &[
    "cpu",
    "sidecar-cpu",
    "overhead-cpu",
    "memory",
    "sidecar-memory",
    "overhead-memory",
    "cpu-limit",
    "sidecar-cpu-limit",
    "memory-limit",
    "sidecar-memory-limit",
];

/// Positions of the requests and limits among the values of [`SUMS`].
pub(super) const CPU_REQUEST: std::ops::Range<usize> = 1..4;
pub(super) const MEMORY_REQUEST: std::ops::Range<usize> = 4..7;
pub(super) const CPU_LIMIT: std::ops::Range<usize> = 7..9;
pub(super) const MEMORY_LIMIT: std::ops::Range<usize> = 9..11;

const BY_STATUS: Count = Count { by: &["Status"], ..ALL };

/// Counts of [`PODS`].
pub(super) const BY_STATE: usize = 0;
pub(super) const RESTARTED: usize = 1;
pub(super) const BY_NAMESPACE: usize = 2;
pub(super) const BY_NODE: usize = 3;

pub(super) const PODS: Kind = Kind {
    resource: "v1/pods",
    plural: "pods",
    is_namespaced: true,
    field_selector: "",
    counts: &[
        BY_STATUS,
        Count { sums: &["Restarts"], filter: WITH_RESTARTS, ..ALL },
        Count { by: &["namespace"], sums: SUMS, filter: COUNTED, columns: RESOURCES, limit: TOP },
        Count { by: &["node"], sums: SUMS, filter: "phase!=Succeeded,Failed node!=", columns: RESOURCES, limit: TOP },
    ],
};

/// Filter of the pods whose containers have restarted.
pub(super) const WITH_RESTARTS: &str = "restarts>0";

/// Second count of [`NODES`]: cores, bytes and pods that they have room for.
pub(super) const CAPACITY: usize = 1;

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
    ],
};

/// Filters of workloads by their column Ready, which is a ratio. Each workload is in exactly one of them.
pub(super) const NOT_READY: &str = "ready<1/1";
pub(super) const READY: &str = "ready>=1/1 ready!=0/0";
pub(super) const SCALED_TO_0: &str = "ready=0/0";

const BY_READY: &[Count] =
    &[Count { filter: NOT_READY, ..ALL }, Count { filter: READY, ..ALL }, Count { filter: SCALED_TO_0, ..ALL }];

const WORKLOAD: Kind = Kind { resource: "", plural: "", is_namespaced: true, field_selector: "", counts: BY_READY };

pub(super) const DEPLOYMENTS: Kind = Kind { resource: "apps/v1/deployments", plural: "deployments", ..WORKLOAD };

pub(super) const STATEFUL_SETS: Kind = Kind { resource: "apps/v1/statefulsets", plural: "statefulsets", ..WORKLOAD };

pub(super) const DAEMON_SETS: Kind = Kind {
    resource: "apps/v1/daemonsets",
    plural: "daemonsets",
    counts: &[Count { by: &["Desired", "Ready"], limit: 10_000, ..ALL }],
    ..WORKLOAD
};

pub(super) const JOBS: Kind = Kind { resource: "batch/v1/jobs", plural: "jobs", counts: &[BY_STATUS], ..WORKLOAD };

/// Filter of warnings in the table of events.
pub(super) const WARNINGS: &str = "type=Warning";

pub(super) const EVENTS: Kind = Kind {
    resource: "v1/events",
    plural: "events",
    field_selector: WARNINGS,
    counts: &[Count { by: &["Reason"], ..ALL }],
    ..WORKLOAD
};
