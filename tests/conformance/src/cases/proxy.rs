//! Effects of `kubectl proxy` on responses. The embedded server behind it must behave the same.

use reqwest::Method;

use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["proxy":
    exec_is_forbidden, hosts_are_filtered, other_origins_get_no_permission, paths_keep_their_form,
];

fn needed(scene: &Scene) -> Outcome {
    if scene.target.proxied { Ok(()) } else { Err(Halt::Skip("there is no proxy before this target".to_owned())) }
}

async fn exec_is_forbidden(scene: &mut Scene) -> Outcome {
    needed(scene)?;
    for part in ["exec", "attach"] {
        let response = scene.get(&format!("pods/a/{part}")).await?;
        scene.check(part, response.summary(), "403 text/plain; charset=utf-8: Forbidden");
    }
    Ok(())
}

async fn hosts_are_filtered(scene: &mut Scene) -> Outcome {
    needed(scene)?;
    for (host, expected) in [
        ("localhost", 200),
        ("localhost:8001", 200),
        ("127.0.0.1:9", 200),
        ("[::1]", 200),
        ("[::1]:8001", 403),
        ("127.0.0.2", 403),
        ("app.localhost", 403),
        ("evil.example.com", 403),
    ] {
        let response = scene.send(scene.request(Method::GET, "/version").header("host", host)).await?;
        scene.check(host, response.status, expected);
    }
    Ok(())
}

async fn other_origins_get_no_permission(scene: &mut Scene) -> Outcome {
    let request = |method| scene.request(method, "configmaps").header("origin", "http://evil.example.com");
    let response = scene.send(request(Method::GET)).await?;
    let allowed: Vec<String> =
        response.headers.keys().map(ToString::to_string).filter(|name| name.starts_with("access-control")).collect();
    let preflight = request(Method::OPTIONS).header("access-control-request-method", "GET");
    let preflight = scene.send(preflight).await?;
    scene.check("a GET is answered", response.status, 200);
    scene.check("headers for it", allowed.join(" "), "");
    scene.check("a preflight", preflight.status, 405);
    Ok(())
}

async fn paths_keep_their_form(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let response = scene.get("configmaps/").await?;
    scene.check("a slash at the end", response.summary(), RECORDED);
    if scene.target.proxied {
        // The proxy makes it one.
        let response = scene.get("/api/v1//namespaces").await?;
        scene.check("two slashes", response.summary(), RECORDED);
    }
    Ok(())
}
