//! Copies one cluster's objects to another through the API, status and all.
//!
//! ```text
//! seed --from http://127.0.0.1:9001 --to http://127.0.0.1:8001 --kubelet 10250
//! ```
//!
//! `make kube` uses it to fill a real apiserver from the embedded one, which has the simulated cluster.

mod body;
mod plan;

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Parser;
use futures::StreamExt as _;
use plan::Resource;
use reqwest::{Client, Method};
use serde_json::Value;

/// Requests at a time: more do not make a real apiserver on one machine quicker.
const AT_ONCE: usize = 16;
/// Timeout until a new custom resource is served.
const SERVED_WITHIN: Duration = Duration::from_secs(20);

/// Fills an apiserver with the objects of another one.
#[derive(Debug, Parser)]
struct Arguments {
    /// Apiserver to read from.
    #[arg(long, value_name = "URL")]
    from: String,
    /// Apiserver to write to.
    #[arg(long, value_name = "URL")]
    to: String,
    /// Port on 127.0.0.1 of the stub kubelet of all nodes.
    #[arg(long, value_name = "PORT")]
    kubelet: u16,
}

#[tokio::main]
async fn main() -> ExitCode {
    let start = Instant::now();
    match seed(&Arguments::parse()).await {
        Ok((written, refused)) => {
            println!("{written} objects written, {refused} refused, in {:.1} s", start.elapsed().as_secs_f64());
            if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

struct Seed {
    http: Client,
    to: String,
    kubelet: u16,
    /// The new UID of each old one: owners and events name objects by it.
    uids: Mutex<HashMap<String, String>>,
}

async fn seed(arguments: &Arguments) -> Result<(usize, usize), String> {
    let http = Client::builder().no_proxy().user_agent("seed").build().map_err(|error| error.to_string())?;
    let (from, to) = (arguments.from.trim_end_matches('/'), arguments.to.trim_end_matches('/').to_owned());
    let seed = Seed { http, to, kubelet: arguments.kubelet, uids: Mutex::default() };
    let (mut written, mut refused) = (0, 0);
    for resource in plan::resources(&seed.get(from, plan::CORE).await?, &seed.get(from, plan::GROUPS).await?) {
        let list = seed.get(from, &format!("{}/{}", resource.root, resource.plural)).await?;
        let items = list["items"].as_array().cloned().unwrap_or_default();
        if items.is_empty() {
            continue;
        }
        if resource.custom {
            seed.until_served(&resource).await?;
        }
        let results: Vec<Result<(), String>> = futures::stream::iter(items)
            .map(|object| seed.write(&resource, object))
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        for result in results {
            match result {
                Ok(()) => written += 1,
                Err(why) => {
                    // Only the first few errors are printed.
                    if refused < 10 {
                        eprintln!("{why}");
                    }
                    refused += 1;
                }
            }
        }
    }
    Ok((written, refused))
}

impl Seed {
    async fn get(&self, base: &str, path: &str) -> Result<Value, String> {
        let request = self.http.get(format!("{base}{path}")).header("accept", plan::accept(path));
        let response = request.send().await.map_err(|error| format!("{base}{path}: {error}"))?;
        let text = response.text().await.map_err(|error| format!("{base}{path}: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("{base}{path}: {error}"))
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> Result<(u16, Value), String> {
        let request = self.http.request(method.clone(), format!("{}{path}", self.to));
        let request = request.header("content-type", "application/json").body(body.to_string());
        let response = request.send().await.map_err(|error| format!("{method} {path}: {error}"))?;
        let status = response.status().as_u16();
        let text = response.text().await.map_err(|error| format!("{method} {path}: {error}"))?;
        Ok((status, serde_json::from_str(&text).unwrap_or_default()))
    }

    /// Creates an object, then its status. An existing object is not changed.
    async fn write(&self, resource: &Resource, mut object: Value) -> Result<(), String> {
        let old = object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
        let status = object["status"].take();
        let path = resource.path(object["metadata"]["namespace"].as_str());
        {
            let uids = self.uids.lock().map_err(|error| error.to_string())?;
            body::prepare(&mut object, resource, &uids);
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let (code, mut made) = self.send(Method::POST, &path, &object).await?;
        match code {
            201 => {}
            409 => return Ok(()),
            _ => return Err(format!("POST {path} {name}: {code} {}", made["message"])),
        }
        if let (Some(new), Ok(mut uids)) = (made["metadata"]["uid"].as_str(), self.uids.lock()) {
            uids.insert(old, new.to_owned());
        }
        if !resource.status || status.is_null() {
            return Ok(());
        }
        made["status"] = status;
        match resource.plural.as_str() {
            "nodes" => body::point_to_kubelet(&mut made["status"], self.kubelet),
            "jobs" => body::complete(&mut made["status"]),
            _ => {}
        }
        let path = format!("{path}/{name}/status");
        let (code, response) = self.send(Method::PUT, &path, &made).await?;
        if code == 200 { Ok(()) } else { Err(format!("PUT {path}: {code} {}", response["message"])) }
    }

    async fn until_served(&self, resource: &Resource) -> Result<(), String> {
        let start = Instant::now();
        let path = format!("{}/{}", resource.root, resource.plural);
        while self.get(&self.to, &path).await.is_err() {
            if start.elapsed() > SERVED_WITHIN {
                return Err(format!("{path} is not served after {SERVED_WITHIN:?}"));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }
}
