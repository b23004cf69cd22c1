// Steady churn: changes pods of a cluster at a fixed rate.
import { join } from 'node:path';
import { serve } from '../support/processes.mjs';
import { required, targetDir } from './stage.mjs';

/** Returns the newest version of the pods, which counts writes in the embedded apiserver. */
async function revision(origin) {
  const response = await fetch(`${origin}/api/v1/pods?pretty=false&limit=1`);
  return Number((await response.json()).metadata.resourceVersion);
}

/** Runs `work` while pods change. Resolves to the actual number of changes per second. */
export async function changing(origin, rate, work) {
  const program = required(join(targetDir, 'native/bench-churn'), 'run cargo build --profile native -p bench-native');
  const churn = await serve(program, [origin, `${rate}`], { ready: /^changing \d+ pods$/m });
  const [before, start] = [await revision(origin), performance.now()];
  try {
    await work();
    const [after, end] = [await revision(origin), performance.now()];
    if (after === before) throw new Error('no pod has changed, though they should have');
    return (1000 * (after - before)) / (end - start);
  } finally {
    await churn.stop();
  }
}
