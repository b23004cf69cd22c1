//! Members of the JSON object of a message, for test servers that check the types of what they receive (the feature `encode`).

use super::{Field, Kind, MessageId, Schema, Shape};

/// Member of a JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'s> {
    /// Name; empty for a struct whose members are those of this object.
    pub name: &'s str,
    /// How many values it has.
    pub count: MemberCount,
    /// Type of its values.
    pub of: MemberType,
    /// Whether the values are objects with their kind and apiVersion.
    pub is_typed: bool,
}

/// How many values a member has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberCount {
    /// One value.
    One,
    /// An array.
    List,
    /// An object with any names.
    Map,
}

/// Type of the values of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberType {
    /// String.
    Text,
    /// Boolean.
    Bool,
    /// Integer of 32 bits.
    Int32,
    /// Integer of 64 bits.
    Int64,
    /// String in base64.
    Bytes,
    /// Amount with a unit, as a string or a number.
    Quantity,
    /// Time in RFC 3339.
    Time,
    /// Time in RFC 3339, with microseconds.
    MicroTime,
    /// Integer of 32 bits or string.
    IntOrString,
    /// Any JSON object.
    Json,
    /// Array of strings.
    Strings,
    /// Object with the members of this message.
    Message(MessageId),
}

impl Schema {
    /// Returns the members of the JSON object of a message, in their order.
    pub fn members(&self, message: MessageId) -> impl Iterator<Item = Member<'_>> {
        self.fields(message).iter().map(|field| self.member(field))
    }

    fn member(&self, field: &Field) -> Member<'_> {
        let count = match field.shape {
            Shape::Value | Shape::Pointer | Shape::Inline => MemberCount::One,
            Shape::List => MemberCount::List,
            Shape::Map => MemberCount::Map,
        };
        let of = match field.kind {
            Kind::Text => MemberType::Text,
            Kind::Bool => MemberType::Bool,
            Kind::Int32 => MemberType::Int32,
            Kind::Int64 => MemberType::Int64,
            Kind::Bytes => MemberType::Bytes,
            Kind::Quantity => MemberType::Quantity,
            Kind::Time => MemberType::Time,
            Kind::MicroTime => MemberType::MicroTime,
            Kind::IntOrString => MemberType::IntOrString,
            Kind::Json => MemberType::Json,
            Kind::Strings => MemberType::Strings,
            Kind::Message(message) => MemberType::Message(message),
        };
        Member { name: self.field_name(field), count, of, is_typed: field.is_typed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_order_and_the_types_of_json() {
        let text = "kubernetes 1.0.0\n= test/v1 test/v1\nInner x=1i\n\
            Kind+ texts=2[]s ages=1{}l names=3Names =6Inner when=4*t claims=5[]Kind@\nNames []s\n";
        let schema = Schema::parse(text).expect("schema");
        let kind = schema.message("test/v1", "Kind").expect("a kind");
        let found: Vec<_> = schema.members(kind).map(|member| (member.name, member.count, member.of)).collect();
        let [.., (_, _, inner), _, _] = found[..] else { panic!("{found:?}") };
        assert_eq!(
            found,
            [
                ("texts", MemberCount::List, MemberType::Text),
                ("ages", MemberCount::Map, MemberType::Int64),
                ("names", MemberCount::One, MemberType::Strings),
                ("", MemberCount::One, inner),
                ("when", MemberCount::One, MemberType::Time),
                ("claims", MemberCount::List, MemberType::Message(kind)),
            ]
        );
        assert_eq!(schema.members(kind).filter(|member| member.is_typed).count(), 1);
    }
}
