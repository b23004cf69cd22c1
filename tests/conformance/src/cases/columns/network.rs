//! Services, endpoints and ingresses.

use serde_json::{Value, json};

pub(super) fn services() -> Vec<Value> {
    let service = |name: &str, spec: Value| json!({"metadata": {"name": name}, "spec": spec});
    let ports = json!([{"name": "web", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}]);
    let mut balanced = service(
        "balanced",
        json!({"type": "LoadBalancer", "ports": ports, "externalIPs": ["203.0.113.9", "203.0.113.8"]}),
    );
    balanced["status"] = json!({"loadBalancer": {"ingress": [{"hostname": "b.example.dev"}, {"ip": "203.0.113.2"}, {"ip": "203.0.113.1"}, {"ip": "203.0.113.2"}]}});
    vec![
        balanced,
        service("cluster", json!({"ports": ports, "selector": {"app": "web", "tier": "front"}})),
        service("headless", json!({"clusterIP": "None", "selector": {"app": "web"}})),
        service("external-ips", json!({"ports": ports, "externalIPs": ["203.0.113.9", "203.0.113.8"]})),
        service("node-port", json!({"type": "NodePort", "ports": ports})),
        service("pending", json!({"type": "LoadBalancer", "ports": ports})),
        service("pending-external", json!({"type": "LoadBalancer", "ports": ports, "externalIPs": ["203.0.113.9"]})),
        service("name", json!({"type": "ExternalName", "externalName": "example.dev"})),
    ]
}

pub(super) fn endpoints() -> Vec<Value> {
    let endpoints = |name: &str, subsets: Value| json!({"metadata": {"name": name}, "subsets": subsets});
    let addresses = |ips: &[&str]| -> Vec<Value> { ips.iter().map(|ip| json!({"ip": ip})).collect() };
    let three = addresses(&["10.1.0.1", "10.1.0.2", "10.1.0.3"]);
    vec![
        endpoints("none", json!([])),
        endpoints("not-ready", json!([{"notReadyAddresses": three, "ports": [{"port": 80}]}])),
        endpoints("three", json!([{"addresses": three, "ports": [{"port": 80}]}])),
        endpoints(
            "six",
            json!([{"addresses": three, "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}]}]),
        ),
        endpoints("portless", json!([{"addresses": addresses(&["10.1.0.1", "10.1.0.2", "10.1.0.3", "10.1.0.4"])}])),
        endpoints(
            "six-six",
            json!([{"addresses": addresses(&["fd00::1"]), "ports": [{"port": 80}]}, {"addresses": addresses(&["10.1.0.4"]), "ports": [{"port": 81}]}]),
        ),
    ]
}

pub(super) fn endpoint_slices() -> Vec<Value> {
    let slice = |name: &str, ports: Value, addresses: &[&str]| {
        let endpoints: Vec<Value> = addresses.iter().map(|ip| json!({"addresses": [ip]})).collect();
        json!({"metadata": {"name": name}, "addressType": "IPv4", "ports": ports, "endpoints": endpoints})
    };
    let named = |names: &[&str]| -> Vec<Value> {
        names.iter().zip(80..).map(|(name, port)| json!({"name": name, "port": port})).collect()
    };
    vec![
        slice("none", json!([]), &[]),
        slice("one", json!(named(&["web"])), &["10.1.0.1"]),
        slice("three", json!(named(&["a", "b", "c"])), &["10.1.0.1", "10.1.0.2", "10.1.0.3"]),
        slice(
            "five",
            json!(named(&["a", "b", "c", "d", "e"])),
            &["10.1.0.1", "10.1.0.2", "10.1.0.3", "10.1.0.4", "10.1.0.5"],
        ),
        slice("any-port", json!([{"name": "any"}, {"name": ""}]), &["10.1.0.1"]),
    ]
}

pub(super) fn ingresses() -> Vec<Value> {
    let ingress = |name: &str, hosts: &[&str], status: Value| {
        let rule = |host: &&str| {
            let paths = json!([{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"number": 80}}}}]);
            if host.is_empty() {
                json!({"http": {"paths": paths}})
            } else {
                json!({"host": host, "http": {"paths": paths}})
            }
        };
        let rules: Vec<Value> = hosts.iter().map(rule).collect();
        json!({"metadata": {"name": name}, "spec": {"rules": rules}, "status": status})
    };
    let mut class = ingress("class", &["a.example.dev"], Value::Null);
    class["spec"]["ingressClassName"] = json!("web");
    class["spec"]["tls"] = json!([{"hosts": ["a.example.dev"], "secretName": "tls"}]);
    let balanced = json!({"loadBalancer": {"ingress": [{"hostname": "b.example.dev"}, {"ip": "203.0.113.2"}, {"ip": "203.0.113.1"}]}});
    vec![
        class,
        ingress("any", &[""], Value::Null),
        ingress("three", &["a.example.dev", "", "b.example.dev", "c.example.dev"], balanced),
        ingress("three-and-any", &["a.example.dev", "b.example.dev", "c.example.dev", ""], Value::Null),
        ingress(
            "five",
            &["a.example.dev", "b.example.dev", "c.example.dev", "d.example.dev", "e.example.dev"],
            Value::Null,
        ),
    ]
}

pub(super) fn ingress_classes() -> Vec<Value> {
    let class = |name: &str, spec: Value| json!({"metadata": {"name": name}, "spec": spec});
    let mut default = class("NS-default", json!({"controller": "example.dev/web"}));
    default["metadata"]["annotations"] = json!({"ingressclass.kubernetes.io/is-default-class": "true"});
    let parameters = |group: Value| json!({"apiGroup": group, "kind": "Parameters", "name": "p", "scope": "Cluster"});
    vec![
        default,
        class("NS-core", json!({"controller": "example.dev/web", "parameters": parameters(Value::Null)})),
        class("NS-group", json!({"controller": "example.dev/web", "parameters": parameters(json!("k8s.example.dev"))})),
    ]
}
