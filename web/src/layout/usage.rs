//! Usage column: a resource that a metrics server measures for pods and nodes.

use informer::GroupVersionResource;

/// Measured resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    Cpu,
    Memory,
}

impl Usage {
    pub(crate) const ALL: [Self; 2] = [Self::Cpu, Self::Memory];

    /// Name of the resource in links, in metrics and in requests of containers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
        }
    }

    /// Default name of its column.
    pub(crate) fn header(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Memory => "Memory",
        }
    }

    /// Whether objects of a kind are measured.
    pub(crate) fn is_of(resource: &GroupVersionResource) -> bool {
        resource.group.is_empty() && matches!(&*resource.resource, "pods" | "nodes")
    }
}
