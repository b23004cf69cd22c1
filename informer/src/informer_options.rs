//! What tells one shared informer from another: scope, selectors and mode; and how it lists.

use serde::{Deserialize, Serialize};

/// Which objects an informer holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InformerOptions {
    /// One namespace, or all.
    pub namespace: Option<String>,
    /// A label selector, evaluated by the server.
    pub label_selector: Option<String>,
    /// A field selector, evaluated by the server.
    pub field_selector: Option<String>,
    /// Whole objects, or only their metadata.
    pub mode: InformerMode,
    /// Objects in a page of a list; unless told, 500 in the first and 2,000 in those after it. How, not what: the first
    /// who asks for an informer decides.
    pub page_size: Option<u32>,
    /// How often handlers are resynced that ask for nothing else: milliseconds, at least a second; 0 is never. How, not
    /// what, as the size of pages.
    pub resync: Option<u32>,
}

/// How much of each object an informer asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InformerMode {
    /// All of it.
    #[default]
    Object,
    /// `PartialObjectMetadata`: a tenth of the bytes, for who only counts, names and relates.
    Metadata,
}

impl InformerOptions {
    /// The same options in one form: client-go's `NamespaceAll` and an empty selector are empty texts.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        for text in [&mut self.namespace, &mut self.label_selector, &mut self.field_selector] {
            *text = text.take().filter(|text| !text.is_empty());
        }
        self
    }
}
