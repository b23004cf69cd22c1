// Compares protobuf with JSON of a real apiserver: every built-in resource, as list, metadata, object and watch.
//
//   PODS=200 SEED=1 node tests/kube/compare-protobuf.mjs
//
// The decoder of informer/protobuf converts each protobuf response to JSON, which must be the bytes of the JSON response. The cluster
// is the simulated one, as in play.mjs; the `native` programs of it must be built.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/processes.mjs';
import { seed } from '../support/seed.mjs';
import { startRealWithProxy } from '../support/start.mjs';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const METADATA = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const EVENT_METADATA = 'as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

const folder = await mkdtemp(join(tmpdir(), 'compare-protobuf.'));
const targets = process.env.CARGO_TARGET_DIR ?? 'target';
let code = 0;
const server = await startRealWithProxy();

/** The body and the status of a response. */
async function get(path, accept) {
  const response = await fetch(`${server.url}${path}`, { headers: { accept, 'user-agent': 'compare' } });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

/** Resolves to the number of compared objects; undefined if the server has no protobuf of this resource. */
async function compare(mode, path, as) {
  for (let attempt = 1; ; attempt++) {
    const [protobuf, json] = await Promise.all([PROTOBUF, 'application/json'].map((type) => get(path, as ? `${type};${as}` : type)));
    if (protobuf.status === 406) return undefined;
    if (json.status !== 200 || protobuf.status !== 200) throw new Error(`${path}: ${json.status}, ${protobuf.status}`);
    const files = [join(folder, 'protobuf'), join(folder, 'json')];
    await Promise.all([writeFile(files[0], protobuf.body), writeFile(files[1], json.body)]);
    try {
      return Number(await run(join(targets, 'debug/examples/compare'), [mode, ...files]));
    } catch (error) {
      // Between two requests the apiserver may renew a lease.
      if (attempt === 3) throw new Error(`${path}: ${error.message.slice(0, 4000)}`);
    }
  }
}

try {
  await run('cargo', ['build', '-p', 'informer-protobuf', '--example', 'compare']);
  const binaries = process.env.BINARIES;
  console.log(await seed(server.url, { pods: process.env.PODS || '200', seed: process.env.SEED || '1', kubelet: '1', ...(binaries && { binaries }) }));
  const groups = ['/api/v1'];
  for (const group of JSON.parse((await get('/apis', 'application/json')).body).groups) {
    for (const { groupVersion } of group.versions) groups.push(`/apis/${groupVersion}`);
  }
  const totals = { list: 0, metadata: 0, object: 0, watch: 0 };
  for (const group of groups) {
    for (const { name, verbs } of JSON.parse((await get(group, 'application/json')).body).resources) {
      if (!verbs.includes('list')) continue;
      const path = `${group}/${name}`;
      const watch = `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`;
      const counts = { metadata: await compare('list', path, METADATA) };
      // The schema of a definition is in the schema of no package; custom resources have no protobuf.
      counts.list = group.startsWith('/apis/apiextensions.k8s.io/') ? undefined : await compare('list', path);
      if (counts.list === undefined) counts.watch = await compare('watch', watch, EVENT_METADATA);
      else if (verbs.includes('watch')) {
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
      for (const [mode, count] of Object.entries(counts)) totals[mode] += count ?? 0;
      console.log(`${path}: ${JSON.stringify(counts)}`);
    }
  }
  console.log(`the same bytes: ${JSON.stringify(totals)}`);
} catch (error) {
  console.error(error.message);
  code = 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}
process.exit(code);
