//! Words of a node of the picture, besides kind and name.

use kube_objects::{Node, Relation};

use super::entry::{Condition, title};

/// Roles of an object, and its other relations to the object of the picture.
pub(super) fn roles(branch_relation: Relation, node: &Node) -> String {
    let Node::One { roles, .. } = node else { return String::new() };
    let mut words: Vec<String> = Vec::new();
    for (relation, role) in roles {
        let word = if *relation == branch_relation {
            role.clone()
        } else {
            format!("also {}", title(*relation).to_lowercase())
        };
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// Number of objects with the worst tone among them, as a condition; empty if that is no problem.
pub(super) fn worst<'a>(conditions: impl Iterator<Item = &'a Condition>) -> Condition {
    let (mut bad, mut warn) = (0_usize, 0_usize);
    for (_, tone) in conditions {
        bad += usize::from(*tone == Some("bad"));
        warn += usize::from(*tone == Some("warn"));
    }
    match (bad, warn) {
        (0, 0) => Condition::default(),
        (0, _) => (format!("{warn} with warnings"), Some("warn")),
        _ => (format!("{bad} with errors"), Some("bad")),
    }
}

#[cfg(test)]
mod tests {
    use kube_objects::Link;

    use super::*;

    #[test]
    fn many_objects_have_a_count_of_problems() {
        let of = |tones: &[Option<&'static str>]| {
            let conditions: Vec<Condition> = tones.iter().map(|tone| (String::new(), *tone)).collect();
            worst(conditions.iter())
        };
        assert_eq!(of(&[None, Some("ok"), Some("idle")]), Condition::default());
        assert_eq!(of(&[Some("ok"), Some("warn"), Some("warn")]), ("2 with warnings".to_owned(), Some("warn")));
        assert_eq!(of(&[Some("warn"), Some("bad"), None]), ("1 with errors".to_owned(), Some("bad")));
    }

    #[test]
    fn a_node_has_its_roles_and_its_other_relations() {
        let role = |relation, role: &str| (relation, role.to_owned());
        let node = |roles| Node::One { to: Link::new("", "Secret", "shop", "db"), roles };
        let uses = node(vec![role(Relation::Uses, "volume v"), role(Relation::Uses, "environment c")]);
        assert_eq!(roles(Relation::Uses, &uses), "volume v, environment c");
        let slice =
            node(vec![role(Relation::Owned, ""), role(Relation::UsedBy, "service"), role(Relation::UsedBy, "x")]);
        assert_eq!(roles(Relation::Owned, &slice), "also used by");
    }
}
