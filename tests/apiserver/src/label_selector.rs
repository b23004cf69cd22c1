//! Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.

use serde_json::Value;

use crate::labels::Labels;
use crate::status::Status;
use crate::syntax;

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
    DoubleEquals,
    NotEquals,
    Greater,
    Less,
    Word(String),
}

impl LabelSelector {
    pub(crate) fn parse(text: &str) -> Result<Self, Status> {
        let mut parser = Parser { tokens: tokens(text), at: 0 };
        let mut requirements = Vec::new();
        while let Some(first) = parser.peek() {
            if !matches!(first, Token::Word(_) | Token::Not) {
                let found = first.text();
                return Err(Status::bad_request(if requirements.is_empty() {
                    format!("found '{found}', expected: !, identifier, or 'end of string'")
                } else {
                    format!("found '{found}', expected: identifier after ','")
                }));
            }
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

    /// Returns the selector of an object, as in `spec.selector`; `None` for none, or for an invalid one.
    pub(crate) fn of(selector: &Value) -> Option<Self> {
        let mut requirements = Vec::new();
        for (key, value) in selector.as_object()?.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
            requirements.push(Requirement { key: key.clone(), test: Test::In(vec![value.as_str()?.to_owned()]) });
        }
        for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
            let values = expression["values"].as_array().into_iter().flatten();
            let values = values.map(|value| value.as_str().map(str::to_owned)).collect::<Option<_>>()?;
            let test = match expression["operator"].as_str()? {
                "In" => Test::In(values),
                "NotIn" => Test::NotIn(values),
                "Exists" => Test::Exists,
                "DoesNotExist" => Test::Missing,
                _ => return None,
            };
            requirements.push(Requirement { key: expression["key"].as_str()?.to_owned(), test });
        }
        Some(Self { requirements })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub(crate) fn matches(&self, labels: &Labels) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            let number = value.and_then(|value| value.parse::<i64>().ok());
            match &requirement.test {
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
                Test::In(values) => value.is_some_and(|value| values.iter().any(|wanted| wanted == value)),
                Test::NotIn(values) => value.is_none_or(|value| values.iter().all(|wanted| wanted != value)),
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
            Self::DoubleEquals => "==",
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
            '=' if rest.starts_with("==") => (Token::DoubleEquals, 2),
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
            Some(_) => self.test(&key)?,
        };
        Ok(Requirement { key, test })
    }

    fn test(&mut self, key: &str) -> Result<Test, String> {
        match self.next() {
            Some(Token::Equals | Token::DoubleEquals) => Ok(Test::In(vec![self.value(key)?])),
            Some(Token::NotEquals) => Ok(Test::NotIn(vec![self.value(key)?])),
            Some(Token::Greater) => Ok(Test::Greater(self.number()?)),
            Some(Token::Less) => Ok(Test::Less(self.number()?)),
            Some(Token::Word(word)) if word == "in" => Ok(Test::In(self.values(key)?)),
            Some(Token::Word(word)) if word == "notin" => Ok(Test::NotIn(self.values(key)?)),
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

    /// Returns the value after `=`; may be empty.
    fn value(&mut self, key: &str) -> Result<String, String> {
        match self.peek() {
            None | Some(Token::Comma) => Ok(String::new()),
            Some(_) => {
                let value = self.word("identifier")?;
                check_value(key, 0, &value)?;
                Ok(value)
            }
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        let word = if self.peek().is_none() { String::new() } else { self.word("identifier")? };
        word.parse().map_err(|_| {
            format!("values[0]: Invalid value: \"{word}\": for 'Gt', 'Lt' operators, the value must be an integer")
        })
    }

    fn values(&mut self, key: &str) -> Result<Vec<String>, String> {
        match self.next() {
            Some(Token::Open) => {}
            other => return Err(format!("found '{}' expected: '('", other.as_ref().map_or("", Token::text))),
        }
        let mut values = Vec::new();
        loop {
            match self.peek() {
                Some(Token::Word(_)) => {
                    let value = self.word("identifier")?;
                    check_value(key, values.len(), &value)?;
                    values.push(value);
                }
                None if values.is_empty() => return Err("found '', expected: ',', ')' or identifier".to_owned()),
                None => return Err("found '', expected: ',', or identifier".to_owned()),
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
    syntax::label_key(key).map_or(Ok(()), |why| Err(format!("<nil>: Invalid value: \"{key}\": {why}")))
}

fn check_value(key: &str, place: usize, value: &str) -> Result<(), String> {
    let why = syntax::label_value(value);
    why.map_or(Ok(()), |why| Err(format!("values[{place}][{key}]: Invalid value: \"{value}\": {why}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels.iter().copied().collect();
        LabelSelector::parse(selector).unwrap().matches(&labels)
    }

    #[test]
    fn the_whole_grammar_is_parsed() {
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
    fn selectors_of_objects() {
        let matches = |selector: Value, labels: &[(&str, &str)]| {
            LabelSelector::of(&selector).map(|selector| selector.matches(&labels.iter().copied().collect()))
        };
        let exact = json!({"matchLabels": {"a": "b"}, "matchExpressions": [
            {"key": "c", "operator": "NotIn", "values": ["d"]}, {"key": "e", "operator": "DoesNotExist"},
        ]});
        assert_eq!(matches(exact.clone(), &[("a", "b"), ("c", "x")]), Some(true));
        assert_eq!(matches(exact.clone(), &[("a", "b"), ("c", "d")]), Some(false));
        assert_eq!(matches(exact, &[("a", "b"), ("e", "")]), Some(false));
        assert_eq!(matches(json!({}), &[]), Some(true));
        assert_eq!(matches(Value::Null, &[]), None);
        assert_eq!(matches(json!({"matchExpressions": [{"key": "a", "operator": "Near"}]}), &[]), None);
    }

    #[test]
    fn malformed_selectors_are_rejected_with_the_servers_messages() {
        let message = |selector: &str| LabelSelector::parse(selector).unwrap_err().message;
        assert_eq!(message("team in (ads"), "unable to parse requirement: found '', expected: ',' or ')'");
        for bad in ["=", "a=b,", "a b", "a in b", "!", "a=b=c", "a>x", "-a", "a/", "a=é", "(", ",a"] {
            assert!(LabelSelector::parse(bad).is_err(), "{bad}");
        }
    }
}
