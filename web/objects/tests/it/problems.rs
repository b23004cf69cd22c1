//! Problems: findings of many objects, grouped by cause and owner.

use std::collections::BTreeSet;

use kube_objects::{Link, Severity, Subject, What, diagnose, problems};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::all;

const NOW: f64 = 1_795_000_000_000.0;

fn pod(name: &str, set: Option<&str>, image: &str, reason: &str) -> Value {
    let owners: Vec<Value> = set
        .map(|set| json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": set, "uid": set, "controller": true}))
        .into_iter()
        .collect();
    let hash = set.and_then(|set| set.rsplit_once('-')).map_or("", |(_, hash)| hash);
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": name, "ownerReferences": owners, "labels": {"pod-template-hash": hash}},
        "spec": {"containers": [{"name": "web", "image": image}]},
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-01T10:00:00Z"}],
            "containerStatuses": [{"name": "web", "image": image, "state": {"waiting": {"reason": reason}}}],
        },
    })
}

fn deployment(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop", "uid": name},
        "spec": {"replicas": 3},
        "status": {"conditions": [
            {"type": "Available", "status": "False", "message": "Deployment does not have minimum availability.", "lastTransitionTime": "2026-11-01T10:00:00Z"},
        ]},
    })
}

fn lines(objects: &[Value]) -> Vec<(String, String, usize)> {
    let objects: Vec<&Value> = objects.iter().collect();
    let of = |problem: &kube_objects::Problem| {
        let Link { kind, name, .. } = problem.what.link();
        (problem.code.to_owned(), format!("{kind} {name}"), problem.members.len())
    };
    problems(&objects, &[], NOW).iter().map(of).collect()
}

fn line(code: &str, what: &str, count: usize) -> (String, String, usize) {
    (code.to_owned(), what.to_owned(), count)
}

#[test]
fn one_failing_image_of_many_pods_is_one_line() {
    let pods: Vec<Value> = (0..200)
        .map(|at| {
            let reason = if at % 2 == 0 { "ErrImagePull" } else { "ImagePullBackOff" };
            pod(&format!("web-{at}"), Some("web-7d9c5b7c64"), "web:2", reason)
        })
        .collect();
    assert_eq!(lines(&pods), [line("ImagePullFails", "Deployment web", 200)]);
    let objects: Vec<&Value> = pods.iter().collect();
    let [problem] = problems(&objects, &[], NOW).try_into().expect("one problem");
    assert_eq!(problem.sentence(), "Container web cannot start, because image web:2 cannot be pulled.");
    assert_eq!(problem.since(), informer::parse_rfc3339("2026-11-01T10:00:00Z"));
    assert_eq!(problem.severity, Severity::Error);
}

#[test]
fn another_image_another_owner_or_no_owner_is_another_line() {
    let of = |set, image| pod(&format!("{set:?}-{image}"), set, image, "ErrImagePull");
    let all = [
        of(Some("web-1a"), "a"),
        of(Some("web-1a"), "b"),
        of(Some("api-1a"), "a"),
        of(None, "a"),
        of(Some("web-2b"), "a"),
    ];
    let mut found = lines(&all);
    assert_eq!(found.remove(0), line("ImagePullFails", "Deployment web", 2), "two replica sets of one deployment");
    found.sort();
    let image = |what| line("ImagePullFails", what, 1);
    assert_eq!(found, [image("Deployment api"), image("Deployment web"), image("Pod ")]);
}

#[test]
fn a_replica_set_of_its_own_is_the_owner() {
    let mut alone = pod("web-x", Some("web-1a"), "a", "ErrImagePull");
    alone["metadata"]["labels"] = json!({});
    assert_eq!(lines(&[alone]), [line("ImagePullFails", "ReplicaSet web-1a", 1)]);
    let odd = pod("web-x", Some("1a"), "a", "ErrImagePull");
    assert_eq!(lines(&[odd]), [line("ImagePullFails", "ReplicaSet 1a", 1)], "no name before the hash");
}

#[test]
fn a_pod_of_a_cron_job_belongs_to_it_while_its_job_is_known() {
    let of = |kind: &str, name: &str| json!([{"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": name, "controller": true}]);
    let mut crashed = pod("backup-1-x", None, "a", "ErrImagePull");
    crashed["metadata"]["ownerReferences"] = of("Job", "backup-1");
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "backup-1", "namespace": "shop", "uid": "backup-1", "ownerReferences": of("CronJob", "backup")},
        "status": {"failed": 1},
    });
    assert_eq!(lines(&[crashed.clone()]), [line("ImagePullFails", "Job backup-1", 1)]);
    assert_eq!(
        lines(&[crashed, job.clone()]),
        [line("ImagePullFails", "CronJob backup", 1)],
        "what it says of the job is on the same line"
    );
    assert_eq!(lines(&[job]), [line("JobPodsFail", "CronJob backup", 1)]);
}

#[test]
fn what_follows_from_the_pods_of_a_workload_is_on_their_line() {
    assert_eq!(lines(&[deployment("web")]), [line("NoPodAvailable", "Deployment web", 1)]);
    let objects = [deployment("web"), deployment("api"), pod("web-x", Some("web-1a"), "a", "ErrImagePull")];
    assert_eq!(
        lines(&objects),
        [line("NoPodAvailable", "Deployment api", 1), line("ImagePullFails", "Deployment web", 1)]
    );
    let objects: Vec<&Value> = objects.iter().collect();
    let found = problems(&objects, &[], NOW);
    assert_eq!(found[1].also, ["None of 3 pods is available. Deployment does not have minimum availability."]);
}

#[test]
fn nodes_with_the_same_problem_are_one_line_and_a_cordon_is_none() {
    let node = |name: &str, status: &str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}, "spec": {"unschedulable": true},
            "status": {"conditions": [{"type": "Ready", "status": status, "reason": "KubeletNotReady", "message": name}]}})
    };
    let nodes = [node("a", "False"), node("b", "False"), node("c", "True")];
    assert_eq!(lines(&nodes), [line("NodeNotReady", "Node ", 2)]);
    let nodes: Vec<&Value> = nodes.iter().collect();
    assert_eq!(problems(&nodes, &[], NOW)[0].sentence(), "For example a: The node is not ready: a.");
}

#[test]
fn a_rule_whose_events_are_unknown_does_not_say_that_there_are_none() {
    let container = json!({"name": "web", "ready": false, "started": true, "state": {"running": {"startedAt": "2026-11-01T10:00:00Z"}}});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b", "uid": "c"},
        "spec": {"containers": [{"name": "web", "readinessProbe": {}}]}, "status": {"phase": "Running", "containerStatuses": [container]}});
    let sentence = &diagnose(&Subject::new(&pod, NOW))[0].sentence;
    assert!(sentence.ends_with("and is not ready."), "{sentence}");
}

/// Objects that resemble each other: few names, images, reasons and owners.
fn any_object() -> impl Strategy<Value = Value> {
    let any_pod = (0..40_u8, prop::option::of(0..4_u8), 0..3_u8, 0..4_usize).prop_map(|(name, set, image, reason)| {
        let set = set.map(|set| format!("web{}-{}", set / 2, set % 2));
        let reason = ["ErrImagePull", "CrashLoopBackOff", "CreateContainerConfigError", "ContainerCreating"][reason];
        pod(&format!("p{name}"), set.as_deref(), &format!("image:{image}"), reason)
    });
    prop_oneof![any_pod, (0..3_u8).prop_map(|at| deployment(&format!("web{at}")))]
}

proptest! {
    #[test]
    fn each_finding_is_in_one_line_with_exactly_its_like(objects in prop::collection::vec(any_object(), 0..40)) {
        // One object of each name.
        let mut seen = BTreeSet::new();
        let objects: Vec<&Value> = objects.iter().filter(|object| seen.insert(Link::of(object))).collect();
        let found = problems(&objects, &[], NOW);
        // The naive model: rule, cause and the name of the deployment in the name of the replica set.
        let owner = |object: &Value| object.pointer("/metadata/ownerReferences/0/name").and_then(Value::as_str).map(|set| set[..4].to_owned());
        let mut expected = BTreeSet::new();
        for object in &objects {
            for finding in diagnose(&Subject::new(object, NOW)) {
                let of = owner(object).unwrap_or_else(|| match object["kind"].as_str() {
                    Some("Deployment") => object["metadata"]["name"].as_str().unwrap_or_default().to_owned(),
                    _ => String::new(),
                });
                expected.insert((of, finding.code, finding.cause, Link::of(object)));
            }
        }
        let mut lines = BTreeSet::new();
        let mut ids = BTreeSet::new();
        let mut also = 0;
        for problem in &found {
            prop_assert!(ids.insert(problem.id()), "two lines are the same");
            prop_assert!(!problem.members.is_empty());
            also += problem.also.len();
            let of = match &problem.what { What::Owner(link) => link.name.clone(), What::Alike(_) => String::new() };
            for member in &problem.members {
                prop_assert!(lines.insert((of.clone(), problem.code, problem.cause.clone(), member.link.clone())), "twice in a line");
            }
        }
        prop_assert!(lines.is_subset(&expected));
        let missing: Vec<_> = expected.difference(&lines).collect();
        prop_assert_eq!(missing.len(), also, "only findings that stand beside another line have no line of their own");
        prop_assert!(missing.iter().all(|(of, code, ..)| *code == "NoPodAvailable" && found.iter().any(|problem| problem.what.link().name == *of)));
        let order: Vec<_> = found.iter().map(|problem| (problem.severity, std::cmp::Reverse(problem.members.len()))).collect();
        prop_assert!(order.is_sorted());
        let again: Vec<&Value> = objects.iter().rev().copied().collect();
        prop_assert_eq!(problems(&again, &[], NOW), found, "the order of the objects does not matter");
    }

    #[test]
    fn any_fixture_is_grouped(which in any::<prop::sample::Index>(), other in any::<prop::sample::Index>()) {
        let fixtures = all();
        let objects = [&which.get(&fixtures).json["object"], &other.get(&fixtures).json["object"]];
        for problem in problems(&objects, &[], NOW) {
            prop_assert!(!problem.sentence().is_empty());
        }
    }
}
