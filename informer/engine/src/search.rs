//! Search: the objects of a cache in which words are found, the best matches first. Deferred code.
//!
//! It reads the records of the objects and nothing is stored for it: a search of 100,000 objects takes 7 to 30 ms
//! natively (`benches/search.rs`). Places that would need more than a record, such as images of pods, are searched by
//! an index.

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::Arc;

use informer::{GroupVersionResource, Indexer, Keyed, Object};
use informer_packing::{Json, Keys, ObjectWriter, Outline, sorted_by_number};

use crate::columns::{Cell, Columns};
use crate::message::SearchOptions;
use crate::query::contains_folded;

/// Maximum number of matches in a response.
const MAX_MATCHES: usize = 1_000;

/// Minimum length of a word that is compared with uids. Shorter words are prefixes of too many of them.
const MIN_UID_PREFIX: usize = 4;

/// Place in an object where a word was found, the best one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Name,
    NameStart,
    InName,
    Key,
    Uid,
    Label,
    Column,
    Index,
}

impl Place {
    fn word(self) -> &'static str {
        match self {
            Self::Name | Self::NameStart | Self::InName => "name",
            Self::Key => "key",
            Self::Uid => "uid",
            Self::Label => "label",
            Self::Column => "column",
            Self::Index => "index",
        }
    }
}

/// Search word, in lower case, with the sorted addresses of the objects that have it in an index. The indexes are read
/// when an object has the word in no other place.
struct Word {
    text: String,
    indexed: OnceCell<Vec<u64>>,
}

/// Indexes to search.
struct Indexes<'o> {
    indexer: &'o Indexer<Object>,
    names: &'o [String],
}

impl Indexes<'_> {
    /// Whether an object has a word in a value of an index.
    fn has(&self, word: &Word, object: &Arc<Object>) -> bool {
        !self.names.is_empty()
            && word.indexed.get_or_init(|| self.objects_of(&word.text)).binary_search(&address(object)).is_ok()
    }

    fn objects_of(&self, word: &str) -> Vec<u64> {
        let mut found = Vec::new();
        for index in self.names {
            // An index that does not exist finds nothing.
            for value in self.indexer.list_index_func_values(index).unwrap_or_default() {
                if contains_folded(&value, word) {
                    found.extend(self.indexer.by_index(index, &value).unwrap_or_default().iter().map(address));
                }
            }
        }
        // Each further instance of a generic sort adds a kilobyte to the file that the first rows wait for.
        sorted_by_number(&found).into_iter().map(|at| found[at as usize]).collect()
    }

    /// Returns the index in which an object has a word, and the value.
    fn find(&self, object: &Object, word: &str) -> Option<(String, String)> {
        let functions = self.indexer.get_indexers();
        self.names.iter().find_map(|index| {
            let values = functions.get(index)?(object).ok()?;
            Some((index.clone(), values.into_iter().find(|value| contains_folded(value, word))?))
        })
    }
}

fn address(object: &Arc<Object>) -> u64 {
    Arc::as_ptr(object).addr() as u64
}

/// Columns of the resource, and which of them are searched.
struct Cells {
    columns: Columns,
    names: Vec<String>,
    searched: Vec<usize>,
}

impl Cells {
    fn of(resource: &GroupVersionResource, wanted: &[String]) -> Self {
        // Objects carry the cells of all columns but the namespace.
        let columns = Columns::of(resource, false);
        let names: Vec<String> = columns.headers().into_iter().map(|header| header.name).collect();
        let is_wanted = |name: &String| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        let searched = (0..names.len()).filter(|at| is_wanted(&names[*at])).collect();
        Self { columns, names, searched }
    }

    /// Returns the column in which a word is found, and its text.
    fn find(&self, object: &Object, word: &str) -> Option<(usize, String)> {
        if self.searched.is_empty() {
            return None;
        }
        let mut found = None;
        let is_carried = object.text_cells(&mut |at, text| {
            if self.searched.contains(&at) && contains_folded(text, word) {
                found = Some((at, text));
            }
            found.is_none()
        });
        if is_carried {
            return found.map(|(at, text)| (at, text.to_owned()));
        }
        // The object arrived before this code was loaded.
        let json = object.json();
        let cells = self.columns.cells(Outline::of(Json::new(&json)).root().text());
        let texts = cells.into_iter().enumerate().filter(|(at, _)| self.searched.contains(at));
        texts
            .filter_map(|(at, cell)| if let Cell::Text(text) = cell { Some((at, text)) } else { None })
            .find(|(_, text)| contains_folded(text, word))
    }
}

/// Searches the objects of a resource. Returns the response of [`SearchOptions`] as JSON. O(objects).
pub(crate) fn search(indexer: &Indexer<Object>, resource: &GroupVersionResource, options: &SearchOptions) -> String {
    let cells = Cells::of(resource, &options.columns);
    let by_index = Indexes { indexer, names: &options.indexes };
    let word = |text: &str| Word { text: text.to_lowercase(), indexed: OnceCell::new() };
    let words: Vec<Word> = options.text.split_whitespace().map(word).collect();
    let mut top = TopMatches { limit: options.limit.min(MAX_MATCHES), found: Vec::new(), last: None };
    let mut total = 0_u64;
    for object in indexer.list() {
        if let Some((place, _)) = found_in(&words, object, &cells, &by_index) {
            total += 1;
            top.add(place, object);
        }
    }
    let mut json = String::new();
    let mut out = ObjectWriter::new(&mut json);
    out.number("total", total).number("of", indexer.len() as u64);
    let mut matches = out.array("matches");
    for (_, key, object) in top.sorted() {
        let Some((place, word)) = found_in(&words, object, &cells, &by_index) else { continue };
        let (name, text) = detail(place, word, object, &cells, &by_index);
        let mut entry = matches.object();
        entry.text("key", key).text("uid", object.uid()).word("in", place.word());
        entry.text("name", &name).text("text", &text);
    }
    drop(matches);
    drop(out);
    json
}

/// Returns the worst of the places of all words, with its word. `None` if a word is not found, or there is no word.
fn found_in<'w>(
    words: &'w [Word],
    object: &Arc<Object>,
    cells: &Cells,
    indexes: &Indexes<'_>,
) -> Option<(Place, &'w str)> {
    let mut worst = None;
    for word in words {
        let place = place_of(word, object, cells, indexes)?;
        if worst.is_none_or(|(known, _)| place > known) {
            worst = Some((place, word.text.as_str()));
        }
    }
    worst
}

/// Returns the best place of a word in an object.
fn place_of(word: &Word, object: &Arc<Object>, cells: &Cells, indexes: &Indexes<'_>) -> Option<Place> {
    let (text, name) = (word.text.as_str(), object.name());
    if contains_folded(name, text) {
        let starts = name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
        return Some(match starts {
            true if name.len() == text.len() => Place::Name,
            true => Place::NameStart,
            false => Place::InName,
        });
    }
    if text.contains('/') && contains_folded(object.key(), text) {
        return Some(Place::Key);
    }
    if text.len() >= MIN_UID_PREFIX && object.uid().starts_with(text) {
        return Some(Place::Uid);
    }
    if label(object, text).is_some() {
        return Some(Place::Label);
    }
    if cells.find(object, text).is_some() {
        return Some(Place::Column);
    }
    indexes.has(word, object).then_some(Place::Index)
}

/// Returns the label in which a word is found.
fn label<'o>(object: &'o Object, word: &str) -> Option<(&'o str, &'o str)> {
    let (_, labels, _) = object.parts();
    let is_found = |(key, value): &(&str, &str)| match word.split_once('=') {
        // Neither a key nor a value contains "=".
        Some((end, start)) => {
            let ends = key.len().checked_sub(end.len()).and_then(|at| key.get(at..));
            ends.is_some_and(|ends| ends.eq_ignore_ascii_case(end))
                && value.get(..start.len()).is_some_and(|starts| starts.eq_ignore_ascii_case(start))
        }
        None => contains_folded(value, word),
    };
    labels.iter().find(is_found)
}

/// Returns the name of the column, index or label in which a word is found, and the text there.
fn detail(place: Place, word: &str, object: &Object, cells: &Cells, indexes: &Indexes<'_>) -> (String, String) {
    match place {
        Place::Name | Place::NameStart | Place::InName => (String::new(), object.name().to_owned()),
        Place::Key => (String::new(), object.key().to_owned()),
        Place::Uid => (String::new(), object.uid().to_owned()),
        Place::Label => label(object, word).map(|(key, value)| (key.to_owned(), value.to_owned())).unwrap_or_default(),
        Place::Column => {
            let found = cells.find(object, word);
            found.and_then(|(at, text)| Some((cells.names.get(at)?.clone(), text))).unwrap_or_default()
        }
        Place::Index => indexes.find(object, word).unwrap_or_default(),
    }
}

/// Best matches, by their places and keys, at most `limit`.
struct TopMatches<'o> {
    limit: usize,
    found: Vec<(Place, &'o str, &'o Arc<Object>)>,
    /// Worst match that is kept, once there are enough.
    last: Option<(Place, &'o str)>,
}

impl<'o> TopMatches<'o> {
    fn add(&mut self, place: Place, object: &'o Arc<Object>) {
        // The key is read only if the place does not decide.
        if self.limit == 0 || self.last.is_some_and(|(last, _)| place > last) {
            return;
        }
        let key = object.key();
        if self.last.is_some_and(|last| (place, key) > last) {
            return;
        }
        self.found.push((place, key, object));
        if self.found.len() >= 2 * self.limit {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let mut keys = Keys::with_capacity(self.found.len());
        for (place, key, _) in &self.found {
            keys.push(&mut |bytes| {
                bytes.push(*place as u8);
                bytes.extend_from_slice(key.as_bytes());
            });
        }
        self.found = keys.sorted().into_iter().take(self.limit).map(|at| self.found[at as usize]).collect();
        if self.found.len() == self.limit {
            self.last = self.found.last().map(|(place, key, _)| (*place, *key));
        }
    }

    fn sorted(mut self) -> Vec<(Place, &'o str, &'o Arc<Object>)> {
        self.cut();
        self.found
    }
}
