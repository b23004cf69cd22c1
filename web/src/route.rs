//! Route: the state of the page as the text after `#` in its address.
//!
//! `#/v1/pods?namespace=default&filter=web&sort=restarts-desc,name&columns=name,status&object=default%2Fnginx&tab=yaml`

use informer::GroupVersionResource;
use informer_engine::OrderBy;

use crate::{namespaces, sort};

/// Screen that the page shows besides an open object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Screen {
    /// The table of a kind.
    #[default]
    Table,
    /// The overview, in place of the table.
    Overview,
    /// The list of problems, in place of the table.
    Problems,
    /// The recorded changes, in place of the table.
    Changes,
    /// The map of objects, in place of the table.
    Map,
    /// The informers of the engine, in place of the table.
    Inspector,
}

impl Screen {
    /// The screens that replace the table.
    pub(crate) const OTHERS: [Self; 5] = [Self::Overview, Self::Problems, Self::Changes, Self::Map, Self::Inspector];

    /// Path and name of the screen; the table has none. Paths of resources contain a version.
    pub(crate) fn words(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Table => None,
            Self::Overview => Some(("overview", "Overview")),
            Self::Problems => Some(("problems", "Problems")),
            Self::Changes => Some(("changes", "Changes")),
            Self::Map => Some(("map", "Map")),
            Self::Inspector => Some(("inspector", "Inspector")),
        }
    }

    /// Looks up a screen by its path; otherwise the table.
    pub(crate) fn of_path(path: &str) -> Self {
        let has_path = |screen: &Self| screen.words().is_some_and(|(known, _)| known == path);
        Self::OTHERS.into_iter().find(has_path).unwrap_or_default()
    }
}

/// State of the page that a link contains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Route {
    /// The shown screen: the table or another one.
    pub(crate) screen: Screen,
    /// The kind in the table.
    pub(crate) resource: GroupVersionResource,
    /// Names of namespaces, as `namespaces.rs` reads them; none for all.
    pub(crate) namespaces: Option<String>,
    /// Filter of the rows, in the language of [`informer_engine::Query`].
    pub(crate) filter: String,
    /// The order of the rows; the usual one, by namespace and name, if it is empty.
    pub(crate) sort: Vec<OrderBy>,
    /// Layout of the columns, as `layout.rs` reads it; the stored one if it is empty.
    pub(crate) columns: String,
    /// Column that the rows are grouped by; empty without groups.
    pub(crate) group: String,
    /// Object whose surroundings the map shows, as `map/around.rs` reads it; all objects if it is empty.
    pub(crate) around: String,
    /// Key of the object in the drawer.
    pub(crate) object: Option<String>,
    /// Name of the drawer's tab; the first one if there is none of this name.
    pub(crate) tab: Option<String>,
    /// Whether the object takes the whole page, in place of the drawer.
    pub(crate) full: bool,
}

impl Default for Route {
    fn default() -> Self {
        let resource =
            GroupVersionResource { group: String::new(), version: "v1".to_owned(), resource: "pods".to_owned() };
        Self {
            screen: Screen::Table,
            resource,
            namespaces: None,
            filter: String::new(),
            sort: Vec::new(),
            columns: String::new(),
            group: String::new(),
            around: String::new(),
            object: None,
            tab: None,
            full: false,
        }
    }
}

impl Route {
    /// Reads a hash, with or without its `#`. An empty one is the overview; one that names no resource is an error,
    /// whose text is for people.
    pub(crate) fn parse(hash: &str) -> Result<Self, String> {
        let hash = hash.trim_start_matches('#');
        if hash.is_empty() || hash == "/" {
            return Ok(Self { screen: Screen::Overview, ..Self::default() });
        }
        let (path, query) = hash.split_once('?').unwrap_or((hash, ""));
        let path = path.strip_prefix('/').unwrap_or(path);
        let mut route = Self { screen: Screen::of_path(path), ..Self::default() };
        if route.screen == Screen::Table {
            route.resource = path.parse().map_err(|error: informer::InformerError| error.message().to_owned())?;
        }
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            match name {
                "namespace" => route.namespaces = Some(value).filter(|v| namespaces::names(v).next().is_some()),
                "filter" => route.filter = value,
                "sort" => route.sort = sort::parse(&value),
                "columns" => route.columns = value,
                "group" => route.group = value,
                "around" => route.around = value,
                // The map shows many kinds; this is the one of the open object.
                "kind" if route.screen == Screen::Map => {
                    route.resource =
                        value.parse().map_err(|error: informer::InformerError| error.message().to_owned())?;
                }
                "object" => route.object = Some(value).filter(|v| !v.is_empty()),
                "tab" => route.tab = Some(value).filter(|v| !v.is_empty()),
                "full" => route.full = value == "1",
                _ => {}
            }
        }
        route.settle();
        Ok(route)
    }

    /// Removes the parts that require an object if there is none. Only the table has rows: a filter, an order, columns
    /// or groups lead to it; so does an object, except beside the map.
    pub(crate) fn settle(&mut self) {
        if !(self.filter.is_empty() && self.sort.is_empty() && self.columns.is_empty() && self.group.is_empty())
            || (self.object.is_some() && self.screen != Screen::Map)
        {
            self.screen = Screen::Table;
        }
        if self.screen != Screen::Map {
            self.around.clear();
        }
        if self.object.is_none() {
            (self.tab, self.full) = (None, false);
        }
    }

    /// The hash, with its `#`.
    pub(crate) fn to_hash(&self) -> String {
        let mut hash = match self.screen.words() {
            Some((path, _)) => format!("#/{path}"),
            None => format!("#/{}", self.resource),
        };
        let mut separator = '?';
        let pairs = [
            ("namespace", readable(&encoded(self.namespaces.as_deref().unwrap_or_default()))),
            ("filter", encoded(&self.filter)),
            ("sort", self.sort.iter().map(|key| encoded(&sort::name(key))).collect::<Vec<_>>().join(",")),
            ("columns", readable(&encoded(&self.columns))),
            ("group", encoded(&self.group)),
            ("around", encoded(&self.around)),
            (
                "kind",
                if self.screen == Screen::Map && self.object.is_some() {
                    encoded(&self.resource.to_string())
                } else {
                    String::new()
                },
            ),
            ("object", encoded(self.object.as_deref().unwrap_or_default())),
            ("tab", encoded(self.tab.as_deref().unwrap_or_default())),
            ("full", if self.full { "1".to_owned() } else { String::new() }),
        ];
        for (name, value) in pairs {
            if !value.is_empty() {
                hash.push(separator);
                hash.push_str(name);
                hash.push('=');
                hash.push_str(&value);
                separator = '&';
            }
        }
        hash
    }
}

fn encoded(text: &str) -> String {
    let mut into = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            into.push(char::from(byte));
        } else {
            into.push('%');
            for nibble in [byte >> 4, byte & 15] {
                into.push(char::from(b"0123456789ABCDEF"[usize::from(nibble)]));
            }
        }
    }
    into
}

/// Unescapes the signs of lists: nothing in a hash needs them escaped.
fn readable(encoded: &str) -> String {
    encoded.replace("%2C", ",").replace("%3D", "=").replace("%3A", ":").replace("%2A", "*")
}

/// Percent-decoding; invalid sequences stay unchanged, because a person may have typed them.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let (b'%', [high, low, after @ ..]) = (*first, tail)
            && let (Some(high), Some(low)) = (char::from(*high).to_digit(16), char::from(*low).to_digit(16))
            && let Ok(byte) = u8::try_from(high * 16 + low)
        {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_hash_round_trips() {
        for hash in [
            "#/v1/pods",
            "#/apps/v1/deployments?namespace=shop",
            "#/v1/pods?namespace=default&filter=web&sort=age-desc&object=default%2Fnginx",
            "#/v1/pods?filter=a%20b%26c%3D%25%C3%A9&sort=name",
            "#/v1/pods?sort=namespace-desc",
            "#/v1/pods?filter=status%3DRunning&sort=restarts-desc,name",
            "#/v1/pods?columns=name,~,status~160,team=label:app.kubernetes.io%2Fname&object=a%2Fb",
            "#/v1/pods?columns=*,x=%7B.a%5B0%5C,1%5D%7D",
            "#/v1/pods?filter=web&group=nominated-node",
            "#/v1/pods?object=default%2Fnginx&tab=events",
            "#/v1/nodes?object=n1&full=1",
            "#/overview",
            "#/overview?namespace=bank,shop",
            "#/v1/pods?namespace=a%20%3Cb%3E,c&object=c%2Fx",
            "#/overview?namespace=shop",
            "#/problems",
            "#/problems?namespace=shop",
            "#/changes?namespace=shop",
            "#/map?namespace=bank,shop",
            "#/map?namespace=shop&around=Pod.%2Fshop%2Fa",
            "#/map?namespace=shop&kind=apps%2Fv1%2Fdeployments&object=shop%2Fweb&tab=yaml",
        ] {
            assert_eq!(Route::parse(hash).expect(hash).to_hash(), hash);
        }
    }

    #[test]
    fn a_tab_without_an_object_is_left_out() {
        assert_eq!(Route::parse("#/v1/pods?tab=yaml&full=1").expect("readable").to_hash(), "#/v1/pods");
    }

    #[test]
    fn a_filter_an_order_or_an_object_leads_from_another_screen_to_the_table() {
        for (hash, table) in [
            ("#/overview?filter=web", "#/v1/pods?filter=web"),
            ("#/overview?sort=name", "#/v1/pods?sort=name"),
            ("#/problems?group=status", "#/v1/pods?group=status"),
            ("#/problems?filter=web", "#/v1/pods?filter=web"),
            ("#/map?filter=web&around=Pod.%2Fshop%2Fa", "#/v1/pods?filter=web"),
            ("#/overview?namespace=a&object=a%2Fb", "#/v1/pods?namespace=a&object=a%2Fb"),
        ] {
            assert_eq!(Route::parse(hash).expect(hash).to_hash(), table);
        }
    }

    #[test]
    fn an_empty_hash_is_the_overview() {
        for hash in ["", "#", "#/"] {
            assert_eq!(Route::parse(hash).expect(hash).to_hash(), "#/overview");
        }
    }

    #[test]
    fn a_hash_that_names_no_resource_says_so() {
        for hash in ["#/pods", "#/a/b/c/d", "#/../v1/pods", "#nonsense?x=y"] {
            assert!(Route::parse(hash).is_err_and(|message| message.contains("invalid resource")), "{hash}");
        }
    }

    #[test]
    fn broken_escapes_and_unknown_fields_are_tolerated() {
        let route = Route::parse("#/v1/pods?filter=100%&object=a%2&x=1&sort=,&namespace=").expect("readable");
        assert_eq!((route.filter.as_str(), route.object.as_deref()), ("100%", Some("a%2")));
        assert_eq!((route.sort, route.namespaces), (Vec::new(), None));
        let route = Route::parse("#/v1/pods?sort=a%2Cb").expect("readable");
        assert_eq!(route.to_hash(), "#/v1/pods?sort=a,b", "what carries links about may encode their commas");
    }
}
