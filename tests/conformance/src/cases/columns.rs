//! Columns of `informer`, compared with the server's tables: the same objects, cell by cell.
//!
//! For each well-known kind there are objects in unusual states, besides the server's other objects. A row of a table
//! contains its whole object, so both are of the same moment.

mod cluster;
mod network;
mod pods;
mod policy;
mod storage;
mod workloads;

use informer::GroupVersionResource;
use informer_engine::columns::{Cell, Columns, age};
use serde_json::{Value, json};

use super::custom;
use crate::case::Case;
use crate::halt::{Halt, Outcome};
use crate::scene::Scene;

/// A case for each kind: its name, its path, and the compared objects.
macro_rules! kinds {
    ($($name:ident: $resource:literal $objects:expr),* $(,)?) => {
        &[
            Case { group: "columns", name: "of_custom_resources", alone: true, run: |scene| Box::pin(of_custom_resources(scene)) },
            $(Case {
                group: "columns", name: stringify!($name), alone: false,
                run: |scene| Box::pin(of_kind(scene, $resource, $objects)),
            },)*
        ]
    };
}

pub(crate) const CASES: &[Case] = kinds![
    pods: "v1/pods" pods::pods(),
    deployments: "apps/v1/deployments" workloads::deployments(),
    replica_sets: "apps/v1/replicasets" workloads::replica_sets(),
    replication_controllers: "v1/replicationcontrollers" workloads::replication_controllers(),
    stateful_sets: "apps/v1/statefulsets" workloads::stateful_sets(),
    daemon_sets: "apps/v1/daemonsets" workloads::daemon_sets(),
    controller_revisions: "apps/v1/controllerrevisions" workloads::controller_revisions(),
    jobs: "batch/v1/jobs" workloads::jobs(),
    cron_jobs: "batch/v1/cronjobs" workloads::cron_jobs(),
    pod_templates: "v1/podtemplates" workloads::pod_templates(),
    horizontal_pod_autoscalers: "autoscaling/v2/horizontalpodautoscalers" policy::autoscalers(),
    pod_disruption_budgets: "policy/v1/poddisruptionbudgets" policy::disruption_budgets(),
    resource_quotas: "v1/resourcequotas" policy::quotas(),
    limit_ranges: "v1/limitranges" policy::limit_ranges(),
    priority_classes: "scheduling.k8s.io/v1/priorityclasses" policy::priority_classes(),
    runtime_classes: "node.k8s.io/v1/runtimeclasses" policy::runtime_classes(),
    roles: "rbac.authorization.k8s.io/v1/roles" policy::roles(),
    role_bindings: "rbac.authorization.k8s.io/v1/rolebindings" policy::role_bindings(),
    cluster_roles: "rbac.authorization.k8s.io/v1/clusterroles" policy::cluster_roles(),
    cluster_role_bindings: "rbac.authorization.k8s.io/v1/clusterrolebindings" policy::cluster_role_bindings(),
    network_policies: "networking.k8s.io/v1/networkpolicies" policy::network_policies(),
    validating_webhooks: "admissionregistration.k8s.io/v1/validatingwebhookconfigurations" policy::webhooks("ValidatingWebhookConfiguration"),
    mutating_webhooks: "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations" policy::webhooks("MutatingWebhookConfiguration"),
    validating_admission_policies: "admissionregistration.k8s.io/v1/validatingadmissionpolicies" policy::admission_policies(),
    mutating_admission_policies: "admissionregistration.k8s.io/v1/mutatingadmissionpolicies" policy::mutating_admission_policies(),
    flow_schemas: "flowcontrol.apiserver.k8s.io/v1/flowschemas" vec![],
    priority_levels: "flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations" vec![],
    api_services: "apiregistration.k8s.io/v1/apiservices" vec![],
    custom_resource_definitions: "apiextensions.k8s.io/v1/customresourcedefinitions" policy::definitions(),
    nodes: "v1/nodes" cluster::nodes(),
    namespaces: "v1/namespaces" vec![],
    events: "v1/events" cluster::events(),
    new_events: "events.k8s.io/v1/events" cluster::new_events(),
    config_maps: "v1/configmaps" cluster::config_maps(),
    secrets: "v1/secrets" cluster::secrets(),
    service_accounts: "v1/serviceaccounts" cluster::service_accounts(),
    leases: "coordination.k8s.io/v1/leases" cluster::leases(),
    signing_requests: "certificates.k8s.io/v1/certificatesigningrequests" cluster::signing_requests(),
    services: "v1/services" network::services(),
    endpoints: "v1/endpoints" network::endpoints(),
    endpoint_slices: "discovery.k8s.io/v1/endpointslices" network::endpoint_slices(),
    ingresses: "networking.k8s.io/v1/ingresses" network::ingresses(),
    ingress_classes: "networking.k8s.io/v1/ingressclasses" network::ingress_classes(),
    service_cidrs: "networking.k8s.io/v1/servicecidrs" vec![],
    ip_addresses: "networking.k8s.io/v1/ipaddresses" vec![],
    persistent_volumes: "v1/persistentvolumes" storage::volumes(),
    persistent_volume_claims: "v1/persistentvolumeclaims" storage::claims(),
    storage_classes: "storage.k8s.io/v1/storageclasses" storage::classes(),
    volume_attributes_classes: "storage.k8s.io/v1/volumeattributesclasses" storage::attributes_classes(),
    volume_attachments: "storage.k8s.io/v1/volumeattachments" storage::attachments(),
    csi_drivers: "storage.k8s.io/v1/csidrivers" storage::drivers(),
    csi_nodes: "storage.k8s.io/v1/csinodes" storage::csi_nodes(),
    resource_slices: "resource.k8s.io/v1/resourceslices" storage::resource_slices(),
];

/// Header of the server and ours, which differ on purpose. For a kind without a printer, the server shows the date of
/// its creation. Ours is an age, which is shorter and which all kinds have.
const DATE: (&str, &str) = ("Created At", "Age");

/// Cell of the server that is intentionally empty in ours: the capacity of a claim that waits for its volume. The
/// server prints 0, although the object has no value.
const NO_CAPACITY: &str = "0";

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Creates objects of a kind and compares their cells.
async fn of_kind(scene: &mut Scene, resource: &str, objects: Vec<Value>) -> Outcome {
    let resource: GroupVersionResource = resource.parse().map_err(Halt::broken)?;
    let Some(namespaced) = is_namespaced(scene, &resource).await? else {
        return Err(Halt::Skip(format!("{resource} is not served")));
    };
    let path = resource.collection_path(namespaced.then_some("NS"));
    let mut names = Vec::new();
    for object in &objects {
        names.push(create(scene, &path, object).await?);
    }
    let table = table(scene, &path).await?;
    if objects.is_empty() && array(&table["rows"]).next().is_none() {
        // Without a compared row, the case shows nothing.
        return Err(Halt::Skip(format!("the server has no {} of itself", resource.resource)));
    }
    compare(scene, &table, &Columns::of(&resource, namespaced), namespaced, objects.len());
    for (object, name) in objects.iter().zip(names) {
        if object["gone"] == true {
            scene.merge(&format!("{path}/{name}"), &json!({"metadata": {"finalizers": null}})).await?;
        } else if !namespaced {
            scene.delete(&format!("{path}/{name}")).await?;
        }
    }
    Ok(())
}

async fn of_custom_resources(scene: &mut Scene) -> Outcome {
    custom::define(scene).await?;
    let path = custom::things(scene);
    let ready = json!({"conditions": [{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}]});
    for (name, spec, status) in [
        ("a", json!({"size": 1, "until": "2020-01-01T00:00:00Z"}), ready),
        (
            "b",
            json!({"size": "large", "until": "tomorrow"}),
            json!({"conditions": [{"type": "Ready", "status": {"b": 1, "a": [true]}}]}),
        ),
        ("c", json!({"size": 1.9, "until": null}), json!({"conditions": [{"type": "Ready", "status": 7}]})),
        (
            "d",
            json!({"size": -3}),
            json!({"conditions": [{"type": "Ready", "status": ""}, {"type": "Ready", "status": "second"}]}),
        ),
    ] {
        let mut thing = custom::thing(scene, name, &spec);
        thing["status"] = status;
        create(scene, &path, &thing).await?;
    }
    let definition = scene.get(&custom::definition(scene)).await?.object()?.to_string();
    let table = table(scene, &path).await?;
    match Columns::of_custom_resource(&definition, "v1") {
        Some(columns) => compare(scene, &table, &columns, true, 4),
        None => scene.check("version", "v1", "none"),
    }
    custom::remove(scene).await
}

/// Whether its objects are namespaced; `None` if the resource is not served.
async fn is_namespaced(scene: &Scene, resource: &GroupVersionResource) -> Outcome<Option<bool>> {
    let path = resource.collection_path(None);
    let Some((version, _)) = path.rsplit_once('/') else { return Ok(None) };
    let resources = scene.get(version).await?;
    let served = resources.json["resources"].as_array().into_iter().flatten();
    Ok(served.filter(|one| one["name"] == *resource.resource).find_map(|one| one["namespaced"].as_bool()))
}

/// Creates an object. In its JSON, `NS-` stands for the prefix of the case's names, and `SPACE` for its namespace. Its
/// status, approval and deletion follow, as in reality. Returns its name.
async fn create(scene: &Scene, path: &str, object: &Value) -> Outcome<String> {
    let mut object: Value = serde_json::from_str(
        &object.to_string().replace("NS-", &format!("{}-", scene.namespace)).replace("SPACE", &scene.namespace),
    )?;
    let parts = object.as_object_mut().ok_or_else(|| Halt::broken("an object is an object"))?;
    let (status, approval, gone) = (parts.remove("status"), parts.remove("approval"), parts.remove("gone"));
    if gone.is_some() {
        object["metadata"]["finalizers"] = json!(["example.dev/stays"]);
    }
    let made = scene.create(path, &object).await?;
    let name = made["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    if let Some(approval) = approval {
        scene.merge(&format!("{path}/{name}/approval"), &json!({"status": approval})).await?.object()?;
    }
    if let Some(status) = status {
        scene.merge(&format!("{path}/{name}/status"), &json!({"status": status})).await?.object()?;
    }
    if gone.is_some() {
        scene.delete(&format!("{path}/{name}")).await?.object()?;
    }
    Ok(name)
}

/// Requests all objects as a table, each row with its object.
async fn table(scene: &Scene, path: &str) -> Outcome<Value> {
    scene.get_as(TABLE, &format!("{path}?includeObject=Object")).await?.object()
}

/// Compares each cell of a list with ours, and the number of rows that belong to the case.
fn compare(scene: &mut Scene, table: &Value, columns: &Columns, namespaced: bool, made: usize) {
    let skip = usize::from(namespaced);
    let headers = &columns.headers()[skip..];
    let mark = |wide| if wide { "*" } else { "" };
    let theirs: Vec<String> = array(&table["columnDefinitions"])
        .map(|column| {
            let name = column["name"].as_str().unwrap_or_default();
            let name = if name == DATE.0 { DATE.1 } else { name };
            format!("{name}{}", mark(column["priority"] != 0))
        })
        .collect();
    let ours: Vec<String> = headers.iter().map(|header| format!("{}{}", header.name, mark(header.wide))).collect();
    scene.check("columns", theirs.join(","), ours.join(","));
    let now = now();
    let mut compared = 0;
    for row in array(&table["rows"]) {
        let object = &row["object"];
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        if made > 0 && !namespaced && !name.starts_with(&scene.namespace) {
            continue;
        }
        compared += 1;
        let ours = &columns.cells(&object.to_string())[skip..];
        let theirs: Vec<&Value> = array(&row["cells"]).collect();
        // The server's printer of IP addresses writes an age without a header.
        let extra = usize::from(object["kind"] == "IPAddress");
        if (theirs.len(), ours.len()) != (headers.len() + extra, headers.len()) {
            let each = |cells: usize| format!("{cells} cells below {} headers", headers.len());
            scene.check(&format!("{name}: cells"), each(theirs.len()), each(ours.len()));
        }
        for ((header, ours), theirs) in headers.iter().zip(ours).zip(theirs) {
            let theirs = theirs.as_str().map_or_else(|| theirs.to_string(), str::to_owned);
            if !same(ours, &theirs, object, now) {
                scene.check(&format!("{name}: {}", header.name), theirs, format!("{ours:?}"));
            }
        }
    }
    if made > 0 {
        scene.check("rows", compared, made);
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether our cell equals theirs. There are several texts for a missing value, and ages may have increased meanwhile.
fn same(ours: &Cell, theirs: &str, object: &Value, now: f64) -> bool {
    let aged = |at: f64, write: &dyn Fn(String) -> String| {
        (-2..=2).any(|late| write(age(now + 1000.0 * f64::from(late), at)) == theirs)
    };
    match ours {
        Cell::None if theirs == NO_CAPACITY => object["kind"] == "PersistentVolumeClaim",
        Cell::None => matches!(theirs, "" | "null" | "<none>" | "<unset>" | "<unknown>" | "N/A" | "?"),
        Cell::Text(text) => text == theirs,
        Cell::Number(number) => theirs.parse() == Ok(*number),
        // The date of a kind without a printer.
        Cell::Time(_) if object["metadata"]["creationTimestamp"] == *theirs => true,
        Cell::Time(at) => aged(*at, &|age| age),
        Cell::Duration(from, Some(to)) => age(*to, *from) == theirs,
        Cell::Duration(from, None) => aged(*from, &|age| age),
        Cell::Restarts(sum, None) => sum.to_string() == theirs,
        Cell::Restarts(sum, Some(at)) => aged(*at, &|age| format!("{sum} ({age} ago)")),
    }
}

fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}
