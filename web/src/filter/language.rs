//! The language of the filter on one screen.

/// What is typed, and which rows are kept.
pub(crate) const LANGUAGE: [(&str, &str); 14] = [
    ("web", "contain it, in any column"),
    ("\"two words\"", "contain them as they stand"),
    ("/web-\\d+$/", "match the regular expression"),
    ("status=Running,Pending", "have one of these values"),
    ("name=web-*", "begin so: * is any text"),
    ("node=\"\"", "have no value there"),
    ("node!=n1", "have another value"),
    ("restarts > 3 cpu>=500m", "are above; also < and <="),
    ("age<30m", "are younger; s m h d w y"),
    ("label=app=web", "have the label"),
    ("field=spec.nodeName=n1", "have that in the object"),
    ("web -test", "match the first and not the second; also NOT"),
    ("web OR status=Failed", "match one of both"),
    ("(a OR b) c", "match what the brackets say, and c"),
];
