//! Decoding error: what is wrong, and where.

use std::fmt;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Decoding error, or an exceeded limit, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Index of the byte: in the message of a [`crate::JsonWriter`], a [`crate::Unknown`] or a [`crate::WatchEvent`], in the
    /// stream of a [`crate::ListCutter`] or a [`crate::FrameDecoder`], in the text of a [`crate::Schema`].
    pub at: usize,
}

/// What is wrong with bytes that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The message ends inside a field, or a length exceeds the message.
    Truncated,
    /// A varint has more than ten bytes or exceeds 64 bits.
    Varint,
    /// The field number is 0 or exceeds 2^29 - 1.
    FieldNumber,
    /// A group (deprecated in protobuf, never used by Kubernetes) or a wire type that does not exist.
    WireType,
    /// The wire type of the field is not the one of its type in the schema.
    Mismatch,
    /// Messages are nested too deeply.
    TooDeep,
    /// An item, a frame or a message exceeds the size limit.
    TooLong,
    /// The bytes do not begin with `k8s\0`, as every protobuf body of Kubernetes does.
    Magic,
    /// The object in the envelope is compressed or not protobuf.
    Encoding,
    /// A string of the envelope, of list metadata or of a watch event is not UTF-8.
    Utf8,
    /// The object of a field is not JSON (`RawExtension`, `FieldsV1`).
    Json,
    /// The type of an `IntOrString` is neither.
    IntOrString,
    /// A line of the schema cannot be read.
    Schema,
    /// The consumer stopped.
    Stopped,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, at: usize) -> Self {
        Self { kind, at }
    }

    /// Moves the position of an error in a part to that in the whole.
    pub(crate) fn moved(self, by: usize) -> Self {
        Self { at: self.at.saturating_add(by), ..self }
    }
}

impl ErrorKind {
    fn text(self) -> &'static str {
        match self {
            Self::Truncated => "truncated protobuf message",
            Self::Varint => "varint of more than 64 bits",
            Self::FieldNumber => "invalid field number",
            Self::WireType => "unsupported wire type",
            Self::Mismatch => "wire type of another type than the field's",
            Self::TooDeep => "messages nested too deeply",
            Self::TooLong => "size limit exceeded",
            Self::Magic => "not protobuf of Kubernetes, which begins with k8s\\0",
            Self::Encoding => "object is compressed or not protobuf",
            Self::Utf8 => "string is not UTF-8",
            Self::Json => "embedded object is not JSON",
            Self::IntOrString => "IntOrString is neither",
            Self::Schema => "invalid schema",
            Self::Stopped => "stopped by the consumer",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind.text(), self.at)
    }
}

impl std::error::Error for Error {}
