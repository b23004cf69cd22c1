// Compares protobuf with JSON of an apiserver: every built-in resource, as list, metadata, object and watch.
//
//   PODS=200 SEED=1 node tests/kube/compare-protobuf.mjs [real] [embedded]
//
// The decoder of informer/protobuf converts each protobuf response to JSON. Of a real apiserver, that must be the bytes of the JSON
// response. The embedded one sorts the members of its objects and stores no empty ones, so there the values must be the same.
// The cluster is the simulated one, as in play.mjs; the `native` programs of it must be built. The last line is
// `N passed, N failed, N skipped`, of resources.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { run } from '../support/processes.mjs';
import { seed } from '../support/seed.mjs';
import { binaries as native, startEmbedded, startRealWithProxy } from '../support/start.mjs';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const METADATA = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const EVENT_METADATA = 'as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
// A watch takes a second, in which the others can run.
const CONCURRENT = 16;

const binaries = process.env.BINARIES || native;
const program = join(process.env.CARGO_TARGET_DIR ?? 'target', 'debug/examples/compare');
const pods = process.env.PODS || '200';
const seedOf = process.env.SEED || '1';
const servers = process.argv.length > 2 ? process.argv.slice(2) : ['real', 'embedded'];
let next = 0;

/** Values without those that Go may omit. */
function withoutEmpty(value) {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)]);
  return Object.fromEntries(
    members.filter(([, member]) => member && !(typeof member === 'object' && Object.keys(member).length === 0)),
  );
}

/** Resolves to the number of compared objects of the embedded apiserver. */
async function compareValues(mode, files, json) {
  const ours = (await run(program, [mode, files[0]])).split('\n').filter(Boolean).map(JSON.parse);
  const theirs = mode === 'list' ? JSON.parse(json).items : mode === 'object' ? [JSON.parse(json)] : json.toString().split('\n').filter(Boolean).map(JSON.parse);
  if (ours.length !== theirs.length) throw new Error(`${ours.length} objects in protobuf, ${theirs.length} in JSON`);
  for (const [at, object] of ours.entries()) {
    const [protobuf, json] = [object, theirs[at]].map(withoutEmpty);
    if (!isDeepStrictEqual(protobuf, json)) throw new Error(`difference\nprotobuf ${JSON.stringify(protobuf)}\nJSON     ${JSON.stringify(json)}`);
  }
  return ours.length;
}

/** Compares all resources of a server. Resolves to the numbers of resources that passed and failed. */
async function compareAll(url, exact, folder) {
  /** The body and the status of a response. */
  async function get(path, accept) {
    const response = await fetch(`${url}${path}`, { headers: { accept, 'user-agent': 'compare' } });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** Resolves to the number of compared objects; undefined if the server has no protobuf of this resource. */
  async function compare(mode, path, as) {
    for (let attempt = 1; ; attempt++) {
      const [protobuf, json] = await Promise.all([PROTOBUF, 'application/json'].map((type) => get(path, as ? `${type};${as}` : type)));
      if (protobuf.status === 406) return undefined;
      if (json.status !== 200 || protobuf.status !== 200) throw new Error(`${path}: ${json.status}, ${protobuf.status}`);
      const files = ['protobuf', 'json'].map((name) => join(folder, `${next++}.${name}`));
      await Promise.all([writeFile(files[0], protobuf.body), writeFile(files[1], json.body)]);
      try {
        return exact ? Number(await run(program, [mode, ...files])) : await compareValues(mode, files, json.body);
      } catch (error) {
        // Between two requests the apiserver may renew a lease.
        if (attempt === 3) throw new Error(`${path}: ${error.message.slice(0, 4000)}`);
      } finally {
        await Promise.all(files.map((file) => rm(file)));
      }
    }
  }

  async function compareResource(group, { name, verbs }) {
    const path = `${group}/${name}`;
    const watch = `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`;
    const counts = { metadata: await compare('list', path, METADATA) };
    // The schema of a definition is in the schema of no package; custom resources have no protobuf.
    counts.list = group.startsWith('/apis/apiextensions.k8s.io/') ? undefined : await compare('list', path);
    if (!verbs.includes('watch')) return counts;
    if (counts.list === undefined) counts.watch = await compare('watch', watch, EVENT_METADATA);
    else {
      // Bookmarks at the end of the second may come or not.
      counts.watch = await compare('watch', watch);
      counts.watch += await compare('watch', watch, EVENT_METADATA);
    }
    const [first] = JSON.parse((await get(path, 'application/json')).body).items;
    if (first && counts.list !== undefined && verbs.includes('get')) {
      const { namespace } = first.metadata;
      const place = namespace ? `${group}/namespaces/${namespace}/${name}` : path;
      counts.object = await compare('object', `${place}/${first.metadata.name}`);
    }
    return counts;
  }

  const groups = ['/api/v1'];
  for (const group of JSON.parse((await get('/apis', 'application/json')).body).groups) {
    for (const { groupVersion } of group.versions) groups.push(`/apis/${groupVersion}`);
  }
  const resources = [];
  for (const group of groups) {
    for (const resource of JSON.parse((await get(group, 'application/json')).body).resources) {
      // The states of components are requested from them each time, and come in any order.
      if (resource.verbs.includes('list') && resource.name !== 'componentstatuses') resources.push([group, resource]);
    }
  }
  const objects = { list: 0, metadata: 0, object: 0, watch: 0 };
  const result = { passed: 0, failed: 0, objects };
  const waiting = [...resources];
  async function work() {
    for (let of; (of = waiting.shift()); ) {
      try {
        for (const [mode, count] of Object.entries(await compareResource(...of))) objects[mode] += count ?? 0;
        result.passed++;
      } catch (error) {
        console.log(error.message);
        result.failed++;
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return result;
}

/** Starts a server with the simulated cluster. */
async function start(name) {
  if (name === 'embedded') return startEmbedded(['--pods', pods, '--churn', '0', '--seed', seedOf], { folder: binaries });
  const server = await startRealWithProxy();
  console.log(await seed(server.url, { pods, seed: seedOf, kubelet: '1', binaries }));
  return server;
}

const totals = { passed: 0, failed: 0, skipped: 0 };

/** Starts a server, compares its resources and stops it. */
async function compareServer(name) {
  let server;
  try {
    server = await start(name);
    const exact = name === 'real';
    const { passed, failed, objects } = await compareAll(server.url, exact, folder);
    console.log(`${name}: the same ${exact ? 'bytes' : 'values'} in ${passed} resources: ${JSON.stringify(objects)}`);
    totals.passed += passed;
    totals.failed += failed;
  } catch (error) {
    if (error.exitCode === 75) {
      console.log(`${name} skipped: ${error.message.split('\n').at(-1)}`);
      totals.skipped++;
    } else {
      console.log(`${name}: ${error.message}`);
      totals.failed++;
    }
  } finally {
    await server?.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'compare-protobuf.'));
try {
  await run('cargo', ['build', '-p', 'informer-protobuf', '--example', 'compare']);
  await Promise.all(servers.map(compareServer));
} catch (error) {
  console.log(error.message);
  totals.failed++;
} finally {
  await rm(folder, { recursive: true });
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed === 0 ? 0 : 1);
