//! Counted columns: those whose values the view counts, for the chips above the table.

use informer_engine::columns::ColumnHeader;

use crate::sort::is_same;

/// Columns with few values that distinguish rows, the most important first.
const COLUMNS: [&str; 9] =
    ["Status", "Type", "Reason", "Phase", "Roles", "Class", "Storage Class", "Node", "Namespace"];

/// Maximum number of counted columns.
const MAX_COUNTED: usize = 3;

/// Returns the columns to count for these headers, of which the user has defined the last `custom_count`: these follow
/// the most important one. A single namespace is not counted.
pub(crate) fn columns_of(headers: &[ColumnHeader], custom_count: usize, one_namespace: bool) -> Vec<String> {
    let (kinds, users) = headers.split_at(headers.len().saturating_sub(custom_count));
    let is_there = |name: &&str| kinds.iter().any(|header| header.name == *name);
    let names = COLUMNS.into_iter().filter(|name| !(one_namespace && *name == "Namespace"));
    let mut names: Vec<&str> = names.filter(is_there).collect();
    // Of two columns of a name, that of the kind is counted.
    let is_free = |header: &&ColumnHeader| !kinds.iter().any(|known| is_same(&known.name, &header.name));
    let after = names.len().min(1);
    names.splice(after..after, users.iter().filter(is_free).map(|header| header.name.as_str()));
    names.into_iter().take(MAX_COUNTED).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_that_matter_are_counted() {
        let header = |name: &str| ColumnHeader { name: name.to_owned(), wide: false, numeric: false };
        let pods = ["Namespace", "Name", "Status", "Node", "Type"].map(header);
        assert_eq!(columns_of(&pods, 0, false), ["Status", "Type", "Node"]);
        assert_eq!(columns_of(&[header("Namespace"), header("Name")], 0, false), ["Namespace"]);
        assert!(columns_of(&[header("Namespace")], 0, true).is_empty());
        let with_custom = ["Namespace", "Status", "Node", "team", "status", "zone"].map(header);
        assert_eq!(columns_of(&with_custom, 3, true), ["Status", "team", "zone"]);
        assert_eq!(columns_of(&[header("Name"), header("team")], 1, false), ["team"]);
    }
}
