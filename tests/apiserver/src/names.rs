//! Names and UIDs: validation and generation.

use std::iter::repeat_with;

use crate::kinds::Kind;
use crate::status::Status;
use crate::syntax;

/// Characters of generated names: without vowels and similar digits, so that no words result.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A random UID in the form of a version 4 UUID.
pub(crate) fn uid(random: &mut fastrand::Rng) -> String {
    let bits = (random.u128(..) & !(0xF << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

/// Returns five random characters for `generateName`.
pub(crate) fn suffix(random: &mut fastrand::Rng) -> String {
    letters(random, 5)
}

/// A random word of a given length.
pub(crate) fn letters(random: &mut fastrand::Rng, length: usize) -> String {
    repeat_with(|| char::from(ALPHABET[random.usize(..ALPHABET.len())])).take(length).collect()
}

/// Rejects a missing or malformed name.
pub(crate) fn check(kind: &Kind, name: &str) -> Result<(), Status> {
    if name.is_empty() {
        return Err(Status::invalid(
            &kind.group,
            &kind.name,
            "",
            "metadata.name",
            "Required value: name or generateName is required",
        ));
    }
    // Names of roles and bindings are free path segments (`system:node`); all others are DNS names.
    let rbac = kind.group == "rbac.authorization.k8s.io";
    let path_segment = !matches!(name, "." | "..") && !name.contains(['/', '%']);
    match syntax::subdomain(name) {
        Some(why) if !(rbac && path_segment) => {
            let why = format!("Invalid value: \"{name}\": {why}");
            Err(Status::invalid(&kind.group, &kind.name, name, "metadata.name", &why))
        }
        _ => Ok(()),
    }
}
