//! Shell: lists of commands with `;`, `&&` and `||`, quotes, `$?`, and a prompt on a terminal.

use super::programs::{self, ProgramResult};
use super::session::{Failure, ProcessResult};
use super::terminal::{Input, Terminal};

/// Names of the shell.
const SHELLS: [&str; 3] = ["sh", "bash", "ash"];

/// State of a shell.
#[derive(Debug)]
pub(super) struct Shell {
    pub(super) hostname: String,
    pub(super) directory: String,
    /// Exit code of the last command.
    last_exit_code: u8,
}

/// Operator before a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Always,
    OnSuccess,
    OnFailure,
}

/// Command of a list.
#[derive(Debug, PartialEq, Eq)]
struct Command {
    operator: Operator,
    words: Vec<String>,
    /// Whether its output goes to stderr.
    to_stderr: bool,
}

/// Runs a command as a container runtime does: a shell, or a program without one.
pub(super) async fn run(command: &[String], hostname: &str, terminal: &mut Terminal) -> ProcessResult {
    let mut shell = Shell { hostname: hostname.to_owned(), directory: "/".to_owned(), last_exit_code: 0 };
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::Container("error executing command in container: no command".to_owned()));
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    if !SHELLS.contains(&name) {
        return match programs::run(&shell, command, false, terminal).await {
            ProgramResult::Ended(code) => Ok(code),
            ProgramResult::Unknown => Err(Failure::Container(format!(
                "error executing command in container: exec: \"{program}\": executable file not found in $PATH"
            ))),
        };
    }
    let script = arguments.iter().position(|argument| argument.starts_with('-') && argument.ends_with('c'));
    match script.and_then(|at| arguments.get(at + 1)) {
        Some(script) => {
            for line in script.lines() {
                if let Some(code) = shell.run_line(line, terminal).await {
                    return Ok(code);
                }
            }
        }
        None => return Ok(shell.interactive(terminal).await),
    }
    Ok(shell.last_exit_code)
}

impl Shell {
    async fn interactive(&mut self, terminal: &mut Terminal) -> u8 {
        loop {
            if terminal.is_tty() {
                terminal.out(format!("{} # ", self.directory).as_bytes()).await;
            }
            match terminal.read_line().await {
                Input::Line(line) => {
                    if let Some(code) = self.run_line(&String::from_utf8_lossy(&line), terminal).await {
                        return code;
                    }
                }
                Input::Interrupt => self.last_exit_code = 130,
                Input::End => return self.last_exit_code,
            }
        }
    }

    /// Runs a line. Returns the exit code if the shell ends.
    async fn run_line(&mut self, line: &str, terminal: &mut Terminal) -> Option<u8> {
        let commands = match parse(line, self.last_exit_code) {
            Ok(commands) => commands,
            Err(why) => {
                terminal.err(format!("sh: {why}\n").as_bytes()).await;
                self.last_exit_code = 2;
                return None;
            }
        };
        for command in commands {
            match command.operator {
                Operator::OnSuccess if self.last_exit_code != 0 => continue,
                Operator::OnFailure if self.last_exit_code == 0 => continue,
                _ => {}
            }
            let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
            match words[..] {
                ["exit"] => return Some(self.last_exit_code),
                ["exit", code] => {
                    let Ok(code) = code.parse::<i64>() else {
                        terminal.err(format!("sh: exit: Illegal number: {code}\n").as_bytes()).await;
                        return Some(2);
                    };
                    return Some(u8::try_from(code & 0xff).unwrap_or(0));
                }
                ["cd", ..] => self.change_directory(words.get(1).copied().unwrap_or("/root"), terminal).await,
                _ => {
                    self.last_exit_code = match programs::run(self, &command.words, command.to_stderr, terminal).await {
                        ProgramResult::Ended(code) => code,
                        ProgramResult::Unknown => {
                            terminal.err(format!("sh: {}: not found\n", command.words[0]).as_bytes()).await;
                            127
                        }
                    };
                }
            }
        }
        None
    }

    async fn change_directory(&mut self, to: &str, terminal: &mut Terminal) {
        let path = programs::absolute(&self.directory, to);
        self.last_exit_code = u8::from(!programs::is_directory(&path));
        if self.last_exit_code == 0 {
            self.directory = path;
        } else {
            terminal.err(format!("sh: cd: can't cd to {to}: No such file or directory\n").as_bytes()).await;
        }
    }
}

/// Parses a line. Quotes join words, `$?` is the last exit code, `>&2` redirects to stderr.
fn parse(line: &str, last_exit_code: u8) -> Result<Vec<Command>, String> {
    let line = line.replace("$?", &last_exit_code.to_string());
    let mut commands = Vec::new();
    let mut operator = Operator::Always;
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.trim().chars().peekable();
    let mut finish = |words: &mut Vec<String>, operator: Operator| {
        let mut words = std::mem::take(words);
        let to_stderr = words.iter().any(|word| matches!(word.as_str(), ">&2" | "1>&2"));
        words.retain(|word| !matches!(word.as_str(), ">&2" | "1>&2"));
        if !words.is_empty() {
            commands.push(Command { operator, words, to_stderr });
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some(end) if end == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(inner) => word.push(inner),
                        None => return Err("syntax error: unterminated quoted string".to_owned()),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            '#' if word.is_none() => break,
            letter if letter.is_whitespace() => words.extend(word.take()),
            ';' => {
                words.extend(word.take());
                finish(&mut words, operator);
                operator = Operator::Always;
            }
            '&' | '|' if letters.peek() == Some(&letter) => {
                letters.next();
                words.extend(word.take());
                if words.is_empty() {
                    return Err(format!("syntax error: unexpected \"{letter}{letter}\""));
                }
                finish(&mut words, operator);
                operator = if letter == '&' { Operator::OnSuccess } else { Operator::OnFailure };
            }
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word.take());
    finish(&mut words, operator);
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Vec<(Operator, Vec<String>, bool)>, String> {
        let parts = |command: Command| (command.operator, command.words, command.to_stderr);
        parse(line, 3).map(|commands| commands.into_iter().map(parts).collect())
    }

    #[test]
    fn a_line_is_parsed_into_commands() {
        let of = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            words("echo 'a  b' \"c\\\"\"d; ls&&cat x || exit $? # no"),
            Ok(vec![
                (Operator::Always, of(&["echo", "a  b", "c\"d"]), false),
                (Operator::Always, of(&["ls"]), false),
                (Operator::OnSuccess, of(&["cat", "x"]), false),
                (Operator::OnFailure, of(&["exit", "3"]), false),
            ])
        );
        assert_eq!(words("echo x >&2;;"), Ok(vec![(Operator::Always, of(&["echo", "x"]), true)]));
        assert_eq!(words("  "), Ok(Vec::new()));
        assert!(words("echo 'x").is_err() && words("&& ls").is_err());
    }
}
