//! Pods in all the states that a status column tells apart.

use serde_json::{Value, json};

/// Pod with these containers; names before `|` are init containers, `*` marks a sidecar: `init,sidecar*|web`.
#[expect(clippy::needless_pass_by_value, reason = "a status is a literal where it is used")]
fn pod(name: &str, containers: &str, status: Value) -> Value {
    let (init, own) = containers.split_once('|').unwrap_or(("", containers));
    let container = |name: &str| match name.strip_suffix('*') {
        Some(name) => json!({"name": name, "image": "i:1", "restartPolicy": "Always"}),
        None => json!({"name": name, "image": "i:1"}),
    };
    let list =
        |names: &str| -> Vec<Value> { names.split(',').filter(|name| !name.is_empty()).map(container).collect() };
    json!({
        "metadata": {"name": name}, "status": status,
        "spec": {"nodeName": "n", "initContainers": list(init), "containers": list(own)},
    })
}

/// Status of a container, as in `status.containerStatuses`.
fn container(name: &str, state: &Value, ready: bool, restarts: u32) -> Value {
    json!({"name": name, "image": "i:1", "imageID": "i", "ready": ready, "restartCount": restarts, "state": state, "started": ready})
}

fn again(mut container: Value, finished: &str) -> Value {
    container["lastState"] =
        json!({"terminated": {"exitCode": 1, "startedAt": "2019-01-01T00:00:00Z", "finishedAt": finished}});
    container
}

fn running() -> Value {
    json!({"running": {"startedAt": "2020-01-01T00:00:00Z"}})
}

fn waiting(reason: &str) -> Value {
    json!({"waiting": {"reason": reason}})
}

fn ended(code: u32, reason: &str) -> Value {
    json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": "2019-01-01T00:00:00Z", "finishedAt": "2020-01-01T00:00:00Z"}})
}

fn signalled(signal: u32) -> Value {
    json!({"terminated": {"exitCode": 137, "signal": signal, "startedAt": "2019-01-01T00:00:00Z", "finishedAt": "2020-01-01T00:00:00Z"}})
}

fn is(kind: &str, status: &str) -> Value {
    json!({"type": kind, "status": status})
}

pub(super) fn pods() -> Vec<Value> {
    let mut pods = alive();
    pods.extend(over());
    pods.extend(preparing());
    pods
}

fn alive() -> Vec<Value> {
    let mut gated = pod("gated", "web", Value::Null);
    gated["spec"]["schedulingGates"] = json!([{"name": "example.dev/wait"}]);
    gated["spec"]["nodeName"] = Value::Null;
    let mut ready = pod(
        "gates",
        "web",
        json!({"phase": "Running", "conditions": [is("a.dev/one", "True"), is("a.dev/two", "False")],
        "podIP": "127.0.0.7", "podIPs": [{"ip": "127.0.0.7"}, {"ip": "::1"}],
        "containerStatuses": [container("web", &running(), true, 0)]}),
    );
    ready["spec"]["readinessGates"] =
        json!(["a.dev/one", "a.dev/two", "a.dev/three"].map(|kind| json!({"conditionType": kind})));
    let mut nominated = pod("nominated", "web", json!({"nominatedNodeName": "elsewhere"}));
    nominated["spec"]["nodeName"] = Value::Null;
    let mut going =
        pod("going", "web", json!({"phase": "Running", "containerStatuses": [container("web", &running(), true, 0)]}));
    going["gone"] = json!(true);
    let mut lost = pod("lost", "web", json!({"phase": "Running", "reason": "NodeLost"}));
    lost["gone"] = json!(true);
    vec![
        pod("new", "web,log", Value::Null),
        gated,
        ready,
        nominated,
        going,
        lost,
        pod(
            "restarted",
            "web,log",
            json!({"phase": "Running", "containerStatuses": [
            again(container("web", &running(), true, 2), "2021-03-01T00:00:00Z"),
            again(container("log", &running(), true, 1), "2022-03-01T00:00:00Z")]}),
        ),
        pod(
            "restarted-before-memory",
            "web",
            json!({"phase": "Running", "containerStatuses": [container("web", &running(), true, 9)]}),
        ),
        pod(
            "creating",
            "web",
            json!({"phase": "Pending", "containerStatuses": [container("web", &waiting("ContainerCreating"), false, 0)]}),
        ),
        pod(
            "crashing",
            "web,log",
            json!({"phase": "Running", "containerStatuses": [
            again(container("web", &waiting("CrashLoopBackOff"), false, 4), "2023-03-01T00:00:00Z"),
            container("log", &running(), true, 0)]}),
        ),
        pod(
            "two-troubles",
            "web,log",
            json!({"phase": "Pending", "containerStatuses": [
            container("web", &waiting("ImagePullBackOff"), false, 0), container("log", &waiting("ErrImagePull"), false, 0)]}),
        ),
        pod(
            "waits-silently",
            "web",
            json!({"phase": "Pending", "containerStatuses": [container("web", &json!({"waiting": {}}), false, 0)]}),
        ),
        pod(
            "ready-but-stopped",
            "web",
            json!({"phase": "Running", "containerStatuses": [container("web", &json!({}), true, 0)]}),
        ),
        pod(
            "half-done",
            "web,log",
            json!({"phase": "Running", "containerStatuses": [
            container("web", &ended(0, "Completed"), false, 0), container("log", &running(), true, 0)]}),
        ),
        pod(
            "half-done-ready",
            "web,log",
            json!({"phase": "Running", "conditions": [is("Ready", "True")], "containerStatuses": [
            container("web", &ended(0, "Completed"), false, 0), container("log", &running(), true, 0)]}),
        ),
        pod(
            "half-failed",
            "web,log",
            json!({"phase": "Running", "containerStatuses": [
            container("web", &ended(0, "Completed"), false, 0), container("log", &ended(3, "Error"), false, 0)]}),
        ),
        pod(
            "half-failed-twice",
            "web,log,three",
            json!({"phase": "Running", "containerStatuses": [
            container("web", &ended(0, "Completed"), false, 0), container("log", &ended(3, "Error"), false, 0),
            container("three", &ended(137, "OOMKilled"), false, 0)]}),
        ),
        pod(
            "half-signalled",
            "web,log,three",
            json!({"phase": "Running", "containerStatuses": [
            container("web", &ended(0, "Completed"), false, 0), container("log", &signalled(9), false, 0), container("three", &running(), true, 0)]}),
        ),
    ]
}

fn over() -> Vec<Value> {
    let mut kept = pod(
        "kept",
        "web",
        json!({"phase": "Succeeded", "containerStatuses": [container("web", &ended(0, "Completed"), false, 0)]}),
    );
    kept["gone"] = json!(true);
    vec![
        kept,
        pod(
            "completed",
            "web",
            json!({"phase": "Succeeded", "containerStatuses": [container("web", &ended(0, "Completed"), false, 0)]}),
        ),
        pod(
            "evicted",
            "web",
            json!({"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."}),
        ),
        pod(
            "failed",
            "web",
            json!({"phase": "Failed", "containerStatuses": [container("web", &ended(1, "Error"), false, 0)]}),
        ),
        pod(
            "killed",
            "web",
            json!({"phase": "Failed", "containerStatuses": [container("web", &ended(137, "OOMKilled"), false, 3)]}),
        ),
        pod(
            "exit-code",
            "web",
            json!({"phase": "Failed", "containerStatuses": [container("web", &ended(42, ""), false, 0)]}),
        ),
        pod(
            "exit-zero",
            "web",
            json!({"phase": "Succeeded", "containerStatuses": [container("web", &ended(0, ""), false, 0)]}),
        ),
        pod(
            "signal",
            "web",
            json!({"phase": "Failed", "containerStatuses": [container("web", &signalled(15), false, 0)]}),
        ),
    ]
}

fn preparing() -> Vec<Value> {
    let init = |name: &str, containers: &str, init: Value, own: Value| {
        pod(name, containers, json!({"phase": "Pending", "initContainerStatuses": init, "containerStatuses": own}))
    };
    let initialised = |mut pod: Value| {
        pod["status"]["conditions"] = json!([is("Initialized", "True")]);
        pod
    };
    vec![
        init(
            "init-first",
            "one,two|web",
            json!([container("one", &running(), false, 0), container("two", &waiting("PodInitializing"), false, 0)]),
            json!([]),
        ),
        init(
            "init-second",
            "one,two|web",
            json!([container("one", &ended(0, "Completed"), true, 0), container("two", &running(), false, 0)]),
            json!([container("web", &waiting("PodInitializing"), false, 0)]),
        ),
        init("init-waits", "one|web", json!([container("one", &waiting("PodInitializing"), false, 0)]), json!([])),
        init("init-pull", "one|web", json!([container("one", &waiting("ImagePullBackOff"), false, 0)]), json!([])),
        init(
            "init-crash",
            "one|web",
            json!([again(container("one", &waiting("CrashLoopBackOff"), false, 5), "2021-01-01T00:00:00Z")]),
            json!([again(container("web", &waiting("PodInitializing"), false, 2), "2022-01-01T00:00:00Z")]),
        ),
        init("init-error", "one|web", json!([container("one", &ended(1, "Error"), false, 1)]), json!([])),
        init("init-code", "one|web", json!([container("one", &ended(2, ""), false, 0)]), json!([])),
        init("init-signal", "one|web", json!([container("one", &signalled(9), false, 0)]), json!([])),
        init(
            "sidecar-starts",
            "side*|web",
            json!([container("side", &running(), false, 0)]),
            json!([container("web", &waiting("PodInitializing"), false, 0)]),
        ),
        init(
            "sidecar",
            "side*,one|web",
            json!([container("side", &running(), true, 0), container("one", &ended(0, "Completed"), true, 3)]),
            json!([container("web", &running(), true, 0)]),
        ),
        init(
            "sidecar-again",
            "side*|web",
            json!([again(container("side", &running(), true, 2), "2024-01-01T00:00:00Z")]),
            json!([again(container("web", &running(), true, 1), "2023-01-01T00:00:00Z")]),
        ),
        init(
            "sidecar-waits",
            "side*,one|web",
            json!([container("side", &running(), true, 0), container("one", &running(), false, 0)]),
            json!([]),
        ),
        initialised(init(
            "sidecar-fell",
            "side*,late*|web",
            json!([
                again(container("side", &waiting("CrashLoopBackOff"), false, 7), "2024-06-01T00:00:00Z"),
                container("late", &running(), true, 1)
            ]),
            json!([container("web", &running(), true, 0)]),
        )),
        initialised(init(
            "sidecar-ended",
            "side*|web",
            json!([container("side", &ended(0, "Completed"), false, 0)]),
            json!([container("web", &ended(0, "Completed"), false, 0)]),
        )),
    ]
}
