//! Envelope of an object (`runtime.Unknown`): its type, then its bytes.

use crate::error::{Error, ErrorKind, Result};
use crate::wire::{Reader, Value};

/// First bytes of every protobuf body of Kubernetes.
pub const MAGIC: &[u8; 4] = b"k8s\0";

/// Type of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeMeta<'b> {
    /// Group and version, such as `apps/v1`; `v1` for the core group.
    pub api_version: &'b str,
    /// Kind, such as `Deployment`.
    pub kind: &'b str,
}

/// Object in its envelope: the body of a GET, of a Status, and the object of a watch event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown<'b> {
    /// Type of the object, which is not repeated in its bytes.
    pub type_meta: TypeMeta<'b>,
    /// Protobuf message of the object.
    pub raw: &'b [u8],
}

impl<'b> Unknown<'b> {
    /// Decodes an envelope, in time proportional to its type.
    ///
    /// # Errors
    /// [`ErrorKind::Magic`] if the bytes are something else, such as JSON; [`ErrorKind::Encoding`] if the object is
    /// compressed or not protobuf, which apiservers do not send; errors of the wire format.
    pub fn parse(bytes: &'b [u8]) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            return Err(Error::new(ErrorKind::Magic, 0));
        }
        let mut unknown = Self { type_meta: TypeMeta::default(), raw: &[] };
        let mut reader = Reader::new(bytes, MAGIC.len()..bytes.len());
        while let Some((number, value)) = reader.field()? {
            match (number, value) {
                (1, Value::Bytes(range)) => {
                    let start = range.start;
                    unknown.type_meta =
                        TypeMeta::parse(bytes.get(range).unwrap_or_default()).map_err(|error| error.moved(start))?;
                }
                (2, Value::Bytes(range)) => unknown.raw = bytes.get(range).unwrap_or_default(),
                // The encoding and the type of the content: empty means protobuf.
                (3 | 4, Value::Bytes(range)) => {
                    let start = range.start;
                    check_encoding(bytes.get(range).unwrap_or_default(), start)?;
                }
                (1..=4, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
                _ => {}
            }
        }
        Ok(unknown)
    }
}

/// Rejects content that is not plain protobuf.
pub(crate) fn check_encoding(bytes: &[u8], at: usize) -> Result<()> {
    match bytes {
        b"" | b"application/vnd.kubernetes.protobuf" => Ok(()),
        _ => Err(Error::new(ErrorKind::Encoding, at)),
    }
}

impl<'b> TypeMeta<'b> {
    pub(crate) fn parse(bytes: &'b [u8]) -> Result<Self> {
        let (mut type_meta, mut reader) = (Self::default(), Reader::whole(bytes));
        while let Some((number, value)) = reader.field()? {
            match number {
                1 => type_meta.api_version = value.text(bytes, reader.at())?,
                2 => type_meta.kind = value.text(bytes, reader.at())?,
                _ => {}
            }
        }
        Ok(type_meta)
    }

    /// Kind of the items of a list: `Pod` for `PodList`.
    pub fn item_kind(&self) -> &'b str {
        self.kind.strip_suffix("List").unwrap_or(self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &[u8] = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x02\x0a\x00\x1a\x00\x22\x00";

    #[test]
    fn the_type_and_the_object() {
        let expected = Unknown { type_meta: TypeMeta { api_version: "v1", kind: "Pod" }, raw: b"\x0a\x00" };
        assert_eq!(Unknown::parse(POD), Ok(expected));
        let typed = [&POD[..19], b"\x22\x23application/vnd.kubernetes.protobuf\x2a\x01?"].concat();
        assert_eq!(Unknown::parse(&typed), Ok(expected));
        assert_eq!(TypeMeta { api_version: "v1", kind: "PodList" }.item_kind(), "Pod");
    }

    #[test]
    fn anything_else_is_a_typed_error() {
        for (bytes, kind, at) in [
            (&b""[..], ErrorKind::Magic, 0),
            (b"k8s", ErrorKind::Magic, 0),
            (b"{\"kind\":\"Status\"}", ErrorKind::Magic, 0),
            (b"k8s\0\x0a\x09", ErrorKind::Truncated, 6),
            (b"k8s\0\x0a\x03\x0a\x01\xff", ErrorKind::Utf8, 8),
            (b"k8s\0\x0a\x02\x0a\x05", ErrorKind::Truncated, 8),
            (b"k8s\0\x08\x05", ErrorKind::Mismatch, 6),
            (b"k8s\0\x1a\x04gzip", ErrorKind::Encoding, 6),
            (b"k8s\0\x22\x10application/json", ErrorKind::Encoding, 6),
        ] {
            assert_eq!(Unknown::parse(bytes), Err(Error::new(kind, at)), "{bytes:?}");
        }
    }
}
