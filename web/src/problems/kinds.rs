//! Examined kinds: the filter of each selects the objects that may be unhealthy, so that 50,000 healthy pods cost the page
//! nothing.
//!
//! A filter may select too much, because the rules decide. Objects that it does not select are not examined: pods that run,
//! are ready and were restarted; replica sets, whose deployments report the same. Left out are the kinds whose rules need
//! other objects or events to say anything: cron jobs (their failed jobs are here), ingresses, webhooks, services but those
//! that wait for a load balancer.

/// Kind whose objects are examined.
#[derive(Debug)]
pub(super) struct Kind {
    /// API group; empty for the core group.
    pub(super) group: &'static str,
    /// Name, as in the object's `kind`.
    pub(super) name: &'static str,
    /// Filter of the objects that may be unhealthy; empty if all are examined.
    pub(super) filter: &'static str,
}

/// The kinds, those with the most problems first. `field` decompresses each object once at the start, which is cheap for all of
/// them but pods.
pub(super) const KINDS: [Kind; 12] = [
    Kind {
        group: "",
        name: "Pod",
        filter: "status!=Completed,Succeeded (status!=Running OR ready<1/1 OR readiness-gates<1/1)",
    },
    Kind {
        group: "apps",
        name: "Deployment",
        // A rollout may be stuck while all the old pods are ready.
        filter: "ready<1/1 OR field=\"{.status.conditions[*].reason}~^(ProgressDeadlineExceeded|FailedCreate)\" OR field=metadata.deletionTimestamp",
    },
    Kind { group: "apps", name: "StatefulSet", filter: "ready<1/1 OR field=metadata.deletionTimestamp" },
    // Its columns cannot be compared with each other, and a cluster has few.
    Kind { group: "apps", name: "DaemonSet", filter: "" },
    Kind { group: "batch", name: "Job", filter: "status!=Complete OR field=metadata.deletionTimestamp" },
    Kind {
        group: "",
        name: "Node",
        filter: "status!=Ready OR field=\"{.status.conditions[?(@.type!='Ready')].status}=True\" OR field=metadata.deletionTimestamp",
    },
    Kind { group: "", name: "PersistentVolumeClaim", filter: "status!=Bound" },
    Kind { group: "", name: "PersistentVolume", filter: "status!=Bound,Available,Released" },
    Kind {
        group: "",
        name: "Service",
        filter: "(type=LoadBalancer external-ip=\"<pending>\") OR field=metadata.deletionTimestamp",
    },
    Kind {
        group: "autoscaling",
        name: "HorizontalPodAutoscaler",
        filter: "field=\"{.status.conditions[?(@.type!='ScalingLimited')].status}=False\" OR field=\"{.status.conditions[*].reason}=TooManyReplicas\" OR field=metadata.deletionTimestamp",
    },
    Kind {
        group: "policy",
        name: "PodDisruptionBudget",
        filter: "allowed-disruptions=0 OR field=metadata.deletionTimestamp",
    },
    Kind { group: "", name: "Namespace", filter: "status!=Active" },
];

#[cfg(test)]
mod tests {
    use informer_engine::Query;

    use super::*;

    #[test]
    fn the_filters_are_valid() {
        for Kind { name, filter, .. } in &KINDS {
            let query = filter.parse::<Query>();
            assert!(query.is_ok(), "{name}: {query:?}");
        }
    }
}
