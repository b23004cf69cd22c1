// Compiled, never run. A line under @ts-expect-error that compiles is an error.
import { connect, init, InformerError } from "kube-informer";
import type {
  Access, ChangeCountsOptions, DifferencesOptions, ObjectDifference, Aggregate, AggregateGroup, AggregateOptions, AggregateOptionsError, AggregateSnapshot, AggregateValue, Change, ChangeBatch, Client, ColumnCounts, ErrorCode, EventHandlerOptions, ExecExit, ExecSession, FactoryStatus, FieldChange, FieldConflict, HistoryEntry, ConnectionBudget, InspectedInformer,
  Indexer, InformerOptions, InformerStatus, Inspection, KubeObject, Lister, LogLine, LogOptions, LogState, ObjectStore, ProtocolStep, RecordedChange, RecordedChangesOptions, Recording, RecordingOptions, RecordingSnapshot, Registration, ResourceInfo, SearchMatch, SearchOptions, SearchResult, SharedInformer, SharedInformerFactory, TableCell, TableColumn,
  TableRow, View, ViewCounts, ViewError, ViewOptions, ViewQuery, ViewSnapshot, WasmSource, WorkQueue, WorkQueueOptions,
} from "kube-informer";
import * as slim from "kube-informer/slim";
import type { SharedInformer as SlimInformer } from "kube-informer/slim";
import { useFactory, useInformer, useObject, useStatus, useSuspenseInformer, useSuspenseObject, useSuspenseView, useView } from "kube-informer/react";
import type { ViewState } from "kube-informer/react";
import "kube-informer/worker";
import manifest from "kube-informer/package.json" with { type: "json" };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(same: Equal<A, B>) => same;

interface Pod {
  metadata?: { name?: string; namespace?: string };
  spec?: { nodeName?: string };
}

const factory = await connect({ url: "/k8s/", worker: "shared", wasm: fetch("/informer.wasm"), signal: AbortSignal.timeout(1) });
is<typeof factory, SharedInformerFactory>(true);
is<ReturnType<typeof init>, Promise<WebAssembly.Module>>(true);
await init();
for (const wasm of ["", new URL("a:b"), new Response(), new Uint8Array(), fetch("")]) await init(wasm satisfies WasmSource);
for (const worker of ["dedicated", "elected", false, new Worker(""), new SharedWorker(""), new MessageChannel().port1] as const) {
  await connect({ worker });
}
// @ts-expect-error
await connect({ worker: true });
await connect({ headers: { Authorization: "Bearer x" }, credentials: "include", user: "zoe", maxStreams: 2, backoff: { maxMs: 5000 } });
for (const headers of [new Headers(), [["a", "b"]] as [string, string][], () => ({ a: "b" }), async () => new Headers(), async () => undefined]) await connect({ headers });
await connect({ fetch, worker: false });
await connect({ fetch: async (url, init) => new Response(`${url.length} ${init.method}`) });
// @ts-expect-error
await connect({ headers: "Bearer x" });
// @ts-expect-error
await connect({ credentials: "all" });
// @ts-expect-error
await connect({ backoff: { initial: 800 } });
await connect({ defaultResync: 60_000, persist: false, largeIntegers: "bigint", timeoutMs: Infinity });
// @ts-expect-error
await connect({ persist: "yes" });
await connect({ prestart: [["v1/pods", { namespace: "a" }], [{ version: "v1", resource: "nodes" }]], awaitEngine: false });
// @ts-expect-error each is the arguments of forResource
await connect({ prestart: ["v1/pods"] });
is<ReturnType<typeof factory.clearSnapshots>, Promise<void>>(true);
is<ReturnType<typeof factory.retry>, void>(true);
is<typeof factory.closed, Promise<void>>(true);

const pods = factory.forResource<Pod>("v1/pods", { namespace: "a", labelSelector: "b", fieldSelector: "c", pageSize: 1 });
is<typeof pods, SharedInformer<Pod>>(true);
const deployments = factory.forResource({ group: "apps", version: "v1", resource: "deployments" });
is<typeof deployments, SharedInformer<KubeObject>>(true);
is<(typeof deployments)["indexer"], Indexer<KubeObject>>(true);
factory.forResource({ version: "v1", resource: "pods" });
// @ts-expect-error
factory.forResource({ resource: "pods" });
// @ts-expect-error not an object of Kubernetes
factory.forResource<{ metadata: string }>("v1/pods");
factory.forResource("v1/pods", { indexers: { node: "{.spec.nodeName}" }, mode: "metadata", resync: 30_000 });
factory.forResource("v1/pods", { transform: { keepManagedFields: true, drop: ["{.status}"] as const } });
// @ts-expect-error a function cannot cross to a worker
factory.forResource("v1/pods", { transform: (pod: Pod) => pod });
is<ReturnType<typeof pods.waitFor>, Promise<Pod | undefined>>(true);
await pods.waitFor((pod) => pod?.spec?.nodeName === "a", "a/b", { signal: AbortSignal.timeout(1), timeoutMs: 1 });
// @ts-expect-error the object may be missing
await pods.waitFor((pod) => pod.spec === undefined, "a/b");
is<InformerOptions["mode"], "object" | "metadata" | undefined>(true);
// @ts-expect-error
factory.forResource("v1/pods", { mode: "Metadata" });
// @ts-expect-error a path, not a function: it is evaluated beside the cache
factory.forResource("v1/pods", { indexers: { node: (pod: Pod) => pod.spec?.nodeName } });
// @ts-expect-error
factory.forResource("v1/pods", { resync: "30s" });
factory.forResource("v1/pods", { transform: {} });

is<ReturnType<typeof factory.start>, void>(true);
is<Awaited<ReturnType<typeof factory.waitForCacheSync>>, Record<string, boolean>>(true);
await factory.waitForCacheSync({ signal: new AbortController().signal, timeoutMs: 1 });
is<Awaited<ReturnType<typeof factory.resources>>, ResourceInfo[]>(true);
is<ResourceInfo["scale"], boolean>(true);
is<ReturnType<typeof factory.status>, FactoryStatus>(true);
is<FactoryStatus["informers"][string], InformerStatus>(true);
is<ReturnType<typeof factory.shutdown>, Promise<void>>(true);
// @ts-expect-error not there yet
factory.view();

is<typeof pods.status, InformerStatus>(true);
is<typeof pods.hasSynced, boolean>(true);
is<typeof pods.synced, Promise<void>>(true);
is<typeof pods.lister, Lister<Pod>>(true);
is<typeof pods.resource.resource, string>(true);
// @ts-expect-error read-only
pods.hasSynced = true;
// @ts-expect-error a kind that no discovery told
pods.resource.kind;
is<ReturnType<typeof pods.addIndexers>, Promise<void>>(true);
await pods.addIndexers({ node: "{.spec.nodeName}" });
// @ts-expect-error
await pods.addIndexers({ node: 1 });

const aggregate = await pods.aggregate({ by: ["node"], of: [{ op: "count" }, { op: "sum", column: "cpu" }], limit: 5 } satisfies AggregateOptions);
is<typeof aggregate, Aggregate>(true);
is<typeof aggregate.ready, Promise<void>>(true);
is<typeof aggregate.error, AggregateOptionsError | null>(true);
is<AggregateOptionsError["range"], readonly [start: number, end: number] | null>(true);
is<ReturnType<typeof aggregate.getSnapshot>, AggregateSnapshot>(true);
is<AggregateSnapshot["groups"], readonly AggregateGroup[]>(true);
is<AggregateSnapshot["total"], readonly (number | null)[] | null>(true);
is<AggregateGroup["key"], readonly string[]>(true);
is<AggregateGroup["values"][number], number | null>(true);
is<AggregateValue["op"], "count" | "sum" | "min" | "max">(true);
is<ReturnType<typeof aggregate.subscribe>, () => void>(true);
is<ReturnType<typeof aggregate.close>, void>(true);
await pods.aggregate({ by: ["status", "team"], extraColumns: { team: ".metadata.labels.team" } });
await pods.aggregate();
// @ts-expect-error
await pods.aggregate({ of: [{ op: "avg", column: "cpu" }] });
// @ts-expect-error the column is missing
await pods.aggregate({ of: [{ op: "sum" }] });
// @ts-expect-error a count has no column
await pods.aggregate({ of: [{ op: "count", column: "cpu" }] });
// @ts-expect-error
await pods.aggregate({ by: "node" });
// @ts-expect-error a promise
pods.aggregate().getSnapshot();
{
  using _aggregate = await pods.aggregate();
}

const recording = await pods.recordChanges({ maxBytes: 1 << 20 } satisfies RecordingOptions);
is<typeof recording, Recording<Pod>>(true);
is<typeof recording.ready, Promise<void>>(true);
is<typeof recording.keptSince, number | null>(true);
is<ReturnType<typeof recording.getSnapshot>, RecordingSnapshot>(true);
is<RecordingSnapshot["keptSince"], number | null>(true);
is<RecordingSnapshot["time"], number | null>(true);
is<ReturnType<typeof recording.rewind>, Promise<void>>(true);
is<ReturnType<typeof recording.countChanges>, Promise<number[]>>(true);
is<ReturnType<typeof recording.differences>, Promise<ObjectDifference[]>>(true);
await recording.countChanges({ since: 0, until: 1, parts: 10 } satisfies ChangeCountsOptions);
await recording.differences({ since: 0 } satisfies DifferencesOptions);
await recording.rewind(null);
// @ts-expect-error a time or null
await recording.rewind();
is<ReturnType<typeof recording.subscribe>, () => void>(true);
is<ReturnType<typeof recording.changes>, Promise<RecordedChange[]>>(true);
is<RecordedChange["type"], "added" | "changed" | "deleted">(true);
is<RecordedChange["fields"], readonly FieldChange[]>(true);
is<FieldChange["before"], unknown>(true);
is<ReturnType<typeof recording.objectAt>, Promise<Pod | null>>(true);
await pods.recordChanges();
await recording.changes({ key: "a/b", since: 1, until: Date.now(), before: 7, limit: 5 } satisfies RecordedChangesOptions);
// @ts-expect-error
await recording.changes({ since: new Date() });
// @ts-expect-error the time is missing
await recording.objectAt("a/b");
// @ts-expect-error
recording.keptSince = 1;
{
  using _recording = await pods.recordChanges();
}

const queue = pods.workQueue({ baseDelayMs: 1, maxDelayMs: 2, qps: 3, burst: 4, resyncPeriod: 5 } satisfies WorkQueueOptions);
is<typeof queue, WorkQueue>(true);
is<ReturnType<typeof queue.get>, Promise<string | undefined>>(true);
await queue.get({ signal: new AbortController().signal });
is<[void, void, void, void, void], [
  ReturnType<typeof queue.add>, ReturnType<typeof queue.addAfter>, ReturnType<typeof queue.addRateLimited>,
  ReturnType<typeof queue.forget>, ReturnType<typeof queue.done>,
]>(true);
is<ReturnType<typeof queue.numRequeues>, Promise<number>>(true);
is<ReturnType<typeof queue.length>, Promise<number>>(true);
is<ReturnType<typeof queue.shutDown>, void>(true);
is<ReturnType<typeof queue.shutDownWithDrain>, Promise<void>>(true);
// @ts-expect-error
queue.addAfter("a/b");
// @ts-expect-error
pods.workQueue({ onUpdate() {} });
for await (const key of queue) is<typeof key, string>(true);

is<ReturnType<typeof pods.search>, Promise<SearchResult>>(true);
const found = await pods.search("web app=cart", { limit: 5, columns: ["IP"], indexes: ["image"] } satisfies SearchOptions);
is<(typeof found.matches)[number], SearchMatch>(true);
is<SearchMatch["in"], "name" | "key" | "uid" | "label" | "column" | "index">(true);
// @ts-expect-error
await pods.search(["web"]);
// @ts-expect-error
await pods.search("web", { columns: "IP" });
const inspection: Inspection = await pods.inspect();
is<ReturnType<typeof pods.inspect>, Promise<Inspection>>(true);
is<typeof inspection.transport.carrier, "fetch" | "websocket" | null>(true);
is<typeof inspection.metrics.earlyEnds, number>(true);
is<typeof inspection.metrics.falseSuspicions, number>(true);
is<(typeof inspection.metrics.handlers)[number]["hasSynced"], boolean>(true);
is<(typeof inspection.history)[number], HistoryEntry>(true);
is<HistoryEntry["what"], ProtocolStep>(true);
const { informers, connections, memory } = await factory.inspect({ history: true });
is<(typeof informers)[number], InspectedInformer>(true);
is<InspectedInformer["history"], readonly HistoryEntry[] | undefined>(true);
is<typeof connections, ConnectionBudget | null>(true);
is<typeof memory, number | null>(true);
// @ts-expect-error
await factory.inspect({ steps: true });
is<Extract<ProtocolStep, "list" | "broken-off" | "went-back">, "list" | "broken-off" | "went-back">(true);
is<HistoryEntry["code"], ErrorCode | undefined>(true);
// @ts-expect-error
inspection.history[0]?.what === "slow";

const registration = pods.addEventHandler(
  {
    onAdd: (pod, isInInitialList) => is<[typeof pod, typeof isInInitialList], [Pod, boolean]>(true),
    onUpdate: (before, after) => is<[typeof before, typeof after], [Pod, Pod]>(true),
    onDelete: (pod, finalStateUnknown) => is<[typeof pod, typeof finalStateUnknown], [Pod, boolean]>(true),
  },
  { signal: new AbortController().signal },
);
is<typeof registration, Registration>(true);
is<typeof registration.synced, Promise<void>>(true);
registration.remove();
pods.addEventHandler({ onDelete() {} });
// @ts-expect-error
pods.addEventHandler({ onAdded() {} });
pods.addEventHandler({}, { resyncPeriod: 1000 } satisfies EventHandlerOptions);
// @ts-expect-error
pods.addEventHandler({}, { resyncPeriod: "1s" });
{
  using _registration = pods.addEventHandler({});
  await using _factory = await connect();
  await using _pods = factory.forResource("v1/pods");
  await using _queue = _pods.workQueue();
}

is<Awaited<ReturnType<typeof pods.indexer.getByKey>>, Pod | undefined>(true);
is<Awaited<ReturnType<typeof pods.indexer.list>>, Pod[]>(true);
is<Awaited<ReturnType<typeof pods.indexer.listKeys>>, string[]>(true);
is<Awaited<ReturnType<typeof pods.indexer.byIndex>>, Pod[]>(true);
is<Awaited<ReturnType<typeof pods.indexer.indexKeys>>, string[]>(true);
is<Awaited<ReturnType<typeof pods.indexer.listIndexFuncValues>>, string[]>(true);
is<Awaited<ReturnType<typeof pods.indexer.getIndexers>>, Record<string, string>>(true);
is<Awaited<ReturnType<typeof pods.lister.list>>, Pod[]>(true);
is<Awaited<ReturnType<typeof pods.lister.get>>, Pod>(true);
const inNamespace = pods.lister.namespace("a");
is<Awaited<ReturnType<typeof inNamespace.list>>, Pod[]>(true);
is<Awaited<ReturnType<typeof inNamespace.get>>, Pod>(true);
await pods.lister.list("app=a");
await inNamespace.list("app in (a,b)");
// @ts-expect-error
await inNamespace.list({ app: "a" });
// @ts-expect-error
await pods.lister.list({ app: "a" });

for await (const batch of pods.changes({ replay: false })) {
  is<typeof batch, ChangeBatch<Pod>>(true);
  is<(typeof batch.changes)[number], Change<Pod>>(true);
  is<Change<Pod>["previous"], Pod | undefined>(true);
}
pods.addEventListener("error", (event) => is<typeof event.error, InformerError>(true));
pods.addEventListener("status", (event) => is<typeof event, Event>(true));

const error = {} as InformerError;
is<typeof error.code, ErrorCode>(true);
is<Extract<ErrorCode, "not-found" | "closed" | "network">, "not-found" | "closed" | "network">(true);
is<InformerStatus["phase"], "idle" | "listing" | "watching" | "reconnecting" | "stopped" | "failed">(true);
is<InformerStatus["lastError"], InformerError | null>(true);
is<typeof error.retryable, boolean>(true);
is<typeof error.request, string | undefined>(true);
error satisfies Error;
// @ts-expect-error they come from the package only
new InformerError();

is<typeof slim.connect, typeof connect>(true);
is<SlimInformer<Pod>, SharedInformer<Pod>>(true);
is<Parameters<typeof slim.init>, [wasm: WasmSource]>(true);
// @ts-expect-error it has none of its own
slim.init();
is<typeof manifest.name, string>(true);

const objects = pods.view();
is<typeof objects, View<Pod>>(true);
is<ReturnType<(typeof objects)["getSnapshot"]>["rows"], readonly Pod[]>(true);
using table = pods.view<{ key: string; phase: string | null }>({
  columns: { phase: "{.status.phase}" }, orderBy: [["phase", "desc"], ["name"]], window: [0, 50], filter: "phase=Running",
  labelSelector: "app", namespaces: ["a"],
} satisfies ViewOptions);
is<Awaited<typeof table.ready>, void>(true);
is<typeof table.error, ViewError | null>(true);
is<ViewError["range"], readonly [start: number, end: number] | null>(true);
table.error satisfies InformerError | null;
is<typeof table.pending, boolean>(true);
is<typeof table.columns, readonly TableColumn[]>(true);
is<TableColumn["type"], "string" | "number">(true);
is<typeof table.counts, ViewCounts>(true);
is<ReturnType<typeof objects.getSnapshot>, ViewSnapshot<Pod>>(true);
is<ViewSnapshot<Pod>["query"], Required<ViewQuery> | null>(true);
is<Awaited<ReturnType<typeof table.countValues>>, ColumnCounts>(true);
await table.countValues({ column: "phase", filter: "web", containing: "run" });
// @ts-expect-error
await table.countValues({ containing: "run" });
is<ReturnType<typeof table.freezeOrder>, void>(true);
is<ReturnType<typeof table.close>, void>(true);
const printed = pods.view({ columns: "kubectl", counts: ["Status"], window: [0, 50] });
is<typeof printed, View<TableRow>>(true);
is<TableRow["cells"], readonly TableCell[]>(true);
is<TableRow["gone"], boolean>(true);
const added = pods.view({ columns: "kubectl", extraColumns: { team: ".metadata.labels.team" } });
is<typeof added, View<TableRow>>(true);
// @ts-expect-error
pods.view({ columns: "kubectl", extraColumns: ["team"] });
// @ts-expect-error
pods.view({ columns: "wide" });
const followed = pods.object("a/b");
is<typeof followed, ObjectStore<Pod>>(true);
is<ReturnType<typeof followed.getSnapshot>, Pod | null | undefined>(true);
is<ReturnType<typeof followed.text>, string | null | undefined>(true);
const unfollow: () => void = followed.subscribe(() => followed.close());
unfollow();
const unsubscribe: () => void = table.subscribe(() => table.getSnapshot().total);
table.setWindow(50, 100);
table.change({ filter: "age<1h", orderBy: [["age"]], counts: ["phase"] } satisfies ViewQuery);
table.change({ window: [0, 10] });
// @ts-expect-error
pods.view({ orderBy: [["phase", "down"]] });
// @ts-expect-error
pods.view({ window: 5 });
// @ts-expect-error the columns are the view's for its life
table.change({ columns: {} });
unsubscribe();

const { client } = factory;
is<typeof client, Client>(true);
const ref = { resource: "v1/pods", namespace: "a", name: "b" } as const;
const read = await client.get<Pod>(ref, { signal: new AbortController().signal, timeoutMs: 1 });
is<typeof read, Pod>(true);
const untyped = await client.get(ref);
is<typeof untyped, KubeObject>(true);
is<Awaited<ReturnType<typeof client.create<Pod>>>, Pod>(true);
is<Awaited<ReturnType<typeof client.apply<Pod>>>, Pod>(true);
is<Awaited<ReturnType<typeof client.patch<Pod>>>, Pod>(true);
await client.get({ apiVersion: "v1", kind: "Pod", metadata: { name: "b" } });
// @ts-expect-error neither a resource nor an object
await client.get("v1/pods");
await client.apply("kind: Pod", { ref, force: true, dryRun: true, fieldManager: "me", fieldValidation: "Strict", onWarning: (warning) => is<typeof warning, string>(true) });
// @ts-expect-error only apply() takes fields over
await client.create({}, { force: true });
// @ts-expect-error
await client.patch(ref, {}, { type: "apply" });
is<ReturnType<typeof client.delete>, Promise<void>>(true);
await client.delete(ref, { propagation: "orphan", uid: "u", resourceVersion: "1", gracePeriodSeconds: 0 });
is<ReturnType<typeof client.evict>, Promise<void>>(true);
// @ts-expect-error only of delete()
await client.evict(ref, { propagation: "orphan" });
await client.scale(ref, 3, { dryRun: true });
// @ts-expect-error
await client.scale(ref, "3");
is<ReturnType<typeof client.can>, Promise<boolean>>(true);
is<ReturnType<typeof client.access>, Promise<Access>>(true);
is<ReturnType<typeof client.request>, Promise<Response>>(true);
await client.request("/version", { method: "POST", body: "{}", stream: true });

for await (const lines of client.logs(ref, { follow: true, tail: 0, since: new Date(), container: "*", maxStreams: 1, maxLineBytes: 1 } satisfies LogOptions)) {
  is<typeof lines, readonly LogLine[]>(true);
}
client.logs({ labelSelector: "app=web" }, { onState: (state) => is<typeof state, LogState>(true), since: 60 });
is<[LogLine["time"], LogLine["text"], LogLine["cut"], LogLine["pod"]], [string | null, string, number, string | undefined]>(true);
is<LogState["state"], "connecting" | "following" | "reconnecting" | "restarting" | "ended" | "failed" | "limited">(true);
is<LogOptions["tail"], number | undefined>(true);
// @ts-expect-error
client.logs(ref, { tail: "5" });

const session = await client.exec(ref, { command: ["sh"], container: "c", tty: true, stdin: true });
is<typeof session, ExecSession>(true);
is<typeof session.stdin, WritableStream<string | BufferSource> | null>(true);
is<[typeof session.stdout, typeof session.stderr], [ReadableStream<Uint8Array>, ReadableStream<Uint8Array> | null]>(true);
is<typeof session.exit, Promise<ExecExit>>(true);
is<ExecExit["code"], number | null>(true);
is<ReturnType<typeof session.resize>, void>(true);
// @ts-expect-error exec() has a command
await client.exec(ref, { tty: true });
is<Awaited<ReturnType<typeof client.attach>>, ExecSession>(true);

is<typeof error.conflicts, readonly FieldConflict[] | undefined>(true);
is<FieldConflict["subresource"], string | undefined>(true);
is<typeof error.retryAfterMs, number | undefined>(true);

const { factory: hooked, error: refused } = useFactory(connect, { url: "/k8s/" });
is<[typeof hooked, typeof refused], [SharedInformerFactory | null, InformerError | null]>(true);
useFactory(slim.connect);
// @ts-expect-error the hook aborts it
useFactory(connect, { signal: AbortSignal.timeout(1) });
const hookedPods = useInformer<Pod>(hooked, "v1/pods", { namespace: "shop" });
is<typeof hookedPods, SharedInformer<Pod> | null>(true);
is<ReturnType<typeof useStatus>, InformerStatus>(true);
useStatus(hookedPods);
const hookedObjects = useView(hookedPods, { filter: "web" });
is<typeof hookedObjects, ViewState<Pod>>(true);
const hookedTable = useView(hookedPods, { columns: "kubectl" });
is<(typeof hookedTable)["rows"], readonly TableRow[]>(true);
const hookedRows = useView<{ key: string; phase: string | null }>(hookedPods, { columns: { phase: "{.status.phase}" } });
is<(typeof hookedRows)["rows"][number]["phase"], string | null>(true);
is<[typeof hookedRows.pending, typeof hookedRows.error], [boolean, ViewError | null]>(true);
// @ts-expect-error
useView(hookedPods, { filter: 1 });
const hookedObject = useObject(hookedPods, null);
is<typeof hookedObject, Pod | null | undefined>(true);

const awaitedPods = useSuspenseInformer<Pod>(factory, "v1/pods", { namespace: "shop" });
is<typeof awaitedPods, SharedInformer<Pod>>(true);
// @ts-expect-error there is none to wait for
useSuspenseInformer<Pod>(hooked, "v1/pods");
const awaitedObjects = useSuspenseView(awaitedPods, { filter: "web" });
is<typeof awaitedObjects, ViewState<Pod>>(true);
const awaitedTable = useSuspenseView(awaitedPods, { columns: "kubectl" });
is<(typeof awaitedTable)["rows"], readonly TableRow[]>(true);
const awaitedRows = useSuspenseView<{ key: string; phase: string | null }>(awaitedPods, { columns: { phase: "{.status.phase}" } });
is<(typeof awaitedRows)["rows"][number]["phase"], string | null>(true);
// @ts-expect-error null while it opens
useSuspenseView(hookedPods);
const awaitedObject = useSuspenseObject(awaitedPods, "shop/web");
is<typeof awaitedObject, Pod | null>(true);
// @ts-expect-error without a key there is nothing to wait for
useSuspenseObject(awaitedPods, null);
