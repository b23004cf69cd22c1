// Recording of a rollout: the pods of a deployment while its image changes, as an animated WebP.
import sharp from 'sharp';
import { PATIENCE, eventually, freshness } from '../support/harness.mjs';

const VIEWPORT = { width: 1000, height: 470 };
/** Milliseconds between two frames, of the recording and of the animation. */
const STEP = 200;
/** Frames after the rollout has ended, so that its end can be read. */
const AFTER = 12;
const MAX_FRAMES = 70;

/** Records a rollout on the stage. Resolves to the file. */
export async function record(stage) {
  const page = await stage.open('#/apps/v1/deployments', { viewport: VIEWPORT, colorScheme: 'light' });
  await freshness(page, 'live').first().waitFor({ timeout: PATIENCE });
  const { namespace, name } = await page.evaluate(async () => {
    const factory = await globalThis.kubeInformer;
    const { items } = await (await factory.client.request('/apis/apps/v1/deployments')).json();
    const isReady = ({ spec, status }) => spec.replicas >= 5 && spec.replicas <= 8 && status.readyReplicas === spec.replicas;
    return items.find(isReady).metadata;
  });
  await page.evaluate((filter) => (location.hash = `#/v1/pods?filter=${encodeURIComponent(filter)}`), `name=${name}-*`);
  await page.locator('.canvas [role=row][data-key]:not([hidden])').first().waitFor({ timeout: PATIENCE });
  await page.mouse.move(0, 0);
  const frames = [await page.screenshot()];
  await page.evaluate(
    async ([namespace, name]) => {
      const { client } = await globalThis.kubeInformer;
      const ref = { resource: 'apps/v1/deployments', namespace, name };
      const { spec } = await client.get(ref);
      const containers = spec.template.spec.containers.map((container, at) => (at === 0 ? { ...container, image: `${container.image.split(':')[0]}:next` } : container));
      await client.patch(ref, { spec: { template: { spec: { containers } } } });
    },
    [namespace, name],
  );
  const isDone = () =>
    page.evaluate(
      async ([namespace, name]) => {
        const { spec, status, metadata } = await (await globalThis.kubeInformer).client.get({ resource: 'apps/v1/deployments', namespace, name });
        return status.observedGeneration === metadata.generation && status.updatedReplicas === spec.replicas && status.readyReplicas === spec.replicas && status.replicas === spec.replicas;
      },
      [namespace, name],
    );
  let next = performance.now();
  let left = AFTER;
  await eventually('the end of the rollout', PATIENCE, async () => {
    if (performance.now() < next) return false;
    next += STEP;
    frames.push(await page.screenshot());
    if (frames.length >= MAX_FRAMES) throw new Error(`the rollout took more than ${MAX_FRAMES} frames`);
    if (await isDone()) left -= 1;
    return left === 0;
  });
  await page.context().close();
  return sharp(frames, { join: { animated: true } }).webp({ quality: 55, effort: 6, delay: frames.map(() => STEP), loop: 0 }).toBuffer();
}
