//! Needs: the objects for which a page opens informers, and their requests.

use kube_objects::{By, Need, Subject, needs, needs_of_relations};
use serde_json::{Value, json};

use crate::fixtures::{named, with_relations};

/// A need as a line: kind, namespace, and how the engine or the server selects it.
fn line(need: &Need) -> String {
    let by = match (&need.by, need.index()) {
        (_, Some((index, values))) => format!("{index} {}", values.join(" ")),
        (By::Labels(_), None) => need.label_selector(),
        _ => need.field_selector(),
    };
    format!("{} {} {by}", need.kind, need.namespace).trim_end().to_owned()
}

#[test]
fn a_pod_needs_its_node_events_and_what_selects_it() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop", "uid": "u",
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r"}]},
        "spec": {"nodeName": "n1", "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}});
    let lines: Vec<String> = needs(&Subject::new(&pod, 0.0)).iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "Event shop relation:involvedObject u",
            "ReplicaSet shop metadata.name=web",
            "Node  metadata.name=n1",
            "PersistentVolumeClaim shop metadata.name=data",
            "Service shop",
            "PodDisruptionBudget shop",
            "NetworkPolicy shop",
        ]
    );
}

#[test]
fn a_node_needs_the_events_of_its_kubelet() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "u"}});
    let lines: Vec<String> = needs(&Subject::new(&node, 0.0)).iter().map(line).collect();
    let events = ["Event default relation:involvedObject u", "Event default relation:involvedObject n1"];
    assert_eq!(lines[..2], events, "{lines:#?}");
}

#[test]
fn answers_lead_to_further_needs() {
    let fixture = named("workload/PodsUnavailable");
    let first: Vec<String> = needs(&Subject::new(&fixture.json["object"], 0.0)).iter().map(line).collect();
    let all: Vec<String> = fixture.with(|subject| needs(subject).iter().map(line).collect());
    assert!(first.iter().all(|need| all.contains(need)), "no need disappears: {first:#?} {all:#?}");
    assert!(first.contains(&"Pod shop app=web".to_owned()), "{first:#?}");
    // Events and the node of the one pod that is not ready.
    assert_eq!(all.len(), first.len() + 2, "{all:#?}");
}

#[test]
fn referrers_of_a_claim_come_from_the_engines_index() {
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"},
        "spec": {"storageClassName": "fast"}});
    let lines: Vec<String> = needs(&Subject::new(&claim, 0.0)).iter().map(line).collect();
    assert_eq!(
        lines,
        ["StorageClass  metadata.name=fast", "Pod shop relation:references PersistentVolumeClaim/shop/data"]
    );
}

#[test]
fn an_object_without_names_needs_nothing() {
    for kind in ["Pod", "Node", "Service", "Secret", "PersistentVolumeClaim", "Backup"] {
        let object = json!({"apiVersion": "v1", "kind": kind});
        let needs = needs(&Subject::new(&object, 0.0));
        let named = needs.iter().filter(|need| !matches!(need.by, By::All | By::Node(_)));
        assert_eq!(named.count(), 0, "{kind}: {needs:?}");
    }
}

fn object(api: &str, kind: &str, name: &str, owner: Option<&Value>) -> Value {
    let owners = owner.map(|of| json!([{"apiVersion": of["apiVersion"], "kind": of["kind"], "name": of["metadata"]["name"], "uid": of["metadata"]["uid"]}]));
    json!({"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "shop", "uid": format!("{kind}-{name}"), "ownerReferences": owners}})
}

/// The needs of the relations that are not needs of the summary.
fn further(subject: &Subject<'_>, siblings: &[&str]) -> Vec<String> {
    let known = needs(subject);
    needs_of_relations(subject, siblings).iter().filter(|need| !known.contains(need)).map(line).collect()
}

#[test]
fn relations_of_a_custom_object_need_what_it_and_its_dependents_own() {
    let shop = object("example.com/v1", "Shop", "main", None);
    let deployment = object("apps/v1", "Deployment", "web", Some(&shop));
    let set = object("apps/v1", "ReplicaSet", "web-1", Some(&deployment));
    let pod = object("v1", "Pod", "web-1-a", Some(&set));
    let owners = "relation:owner Shop-main";
    let first: Vec<String> = [
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "CronJob",
        "Job",
        "ReplicaSet",
        "Pod",
        "Service",
        "Ingress",
        "PersistentVolumeClaim",
        "ConfigMap",
        "Secret",
        "Branch",
    ]
    .map(|kind| format!("{kind} shop {owners}"))
    .into();
    assert_eq!(further(&Subject::new(&shop, 0.0), &["Branch"]), first);
    with_relations(&shop, &[deployment, set, pod], &["Branch"], |subject| {
        let lines = further(subject, &["Branch"]);
        assert!(lines.contains(&format!("Pod shop {owners} Deployment-web ReplicaSet-web-1")), "{lines:#?}");
        let events = "Event shop relation:involvedObject Deployment-web ReplicaSet-web-1 Pod-web-1-a";
        assert_eq!(lines.last().map(String::as_str), Some(events));
        let edges = kube_objects::edges(subject);
        let owned: Vec<String> = edges.iter().map(|edge| format!("{} {}", edge.depth, edge.to.name)).collect();
        assert_eq!(owned, ["1 web", "2 web-1", "3 web-1-a"]);
    });
    assert_eq!(further(&Subject::new(&object("apps/v1", "Deployment", "web", None), 0.0), &["ReplicaSet"]).len(), 0);
}

#[test]
fn relations_of_a_cluster_scoped_custom_object_need_no_pods_of_all_namespaces() {
    let tenant = json!({"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": {"name": "a", "uid": "u"}});
    let lines = further(&Subject::new(&tenant, 0.0), &[]);
    assert!(lines.contains(&"Deployment  relation:owner u".to_owned()), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.starts_with("Pod") && !line.starts_with("ReplicaSet")), "{lines:#?}");
}

#[test]
fn metadata_is_enough_of_owned_objects_without_a_state() {
    let shop = object("example.com/v1", "Shop", "main", None);
    let needs = needs_of_relations(&Subject::new(&shop, 0.0), &[]);
    let metadata: Vec<&str> = needs.iter().filter(|need| need.is_metadata()).map(|need| need.kind.as_str()).collect();
    assert_eq!(metadata, ["ConfigMap", "Secret"]);
}

#[test]
fn owners_are_followed_eight_levels_up() {
    let mut owners = vec![object("example.com/v1", "Level", "9", None)];
    for level in (0..9).rev() {
        owners.push(object("example.com/v1", "Level", &level.to_string(), owners.last()));
    }
    let map = owners.pop().expect("the lowest one");
    with_relations(&map, &owners, &[], |subject| {
        let names: Vec<String> = needs_of_relations(subject, &[]).iter().map(Need::field_selector).collect();
        let names: Vec<&String> = names.iter().filter(|name| name.starts_with("metadata.name")).collect();
        let expected: Vec<String> = (1..=8).map(|level| format!("metadata.name={level}")).collect();
        assert_eq!(names, expected.iter().collect::<Vec<_>>());
        assert_eq!(kube_objects::edges(subject).len(), 8);
    });
}

#[test]
fn relations_of_a_cron_job_need_the_pods_of_its_jobs_and_their_events() {
    let cron_job = object("batch/v1", "CronJob", "nightly", None);
    let jobs = ["1", "2"].map(|name| object("batch/v1", "Job", name, Some(&cron_job)));
    let pod = object("v1", "Pod", "1-a", Some(&jobs[0]));
    let cluster = [jobs.as_slice(), &[pod]].concat();
    with_relations(&cron_job, &cluster, &[], |subject| {
        let expected =
            ["Pod shop relation:owner Job-1 Job-2", "Event shop relation:involvedObject Job-1 Job-2 Pod-1-a"];
        assert_eq!(further(subject, &[]), expected);
    });
}

#[test]
fn events_of_all_pods_that_are_not_ready_are_one_need() {
    let labels = json!({"app": "web"});
    let mut deployment = object("apps/v1", "Deployment", "web", None);
    deployment["spec"] = json!({"selector": {"matchLabels": labels}, "template": {}});
    let set = object("apps/v1", "ReplicaSet", "web-1", Some(&deployment));
    let mut cluster: Vec<Value> = (10..40).map(|name| object("v1", "Pod", &name.to_string(), Some(&set))).collect();
    for pod in &mut cluster {
        pod["metadata"]["labels"] = labels.clone();
    }
    cluster.push(set);
    crate::fixtures::with_answers(&deployment, &cluster, 0.0, |subject| {
        let events: Vec<Need> = needs(subject).into_iter().filter(|need| need.kind == "Event").collect();
        let [own, pods] = events.as_slice() else { panic!("{events:#?}") };
        assert_eq!(own.by, By::About("Deployment-web".to_owned()));
        let By::AboutAny(uids) = &pods.by else { panic!("{pods:?}") };
        assert_eq!((uids.len(), pods.field_selector()), (30, String::new()));
    });
}

#[test]
fn relations_need_referrers_that_are_in_no_summary() {
    let of = |object: &Value| further(&Subject::new(object, 0.0), &[]);
    assert_eq!(
        of(&object("v1", "Service", "policy", None)),
        [
            "ValidatingWebhookConfiguration  relation:references Service/shop/policy",
            "MutatingWebhookConfiguration  relation:references Service/shop/policy",
            "APIService  relation:references Service/shop/policy",
            "HTTPRoute  relation:references Service/shop/policy",
            "GRPCRoute  relation:references Service/shop/policy",
        ]
    );
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high", "uid": "u"}});
    let users = ["Pod", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"];
    assert_eq!(of(&class), users.map(|kind| format!("{kind}  relation:references PriorityClass/high")));
    let gateway = object("gateway.networking.k8s.io/v1", "Gateway", "front", None);
    let routes = ["HTTPRoute", "GRPCRoute"].map(|kind| format!("{kind}  relation:references Gateway/shop/front"));
    assert!(of(&gateway).ends_with(&routes), "{:?}", of(&gateway));
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "u"}});
    assert_eq!(of(&node), ["VolumeAttachment  relation:references Node/n1"]);
    let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk", "uid": "u"}});
    assert_eq!(of(&volume), ["VolumeAttachment  relation:references PersistentVolume/disk"]);
    let claim = "relation:references PersistentVolumeClaim/shop/data-db-0";
    let mut expected: Vec<String> =
        ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"].map(|kind| format!("{kind} shop {claim}")).into();
    expected.push("StatefulSet shop".to_owned());
    assert_eq!(of(&object("v1", "PersistentVolumeClaim", "data-db-0", None)), expected);
    let mut set = object("apps/v1", "StatefulSet", "db", None);
    set["spec"] =
        json!({"selector": {"matchLabels": {"app": "db"}}, "volumeClaimTemplates": [{"metadata": {"name": "data"}}]});
    assert_eq!(of(&set), ["PersistentVolumeClaim shop app=db"]);
}
