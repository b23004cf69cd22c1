// Smoothness of the map with 1,000 boxes: frame times of panning and zooming, the worker's layout, the page's longest task.
// PAGE=$(web/build.sh quick) node tests/bench/map.mjs
import { setStage, PATIENCE } from '../support/harness.mjs';

const [SERVICES, EACH, FRAMES] = [20, 49, 240];
const stage = await setStage({ args: ['--still'] });
try {
  const api = await stage.backdoor();
  const post = async (path, body) => {
    const response = await fetch(`${api}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'thousand' } });
  for (let at = 0; at < SERVICES; at += 1) {
    const labels = { app: `app-${at}` };
    await post('/api/v1/namespaces/thousand/services', { apiVersion: 'v1', kind: 'Service', metadata: { name: `app-${at}` }, spec: { selector: labels, ports: [{ port: 80 }] } });
    await Promise.all(Array.from({ length: EACH }, (_, pod) => post('/api/v1/namespaces/thousand/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: `app-${at}-${pod}`, labels }, spec: { nodeName: `n${pod % 10}`, containers: [{ name: 'web', image: 'web:1' }] } })));
  }
  const page = await stage.open('#/overview', { viewport: { width: 1400, height: 900 } });
  await page.evaluate(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: false });
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...more) {
      if (message?.boxes) {
        const start = performance.now();
        this.addEventListener('message', () => (globalThis.layoutMs = performance.now() - start), { once: true });
      }
      return post.call(this, message, ...more);
    };
    location.hash = '#/map?namespace=thousand';
  });
  await page.locator('.map-part[data-layout=ready]').waitFor({ timeout: PATIENCE });
  const opening = await page.evaluate(() => ({ boxes: document.querySelectorAll('.map-box').length, layoutMs: Math.round(globalThis.layoutMs), longestTaskMs: Math.max(0, ...globalThis.tasks.splice(0)) }));
  const frames = (kind) => page.evaluate(async ([kind, count]) => {
    const frame = document.querySelector('.map-frame');
    const { left, top } = frame.getBoundingClientRect();
    const wheel = (more) => frame.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX: left + 400, clientY: top + 300, ...more }));
    const times = [];
    for (let [at, before] = [0, await new Promise(requestAnimationFrame)]; at < count; at += 1) {
      wheel(kind === 'pan' ? { deltaX: at % 80 < 40 ? 25 : -25, deltaY: at % 120 < 60 ? 25 : -25 } : { ctrlKey: true, deltaY: at % 120 < 60 ? -16 : 16 });
      const now = await new Promise(requestAnimationFrame);
      times.push(now - before);
      before = now;
    }
    times.sort((a, b) => a - b);
    const of = (part) => Math.round(times[Math.floor(part * (count - 1))] * 10) / 10;
    return { median: of(0.5), p95: of(0.95), worst: of(1), longestTaskMs: Math.max(0, ...globalThis.tasks.splice(0)) };
  }, [kind, FRAMES]);
  const zoomAtFit = await frames('zoom');
  for (let at = 0; at < 8; at += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
  console.log(JSON.stringify({ opening, zoomAtFit, pan: await frames('pan'), zoom: await frames('zoom') }, null, 1));
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/map-thousand.png` });
  await page.context().close();
} finally {
  await stage.end();
}
