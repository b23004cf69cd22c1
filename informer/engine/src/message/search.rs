//! Search of a cache for words.

use serde::{Deserialize, Serialize};

/// Search of a cache: words, and where they are looked for.
///
/// Each word must be found in an object, in any of these places, case ignored. The response is
/// `{total, of, matches: [{key, uid, in, name, text}]}`: the number of objects that match, the number of all, and the best
/// matches. `in` is the place of the word that was found last in this order, `name` the column, index or label of it, and
/// `text` what was found there.
///
/// | `in` | a word is found if |
/// |---|---|
/// | `name` | the name is the word, begins with it, or contains it, in this order |
/// | `key` | the word contains `/`, and `namespace/name` contains the word |
/// | `uid` | the uid begins with the word, which has at least four characters |
/// | `label` | the value of a label contains the word; with `=` in the word, `key=value` does |
/// | `column` | a text in one of the `columns` contains it |
/// | `index` | a value in one of the `indexes` contains it |
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchOptions {
    /// The words, separated by blanks. Without a word nothing matches.
    pub text: String,
    /// Most matches in the response, at most 1,000.
    pub limit: usize,
    /// Columns of `kubectl get -o wide` whose texts are searched. Unknown ones are ignored.
    pub columns: Vec<String>,
    /// Indexes whose values are searched. Unknown ones are ignored.
    pub indexes: Vec<String>,
}
