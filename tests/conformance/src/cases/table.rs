//! Tables.

use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["table":
    list_has_columns_and_rows, objects_come_as_asked, pages_are_pages, watch_tells_columns_once, watch_without_objects,
    watch_list_ends_with_a_marked_row, of_pods_says_how_they_are, of_deployments_counts, of_one_object, definitions_are_the_same,
];

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

async fn list_has_columns_and_rows(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    scene.touch("a", "1").await?;
    let list = scene.get_as(TABLE, "configmaps").await?;
    scene.check("content type", list.header("content-type"), "application/json");
    scene.check("keys", words::keys(&list.json), "apiVersion columnDefinitions kind metadata rows");
    scene.check("version of the API", &list.json["apiVersion"], json!("meta.k8s.io/v1"));
    scene.check(
        "table",
        words::table(&list.json),
        "Table [Name,Data,Age] a:PartialObjectMetadata b:PartialObjectMetadata",
    );
    scene.check(
        "cells",
        list.json["rows"][0]["cells"].as_array().map(|cells| cells[..2].to_vec()).map(Value::from).unwrap_or_default(),
        json!(["a", 1]),
    );
    scene.check("metadata", words::keys(&list.json["metadata"]), "resourceVersion");
    scene.check("keys of a row", words::keys(&list.json["rows"][0]), "cells object");
    scene.check("keys of its object", words::keys(&list.json["rows"][0]["object"]), "apiVersion kind metadata");
    scene.check("version of its API", &list.json["rows"][0]["object"]["apiVersion"], json!("meta.k8s.io/v1"));
    Ok(())
}

async fn objects_come_as_asked(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for (ask, expected) in [
        ("None", "Table [Name,Data,Age] a:null"),
        ("Metadata", "Table [Name,Data,Age] a:PartialObjectMetadata"),
        ("Object", "Table [Name,Data,Age] a:ConfigMap"),
        ("", "Table [Name,Data,Age] a:PartialObjectMetadata"),
    ] {
        let list = scene.get_as(TABLE, &format!("configmaps?includeObject={ask}")).await?;
        scene.check(ask, words::table(&list.json), expected);
    }
    let response = scene.get_as(TABLE, "configmaps?includeObject=Everything").await?;
    scene.check("nonsense", response.summary(), RECORDED);
    Ok(())
}

async fn pages_are_pages(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    let page = scene.get_as(TABLE, "configmaps?limit=2").await?;
    scene.check("metadata", words::keys(&page.json["metadata"]), "continue remainingItemCount resourceVersion");
    let token = page.json["metadata"]["continue"].as_str().unwrap_or_default();
    let page = scene.get_as(TABLE, &format!("configmaps?limit=2&continue={token}")).await?;
    scene.check("second", words::table(&page.json), "Table [Name,Data,Age] c:PartialObjectMetadata");
    Ok(())
}

async fn watch_tells_columns_once(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let mut watch = scene.watch_as(TABLE, "configmaps?timeoutSeconds=10").await?;
    let first = watch.event().await?;
    scene.check(
        "first",
        format!("{} {}", first["type"], words::table(&first["object"])),
        r#""ADDED" Table [Name,Data,Age] a:PartialObjectMetadata"#,
    );
    let second = watch.event().await?;
    scene.check(
        "second",
        format!("{} {}", second["type"], words::table(&second["object"])),
        r#""ADDED" Table null b:PartialObjectMetadata"#,
    );
    scene.check("keys", words::keys(&second["object"]), "apiVersion columnDefinitions kind metadata rows");
    let touched = scene.touch("a", "1").await?;
    let third = watch.event().await?;
    scene.check(
        "third",
        format!("{} {}", third["type"], words::table(&third["object"])),
        r#""MODIFIED" Table null a:PartialObjectMetadata"#,
    );
    scene.check("version", words::version(&third["object"]) == touched, true);
    scene.delete("configmaps/b").await?.object()?;
    let fourth = watch.event().await?;
    scene.check(
        "fourth",
        format!("{} {}", fourth["type"], words::table(&fourth["object"])),
        r#""DELETED" Table null b:PartialObjectMetadata"#,
    );
    Ok(())
}

async fn watch_without_objects(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let mut watch = scene
        .watch_as(TABLE, &format!("configmaps?timeoutSeconds=10&includeObject=None&resourceVersion={version}"))
        .await?;
    let touched = scene.touch("a", "1").await?;
    let event = watch.event().await?;
    scene.check("event", words::table(&event["object"]), "Table [Name,Data,Age] a:null");
    scene.check("row", words::keys(&event["object"]["rows"][0]), "cells object");
    scene.check("version", words::version(&event["object"]) == touched, true);
    Ok(())
}

async fn watch_list_ends_with_a_marked_row(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for ask in ["None", "Metadata", "Object"] {
        let path = format!(
            "configmaps?timeoutSeconds=10&includeObject={ask}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
        );
        let mut watch = scene.watch_as(TABLE, &path).await?;
        scene.check(ask, watch.take(1).await?, "ADDED");
        let mut mark = watch.event().await?;
        scene.check("type", &mark["type"], json!("BOOKMARK"));
        let versions = (words::version(&mark["object"]), words::version(&mark["object"]["rows"][0]["object"]));
        scene.check("both versions are one", versions.0 == versions.1 && !versions.0.is_empty(), true);
        mark["object"]["metadata"]["resourceVersion"] = json!("N");
        mark["object"]["rows"][0]["object"]["metadata"]["resourceVersion"] = json!("N");
        scene.check(&format!("the mark with {ask}"), &mark["object"], RECORDED);
    }
    Ok(())
}

async fn of_pods_says_how_they_are(scene: &mut Scene) -> Outcome {
    let pod = json!({"metadata": {"name": "a"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}, {"name": "d", "image": "i"}]}});
    scene.create("pods", &pod).await?;
    let cells = async |scene: &Scene| -> Outcome<String> {
        let table = scene.get_as(TABLE, "pods").await?.object()?;
        let cells = table["rows"][0]["cells"].as_array().cloned().unwrap_or_default();
        // All but the age.
        Ok(Value::from(
            cells.into_iter().enumerate().filter(|(at, _)| *at != 4).map(|(_, cell)| cell).collect::<Vec<_>>(),
        )
        .to_string())
    };
    let seen = cells(scene).await?;
    scene.check("new", seen, r#"["a","0/2","Pending","0","<none>","n","<none>","<none>"]"#);
    let container = |name: &str, state: Value, ready: bool, restarts: u32| json!({"name": name, "image": "i", "imageID": "", "ready": ready, "restartCount": restarts, "state": state});
    let running = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
    let status = json!({"status": {"phase": "Running", "podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}], "containerStatuses": [
        container("c", running.clone(), true, 0), container("d", json!({"waiting": {"reason": "CrashLoopBackOff"}}), false, 3),
    ]}});
    scene.merge("pods/a/status", &status).await?.object()?;
    let seen = cells(scene).await?;
    scene.check("in a crash loop", seen, r#"["a","1/2","CrashLoopBackOff","3","127.0.0.1","n","<none>","<none>"]"#);
    let status = json!({"status": {"containerStatuses": [container("c", running.clone(), true, 0), container("d", running, true, 3)]}});
    scene.merge("pods/a/status", &status).await?.object()?;
    let seen = cells(scene).await?;
    scene.check("running", seen, r#"["a","2/2","Running","3","127.0.0.1","n","<none>","<none>"]"#);
    let ended = |code: u32, reason: &str| json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:00Z"}});
    let status = json!({"status": {"phase": "Succeeded", "containerStatuses": [container("c", ended(0, "Completed"), false, 0), container("d", ended(0, "Completed"), false, 3)]}});
    scene.merge("pods/a/status", &status).await?.object()?;
    let seen = cells(scene).await?;
    scene.check("completed", seen, RECORDED);
    scene.delete("pods/a").await?.object()?;
    let seen = cells(scene).await?;
    scene.check("going", seen, RECORDED);
    Ok(())
}

async fn of_deployments_counts(scene: &mut Scene) -> Outcome {
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}});
    let deployment = json!({"metadata": {"name": "a"}, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "a"}}, "template": template}});
    let path = "/apis/apps/v1/namespaces/NS/deployments";
    scene.create(path, &deployment).await?;
    let status = json!({"status": {"replicas": 3, "updatedReplicas": 2, "readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 2}});
    scene.merge(&format!("{path}/a/status"), &status).await?.object()?;
    let mut table = scene.get_as(TABLE, path).await?.object()?;
    scene.check(
        "table",
        words::table(&table),
        "Table [Name,Ready,Up-to-date,Available,Age,Containers,Images,Selector] a:PartialObjectMetadata",
    );
    table["rows"][0]["cells"][4] = json!("AGE");
    scene.check("cells", &table["rows"][0]["cells"], json!(["a", "1/3", 2, 1, "AGE", "c", "i:1", "app=a"]));
    Ok(())
}

async fn of_one_object(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let table = scene.get_as(TABLE, "configmaps/a").await?;
    scene.check("table", words::table(&table.json), "Table [Name,Data,Age] a:PartialObjectMetadata");
    Ok(())
}

async fn definitions_are_the_same(scene: &mut Scene) -> Outcome {
    for (path, expected) in [
        ("configmaps", RECORDED),
        ("pods", RECORDED),
        ("secrets", RECORDED),
        ("services", RECORDED),
        ("events", RECORDED),
        ("serviceaccounts", RECORDED),
        ("endpoints", RECORDED),
        ("persistentvolumeclaims", RECORDED),
        ("resourcequotas", RECORDED),
        ("limitranges", RECORDED),
        ("replicationcontrollers", RECORDED),
        ("/api/v1/namespaces", RECORDED),
        ("/api/v1/nodes", RECORDED),
        ("/api/v1/persistentvolumes", RECORDED),
        ("/apis/apps/v1/deployments", RECORDED),
        ("/apis/apps/v1/replicasets", RECORDED),
        ("/apis/apps/v1/statefulsets", RECORDED),
        ("/apis/apps/v1/daemonsets", RECORDED),
        ("/apis/apps/v1/controllerrevisions", RECORDED),
        ("/apis/batch/v1/jobs", RECORDED),
        ("/apis/batch/v1/cronjobs", RECORDED),
        ("/apis/autoscaling/v2/horizontalpodautoscalers", RECORDED),
        ("/apis/networking.k8s.io/v1/ingresses", RECORDED),
        ("/apis/networking.k8s.io/v1/ingressclasses", RECORDED),
        ("/apis/networking.k8s.io/v1/networkpolicies", RECORDED),
        ("/apis/policy/v1/poddisruptionbudgets", RECORDED),
        ("/apis/storage.k8s.io/v1/storageclasses", RECORDED),
        ("/apis/discovery.k8s.io/v1/endpointslices", RECORDED),
        ("/apis/rbac.authorization.k8s.io/v1/roles", RECORDED),
        ("/apis/rbac.authorization.k8s.io/v1/rolebindings", RECORDED),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", RECORDED),
        ("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", RECORDED),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", RECORDED),
    ] {
        let table = scene.get_as(TABLE, &format!("{path}?limit=1&includeObject=None")).await?.object()?;
        let column = |column: &Value| {
            format!(
                "{}:{}:{}",
                column["name"].as_str().unwrap_or(RECORDED),
                column["type"].as_str().unwrap_or(RECORDED),
                column["priority"]
            )
        };
        let columns: Vec<String> = table["columnDefinitions"].as_array().into_iter().flatten().map(column).collect();
        scene.check(path, columns.join(" "), expected);
    }
    Ok(())
}
