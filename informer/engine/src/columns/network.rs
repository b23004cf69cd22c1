//! Columns of services, endpoints and ingresses.

use informer_packing::Json;

use super::Cell;
use super::read::{Few, Sorted, items, join, member, string, text, whole};
use super::subject::Subject;

/// Maximum number of hosts, ports or addresses shown.
const MOST: usize = 3;

/// IP addresses of a load balancer, or its host names.
pub(super) fn balancer(object: &Subject<'_, '_>) -> String {
    let mut addresses = Sorted::default();
    for ingress in items(object.pointer("/status/loadBalancer/ingress")) {
        let ip = string(ingress.get("ip"));
        addresses.insert(&if ip.is_empty() { string(ingress.get("hostname")) } else { ip });
    }
    addresses.joined()
}

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
        let mut number = whole(port.get("port")).to_string();
        if let node @ 1.. = whole(port.get("nodePort")) {
            number = format!("{number}:{node}");
        }
        join(&mut list, ",", &number);
        list.push('/');
        list.push_str(&string(port.get("protocol")));
    }
    text(list.into())
}

pub(super) fn endpoints(endpoints: &Subject<'_, '_>, _: &str) -> Cell {
    let mut few = Few::new(MOST, ",");
    for subset in items(endpoints.pointer("/subsets")) {
        let mut push_all = |port: Option<Json<'_>>| {
            for address in items(subset.get("addresses")) {
                let ip = string(address.get("ip"));
                match port {
                    None => few.push(&ip),
                    Some(port) if ip.contains(':') => few.push(&format!("[{ip}]:{}", port.text())),
                    Some(port) => few.push(&format!("{ip}:{}", port.text())),
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
    few.cell()
}

pub(super) fn slice_ports(slice: &Subject<'_, '_>, _: &str) -> Cell {
    let mut few = Few::new(MOST, ",");
    for port in items(slice.pointer("/ports")) {
        match (member(Some(port), "port"), member(Some(port), "name")) {
            (Some(number), _) => few.push(number.text()),
            (None, Some(name)) => few.push(&string(Some(name))),
            (None, None) => few.push("*"),
        }
    }
    few.cell()
}

pub(super) fn slice_endpoints(slice: &Subject<'_, '_>, _: &str) -> Cell {
    let mut few = Few::new(MOST, ",");
    for endpoint in items(slice.pointer("/endpoints")) {
        items(endpoint.get("addresses")).for_each(|address| few.push(&string(Some(address))));
    }
    few.cell()
}

pub(super) fn hosts(ingress: &Subject<'_, '_>, _: &str) -> Cell {
    let mut few = Few::new(MOST, ",");
    for rule in items(ingress.pointer("/spec/rules")) {
        match string(rule.get("host")) {
            any if any.is_empty() => drop(few.skip()),
            host => few.push(&host),
        }
    }
    match few.cell() {
        Cell::None => Cell::Text("*".to_owned()),
        hosts => hosts,
    }
}

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
