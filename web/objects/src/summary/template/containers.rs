//! Containers of a pod spec, and their probes.

use serde_json::Value;

use super::super::general::{MOST, cut};
use crate::field::Fields;
use crate::section::{Cell, Sections, scalar};

pub(super) fn add(spec: &Value, sections: &mut Sections) {
    for (title, path) in [
        ("Init containers", "initContainers"),
        ("Containers", "containers"),
        ("Debug containers", "ephemeralContainers"),
    ] {
        let rows = spec.list(path).iter().take(MOST).map(container).collect();
        sections.table(title, &["Container", "Image", "Ports", "Requests", "Limits", "Environment"], rows);
    }
    // Debug containers have no probes.
    let containers = ["initContainers", "containers"].into_iter().flat_map(|path| spec.list(path)).take(MOST);
    sections.table("Probes", &["Container", "Probe", "Check", "Timing"], containers.flat_map(probes).collect());
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
fn resources(amounts: &Value) -> String {
    let amounts = amounts.members("").map(|(name, amount)| format!("{name} {}", scalar(amount)));
    cut(&amounts.collect::<Vec<_>>().join(", "))
}

fn probes(container: &Value) -> Vec<Vec<Cell>> {
    let kinds = [("startupProbe", "Startup"), ("livenessProbe", "Liveness"), ("readinessProbe", "Readiness")];
    let rows = kinds.into_iter().filter(|(path, _)| container.has(path)).map(|(path, title)| {
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
    rows.collect()
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
