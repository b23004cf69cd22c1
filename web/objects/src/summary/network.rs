//! Summaries of services, ingresses, endpoint slices and network policies.

use serde_json::Value;

use super::general::{MOST, cut};
use crate::backend::{endpoints, is_ready, need_for_slices};
use crate::diagnosis::need_for_service_pods;
use crate::field::Fields;
use crate::kinds::{INGRESS_CLASS, NODE, SECRET, SERVICE};
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::selector::{labels_selector, selector};
use crate::subject::Subject;
use crate::words::count;

pub(super) fn service(subject: &Subject<'_>, sections: &mut Sections) {
    let service = subject.object;
    let mut facts = Facts::default();
    facts.field("Type", service, "spec.type");
    let ips = service.list("spec.clusterIPs").iter().take(MOST);
    facts.cells("Cluster IPs", ips.map(|ip| Cell::text(scalar(ip))));
    facts.cells("External addresses", addresses(service));
    facts.field("External name", service, "spec.externalName");
    let selector = labels_selector(service.at("spec.selector"));
    facts.text("Selector", selector.map_or_else(String::new, |selector| cut(&selector.to_string())));
    if let Some(pods) = need_for_service_pods(service).and_then(|need| subject.answer(&need)) {
        let ready = pods.iter().filter(|pod| crate::workload::is_ready(pod)).count();
        let tone = if ready > 0 { Tone::Ok } else { Tone::Bad };
        facts.cell("Selected pods", Cell::toned(format!("{} ({ready} ready)", pods.len()), tone));
    }
    facts.field("Session affinity", service, "spec.sessionAffinity");
    facts.field("External traffic", service, "spec.externalTrafficPolicy");
    facts.field("Internal traffic", service, "spec.internalTrafficPolicy");
    facts.field("IP families", service, "spec.ipFamilyPolicy");
    sections.facts("Service", facts);
    let port = |port: &Value| {
        ["name", "port", "targetPort", "nodePort", "protocol", "appProtocol"]
            .map(|path| Cell::text(cut(&scalar(port.at(path)))))
            .to_vec()
    };
    let ports = service.list("spec.ports").iter().take(MOST).map(port).collect();
    sections.table("Ports", &["Name", "Port", "Target", "Node port", "Protocol", "Application protocol"], ports);
    let slices =
        need_for_slices(service.namespace(), service.name()).map(|need| subject.found(&need)).unwrap_or_default();
    endpoint_table(slices, service.namespace(), sections);
}

/// Addresses of a load balancer.
fn addresses(object: &Value) -> impl Iterator<Item = Cell> {
    object.list("status.loadBalancer.ingress").iter().take(MOST).map(|address| {
        let ip = address.text("ip");
        Cell::text(cut(if ip.is_empty() { address.text("hostname") } else { ip }))
    })
}

fn endpoint_table(slices: &[Value], namespace: &str, sections: &mut Sections) {
    let row = |endpoint: &Value| {
        let ready = is_ready(endpoint);
        let state = match (ready, endpoint.is("conditions.terminating")) {
            (true, _) => Cell::toned("ready", Tone::Ok),
            (false, true) => Cell::toned("terminating", Tone::Warn),
            (false, false) => Cell::toned("not ready", Tone::Bad),
        };
        let target = endpoint.at("targetRef");
        let to = Link::new("", target.text("kind"), namespace, target.text("name"));
        let node = endpoint.text("nodeName");
        vec![
            Cell::text(endpoint.list("addresses").iter().take(5).map(scalar).collect::<Vec<_>>().join(", ")),
            state,
            if to.name.is_empty() { Cell::default() } else { Cell::link(to) },
            if node.is_empty() { Cell::default() } else { Cell::link(Link::to(NODE, "", node)) },
            Cell::text(cut(endpoint.text("zone"))),
        ]
    };
    let rows = endpoints(slices).take(MOST).map(row).collect();
    sections.table("Endpoints", &["Address", "State", "Target", "Node", "Zone"], rows);
}

pub(super) fn endpoint_slice(subject: &Subject<'_>, sections: &mut Sections) {
    let slice = subject.object;
    let mut facts = Facts::default();
    let service = slice.label("kubernetes.io/service-name");
    if !service.is_empty() {
        facts.cell("Service", Cell::link(Link::to(SERVICE, slice.namespace(), service)));
    }
    facts.field("Address type", slice, "addressType");
    let ports = slice.list("ports").iter().take(MOST);
    facts.cells(
        "Ports",
        ports.map(|port| Cell::text(format!("{} {}/{}", port.text("name"), port.count("port"), port.text("protocol")))),
    );
    sections.facts("EndpointSlice", facts);
    endpoint_table(std::slice::from_ref(slice), slice.namespace(), sections);
}

pub(super) fn ingress(subject: &Subject<'_>, sections: &mut Sections) {
    let ingress = subject.object;
    let namespace = ingress.namespace();
    let mut facts = Facts::default();
    let class = ingress.text("spec.ingressClassName");
    if !class.is_empty() {
        facts.cell("Class", Cell::link(Link::to(INGRESS_CLASS, "", class)));
    }
    facts.text("Class (annotation)", cut(ingress.annotation("kubernetes.io/ingress.class")));
    facts.cells("Addresses", addresses(ingress));
    sections.facts("Ingress", facts);
    let backend = |host: &str, path: &str, kind: &str, backend: &Value| {
        let service = backend.at("service");
        let name = service.text("name");
        let endpoints = crate::backend::counts(subject, namespace, name).map_or_else(Cell::default, |(ready, all)| {
            Cell::toned(format!("{ready} of {all} ready"), if ready > 0 { Tone::Ok } else { Tone::Bad })
        });
        let to = if name.is_empty() {
            let resource = backend.at("resource");
            Cell::kind_link(Link::new(
                resource.text("apiGroup"),
                resource.text("kind"),
                namespace,
                resource.text("name"),
            ))
        } else {
            Cell::link(Link::to(SERVICE, namespace, name))
        };
        let port = match service.number("port.number") {
            Some(number) => number.to_string(),
            None => cut(service.text("port.name")),
        };
        vec![Cell::text(cut(host)), Cell::text(cut(path)), Cell::text(cut(kind)), to, Cell::text(port), endpoints]
    };
    let mut rows = Vec::new();
    for rule in ingress.list("spec.rules").iter().take(MOST) {
        let host = if rule.text("host").is_empty() { "*" } else { rule.text("host") };
        for path in rule.list("http.paths").iter().take(MOST) {
            rows.push(backend(host, path.text("path"), path.text("pathType"), path.at("backend")));
        }
    }
    if ingress.has("spec.defaultBackend") {
        rows.push(backend("*", "", "default", ingress.at("spec.defaultBackend")));
    }
    rows.truncate(MOST);
    sections.table("Rules", &["Host", "Path", "Match", "Backend", "Port", "Endpoints"], rows);
    let tls = |tls: &Value| {
        let secret = tls.text("secretName");
        vec![
            Cell::text(cut(&tls.list("hosts").iter().take(20).map(scalar).collect::<Vec<_>>().join(", "))),
            if secret.is_empty() { Cell::default() } else { Cell::link(Link::to(SECRET, namespace, secret)) },
        ]
    };
    sections.table("TLS", &["Hosts", "Secret"], ingress.list("spec.tls").iter().take(MOST).map(tls).collect());
}

pub(super) fn network_policy(subject: &Subject<'_>, sections: &mut Sections) {
    let policy = subject.object;
    let mut facts = Facts::default();
    facts.text("Applies to", labels(policy.at("spec.podSelector"), "all pods of the namespace"));
    let types = policy.list("spec.policyTypes");
    facts.cells("Types", types.iter().take(2).map(|kind| Cell::text(scalar(kind))));
    for (kind, path, verb) in [("Ingress", "spec.ingress", "from"), ("Egress", "spec.egress", "to")] {
        let listed = types.iter().any(|other| other.as_str() == Some(kind));
        if listed && policy.list(path).is_empty() {
            facts.cell(kind, Cell::toned("nothing is allowed", Tone::Warn));
        }
        let rules = policy.list(path).iter().take(MOST).map(|rule| Cell::text(cut(&rule_text(rule, verb))));
        facts.cells(kind, rules);
    }
    sections.facts("NetworkPolicy", facts);
}

/// Selector in kubectl's syntax, or `all` if it is empty.
fn labels(value: &Value, all: &str) -> String {
    match selector(value).map(|selector| selector.to_string()) {
        Some(text) if !text.is_empty() => cut(&format!("pods with {text}")),
        _ => all.to_owned(),
    }
}

/// A rule in words: `from pods with app=web, on 80/TCP`.
fn rule_text(rule: &Value, verb: &str) -> String {
    let peer = |peer: &Value| {
        if peer.has("ipBlock") {
            let except = peer.list("ipBlock.except");
            let but =
                if except.is_empty() { String::new() } else { format!(" except {}", count(except.len(), "range")) };
            return format!("{}{but}", peer.text("ipBlock.cidr"));
        }
        let pods = labels(peer.at("podSelector"), "all pods");
        match selector(peer.at("namespaceSelector")).map(|selector| selector.to_string()) {
            Some(text) if text.is_empty() => format!("{pods} of all namespaces"),
            Some(text) => format!("{pods} of namespaces with {text}"),
            None => pods,
        }
    };
    let peers: Vec<String> = rule.list(verb).iter().take(20).map(peer).collect();
    let peers = if peers.is_empty() { "anywhere".to_owned() } else { peers.join(" or ") };
    let port = |port: &Value| match port.number("endPort") {
        Some(end) => format!("{}-{end}/{}", scalar(port.at("port")), port.text("protocol")),
        None => format!("{}/{}", scalar(port.at("port")), port.text("protocol")),
    };
    let ports: Vec<String> = rule.list("ports").iter().take(20).map(port).collect();
    if ports.is_empty() { format!("{verb} {peers}") } else { format!("{verb} {peers}, on {}", ports.join(", ")) }
}
