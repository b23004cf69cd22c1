//! One page of a list.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api_status::excerpt;
use crate::error::{ErrorCode, InformerError, Result};
use crate::object::{KubeObject, TypeMeta, read_object};

/// A page of a list, read.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPage<T> {
    /// The objects that could be read.
    pub items: Vec<T>,
    /// The version of the whole list; a watch goes on from here.
    pub resource_version: String,
    /// The token of the next page, empty at the end.
    pub continue_token: String,
    /// One error for each item that could not be read.
    pub unreadable: Vec<InformerError>,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, rename = "apiVersion")]
    api_version: Cow<'a, str>,
    metadata: PageMetadata,
    /// Null for an empty list of some servers.
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMetadata {
    #[serde(default)]
    resource_version: String,
    #[serde(default, rename = "continue")]
    continue_token: String,
}

impl<T: KubeObject> ListPage<T> {
    /// Reads the body of a list. An item that cannot be read costs that item only.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] when it is not a list with a version: garbage, HTML, half a body, a Status, a Table.
    pub fn from_json(body: &[u8]) -> Result<Self> {
        let unreadable =
            |what: String| InformerError::new(ErrorCode::Decode, format!("the list cannot be read: {what}"));
        let text = std::str::from_utf8(body).map_err(|_| unreadable("not UTF-8".to_owned()))?;
        let page: Page<'_> = serde_json::from_str(text).map_err(|error| {
            unreadable(if error.is_eof() { format!("cut off after {} bytes", body.len()) } else { excerpt(body) })
        })?;
        let Some(kind) = page.kind.strip_suffix("List") else {
            return Err(unreadable(format!("a {} came where a list was expected", page.kind)));
        };
        // Without a version no watch could follow, and "0" would follow from anywhere.
        if page.metadata.resource_version.is_empty() || page.metadata.resource_version == "0" {
            return Err(unreadable("it carries no resourceVersion".to_owned()));
        }
        let meta = TypeMeta { kind: kind.to_owned(), api_version: page.api_version.into_owned() };
        let raw = page.items.unwrap_or_default();
        let mut items = Vec::with_capacity(raw.len());
        let mut errors = Vec::new();
        for item in raw {
            match read_object(item.get(), Some(&meta)) {
                Ok(item) => items.push(item),
                Err(error) => errors.push(error),
            }
        }
        Ok(Self {
            items,
            resource_version: page.metadata.resource_version,
            continue_token: page.metadata.continue_token,
            unreadable: errors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Keyed, Object};

    fn read(body: &str) -> Result<ListPage<Object>> {
        ListPage::from_json(body.as_bytes())
    }

    #[test]
    fn krs_23_pag_06_a_page_with_bad_items_loses_those_only() {
        let page = read(
            r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3},
            "items":[{"metadata":{"name":"a","namespace":"n"}},{"metadata":null},{"metadata":{"name":"b"}},
            {"metadata":{"name":"c","namespace":"n","resourceVersion":5}},{"metadata":{"name":"d","uid":[]}}]}"#,
        )
        .expect("readable");
        let keys: Vec<&str> = page.items.iter().map(Keyed::key).collect();
        assert_eq!(keys, ["n/a", "b"]);
        let said: Vec<&str> = page.unreadable.iter().map(InformerError::message).collect();
        assert_eq!(said.len(), 3);
        assert!(said[1].starts_with("n/c cannot be read: "), "{said:?}");
        let named: Vec<_> = page.unreadable.iter().map(InformerError::object).collect();
        assert_eq!(named, [None, Some("n/c"), Some("d")]);
        assert_eq!((page.resource_version.as_str(), page.continue_token.as_str()), ("7", "c"));
    }

    #[test]
    fn an_empty_list_may_say_null() {
        let page = read(r#"{"kind":"XList","metadata":{"resourceVersion":"1"},"items":null}"#).expect("readable");
        assert!(page.items.is_empty());
    }

    #[test]
    fn lst_13_lst_20_what_is_no_list_with_a_version_is_refused() {
        for body in [
            "",
            "null",
            "<html></html>",
            r#"{"kind":"Status","code":500,"metadata":{}}"#,
            r#"{"kind":"Table","metadata":{"resourceVersion":"1"},"items":[]}"#,
            r#"{"kind":"PodList","metadata":{},"items":[]}"#,
            r#"{"kind":"PodList","metadata":{"resourceVersion":"0"},"items":[]}"#,
            r#"{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"a":"#,
            r#"{"kind":"Pod","metadata":{"resourceVersion":"1"}}"#,
        ] {
            assert_eq!(read(body).expect_err(body).code(), ErrorCode::Decode);
        }
    }
}
