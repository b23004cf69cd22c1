//! Embedded JSON text in a message, for serde: a value, not a string.

use serde::de::Deserializer;
use serde::ser::{Error, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(super) fn serialize<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(json).map_err(S::Error::custom)?.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(|json| json.get().to_owned())
}

/// Optional JSON text.
pub(super) mod option {
    use super::{Deserialize, Deserializer, Error, RawValue, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(in super::super) fn serialize<S: Serializer>(json: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
        let json = json.as_deref().map(serde_json::from_str::<&RawValue>).transpose();
        json.map_err(S::Error::custom)?.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        Ok(Option::<Box<RawValue>>::deserialize(deserializer)?.map(|json| json.get().to_owned()))
    }
}
