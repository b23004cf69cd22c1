//! Version: the resource version that a watch resumes from, and the one that a list asks for.

/// The versions of one resource, and what the server has shown about them.
#[derive(Debug, Default)]
pub(super) struct Version {
    reached: Reached,
    request: Request,
    zero: ZeroLists,
}

/// How far the cache has come.
#[derive(Debug, Default)]
enum Reached {
    /// No list has succeeded.
    #[default]
    Nothing,
    /// Pages of a first list have been delivered, which is not complete. They are at this version, and no list after them
    /// may be older.
    Partially(String),
    /// The last list carried no version, so no watch can resume from it.
    Unversioned,
    /// The version of the last list, event or bookmark. It is passed on verbatim and never read as a number.
    At(String),
}

/// Which version a list asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Request {
    /// At least the one that was reached.
    #[default]
    AtLeast,
    /// The newest: the server no longer has the one that was reached, or not yet. Lasts until a list succeeds (client-go:
    /// `isLastSyncResourceVersionUnavailable`).
    Newest,
}

/// What the server does with a list at version `"0"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ZeroLists {
    /// It answers from its watch cache, with one page, as far as is known.
    #[default]
    Whole,
    /// It answers in pages, so it has no watch cache: lists ask for pages (client-go: `paginatedResult`).
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

    /// Whether a complete list has succeeded, in this life or an earlier one.
    pub(super) fn has_listed(&self) -> bool {
        !matches!(self.reached, Reached::Nothing | Reached::Partially(_))
    }

    /// Whether the last list carried no version.
    pub(super) fn is_unversioned(&self) -> bool {
        matches!(self.reached, Reached::Unversioned)
    }

    /// The cache was restored and is at this version, or at an unknown one.
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

    /// A page of the first list has been delivered, at this version; empty if it carried none.
    pub(super) fn partially_listed(&mut self, version: &str) {
        if matches!(self.reached, Reached::Nothing | Reached::Partially(_)) && !version.is_empty() {
            self.reached = Reached::Partially(version.to_owned());
        }
    }

    /// A list succeeded, with this version; empty if it carried none.
    pub(super) fn listed(&mut self, version: String) {
        self.reached = if version.is_empty() { Reached::Unversioned } else { Reached::At(version) };
        self.request = Request::AtLeast;
    }

    /// Lists ask for the newest state until one succeeds.
    pub(super) fn ask_for_newest(&mut self) {
        self.request = Request::Newest;
    }

    /// A list at `"0"` came in pages.
    pub(super) fn pages_at_zero(&mut self) {
        self.zero = ZeroLists::Paged;
    }

    /// The version that a list asks for (client-go: `relistResourceVersion`); `None` is the newest.
    pub(super) fn for_list(&self) -> Option<String> {
        match (self.request, &self.reached) {
            (Request::Newest, _) | (_, Reached::Unversioned) => None,
            (Request::AtLeast, Reached::Nothing) => Some("0".to_owned()),
            // At "0" a server may answer with an older state than that of the pages.
            (Request::AtLeast, Reached::Partially(version) | Reached::At(version)) => Some(version.clone()),
        }
    }

    /// Whether a list of this version is requested in pages. With a version other than `"0"`, a limit would mean
    /// exactly that version, read from etcd.
    pub(super) fn wants_pages(&self, asked: Option<&str>) -> bool {
        self.zero == ZeroLists::Paged || asked.is_none_or(|version| version == "0")
    }
}

/// Whether a version is one of a state. `""` asks for the newest and `"0"` for any state at hand: a watch from either begins
/// with an ADDED for everything there is, and never tells what was deleted before.
pub(super) fn is_version(version: &str) -> bool {
    !matches!(version, "" | "0")
}

/// Whether a version looks as if the cluster had been restored or replaced. Only a hint, for silence timeouts and for lists
/// that might not be needed: nothing that must be right follows from it. (Kubernetes promises this order for decimal
/// versions of any length since 1.35.)
pub(super) fn went_back(from: &str, to: &str) -> bool {
    let decimal = |version: &str| is_version(version) && version.bytes().all(|byte| byte.is_ascii_digit());
    decimal(from) && decimal(to) && (to.len(), to) < (from.len(), from)
}
