//! Reads of a field's path, a JSONPath of kubectl without braces.

/// Name of the last member of a path: `image` of `.spec.containers[?(@.name=="web")].image`.
pub(super) fn last(path: &str) -> &str {
    let mut begin = 0;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, sign) in path.char_indices() {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted && !path[..at].ends_with('@') => begin = at + 1,
            _ => {}
        }
    }
    &path[begin..]
}

/// Merge key of the last list element in a path: `web` of `.spec.containers[?(@.name=="web")].image`.
pub(super) fn list_key(path: &str) -> Option<String> {
    let (_, rest) = path.rsplit_once("[?(@.")?;
    let (_, rest) = rest.split_once("==")?;
    // The key is a JSON text or a number.
    if !rest.starts_with('"') {
        return rest.split_once(')').map(|(number, _)| number.to_owned());
    }
    serde_json::Deserializer::from_str(rest).into_iter::<String>().next()?.ok()
}
