//! Address of a request: the resource and object that a URL path names.

/// Parsed path below `/api/v1` or `/apis/{group}/{version}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: String,
    /// Plural name; empty for the group-version itself.
    pub(crate) resource: String,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
}

impl Address {
    /// Whether it is exec or attach.
    pub(crate) fn is_shell(&self) -> bool {
        self.is_of_pod("exec") || self.is_of_pod("attach")
    }

    /// Whether it is this subresource of a pod.
    pub(crate) fn is_of_pod(&self, subresource: &str) -> bool {
        self.group.is_empty() && self.resource == "pods" && self.subresource.as_deref() == Some(subresource)
    }

    /// Parses a path; `None` if it has another form.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let mut segments = path.split('/').skip(1).map(str::to_owned).collect::<Vec<_>>();
        if segments.last().is_some_and(String::is_empty) {
            segments.pop();
        }
        let mut segments = segments.into_iter();
        let (group, version) = match segments.next()?.as_str() {
            "api" => (String::new(), segments.next()?),
            "apis" => (segments.next()?, segments.next()?),
            _ => return None,
        };
        let rest: Vec<String> = segments.collect();
        if rest.iter().any(String::is_empty) {
            return None;
        }
        let core = group.is_empty();
        // `/namespaces/x` and its subresources are the namespace itself; longer paths are inside it.
        let inside = rest.len() >= 3
            && rest[0] == "namespaces"
            && !(core && rest.len() == 3 && matches!(rest[2].as_str(), "status" | "finalize"));
        let (namespace, rest) = if inside { (rest[1].clone(), &rest[2..]) } else { (String::new(), &rest[..]) };
        if rest.len() > 3 {
            return None;
        }
        Some(Self {
            group,
            version,
            namespace,
            resource: rest.first().cloned().unwrap_or_default(),
            name: rest.get(1).cloned(),
            subresource: rest.get(2).cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parts = (String, String, String, Option<String>, Option<String>);

    fn parts(path: &str) -> Option<Parts> {
        let address = Address::parse(path)?;
        Some((address.group, address.namespace, address.resource, address.name, address.subresource))
    }

    #[test]
    fn every_form_of_path_is_parsed() {
        let some = |text: &str| Some(text.to_owned());
        let s = str::to_owned;
        assert_eq!(parts("/api/v1"), Some((s(""), s(""), s(""), None, None)));
        assert_eq!(parts("/api/v1/pods"), Some((s(""), s(""), s("pods"), None, None)));
        assert_eq!(parts("/api/v1/namespaces/a"), Some((s(""), s(""), s("namespaces"), some("a"), None)));
        assert_eq!(
            parts("/api/v1/namespaces/a/status"),
            Some((s(""), s(""), s("namespaces"), some("a"), some("status")))
        );
        assert_eq!(parts("/api/v1/namespaces/a/pods"), Some((s(""), s("a"), s("pods"), None, None)));
        assert_eq!(
            parts("/apis/apps/v1/namespaces/a/deployments/d/scale"),
            Some((s("apps"), s("a"), s("deployments"), some("d"), some("scale")))
        );
        assert_eq!(parts("/api"), None);
        assert_eq!(parts("/apis/apps"), None);
        assert_eq!(parts("/api/v1//pods"), None);
        assert_eq!(parts("/api/v1/pods/a/b/c"), None);
    }
}
