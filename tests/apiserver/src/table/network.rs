//! Rows of services, endpoints, ingresses and network policies.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::cells::{first_three, items, joined, labels, number, or_none, selector, text, text_or};
use super::{age, name};

pub(super) fn service(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    let port = |port: &Value| match (number(&port["port"]), number(&port["nodePort"]), text(&port["protocol"])) {
        (number, 0, protocol) => format!("{number}/{protocol}"),
        (number, node, protocol) => format!("{number}:{node}/{protocol}"),
    };
    let ports: Vec<String> = items(&spec["ports"]).map(port).collect();
    vec![
        name(object),
        json!(text(&spec["type"])),
        json!(items(&spec["clusterIPs"]).next().map_or("<none>", text)),
        json!(external(object)),
        json!(or_none(ports.join(","))),
        age(object),
        json!(labels(&spec["selector"])),
    ]
}

/// Addresses of a load balancer, sorted.
fn balancer(object: &Value) -> String {
    let address = |point: &Value| text_or(&point["ip"], text(&point["hostname"])).to_owned();
    let all: BTreeSet<String> = items(&object["status"]["loadBalancer"]["ingress"]).map(address).collect();
    joined(all.iter().map(String::as_str).filter(|address| !address.is_empty()))
}

fn external(object: &Value) -> String {
    let spec = &object["spec"];
    let given = joined(items(&spec["externalIPs"]).map(text));
    match text(&spec["type"]) {
        "ClusterIP" | "NodePort" => or_none(given),
        "LoadBalancer" => {
            let balancer = balancer(object);
            let all = joined([balancer.as_str(), given.as_str()].into_iter().filter(|part| !part.is_empty()));
            if all.is_empty() { "<pending>".to_owned() } else { all }
        }
        "ExternalName" => text(&spec["externalName"]).to_owned(),
        _ => "<unknown>".to_owned(),
    }
}

pub(super) fn endpoints(object: &Value) -> Vec<Value> {
    let (mut list, mut count) = (Vec::new(), 0);
    for subset in items(&object["subsets"]) {
        let addresses = || items(&subset["addresses"]).map(|address| text(&address["ip"]));
        if items(&subset["ports"]).len() == 0 {
            count += addresses().len();
            list.extend(addresses().map(str::to_owned));
        }
        for port in items(&subset["ports"]) {
            count += addresses().len();
            let port = number(&port["port"]);
            let joined = |ip: &str| if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") };
            list.extend(addresses().map(joined));
        }
    }
    let shown = if items(&object["subsets"]).len() == 0 { "<none>".to_owned() } else { first_three(&list, count) };
    vec![name(object), json!(shown), age(object)]
}

fn or_unset(text: String) -> String {
    if text.is_empty() { "<unset>".to_owned() } else { text }
}

pub(super) fn endpoint_slice(object: &Value) -> Vec<Value> {
    let port = |port: &Value| {
        port["port"].as_i64().map_or_else(|| port["name"].as_str().unwrap_or("*").to_owned(), |n| n.to_string())
    };
    let ports: Vec<String> = items(&object["ports"]).map(port).collect();
    let addresses = items(&object["endpoints"]).flat_map(|endpoint| items(&endpoint["addresses"]));
    let addresses: Vec<String> = addresses.map(|address| text(address).to_owned()).collect();
    vec![
        name(object),
        json!(text(&object["addressType"])),
        json!(or_unset(first_three(&ports, ports.len()))),
        json!(or_unset(first_three(&addresses, addresses.len()))),
        age(object),
    ]
}

pub(super) fn ingress(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    vec![
        name(object),
        json!(spec["ingressClassName"].as_str().unwrap_or("<none>")),
        json!(hosts(&spec["rules"])),
        json!(balancer(object)),
        json!(if items(&spec["tls"]).len() == 0 { "80" } else { "80, 443" }),
        age(object),
    ]
}

/// Hosts of the rules. As in the real server, rules without a host count only among the omitted ones.
fn hosts(rules: &Value) -> String {
    let (mut list, mut more) = (Vec::new(), false);
    for rule in items(rules) {
        more |= list.len() == 3;
        let host = text(&rule["host"]);
        if !more && !host.is_empty() {
            list.push(host);
        }
    }
    match (list.is_empty(), more) {
        (true, _) => "*".to_owned(),
        (false, true) => format!("{} + {} more...", list.join(","), items(rules).len() - 3),
        (false, false) => list.join(","),
    }
}

pub(super) fn ingress_class(object: &Value) -> Vec<Value> {
    let parameters = &object["spec"]["parameters"];
    let shown = if parameters.is_object() {
        let group = parameters["apiGroup"].as_str().map_or_else(String::new, |group| format!(".{group}"));
        format!("{}{group}/{}", text(&parameters["kind"]), text(&parameters["name"]))
    } else {
        "<none>".to_owned()
    };
    let is_default = object["metadata"]["annotations"]["ingressclass.kubernetes.io/is-default-class"] == "true";
    let mark = if is_default { " (default)" } else { "" };
    let named = format!("{}{mark}", text(&object["metadata"]["name"]));
    vec![json!(named), json!(text(&object["spec"]["controller"])), json!(shown), age(object)]
}

pub(super) fn policy(object: &Value) -> Vec<Value> {
    vec![name(object), json!(or_none(selector(&object["spec"]["podSelector"]))), age(object)]
}
