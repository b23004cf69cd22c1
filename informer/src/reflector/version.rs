//! Version: the resource version that a watch resumes from, and the one that a list requests.

/// The versions of one resource: the reached one, and the server's behaviour with lists at a version.
#[derive(Debug, Default)]
pub(super) struct Version {
    reached: Reached,
    request: Request,
    zero: ZeroLists,
}

/// Version that the cache has reached.
#[derive(Debug, Default)]
enum Reached {
    /// No list has succeeded.
    #[default]
    Nothing,
    /// Pages of an incomplete first list have been delivered. They are at this version, and no later list may be older.
    Partially(String),
    /// The last list carried no version, so no watch can resume from it.
    Unversioned,
    /// The version of the last list, event or bookmark. It is passed on verbatim and never read as a number.
    At(String),
}

/// Version that a list requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Request {
    /// At least the reached version.
    #[default]
    AtLeast,
    /// The newest: the server does not have the reached version anymore, or not yet. Lasts until a list succeeds
    /// (client-go: `isLastSyncResourceVersionUnavailable`).
    Newest,
}

/// The server's response to a list at version `"0"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ZeroLists {
    /// One page, from its watch cache, as far as is known.
    #[default]
    Whole,
    /// Several pages, so it has no watch cache: lists request pages (client-go: `paginatedResult`).
    Paged,
}

impl Version {
    /// Returns the version that a watch resumes from; empty if there is none.
    pub(super) fn as_str(&self) -> &str {
        match &self.reached {
            Reached::At(version) => version,
            Reached::Nothing | Reached::Partially(_) | Reached::Unversioned => "",
        }
    }

    /// Whether a complete list has succeeded, in this run or an earlier one.
    pub(super) fn has_listed(&self) -> bool {
        !matches!(self.reached, Reached::Nothing | Reached::Partially(_))
    }

    /// Whether the last list carried no version.
    pub(super) fn is_unversioned(&self) -> bool {
        matches!(self.reached, Reached::Unversioned)
    }

    /// Records that the cache was restored and is at this version, or at an unknown one.
    pub(super) fn restored(&mut self, version: Option<String>) {
        self.reached = version.map_or(Reached::Nothing, Reached::At);
    }

    /// Takes the version of an event or a bookmark. Returns whether it advances the version. A watch from no version
    /// would restart without reporting deletions, so an event without one is ignored.
    pub(super) fn advance(&mut self, version: &str) -> bool {
        let advances = is_version(version) && version != self.as_str();
        if advances {
            self.reached = Reached::At(version.to_owned());
        }
        advances
    }

    /// Records that a page of the first list was delivered, at this version; empty if it carried none.
    pub(super) fn partially_listed(&mut self, version: &str) {
        if matches!(self.reached, Reached::Nothing | Reached::Partially(_)) && !version.is_empty() {
            self.reached = Reached::Partially(version.to_owned());
        }
    }

    /// Records that a list succeeded, with this version; empty if it carried none.
    pub(super) fn listed(&mut self, version: String) {
        self.reached = if version.is_empty() { Reached::Unversioned } else { Reached::At(version) };
        self.request = Request::AtLeast;
    }

    /// Makes lists request the newest state until one succeeds.
    pub(super) fn request_newest(&mut self) {
        self.request = Request::Newest;
    }

    /// Records that the response to a list at `"0"` had several pages.
    pub(super) fn pages_at_zero(&mut self) {
        self.zero = ZeroLists::Paged;
    }

    /// Returns the version that a list requests (client-go: `relistResourceVersion`); `None` is the newest.
    pub(super) fn for_list(&self) -> Option<String> {
        match (self.request, &self.reached) {
            (Request::Newest, _) | (_, Reached::Unversioned) => None,
            (Request::AtLeast, Reached::Nothing) => Some("0".to_owned()),
            // At "0" a server may respond with an older state than that of the pages.
            (Request::AtLeast, Reached::Partially(version) | Reached::At(version)) => Some(version.clone()),
        }
    }

    /// Whether a list of this version is requested in pages. With a version other than `"0"`, a limit would mean
    /// exactly that version, read from etcd.
    pub(super) fn wants_pages(&self, requested_version: Option<&str>) -> bool {
        self.zero == ZeroLists::Paged || requested_version.is_none_or(|version| version == "0")
    }
}

/// Whether a version identifies a state. `""` means the newest and `"0"` any available state: a watch from either
/// begins with an ADDED for every object, and never reports earlier deletions.
pub(super) fn is_version(version: &str) -> bool {
    !matches!(version, "" | "0")
}

/// Whether a version is lower than before, as if the cluster had been restored or replaced. Only a hint, for silence
/// timeouts and for lists that might be unnecessary: correctness does not depend on it. (Kubernetes guarantees this
/// order for decimal versions of any length since 1.35.)
pub(super) fn went_back(from: &str, to: &str) -> bool {
    let decimal = |version: &str| is_version(version) && version.bytes().all(|byte| byte.is_ascii_digit());
    decimal(from) && decimal(to) && (to.len(), to) < (from.len(), from)
}
