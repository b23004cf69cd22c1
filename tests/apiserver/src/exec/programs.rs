//! Programs of a container: echo, ls, cat, stty, sleep and a few more, on a small tree of files.

use std::time::Duration;

use super::shell::Shell;
use super::terminal::{Input, Terminal};

/// Files and their contents; `$HOSTNAME` is the name of the pod.
const FILES: &[(&str, &str)] = &[
    ("/app/config.yaml", "listen: 0.0.0.0:8080\nlog:\n  level: info\n"),
    ("/app/server", "#!/bin/sh\nexec sleep 1000000\n"),
    ("/etc/hostname", "$HOSTNAME\n"),
    ("/etc/hosts", "127.0.0.1\tlocalhost\n10.0.0.7\t$HOSTNAME\n"),
    ("/etc/os-release", "NAME=\"Simulated Linux\"\nID=simulated\nVERSION_ID=1\n"),
    ("/tmp/unicode \u{2713}.txt", "gr\u{fc}\u{df} Gott, \u{1f980}\n"),
];

const DIRECTORIES: [&str; 5] = ["/", "/app", "/etc", "/root", "/tmp"];

/// Exit code of a program that Ctrl-C ends.
const INTERRUPTED: u8 = 130;

/// Result of a command.
pub(super) enum ProgramResult {
    Ended(u8),
    /// The program does not exist.
    Unknown,
}

/// Runs a program by its name or path.
pub(super) async fn run(shell: &Shell, command: &[String], to_stderr: bool, terminal: &mut Terminal) -> ProgramResult {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let Some((program, arguments)) = words.split_first() else { return ProgramResult::Ended(0) };
    let mut output = Output { terminal, to_stderr };
    ProgramResult::Ended(match program.rsplit('/').next().unwrap_or(program) {
        "echo" => echo(arguments, &mut output).await,
        "ls" => ls(shell, arguments, &mut output).await,
        "cat" => cat(shell, arguments, &mut output).await,
        "seq" => seq(arguments, &mut output).await,
        "sleep" => sleep(arguments, &mut output).await,
        "stty" => stty(arguments, &mut output).await,
        "pwd" => output.write_line(&shell.directory).await,
        "hostname" => output.write_line(&shell.hostname).await,
        "whoami" => output.write_line("root").await,
        "tty" if output.terminal.is_tty() => output.write_line("/dev/pts/0").await,
        "tty" => {
            output.write_line("not a tty").await;
            1
        }
        "env" => {
            let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
            output.write_line(&format!("HOSTNAME={}\nHOME=/root\n{path}", shell.hostname)).await
        }
        "true" | ":" => 0,
        "false" => 1,
        _ => return ProgramResult::Unknown,
    })
}

/// Output of a program.
struct Output<'a> {
    terminal: &'a mut Terminal,
    to_stderr: bool,
}

impl Output<'_> {
    async fn write(&self, bytes: &[u8]) {
        if self.to_stderr { self.terminal.err(bytes).await } else { self.terminal.out(bytes).await }
    }

    /// Writes a line. Returns exit code 0.
    async fn write_line(&self, text: &str) -> u8 {
        self.write(format!("{text}\n").as_bytes()).await;
        0
    }

    /// Writes a line to stderr. Returns exit code 1.
    async fn write_error(&self, text: &str) -> u8 {
        self.terminal.err(format!("{text}\n").as_bytes()).await;
        1
    }
}

/// Resolves a path against a directory.
pub(super) fn absolute(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { directory.split('/').collect() };
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    format!("/{}", parts.join("/"))
}

pub(super) fn is_directory(path: &str) -> bool {
    DIRECTORIES.contains(&path)
}

async fn echo(arguments: &[&str], output: &mut Output<'_>) -> u8 {
    match arguments.split_first() {
        Some((&"-n", rest)) => output.write(rest.join(" ").as_bytes()).await,
        _ => drop(output.write_line(&arguments.join(" ")).await),
    }
    0
}

async fn ls(shell: &Shell, arguments: &[&str], output: &mut Output<'_>) -> u8 {
    let path = arguments.iter().find(|argument| !argument.starts_with('-')).copied().unwrap_or(".");
    let directory = absolute(&shell.directory, path);
    if FILES.iter().any(|(file, _)| *file == directory) {
        return output.write_line(path).await;
    }
    if !is_directory(&directory) {
        return output.write_error(&format!("ls: {path}: No such file or directory")).await;
    }
    let files = FILES.iter().map(|(file, _)| *file).chain(DIRECTORIES);
    let mut names: Vec<&str> = files
        .filter_map(|file| file.strip_prefix(directory.trim_end_matches('/'))?.strip_prefix('/'))
        .filter(|name| !name.is_empty() && !name.contains('/'))
        .collect();
    names.sort_unstable();
    for name in names {
        output.write_line(name).await;
    }
    0
}

async fn cat(shell: &Shell, arguments: &[&str], output: &mut Output<'_>) -> u8 {
    if arguments.is_empty() {
        loop {
            match output.terminal.read_line().await {
                Input::Line(line) => output.write(&line).await,
                Input::Interrupt => return INTERRUPTED,
                Input::End => return 0,
            }
        }
    }
    let mut code = 0;
    for path in arguments {
        let wanted = absolute(&shell.directory, path);
        match FILES.iter().find(|(file, _)| *file == wanted) {
            Some((_, text)) => output.write(text.replace("$HOSTNAME", &shell.hostname).as_bytes()).await,
            None if is_directory(&wanted) => {
                code = output.write_error("cat: read error: Is a directory").await;
            }
            None => code = output.write_error(&format!("cat: can't open '{path}': No such file or directory")).await,
        }
    }
    code
}

/// Runs `seq`, which tests use for large output: `seq 100000`.
async fn seq(arguments: &[&str], output: &mut Output<'_>) -> u8 {
    let Some(last) = arguments.last().and_then(|last| last.parse::<u64>().ok()) else {
        return output.write_error("usage: seq LAST").await;
    };
    let numbers: Vec<u64> = (1..=last.min(10_000_000)).collect();
    for chunk in numbers.chunks(2000) {
        let lines: Vec<String> = chunk.iter().map(u64::to_string).collect();
        output.write_line(&lines.join("\n")).await;
    }
    0
}

async fn sleep(arguments: &[&str], output: &mut Output<'_>) -> u8 {
    let seconds = arguments.first().and_then(|seconds| seconds.parse::<f64>().ok());
    match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(time) if output.terminal.sleep(time).await => 0,
        Some(_) => INTERRUPTED,
        None => output.write_error("usage: sleep SECONDS").await,
    }
}

async fn stty(arguments: &[&str], output: &mut Output<'_>) -> u8 {
    if !output.terminal.is_tty() {
        return output.write_error("stty: standard input: Not a tty").await;
    }
    let size = output.terminal.size();
    match arguments {
        ["size"] => output.write_line(&format!("{} {}", size.height, size.width)).await,
        _ => output.write_error("usage: stty size").await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_against_a_directory() {
        let cases = [("/", "etc", "/etc"), ("/etc", "..", "/"), ("/etc", "../app/./x", "/app/x"), ("/a", "/", "/")];
        for (directory, path, expected) in cases {
            assert_eq!(absolute(directory, path), expected);
        }
    }
}
