//! Filter syntax on one screen, for the help dialog.

/// Syntax examples, and the rows that each matches.
pub(crate) const LANGUAGE: [(&str, &str); 14] = [
    ("web", "contain it in any column"),
    ("\"two words\"", "contain this exact text"),
    ("/web-\\d+$/", "match the regular expression"),
    ("status=Running,Pending", "have one of these values"),
    ("name=web-*", "start with this; * matches any text"),
    ("node=\"\"", "have no value in this column"),
    ("node!=n1", "have a different value"),
    ("restarts > 3 cpu>=500m", "are greater; also >=, < and <="),
    ("age<30m", "are younger; s m h d w y"),
    ("label=app=web", "have the label"),
    ("field=spec.nodeName=n1", "have this value in the object"),
    ("web -test", "match the first but not the second; also NOT"),
    ("web OR status=Failed", "match at least one"),
    ("(a OR b) c", "match the expression in brackets, and c"),
];
