//! Sections of a pod spec, which pods have and templates of pods.

use serde_json::Value;

use super::general::{MOST, cut};
use crate::field::Fields;
use crate::kinds::{CLAIM, CONFIG_MAP, SECRET};
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, scalar};

/// Containers, their probes and mounts, volumes, and where the pod may run.
pub(super) fn add(spec: &Value, namespace: &str, sections: &mut Sections) {
    for (title, path) in [
        ("Init containers", "initContainers"),
        ("Containers", "containers"),
        ("Debug containers", "ephemeralContainers"),
    ] {
        let rows = spec.list(path).iter().take(MOST).map(container).collect();
        sections.table(title, &["Container", "Image", "Ports", "Requests", "Limits", "Environment"], rows);
    }
    let all = || ["initContainers", "containers"].into_iter().flat_map(|path| spec.list(path)).take(MOST);
    sections.table("Probes", &["Container", "Probe", "Requests", "Timing"], all().flat_map(probes).collect());
    let volumes = spec.list("volumes");
    let mounts = all().flat_map(|container| mounts(container, volumes, namespace)).take(MOST).collect();
    sections.table("Mounts", &["Container", "Path", "Volume", "Source", "Access"], mounts);
    placement(spec, sections);
}

fn container(container: &Value) -> Vec<Cell> {
    let ports = container.list("ports").iter().take(20).map(|port| {
        let name = port.text("name");
        let number = format!("{}/{}", port.count("containerPort"), port.text("protocol"));
        if name.is_empty() { number } else { format!("{name} {number}") }
    });
    let variables = container.list("env").len() + container.list("envFrom").len();
    vec![
        Cell::text(cut(container.text("name"))),
        Cell::text(cut(container.text("image"))),
        Cell::text(cut(&ports.collect::<Vec<_>>().join(", "))),
        Cell::text(resources(container.at("resources.requests"))),
        Cell::text(resources(container.at("resources.limits"))),
        Cell::text(if variables > 0 { crate::words::count(variables, "entry") } else { String::new() }),
    ]
}

/// `cpu 100m, memory 128Mi`.
pub(super) fn resources(amounts: &Value) -> String {
    let amounts = amounts.members("").map(|(name, amount)| format!("{name} {}", scalar(amount)));
    cut(&amounts.collect::<Vec<_>>().join(", "))
}

fn probes(container: &Value) -> Vec<Vec<Cell>> {
    let kinds = [("startupProbe", "Startup"), ("livenessProbe", "Liveness"), ("readinessProbe", "Readiness")];
    let of = kinds.into_iter().filter(|(path, _)| container.has(path)).map(|(path, title)| {
        let probe = container.at(path);
        let seconds = |path: &str, otherwise: i64| probe.number(path).unwrap_or(otherwise);
        let timing = format!(
            "every {} s, timeout {} s, fails after {}, delay {} s",
            seconds("periodSeconds", 10),
            seconds("timeoutSeconds", 1),
            seconds("failureThreshold", 3),
            seconds("initialDelaySeconds", 0)
        );
        vec![
            Cell::text(cut(container.text("name"))),
            Cell::text(title),
            Cell::text(cut(&action(probe))),
            Cell::text(timing),
        ]
    });
    of.collect()
}

/// Action of a probe: `GET https :8443/healthz`, `TCP :5432`, a command.
fn action(probe: &Value) -> String {
    let port = |path: &str| scalar(probe.at(path));
    if probe.has("httpGet") {
        let scheme = probe.text("httpGet.scheme").to_lowercase();
        let path = probe.text("httpGet.path");
        format!("GET {scheme} {}:{}{path}", probe.text("httpGet.host"), port("httpGet.port"))
    } else if probe.has("tcpSocket") {
        format!("TCP {}:{}", probe.text("tcpSocket.host"), port("tcpSocket.port"))
    } else if probe.has("grpc") {
        format!("gRPC :{} {}", port("grpc.port"), probe.text("grpc.service")).trim_end().to_owned()
    } else {
        let command = probe.list("exec.command").iter().filter_map(Value::as_str);
        command.collect::<Vec<_>>().join(" ")
    }
}

fn mounts<'a>(container: &'a Value, volumes: &'a [Value], namespace: &'a str) -> impl Iterator<Item = Vec<Cell>> + 'a {
    container.list("volumeMounts").iter().map(move |mount| {
        let name = mount.text("name");
        let volume = volumes.iter().find(|volume| volume.text("name") == name).unwrap_or(&Value::Null);
        let path = match mount.text("subPath") {
            "" => mount.text("mountPath").to_owned(),
            part => format!("{} ({part})", mount.text("mountPath")),
        };
        vec![
            Cell::text(cut(container.text("name"))),
            Cell::text(cut(&path)),
            Cell::text(cut(name)),
            source(volume, namespace),
            Cell::text(if mount.is("readOnly") { "read-only" } else { "read-write" }),
        ]
    })
}

/// Source of a volume: its kind, with a link to the object behind it.
fn source(volume: &Value, namespace: &str) -> Cell {
    for (path, kind) in
        [("configMap.name", CONFIG_MAP), ("secret.secretName", SECRET), ("persistentVolumeClaim.claimName", CLAIM)]
    {
        let name = volume.text(path);
        if !name.is_empty() {
            return Cell::kind_link(Link::to(kind, namespace, name));
        }
    }
    let kind = volume.members("").map(|(name, _)| name).find(|name| *name != "name").unwrap_or_default();
    let detail = match kind {
        "hostPath" => volume.text("hostPath.path"),
        "csi" => volume.text("csi.driver"),
        "nfs" => volume.text("nfs.path"),
        "emptyDir" => volume.text("emptyDir.medium"),
        _ => "",
    };
    Cell::text(cut(format!("{kind} {detail}").trim_end()))
}

fn placement(spec: &Value, sections: &mut Sections) {
    let mut facts = Facts::default();
    let selector = spec.members("nodeSelector").take(MOST);
    facts.cells("Node selector", selector.map(|(key, value)| Cell::text(cut(&format!("{key}={}", scalar(value))))));
    let kinds = [("nodeAffinity", "node"), ("podAffinity", "pod"), ("podAntiAffinity", "pod anti-affinity")];
    let affinity =
        kinds.into_iter().filter(|(path, _)| spec.at("affinity").has(path)).map(|(_, name)| Cell::text(name));
    facts.cells("Affinity", affinity);
    let spread = spec.list("topologySpreadConstraints").iter().take(MOST).map(|spread| {
        let (key, skew) = (spread.text("topologyKey"), spread.count("maxSkew"));
        Cell::text(cut(&format!("{key}: at most {skew} apart, {}", spread.text("whenUnsatisfiable"))))
    });
    facts.cells("Spread", spread);
    facts.cells("Tolerations", spec.list("tolerations").iter().take(MOST).map(|it| Cell::text(cut(&toleration(it)))));
    sections.facts("Placement", facts);
}

/// `key=value:NoSchedule for 300 s`.
fn toleration(toleration: &Value) -> String {
    let key = match toleration.text("key") {
        "" => "any taint",
        key => key,
    };
    let value = match toleration.text("value") {
        "" => String::new(),
        value => format!("={value}"),
    };
    let effect = match toleration.text("effect") {
        "" => String::new(),
        effect => format!(":{effect}"),
    };
    let time = toleration.number("tolerationSeconds").map_or_else(String::new, |seconds| format!(" for {seconds} s"));
    format!("{key}{value}{effect}{time}")
}
