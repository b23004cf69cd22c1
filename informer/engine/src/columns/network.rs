//! Computed cells of the Service, Endpoints, EndpointSlice, Ingress and IngressClass tables.

use informer_packing::Json;

use super::Cell;
use super::read::{Sorted, TruncatedList, integer, items, join, member, string, text};
use super::subject::Subject;

/// Maximum number of hosts, ports or addresses shown.
const MAX_SHOWN: usize = 3;

/// Returns the IP addresses of a load balancer, or its host names.
pub(super) fn balancer(object: &Subject<'_, '_>) -> String {
    let mut addresses = Sorted::default();
    for ingress in items(object.pointer("/status/loadBalancer/ingress")) {
        let ip = string(ingress.get("ip"));
        addresses.insert(&if ip.is_empty() { string(ingress.get("hostname")) } else { ip });
    }
    addresses.joined()
}

/// External addresses of a service: its external name, or the addresses of its load balancer and `externalIPs`.
pub(super) fn external_ip(service: &Subject<'_, '_>, _: &str) -> Cell {
    let kind = string(service.pointer("/spec/type"));
    if kind == "ExternalName" {
        return text(string(service.pointer("/spec/externalName")));
    }
    let balanced = kind == "LoadBalancer";
    let mut list = if balanced { balancer(service) } else { String::new() };
    for ip in items(service.pointer("/spec/externalIPs")) {
        join(&mut list, ",", &string(Some(ip)));
    }
    if balanced && list.is_empty() { Cell::Text("<pending>".to_owned()) } else { text(list.into()) }
}

/// Ports of a service, as `80/TCP,443:30443/TCP`: service port, node port, protocol.
pub(super) fn ports(service: &Subject<'_, '_>, _: &str) -> Cell {
    let mut list = String::new();
    for port in items(service.pointer("/spec/ports")) {
        let mut number = integer(port.get("port")).to_string();
        if let node @ 1.. = integer(port.get("nodePort")) {
            number = format!("{number}:{node}");
        }
        join(&mut list, ",", &number);
        list.push('/');
        list.push_str(&string(port.get("protocol")));
    }
    text(list.into())
}

/// Addresses of an Endpoints object, each with its port: `10.0.0.1:80,10.0.0.2:80`.
pub(super) fn endpoints(endpoints: &Subject<'_, '_>, _: &str) -> Cell {
    let mut list = TruncatedList::new(MAX_SHOWN, ",");
    for subset in items(endpoints.pointer("/subsets")) {
        let mut push_all = |port: Option<Json<'_>>| {
            for address in items(subset.get("addresses")) {
                let ip = string(address.get("ip"));
                match port {
                    None => list.push(&ip),
                    Some(port) if ip.contains(':') => list.push(&format!("[{ip}]:{}", port.text())),
                    Some(port) => list.push(&format!("{ip}:{}", port.text())),
                }
            }
        };
        let mut ports = items(subset.get("ports")).peekable();
        if ports.peek().is_none() {
            // Headless services may have none.
            push_all(None);
        }
        ports.for_each(|port| push_all(port.get("port")));
    }
    list.cell()
}

/// Ports of an EndpointSlice: numbers, names of ports without a number, or `*` for all ports.
pub(super) fn slice_ports(slice: &Subject<'_, '_>, _: &str) -> Cell {
    let mut list = TruncatedList::new(MAX_SHOWN, ",");
    for port in items(slice.pointer("/ports")) {
        match (member(Some(port), "port"), member(Some(port), "name")) {
            (Some(number), _) => list.push(number.text()),
            (None, Some(name)) => list.push(&string(Some(name))),
            (None, None) => list.push("*"),
        }
    }
    list.cell()
}

/// Addresses of an EndpointSlice.
pub(super) fn slice_endpoints(slice: &Subject<'_, '_>, _: &str) -> Cell {
    let mut list = TruncatedList::new(MAX_SHOWN, ",");
    for endpoint in items(slice.pointer("/endpoints")) {
        items(endpoint.get("addresses")).for_each(|address| list.push(&string(Some(address))));
    }
    list.cell()
}

/// Hosts of an ingress; `*` if no rule names one.
pub(super) fn hosts(ingress: &Subject<'_, '_>, _: &str) -> Cell {
    let mut list = TruncatedList::new(MAX_SHOWN, ",");
    for rule in items(ingress.pointer("/spec/rules")) {
        let host = string(rule.get("host"));
        // A rule without a host applies to every host. kubectl shows nothing for it, but counts it.
        if host.is_empty() { list.push_empty() } else { list.push(&host) }
    }
    match list.cell() {
        Cell::None => Cell::Text("*".to_owned()),
        hosts => hosts,
    }
}

/// Ports of an ingress: 80, and 443 with TLS.
pub(super) fn tls_ports(ingress: &Subject<'_, '_>, _: &str) -> Cell {
    let tls = items(ingress.pointer("/spec/tls")).next().is_some();
    Cell::Text(if tls { "80, 443" } else { "80" }.to_owned())
}

/// Parameters of an ingress class: `IngressParameters.example.dev/external`.
pub(super) fn parameters(class: &Subject<'_, '_>, _: &str) -> Cell {
    let Some(parameters) = member(class.pointer("/spec"), "parameters") else { return Cell::None };
    let mut kind = string(parameters.get("kind")).into_owned();
    if let Some(group) = member(Some(parameters), "apiGroup") {
        join(&mut kind, ".", &string(Some(group)));
    }
    join(&mut kind, "/", &string(parameters.get("name")));
    text(kind.into())
}
