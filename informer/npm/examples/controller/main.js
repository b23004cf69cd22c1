// A controller for the custom resource `Website` (website.json). Each Website gets a ConfigMap with its page. The controller restores it
// after a change or a deletion; the server deletes it together with the Website, its owner.
import { connect } from "kube-informer";

const log = document.querySelector("#app").appendChild(document.createElement("pre"));
const say = (line) => log.append(`${line}\n`);

main().catch((error) => say(error.message));

async function main() {
  const factory = await connect();
  const websites = factory.forResource("example.com/v1/websites");
  const pages = factory.forResource("v1/configmaps", { labelSelector: "app=website" });
  const queue = websites.workQueue();
  // A changed ConfigMap is reconciled by the key of its owner, which is the same.
  const enqueue = ({ metadata }) => queue.add(`${metadata.namespace}/${metadata.name}`);
  pages.addEventHandler({ onUpdate: (before, after) => enqueue(after), onDelete: enqueue });
  factory.start();
  await factory.waitForCacheSync();
  say("synced");
  for await (const key of queue) {
    try {
      await reconcile(key, await websites.indexer.getByKey(key), await pages.indexer.getByKey(key), factory.client);
      queue.forget(key);
    } catch (error) {
      say(`${key}: ${error.message}`);
      queue.addRateLimited(key);
    }
  }
}

/** Brings the ConfigMap of a Website to its wanted state. Called again for each change, so it writes only what differs. */
async function reconcile(key, website, page, client) {
  if (!website) return; // the server deletes its ConfigMap
  const { name, namespace, uid } = website.metadata;
  const data = { "index.html": `<h1>${website.spec?.title ?? name}</h1>` };
  if (page?.data?.["index.html"] === data["index.html"]) return;
  const ownerReferences = [{ apiVersion: website.apiVersion, kind: website.kind, name, uid, controller: true }];
  const metadata = { name, namespace, labels: { app: "website" }, ownerReferences };
  await client.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, { fieldManager: "website-controller", force: true });
  say(`${key}: applied`);
}
