//! Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.

use std::collections::BTreeMap;

use crate::status::Status;

/// A parsed label selector; matches everything when empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Exists,
    Missing,
    In(Vec<String>),
    NotIn(Vec<String>),
    Greater(i64),
    Less(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Comma,
    Not,
    Equals,
    NotEquals,
    Greater,
    Less,
    Word(String),
}

impl LabelSelector {
    pub(crate) fn parse(text: &str) -> Result<Self, Status> {
        let mut parser = Parser { tokens: tokens(text), at: 0 };
        let mut requirements = Vec::new();
        while parser.peek().is_some() {
            requirements.push(
                parser
                    .requirement()
                    .map_err(|why| Status::bad_request(format!("unable to parse requirement: {why}")))?,
            );
            match parser.next() {
                None => break,
                Some(Token::Comma) if parser.peek().is_some() => {}
                Some(Token::Comma) => {
                    return Err(Status::bad_request("found '', expected: identifier after ','"));
                }
                Some(other) => {
                    return Err(Status::bad_request(format!(
                        "found '{}', expected: ',' or 'end of string'",
                        other.text()
                    )));
                }
            }
        }
        Ok(Self { requirements })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub(crate) fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            let number = value.and_then(|value| value.parse::<i64>().ok());
            match &requirement.test {
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
                Test::In(values) => value.is_some_and(|value| values.contains(value)),
                Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
                Test::Greater(bound) => number.is_some_and(|number| number > *bound),
                Test::Less(bound) => number.is_some_and(|number| number < *bound),
            }
        })
    }
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Not => "!",
            Self::Equals => "=",
            Self::NotEquals => "!=",
            Self::Greater => ">",
            Self::Less => "<",
            Self::Word(word) => word,
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            '>' => (Token::Greater, 1),
            '<' => (Token::Less, 1),
            '!' if rest.starts_with("!=") => (Token::NotEquals, 2),
            '!' => (Token::Not, 1),
            '=' if rest.starts_with("==") => (Token::Equals, 2),
            '=' => (Token::Equals, 1),
            _ => {
                let special = |c: char| c.is_whitespace() || "(),!=<>".contains(c);
                let length = rest.find(special).unwrap_or(rest.len());
                (Token::Word(rest[..length].to_owned()), length)
            }
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    found
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let missing = self.peek() == Some(&Token::Not);
        if missing {
            self.at += 1;
        }
        let key = self.word("identifier")?;
        check_key(&key)?;
        if missing {
            return Ok(Requirement { key, test: Test::Missing });
        }
        let test = match self.peek() {
            None | Some(Token::Comma) => Test::Exists,
            Some(_) => self.test()?,
        };
        Ok(Requirement { key, test })
    }

    fn test(&mut self) -> Result<Test, String> {
        match self.next() {
            Some(Token::Equals) => Ok(Test::In(vec![self.value()?])),
            Some(Token::NotEquals) => Ok(Test::NotIn(vec![self.value()?])),
            Some(Token::Greater) => Ok(Test::Greater(self.number()?)),
            Some(Token::Less) => Ok(Test::Less(self.number()?)),
            Some(Token::Word(word)) if word == "in" => Ok(Test::In(self.values()?)),
            Some(Token::Word(word)) if word == "notin" => Ok(Test::NotIn(self.values()?)),
            other => Err(format!(
                "found '{}', expected: in, notin, =, ==, !=, gt, lt",
                other.as_ref().map_or("", Token::text)
            )),
        }
    }

    fn word(&mut self, expected: &str) -> Result<String, String> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(format!("found '{}', expected: {expected}", other.as_ref().map_or("", Token::text))),
        }
    }

    /// The value after `=`; may be empty.
    fn value(&mut self) -> Result<String, String> {
        match self.peek() {
            None | Some(Token::Comma) => Ok(String::new()),
            Some(_) => {
                let value = self.word("identifier")?;
                check_value(&value)?;
                Ok(value)
            }
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        let word = self.word("integer")?;
        word.parse().map_err(|_| format!("for 'Gt', 'Lt' operators, the value must be an integer: \"{word}\""))
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        match self.next() {
            Some(Token::Open) => {}
            other => return Err(format!("found '{}', expected: '('", other.as_ref().map_or("", Token::text))),
        }
        let mut values = Vec::new();
        loop {
            match self.peek() {
                Some(Token::Word(_)) => {
                    let value = self.word("identifier")?;
                    check_value(&value)?;
                    values.push(value);
                }
                _ => values.push(String::new()),
            }
            match self.next() {
                Some(Token::Close) => return Ok(values),
                Some(Token::Comma) => {}
                other => {
                    return Err(format!("found '{}', expected: ',' or ')'", other.as_ref().map_or("", Token::text)));
                }
            }
        }
    }
}

fn check_key(key: &str) -> Result<(), String> {
    let (prefix, name) = key.rsplit_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let prefix_fits = prefix.is_none_or(|prefix| {
        !prefix.is_empty() && prefix.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
    });
    if prefix_fits && !name.is_empty() && qualified(name) {
        return Ok(());
    }
    Err(format!(
        "<nil>: Invalid value: \"{key}\": a valid label key must consist of alphanumeric characters, '-', '_' or '.'"
    ))
}

fn check_value(value: &str) -> Result<(), String> {
    if qualified(value) {
        return Ok(());
    }
    Err(format!(
        "values[0][key]: Invalid value: \"{value}\": a valid label must be an empty string or consist of alphanumeric \
         characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    ))
}

fn qualified(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && edge(text.chars().next())
        && edge(text.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        LabelSelector::parse(selector).unwrap().matches(&labels)
    }

    #[test]
    fn whole_grammar() {
        let labels = [("app", "web"), ("tier", ""), ("size", "7")];
        for yes in [
            "",
            "app",
            "app=web",
            "app==web",
            " app = web , size ",
            "app!=db",
            "none!=db",
            "!none",
            "app in (db, web)",
            "app notin (db)",
            "none notin (db)",
            "tier=",
            "tier in ()",
            "size>6",
            "size < 8",
        ] {
            assert!(matches(yes, &labels), "{yes}");
        }
        for no in ["none", "app=db", "app!=web", "!app", "app in (db)", "app notin (web,db)", "none in ()", "size>7"] {
            assert!(!matches(no, &labels), "{no}");
        }
    }

    #[test]
    fn malformed_is_refused_with_the_servers_words() {
        let message = |selector: &str| LabelSelector::parse(selector).unwrap_err().message;
        assert_eq!(message("team in (ads"), "unable to parse requirement: found '', expected: ',' or ')'");
        for bad in ["=", "a=b,", "a b", "a in b", "!", "a=b=c", "a>x", "-a", "a/", "a=é", "(", ",a"] {
            assert!(LabelSelector::parse(bad).is_err(), "{bad}");
        }
    }
}
