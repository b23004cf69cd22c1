// Rules of the package that hold in every engine host, as scenarios in TypeScript: checked against its types, and run in a page.
import { connect } from "kube-informer";
import type { ErrorCode, InformerOptions, ResourceRef, SharedInformer, SharedInformerFactory } from "kube-informer";

interface ConfigMap {
  metadata: { name: string; namespace: string; uid: string };
  data?: Record<string, string>;
}

// Of in-page.js.
declare function until<T>(what: string, check: () => T | Promise<T>): Promise<NonNullable<T>>;
declare function api(method: string, path: string, body?: object): Promise<{ metadata: { uid: string } }>;
declare function namespace(name: string): Promise<string>;
declare function create(namespace: string, name: string): Promise<unknown>;
declare function remove(namespace: string, name: string): Promise<unknown>;

type Worker = "shared" | "elected" | "dedicated" | false;
interface Scene {
  factory: SharedInformerFactory;
  ns: string;
  maps: (options?: InformerOptions) => SharedInformer<ConfigMap>;
}

function equal<T>(actual: T, expected: T, what: string): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`${what}: ${is}, not ${wanted}`);
}

const post = (path: string, body: object = {}) => fetch(path, { method: "POST", body: JSON.stringify(body) }).then((response) => {
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
});
const clear = () => fetch("/admin/faults", { method: "DELETE" });

/** Runs `work` while no watch of config maps is answered. Afterwards the server has forgotten all versions before. */
async function unwatched(factory: SharedInformerFactory, work: () => Promise<void>): Promise<void> {
  await post("/admin/faults", { fault: "error", code: 500, verb: "watch", resource: "configmaps" });
  await post("/admin/cut-watches");
  await work();
  await post("/admin/compact");
  await clear();
  factory.retry();
}

const scenarios = {
  async "a handler is never called while another call of a handler runs, nor by the call that adds it"({ factory, ns, maps }: Scene) {
    for (const name of ["a", "b"]) await create(ns, name);
    const informer = maps();
    let [running, added] = [0, 0];
    const late: string[] = [];
    informer.addEventHandler({
      onAdd(object) {
        equal(running++, 0, "calls that run");
        const before = late.length;
        informer.addEventHandler({ onAdd: ({ metadata }) => void late.push(`${running} ${metadata.name}`) });
        informer.object(`${ns}/${object.metadata.name}`).close();
        equal(late.length, before, "calls by addEventHandler()");
        running--;
        added++;
      },
    });
    factory.start();
    await until("every handler has every object", () => late.length === added * added && added >= 2);
    equal(late.filter((call) => !call.startsWith("0 ")), [], "calls inside of another");
  },

  async "what was deleted while no watch was open comes with its last state, and a recreated object has another uid"({ factory, ns, maps }: Scene) {
    for (const name of ["gone", "again", "stays"]) await create(ns, name);
    const informer = maps();
    const calls: string[] = [];
    let relists = 0;
    informer.addEventListener("relist", () => relists++);
    factory.start();
    await informer.synced;
    const before = (await informer.lister.namespace(ns).get("again")).metadata.uid;
    await informer.addEventHandler({
      onAdd: ({ metadata }, isInInitialList) => void (isInInitialList || calls.push(`add ${metadata.name}`)),
      onUpdate: (before, after) => void calls.push(`update ${after.metadata.name} ${before.metadata.uid === after.metadata.uid}`),
      onDelete: ({ metadata, data }, finalStateUnknown) => void calls.push(`delete ${metadata.name} ${data?.step} ${finalStateUnknown}`),
    }).synced;
    await unwatched(factory, async () => {
      for (const name of ["gone", "again"]) await remove(ns, name);
      await create(ns, "again");
    });
    await until("the relist", () => calls.some((call) => call.startsWith("delete gone")) && calls.some((call) => / again/.test(call)));
    equal(calls.filter((call) => / gone/.test(call)), ["delete gone 1 true"], "the deleted one");
    const again = calls.filter((call) => / again/.test(call)).join();
    if (!["update again false", "delete again 1 true,add again"].includes(again)) throw new Error(again);
    equal(calls.filter((call) => / stays/.test(call)), [], "the unchanged one");
    equal((await informer.lister.namespace(ns).get("again")).metadata.uid === before, false, "the same uid");
    equal(relists > 0, true, "the event");
  },

  async "reads during a relist show the old state or the new one, never a mix"({ factory, ns, maps }: Scene) {
    const names = (kind: string) => Array.from({ length: 12 }, (_, at) => `${kind}-${at}`);
    await Promise.all(names("old").map((name) => create(ns, name)));
    const informer = maps({ pageSize: 5 });
    factory.start();
    await informer.synced;
    const seen = new Set<string>();
    let isReading = true;
    const reading = (async () => {
      while (isReading) {
        const kinds = (await informer.indexer.listKeys()).map((key) => /\/(old|new)-/.exec(key)?.[1]).filter((kind) => kind !== undefined);
        seen.add(`${new Set(kinds).size} of ${kinds.length}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    await unwatched(factory, async () => {
      await Promise.all(names("old").map((name) => remove(ns, name)));
      await Promise.all(names("new").map((name) => create(ns, name)));
    });
    await until("the new state", async () => (await informer.indexer.listKeys()).includes(`${ns}/new-0`));
    isReading = false;
    await reading;
    equal([...seen], ["1 of 12"], "states");
  },

  async "a forbidden list is told, and retried until it is allowed"({ factory, maps }: Scene) {
    const informer = maps();
    const codes: ErrorCode[] = [];
    informer.addEventListener("error", ({ error }) => void codes.push(error.code));
    await post("/admin/faults", { fault: "error", code: 403, resource: "configmaps" });
    factory.start();
    await until("it is told", () => codes.length > 0 && informer.status.lastError);
    const { phase, freshness, lastError } = informer.status;
    equal([codes[0], lastError?.code, freshness, phase === "failed", informer.hasSynced], ["forbidden", "forbidden", "forbidden", false, false], "status");
    await clear();
    factory.retry();
    await informer.synced;
    await until("healthy", () => informer.status.lastError === null);
  },

  async "a resource that does not exist is told, and listed once it does"({ factory, ns }: Scene) {
    const group = `${ns}.example.com`;
    const gadgets: ResourceRef = { group, version: "v1", resource: "gadgets" };
    const informer = factory.forResource<ConfigMap>(gadgets);
    const codes: ErrorCode[] = [];
    informer.addEventListener("error", ({ error }) => void codes.push(error.code));
    factory.start();
    await until("it is told", () => codes.length > 0);
    equal([codes[0], informer.status.phase === "failed"], ["not-found", false], "status");
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const definition = { group, scope: "Namespaced", names: { plural: "gadgets", singular: "gadget", kind: "Gadget" }, versions: [{ name: "v1", served: true, storage: true, schema }] };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await api("POST", path, { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `gadgets.${group}` }, spec: definition });
    await until("it is listed", () => (factory.retry(), informer.hasSynced));
    equal(await informer.indexer.list(), [], "objects");
  },

  async "an error of the network names both possible reasons"({ ns }: Scene, worker: Worker) {
    // No server listens on this port, and the page's policy forbids it: a page cannot tell these apart.
    const factory = await connect({ worker, url: "http://127.0.0.1:9", persist: false });
    const informer = factory.forResource("v1/configmaps", { namespace: ns });
    const error = await new Promise<{ code: ErrorCode; message: string; retryable: boolean }>((resolve) => {
      informer.addEventListener("error", (event) => resolve(event.error), { once: true });
      factory.start();
    });
    equal([error.code, error.retryable, /unreachable/.test(error.message), /CORS/.test(error.message)], ["network", true, true, true], error.message);
    await factory.shutdown();
  },

  async "the event synced is raised once, when the promise and the property say so, too"({ factory, maps }: Scene) {
    const informer = maps();
    const events: [boolean, boolean][] = [];
    informer.addEventListener("synced", () => void events.push([informer.hasSynced, informer.status.objects >= 0]));
    equal(informer.hasSynced, false, "before");
    factory.start();
    await informer.synced;
    await informer.addEventHandler({}).synced;
    equal(events, [[true, true]], "events");
  },
};

/** Runs a scenario with a factory and a namespace of its own. */
export async function run(name: keyof typeof scenarios, worker: Worker, id: string): Promise<void> {
  const factory = await connect({ worker });
  const ns = await namespace(id);
  const maps = (options?: InformerOptions) => factory.forResource<ConfigMap>("v1/configmaps", { namespace: ns, ...options });
  try {
    await scenarios[name]({ factory, ns, maps }, worker);
  } finally {
    await clear();
    await factory.shutdown();
  }
}
