//! Program: its output, files and exit codes.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_apiserver"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn the_program_prints_its_address_writes_a_kubeconfig_and_ends_on_sigterm() {
    let kubeconfig = std::env::temp_dir().join(format!("apiserver-kubeconfig-{}", std::process::id()));
    let mut program = start(&["--pods", "10", "--kubeconfig", kubeconfig.to_str().unwrap()]);
    let mut stdout = BufReader::new(program.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let url = line.trim_end().strip_prefix("listening on ").unwrap().to_owned();
    assert!(url.starts_with("http://127.0.0.1:"));
    assert!(std::fs::read_to_string(&kubeconfig).unwrap().contains(&format!("server: {url}\n")));
    let watch = reqwest::get(format!("{url}/api/v1/pods?watch=1")).await.unwrap();
    assert_eq!(watch.status(), 200);
    // A second one on the same port prints one sentence.
    let port = url.rsplit(':').next().unwrap();
    let mut second = start(&["--pods", "0", "--port", port]);
    assert_eq!(second.wait().unwrap().code(), Some(1));
    let mut sentence = String::new();
    second.stderr.take().unwrap().read_to_string(&mut sentence).unwrap();
    assert_eq!(sentence, format!("Port {port} on 127.0.0.1 is already in use; choose another with --port.\n"));
    let begin = Instant::now();
    let killed = Command::new("kill").args(["-TERM", &program.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(program.wait().unwrap().code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(60), "stopping waits for open watches");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "more than one line");
    std::fs::remove_file(&kubeconfig).unwrap();
}
