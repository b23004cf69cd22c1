//! The simulated cluster.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use apiserver::Server;
use serde_json::{Value, json};

use crate::client::{Api, TIMEOUT, names};

async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !holds().await {
        assert!(start.elapsed() < TIMEOUT, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

#[tokio::test]
async fn the_same_seed_makes_the_same_cluster() {
    let first = Api::with(Server::builder().pods(60).seed(7)).await;
    let second = Api::with(Server::builder().pods(60).seed(7)).await;
    let other = Api::with(Server::builder().pods(60).seed(8)).await;
    let identities = async |api: &Api| {
        let (_, list) = api.get("/api/v1/pods").await;
        let items = list["items"].as_array().unwrap().clone();
        let describe = |pod: &Value| format!("{} {} {}", pod["metadata"]["name"], pod["metadata"]["uid"], pod["spec"]);
        items.iter().map(describe).collect::<Vec<_>>()
    };
    let (one, two, three) = (identities(&first).await, identities(&second).await, identities(&other).await);
    assert_eq!(one.len(), 60);
    assert_eq!(one, two);
    assert_ne!(one, three);
}

#[tokio::test]
async fn the_population_is_varied_and_stays_on_loopback() {
    let api = Api::with(Server::builder().pods(400)).await;
    let (_, pods) = api.get("/api/v1/pods").await;
    let pods = pods["items"].as_array().unwrap();
    assert_eq!(pods.len(), 400);
    let mut seen = BTreeSet::new();
    for pod in pods {
        let status = &pod["status"];
        seen.insert(status["phase"].as_str().unwrap().to_owned());
        let reason =
            status["containerStatuses"][0]["state"]["waiting"]["reason"].as_str().or(status["reason"].as_str());
        seen.extend(reason.map(str::to_owned));
        for address in ["hostIP", "podIP"].iter().filter_map(|field| status[*field].as_str()) {
            assert!(address.starts_with("127."), "{address}");
        }
    }
    for state in ["Running", "Pending", "Succeeded", "Failed", "CrashLoopBackOff", "ImagePullBackOff", "Evicted"] {
        assert!(seen.contains(state), "no pod is {state}: {seen:?}");
    }
    for path in [
        "/api/v1/nodes",
        "/api/v1/services",
        "/api/v1/configmaps",
        "/api/v1/events",
        "/api/v1/secrets",
        "/apis/apps/v1/deployments",
        "/apis/apps/v1/replicasets",
        "/apis/apps/v1/statefulsets",
        "/apis/apps/v1/daemonsets",
        "/apis/batch/v1/jobs",
        "/apis/networking.k8s.io/v1/ingresses",
        "/apis/example.dev/v1/certificates",
    ] {
        assert!(!names(&api.get(path).await.1).is_empty(), "{path} is empty");
    }
}

#[tokio::test]
async fn a_stateful_set_keeps_a_revision_of_each_template() {
    let api = Api::with(Server::builder().simulate(true)).await;
    let path = "/apis/apps/v1/namespaces/default/statefulsets";
    let template = |image: &str| json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": image}]}});
    let set = json!({
        "metadata": {"name": "web"},
        "spec": {"replicas": 1, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}}, "template": template("web:1")},
    });
    assert_eq!(api.post(path, &set).await.0, 201);
    // Each revision with its image, by number.
    let revisions = async || {
        let (_, list) = api.get("/apis/apps/v1/namespaces/default/controllerrevisions").await;
        let of = |item: &Value| {
            let template = &item["data"]["spec"]["template"];
            assert_eq!(template["$patch"], "replace");
            assert_eq!(item["metadata"]["ownerReferences"][0]["kind"], "StatefulSet");
            (item["revision"].as_u64().unwrap(), template["spec"]["containers"][0]["image"].to_string())
        };
        let mut found: Vec<_> = list["items"].as_array().unwrap().iter().map(of).collect();
        found.sort();
        found.into_iter().map(|(number, image)| format!("{number} {image}")).collect::<Vec<_>>().join(", ")
    };
    // With the defaults of the other fields, which a merge of a list would remove.
    let (_, made) = api.get(&format!("{path}/web")).await;
    let change = async |image: &str| {
        let mut containers = made["spec"]["template"]["spec"]["containers"].clone();
        containers[0]["image"] = image.into();
        let change = json!({"spec": {"template": {"spec": {"containers": containers}}}});
        api.merge(&format!("{path}/web"), &change).await;
    };
    eventually("the first revision", async || revisions().await == r#"1 "web:1""#).await;
    change("web:2").await;
    eventually("a second one", async || revisions().await == r#"1 "web:1", 2 "web:2""#).await;
    change("web:1").await;
    eventually("the first one again", async || revisions().await == r#"2 "web:2", 3 "web:1""#).await;
    api.delete(&format!("{path}/web")).await;
    eventually("none without their owner", async || revisions().await.is_empty()).await;
}

#[tokio::test]
async fn a_clients_deployment_starts_rolls_out_and_is_deleted() {
    let api = Api::with(Server::builder().simulate(true)).await;
    let path = "/apis/apps/v1/namespaces/default/deployments";
    let template =
        json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}});
    let deployment = json!({
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    });
    assert_eq!(api.post(path, &deployment).await.0, 201);
    let ready =
        async |count: u64| api.get(&format!("{path}/web")).await.1["status"]["readyReplicas"].as_u64() == Some(count);
    eventually("two ready pods", async || ready(2).await).await;
    let (_, pods) = api.get("/api/v1/pods?fieldSelector=status.phase%3DRunning").await;
    assert_eq!(names(&pods).len(), 2);
    api.merge(&format!("{path}/web/scale"), &json!({"spec": {"replicas": 3}})).await;
    eventually("three ready pods", async || ready(3).await).await;
    let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:2"}]}}}});
    api.merge(&format!("{path}/web"), &image).await;
    eventually("the new image", async || {
        let (_, pods) = api.get("/api/v1/pods").await;
        let pods = pods["items"].as_array().unwrap();
        pods.len() == 3 && pods.iter().all(|pod| pod["spec"]["containers"][0]["image"] == "web:2")
    })
    .await;
    api.delete(&format!("{path}/web")).await;
    eventually("the end of the pods", async || names(&api.get("/api/v1/pods").await.1).is_empty()).await;
}

#[tokio::test]
async fn odd_objects_do_not_stop_the_cluster() {
    let api = Api::with(Server::builder().simulate(true).churn(200)).await;
    let default = "/api/v1/namespaces/default";
    // Without HTTP, which rejects them.
    for (resource, namespace, body) in [
        ("pods", "default", r#"{"metadata":{"name":"a","labels":{"a":1},"ownerReferences":"x"},"spec":"text"}"#),
        ("pods", "default", r#"{"metadata":{"name":"b"},"spec":{"containers":[7,{"name":{}}],"nodeName":3}}"#),
        ("services", "default", r#"{"metadata":{"name":"a","annotations":null},"spec":[]}"#),
        ("nodes", "", r#"{"metadata":{"name":"n"},"spec":5,"status":{"conditions":["x"]}}"#),
        (
            "deployments.apps",
            "default",
            r#"{"metadata":{"name":"a","generation":"x"},"spec":{"template":[],"selector":1}}"#,
        ),
        ("deployments.apps", "default", r#"{"metadata":{"name":"b"},"spec":{"replicas":-5,"template":{"spec":[1]}}}"#),
        ("statefulsets.apps", "default", r#"{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"labels":[]}}}}"#),
        ("daemonsets.apps", "default", r#"{"metadata":{"name":"a"}}"#),
        ("jobs.batch", "default", r#"{"metadata":{"name":"a"},"spec":{"completions":"x"}}"#),
    ] {
        api.server.create(resource, namespace, serde_json::from_str(body).unwrap()).unwrap();
    }
    // Time for some hundred steps of the simulated cluster.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    // Under this churn, the pod may be deleted before it runs; then the test waits for another one.
    let mut watch = api.watch(&format!("{default}/pods?watch=1&labelSelector=late")).await;
    let pod = json!({
        "metadata": {"generateName": "late-", "labels": {"late": ""}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    assert_eq!(api.post(&format!("{default}/pods"), &pod).await.0, 201);
    loop {
        let event = watch.step().await.unwrap();
        let late = &event["object"];
        if late["spec"]["nodeName"].is_string() && late["status"]["startTime"].is_string() {
            break;
        }
        if event["type"] == "DELETED" {
            assert_eq!(api.post(&format!("{default}/pods"), &pod).await.0, 201);
        }
    }
}

#[tokio::test]
async fn churn_makes_about_the_requested_number_of_changes() {
    let api = Api::with(Server::builder().pods(50).churn(100)).await;
    let (before, start) = (api.server.revision(), Instant::now());
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let writes = (api.server.revision() - before) as f64;
    let rate = writes / start.elapsed().as_secs_f64();
    // A loaded machine makes fewer.
    assert!(writes > 10.0 && rate < 160.0, "{writes} changes, {rate} a second");
}
