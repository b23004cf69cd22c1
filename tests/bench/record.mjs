// Recorder of an apiserver's responses: the pages of a list, and the events of the watch that follows it.
//
// Its events are status changes of one pod after the other, like nearly all events of pods.
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changing } from './churn.mjs';
import { startApiserver } from './stage.mjs';

const PODS = '/api/v1/pods?pretty=false';
/** Silence timeout in milliseconds: a watch that is silent for this long fails the recording. */
const SILENCE = 30_000;

/** Records into `folder`. Resolves to the content of its `summary.json`. */
export async function record(folder, { pods, events, limit = 500 }) {
  await mkdir(folder, { recursive: true });
  // Enough history for the watch to begin at the list's version, however long the list takes.
  const server = await startApiserver({ pods, history: 1_000_000 });
  try {
    const { tokens, resourceVersion, bytes } = await recordList(folder, server.url, limit);
    let watch;
    await changing(server.url, 5000, async () => (watch = await recordWatch(folder, server.url, resourceVersion, events)));
    const summary = { pods, limit, tokens, listBytes: bytes, events: watch.events, watchBytes: watch.bytes, last: watch.last };
    await writeFile(join(folder, 'summary.json'), JSON.stringify(summary));
    return summary;
  } finally {
    await server.stop();
  }
}

async function recordList(folder, url, limit) {
  const tokens = [];
  let token = '';
  let resourceVersion = '';
  let bytes = 0;
  do {
    const query = `&limit=${limit}${token && `&continue=${encodeURIComponent(token)}`}`;
    const response = await fetch(url + PODS + query);
    if (!response.ok) throw new Error(`recording a list: HTTP ${response.status}: ${await response.text()}`);
    const body = Buffer.from(await response.arrayBuffer());
    await writeFile(join(folder, `list-${tokens.length}.json`), body);
    // The metadata precedes the items.
    const head = body.subarray(0, 1024).toString();
    [, resourceVersion] = head.match(/"resourceVersion":"([^"]+)"/);
    token = head.match(/"continue":"([^"]+)"/)?.[1] ?? '';
    tokens.push(token);
    bytes += body.length;
  } while (token);
  return { tokens, resourceVersion, bytes };
}

/**
 * Records `events` events and a sentinel: a pod `bench/last` that appears nowhere else. A cache that holds it has received
 * every event.
 */
async function recordWatch(folder, url, resourceVersion, events) {
  const abort = new AbortController();
  const response = await fetch(`${url}${PODS}&watch=true&resourceVersion=${resourceVersion}`, { signal: abort.signal });
  const out = createWriteStream(join(folder, 'watch.jsonl'));
  let count = 0;
  let bytes = 0;
  let sample;
  const silent = setTimeout(() => abort.abort(), SILENCE);
  for await (const line of readLines(response.body)) {
    silent.refresh();
    if (line.startsWith('{"type":"ERROR"')) throw new Error(`recording a watch: ${line}`);
    if (!out.write(`${line}\n`)) await new Promise((resolve) => out.once('drain', resolve));
    bytes += Buffer.byteLength(line) + 1;
    sample = line;
    if (++count === events) break;
  }
  clearTimeout(silent);
  abort.abort();
  if (count < events) throw new Error(`recording a watch: ${count} of ${events} events came`);
  const event = JSON.parse(sample);
  const { metadata } = event.object;
  Object.assign(metadata, { namespace: 'bench', name: 'last', uid: '00000000-0000-4000-8000-000000000000' });
  const last = `${JSON.stringify({ ...event, type: 'ADDED' })}\n`;
  await new Promise((resolve) => out.end(last, resolve));
  return { bytes: bytes + Buffer.byteLength(last), last: 'bench/last', events: count + 1 };
}

async function* readLines(body) {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop();
      yield* lines;
    }
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  }
}
