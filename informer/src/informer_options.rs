//! Informer options: scope, selectors, mode and transform, which identify a shared informer, and paging.

use serde::{Deserialize, Serialize};

use crate::transform::TransformOptions;

/// Scope of an informer, and how it works.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InformerOptions {
    /// Namespace, or all.
    pub namespace: Option<String>,
    /// Label selector, evaluated by the server.
    pub label_selector: Option<String>,
    /// Field selector, evaluated by the server.
    pub field_selector: Option<String>,
    /// Whole objects, or only their metadata.
    pub mode: InformerMode,
    /// Fields that are kept or removed before objects are cached.
    pub transform: TransformOptions,
    /// Objects per page of a list; by default 500 in the first and 2,000 in the others. Not part of the informer's
    /// key: the first user decides.
    pub page_size: Option<u32>,
    /// Resync period of handlers without their own, in milliseconds: at least a second; 0 is never. Not part of the
    /// key either.
    pub resync: Option<u32>,
}

/// Part of each object that an informer fetches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InformerMode {
    /// The whole object.
    #[default]
    Object,
    /// `PartialObjectMetadata`: a tenth of the bytes, for counts, names and relations.
    Metadata,
}

impl InformerOptions {
    /// The same options in one form: client-go's `NamespaceAll` and an empty selector are empty texts.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        for text in [&mut self.namespace, &mut self.label_selector, &mut self.field_selector] {
            *text = text.take().filter(|text| !text.is_empty());
        }
        self.transform = self.transform.normalised();
        self
    }
}
