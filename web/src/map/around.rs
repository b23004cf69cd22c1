//! The object that a map is around, as `kube_objects::map_id` writes it: `Deployment.apps/shop/web`, `Node.//machine`.

use kube_objects::Link;

/// Reads an object; `None` for an empty or invalid text.
pub(super) fn parse(text: &str) -> Option<Link> {
    let (kind, key) = text.split_once('/')?;
    let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
    let (namespace, name) = key.split_once('/')?;
    (!kind.is_empty() && !name.is_empty()).then(|| Link::new(group, kind, namespace, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_object_is_read_again() {
        for link in [Link::new("", "Node", "", "machine"), Link::new("apps", "Deployment", "shop", "web/<b>")] {
            assert_eq!(parse(&kube_objects::map_id(&link)), Some(link));
        }
        assert_eq!(parse("Pod/shop/a"), Some(Link::new("", "Pod", "shop", "a")), "typed by a person");
        for odd in ["", "Pod", "Pod/a", "/a/b", "Pod/a/", "//"] {
            assert_eq!(parse(odd), None, "{odd}");
        }
    }
}
