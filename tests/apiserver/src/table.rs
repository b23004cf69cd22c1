//! Tables: the columns and rows of `kubectl get`, computed as by the real server.

mod access;
mod age;
mod autoscaler;
mod cells;
mod cluster;
mod custom;
mod extension;
mod json_path;
mod network;
mod pod;
mod storage;
mod workloads;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::object::Entry;
use crate::view::{Include, partial};

use age::since;
use cells::text;
use custom::Column;

/// Column definitions of the built-in kinds as JSON, identical to those of kube-apiserver 1.36.3.
static COLUMNS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let file: HashMap<String, Box<RawValue>> =
        serde_json::from_str(include_str!("table/columns.json")).unwrap_or_default();
    // An event is one line: the file's own line ends are removed. Those inside strings are escaped.
    file.into_iter().map(|(id, columns)| (id, columns.get().replace("\n  ", "").replace('\n', ""))).collect()
});

/// Kinds without a printer in the real server, which show name and date only.
const PLAIN: [&str; 4] = [
    "limitranges",
    "roles.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
];

/// End of a table.
pub(crate) const TAIL: &[u8] = b"]}";

/// Converts the objects of one kind to rows.
#[derive(Debug)]
pub(crate) struct Table {
    id: String,
    include: Include,
    meta_version: &'static str,
    /// JSON of the column definitions.
    columns: String,
    /// Columns of a custom resource.
    custom: Vec<Column>,
}

impl Table {
    pub(crate) fn new(kind: &Kind, version: &str, include: Include, meta_version: &'static str) -> Self {
        let id = kind.id();
        let custom = if kind.custom { custom::columns(kind, version) } else { Vec::new() };
        let columns = match COLUMNS.get(&id) {
            Some(columns) if !kind.custom => columns.clone(),
            _ if kind.custom => custom::definitions(&custom),
            _ => COLUMNS.get("clusterroles.rbac.authorization.k8s.io").cloned().unwrap_or_default(),
        };
        Self { id, include, meta_version, columns, custom }
    }

    /// Returns everything up to the rows; `metadata` is the content of its object.
    pub(crate) fn head(&self, metadata: &str, with_columns: bool) -> String {
        let columns = if with_columns { self.columns.as_str() } else { "null" };
        format!(
            "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/{}\",\"metadata\":{{{metadata}}},\
             \"columnDefinitions\":{columns},\"rows\":[",
            self.meta_version
        )
    }

    /// Whether a table without rows has null instead of a list: kinds without a printer.
    pub(crate) fn is_null_when_empty(&self) -> bool {
        PLAIN.contains(&self.id.as_str())
    }

    /// Writes one row. The bookmark that ends the initial events contains its metadata even if objects are omitted.
    pub(crate) fn write_row(&self, kind: &Kind, version: &str, entry: &Entry, marked: bool, out: &mut Vec<u8>) {
        let object = entry.value();
        let (cells, conditions) = self.row(&object);
        let head = format!("{{\"cells\":{}{conditions},\"object\":", Value::Array(cells));
        out.extend_from_slice(head.as_bytes());
        match self.include {
            Include::Object => entry.write(kind, version, out),
            Include::None if !marked => out.extend_from_slice(b"null"),
            Include::None | Include::Metadata => partial(entry, self.meta_version, out),
        }
        out.push(b'}');
    }

    /// Returns the cells of an object, and its conditions as the rest of the row's JSON.
    fn row(&self, object: &Value) -> (Vec<Value>, &'static str) {
        let conditions = if self.id == "pods" { pod::conditions(object) } else { "" };
        (self.cells(object), conditions)
    }

    fn cells(&self, object: &Value) -> Vec<Value> {
        match self.id.as_str() {
            "pods" => pod::cells(object),
            "deployments.apps" => workloads::deployment(object),
            "replicasets.apps" => workloads::replica_set(object),
            "replicationcontrollers" => workloads::replication_controller(object),
            "statefulsets.apps" => workloads::stateful_set(object),
            "daemonsets.apps" => workloads::daemon_set(object),
            "controllerrevisions.apps" => workloads::controller_revision(object),
            "jobs.batch" => workloads::job(object),
            "cronjobs.batch" => workloads::cron_job(object),
            "poddisruptionbudgets.policy" => workloads::disruption_budget(object),
            "horizontalpodautoscalers.autoscaling" => autoscaler::cells(object),
            "nodes" => cluster::node(object),
            "namespaces" => cluster::namespace(object),
            "events" => cluster::event(object),
            "configmaps" => cluster::config_map(object),
            "secrets" => cluster::secret(object),
            "resourcequotas" => cluster::quota(object),
            "services" => network::service(object),
            "endpoints" => network::endpoints(object),
            "endpointslices.discovery.k8s.io" => network::endpoint_slice(object),
            "ingresses.networking.k8s.io" => network::ingress(object),
            "ingressclasses.networking.k8s.io" => network::ingress_class(object),
            "networkpolicies.networking.k8s.io" => network::policy(object),
            "persistentvolumes" => storage::volume(object),
            "persistentvolumeclaims" => storage::claim(object),
            "storageclasses.storage.k8s.io" => storage::class(object),
            "volumeattachments.storage.k8s.io" => storage::attachment(object),
            "mutatingwebhookconfigurations.admissionregistration.k8s.io"
            | "validatingwebhookconfigurations.admissionregistration.k8s.io" => extension::webhooks(object),
            "apiservices.apiregistration.k8s.io" => extension::api_service(object),
            "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
                access::binding(object)
            }
            "serviceaccounts" => vec![name(object), age(object)],
            _ if !self.custom.is_empty() => custom::cells(&self.custom, object),
            // The real server's response for kinds without a printer: the date itself.
            _ => vec![name(object), json!(text(&object["metadata"]["creationTimestamp"]))],
        }
    }
}

fn name(object: &Value) -> Value {
    json!(text(&object["metadata"]["name"]))
}

fn age(object: &Value) -> Value {
    json!(since(&object["metadata"]["creationTimestamp"]))
}
