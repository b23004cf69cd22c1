// Merged logs: memory, ends and failures of several containers, and the informer of a followed selection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { settle } from './engine.mjs';
import { at, line } from './log-stage.mjs';
import { Merge } from '../../src/client/log-merge.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

test('a merge keeps no line that was taken, also of a log that never runs dry', async () => {
  const merge = new Merge();
  async function* endless() {
    for (;;) yield Array.from({ length: 1000 }, () => line(at(1), 'x'));
  }
  const adding = merge.add(endless(), {});
  const taken = [];
  for await (const batch of merge) {
    taken.push(new WeakRef(batch[0]));
    // Let more lines come, so that there are always some left.
    await settle();
    if (taken.length === 20) break;
  }
  merge.close();
  await settle();
  collectGarbage();
  const kept = taken.filter((ref) => ref.deref()).length;
  assert.ok(kept <= 6, `the first lines of ${kept} batches are kept`);
  await adding;
});
