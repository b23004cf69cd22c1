//! Scope of an informer: everything, one namespace, or a label.

use std::fmt;

use informer_engine::message::InformerOptions;

use crate::store::Pod;

/// Selection of pods, as the server evaluates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Scope {
    /// Index into [`NAMESPACES`]; `None` for all.
    pub(crate) namespace: Option<u8>,
    /// Only those labelled `app=web`.
    pub(crate) web: bool,
}

pub(crate) const NAMESPACES: [&str; 3] = ["a", "b", "c"];

/// The scopes that stories draw from.
pub(crate) const SCOPES: [Scope; 5] = [
    Scope { namespace: None, web: false },
    Scope { namespace: Some(0), web: false },
    Scope { namespace: None, web: true },
    Scope { namespace: Some(1), web: false },
    Scope { namespace: Some(0), web: true },
];

impl Scope {
    pub(crate) fn matches(self, pod: &Pod) -> bool {
        self.namespace.is_none_or(|namespace| namespace == pod.key.namespace) && (!self.web || pod.web)
    }

    pub(crate) fn options(self, page_size: u32) -> InformerOptions {
        InformerOptions {
            namespace: self.namespace.map(|namespace| NAMESPACES[usize::from(namespace)].to_owned()),
            label_selector: self.web.then(|| "app=web".to_owned()),
            field_selector: None,
            page_size: Some(page_size),
            ..InformerOptions::default()
        }
    }

    /// Returns the scope of a request's path and query.
    pub(crate) fn of(path: &str, query: &str) -> Option<Self> {
        let web = query.contains("&labelSelector=app%3Dweb");
        if path == "/api/v1/pods" {
            return Some(Self { namespace: None, web });
        }
        let namespace = path.strip_prefix("/api/v1/namespaces/")?.strip_suffix("/pods")?;
        let index = NAMESPACES.iter().position(|name| *name == namespace)?;
        Some(Self { namespace: u8::try_from(index).ok(), web })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.namespace.map_or("all", |namespace| NAMESPACES[usize::from(namespace)]))?;
        f.write_str(if self.web { ",app=web" } else { "" })
    }
}
