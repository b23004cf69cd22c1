//! Changes of a layout, as the panel and the headers make them.

use super::{Item, Layout, MAX_PINNED, WIDTHS};

impl Layout {
    /// Turns a usual layout into a list of columns that shows the same: `shown` are its columns now, in order.
    pub(crate) fn list_columns(&mut self, shown: &[Item]) {
        if std::mem::take(&mut self.is_usual) {
            self.items = shown.to_vec();
            self.pinned = 0;
        }
    }

    /// The index of a column in the list.
    pub(crate) fn index_of(&self, name: &str, is_custom: bool) -> Option<usize> {
        self.items.iter().position(|item| item.is(name, is_custom))
    }

    /// Moves a column to an index. One that crosses the end of those that stay in sight joins or leaves them.
    pub(crate) fn move_to(&mut self, name: &str, is_custom: bool, to: usize) {
        let Some(from) = self.index_of(name, is_custom) else { return };
        let to = to.min(self.items.len() - 1);
        let item = self.items.remove(from);
        self.items.insert(to, item);
        if from < self.pinned && to >= self.pinned {
            self.pinned -= 1;
        } else if from >= self.pinned && to < self.pinned {
            self.pinned = (self.pinned + 1).min(MAX_PINNED);
        }
    }

    /// Shows a column of the kind behind the others, or hides a column. The last one stays.
    pub(crate) fn toggle(&mut self, name: &str, is_custom: bool) {
        match self.index_of(name, is_custom) {
            Some(_) if self.items.len() == 1 && !self.is_usual => {}
            Some(at) => {
                self.items.remove(at);
                self.pinned -= usize::from(at < self.pinned);
            }
            None if is_custom => {}
            None => self.items.push(Item::of(name)),
        }
    }

    /// Keeps a column in sight, behind those that stay there already; or lets it scroll, before the others.
    pub(crate) fn toggle_pin(&mut self, name: &str, is_custom: bool) {
        let Some(at) = self.index_of(name, is_custom) else { return };
        let was_pinned = at < self.pinned;
        if !was_pinned && self.pinned == MAX_PINNED {
            return;
        }
        self.pinned -= usize::from(was_pinned);
        let item = self.items.remove(at);
        self.items.insert(self.pinned, item);
        self.pinned += usize::from(!was_pinned);
    }

    /// Gives a column a width, or its usual one.
    pub(crate) fn set_width(&mut self, name: &str, is_custom: bool, width: Option<u16>) {
        let width = width.map(|width| width.clamp(*WIDTHS.start(), *WIDTHS.end()));
        match self.index_of(name, is_custom) {
            Some(at) => self.items[at].width = width,
            None if self.is_usual => self.items.push(Item { width, ..Item::of(name) }),
            None => {}
        }
        if self.is_usual {
            self.items.retain(|item| item.custom.is_some() || item.width.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::CustomColumn;

    fn changed(text: &str, change: impl FnOnce(&mut Layout)) -> String {
        let (mut layout, problems) = Layout::parse(text);
        assert!(problems.is_empty(), "{problems:?}");
        change(&mut layout);
        layout.text()
    }

    #[test]
    fn a_column_moves_and_joins_those_in_sight() {
        let moved = |name: &str, to| changed("a,b,~,c,d", |layout| layout.move_to(name, false, to));
        assert_eq!(moved("d", 2), "a,b,~,d,c");
        assert_eq!(moved("d", 0), "d,a,b,~,c");
        assert_eq!(moved("a", 9), "b,~,c,d,a");
        assert_eq!(moved("a", 1), "b,a,~,c,d");
        assert_eq!(moved("nothing", 1), "a,b,~,c,d");
    }

    #[test]
    fn a_column_is_shown_and_hidden_and_one_stays() {
        assert_eq!(changed("a,b", |layout| layout.toggle("c d", false)), "a,b,c-d");
        assert_eq!(changed("a,~,b", |layout| layout.toggle("A", false)), "b");
        assert_eq!(changed("a", |layout| layout.toggle("a", false)), "a");
        assert_eq!(changed("a,b=.x", |layout| layout.toggle("b", true)), "a");
        assert_eq!(changed("a,b=.x", |layout| layout.toggle("b", false)), "a,b=.x,b", "one of the kind is another");
    }

    #[test]
    fn a_pin_is_set_and_removed() {
        assert_eq!(changed("a,b,c", |layout| layout.toggle_pin("c", false)), "c,~,a,b");
        assert_eq!(changed("c,~,a,b", |layout| layout.toggle_pin("a", false)), "c,a,~,b");
        assert_eq!(changed("c,a,~,b", |layout| layout.toggle_pin("c", false)), "a,~,c,b");
        assert_eq!(changed("a,~,c,b", |layout| layout.toggle_pin("a", false)), "a,c,b");
        assert_eq!(changed("a,b,c,d,~,e", |layout| layout.toggle_pin("e", false)), "a,b,c,d,~,e", "at most four");
    }

    #[test]
    fn a_width_leaves_a_usual_layout_usual() {
        assert_eq!(changed("", |layout| layout.set_width("Name", false, Some(240))), "*,name~240");
        assert_eq!(changed("*,name~240", |layout| layout.set_width("Name", false, None)), "");
        assert_eq!(changed("*,x=.a", |layout| layout.set_width("x", true, Some(9_999))), "*,x=.a~1200");
        assert_eq!(changed("a", |layout| layout.set_width("a", false, Some(1))), "a~40");
    }

    #[test]
    fn a_usual_layout_is_listed_before_it_is_reordered() {
        let custom = Item { custom: Some(CustomColumn::Label("team".to_owned())), ..Item::of("team") };
        let shown = [Item::of("Name"), Item { width: Some(90), ..Item::of("Age") }, custom];
        assert_eq!(
            changed("*,age~90,team=label:team", |layout| layout.list_columns(&shown)),
            "name,age~90,team=label:team"
        );
        assert_eq!(changed("a", |layout| layout.list_columns(&shown)), "a");
    }
}
