// Container states in the summary of a pod: state, readiness, restarts and last termination of each container, live.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, setStage, settled } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'container-states';
const { create, report, object, begin } = objectsIn(stage, ns);
// Days, so that the text of a time is the same for the whole test.
const at = (days) => new Date(Date.now() - (days + 0.5) * 86_400_000).toISOString().replace(/\.\d+/, '');
const status = (name, state, { ready = false, restarts = 0, last } = {}) =>
  ({ name, image: 'shop:2', imageID: '', ready, started: !!state.running, restartCount: restarts, state, lastState: last });
const waiting = (reason, message) => ({ waiting: { reason, message } });
const running = { running: { startedAt: at(10) } };
const terminated = (exitCode, reason, days = 11) => ({ terminated: { exitCode, reason, startedAt: at(20), finishedAt: at(days) } });

before(async () => {
  if (!stage.unavailable) await begin();
});

const reportStates = (name, init, main) => {
  const phase = init.every(({ ready }) => ready) ? 'Running' : 'Pending';
  return report('pod', name, { phase, initContainerStatuses: init, containerStatuses: main });
};

/** Creates a pod whose containers have these states, and opens its summary. `sidecars` are names of init containers that go on to run. */
async function open(name, init, main, sidecars = []) {
  const of = ({ name, image }) => ({ name, image, ...(sidecars.includes(name) && { restartPolicy: 'Always' }) });
  await create(object('v1', 'Pod', name, { spec: { nodeName: 'nowhere', initContainers: init.map(of), containers: main.map(of) } }));
  await reportStates(name, init, main);
  return stage.open(`#/v1/pods?object=${ns}%2F${name}`, { viewport: { width: 2000, height: 1000 } });
}

/** Waits until a table of the summary has exactly these rows: each value with its tone in brackets. */
const shows = (page, title, rows) => settled(title, () => page.evaluate((title) => {
  const section = [...document.querySelectorAll('.summary section')].find((section) => section.querySelector('h3').textContent === title);
  const cell = (td) => {
    const tone = td.querySelector('[data-tone]')?.dataset.tone;
    return `${td.innerText.replace(/\s+/g, ' ').trim()}${tone ? ` [${tone}]` : ''}`;
  };
  return [...(section?.querySelectorAll('tbody tr') ?? [])].map((row) => [...row.cells].map(cell).join(' | '));
}, title), rows);

test('containers in every state', options, async () => {
  const init = [
    status('fetch', terminated(0, 'Completed'), { ready: true }),
    status('proxy', running, { ready: true, restarts: 1, last: terminated(2, 'Error') }),
  ];
  const main = [
    status('crashes', waiting('CrashLoopBackOff', 'back-off 5m0s restarting failed container'), { restarts: 7, last: terminated(3, 'Error') }),
    status('pulls', waiting('ImagePullBackOff', 'Back-off pulling image "shop:2"')),
    status('serves', running, { ready: true, restarts: 1, last: terminated(137, 'OOMKilled') }),
    status('warms', running),
    status('greedy', terminated(137, 'OOMKilled'), { restarts: 2, last: terminated(137, 'OOMKilled', 12) }),
    status('fails', terminated(1, 'Error')),
    status('ends', terminated(143)),
    status('done', terminated(0, 'Completed')),
    status('begins', waiting('ContainerCreating')),
    status('waits', { waiting: {} }),
  ];
  const page = await open('all', init, main, ['proxy']);
  await shows(page, 'Init container states', [
    'fetch | Completed (exit code 0) 11d ago [idle] | yes | 0 | ',
    'proxy | Running 10d ago [ok] | yes | 1 [warn] | Error (exit code 2) 11d ago',
  ]);
  const expected = [
    'crashes | CrashLoopBackOff [bad] | no | 7 [warn] | Error (exit code 3) 11d ago',
    'pulls | ImagePullBackOff [bad] | no | 0 | ',
    'serves | Running 10d ago [ok] | yes | 1 [warn] | OOMKilled (exit code 137) 11d ago',
    'warms | Running 10d ago [warn] | no | 0 | ',
    'greedy | OOMKilled (exit code 137) 11d ago [bad] | no | 2 [warn] | OOMKilled (exit code 137) 12d ago',
    'fails | Error (exit code 1) 11d ago [bad] | no | 0 | ',
    'ends | Terminated (exit code 143) 11d ago [bad] | no | 0 | ',
    'done | Completed (exit code 0) 11d ago [idle] | no | 0 | ',
    'begins | ContainerCreating [warn] | no | 0 | ',
    'waits | Waiting [warn] | no | 0 | ',
  ];
  await shows(page, 'Container states', expected);
  // Another run of the first container, which ends.
  const again = status('crashes', running, { ready: true, restarts: 8, last: terminated(4, 'Error') });
  await reportStates('all', init, [again, ...main.slice(1)]);
  const runs = 'crashes | Running 10d ago [ok] | yes | 8 [warn] | Error (exit code 4) 11d ago';
  await shows(page, 'Container states', [runs, ...expected.slice(1)]);
  const killed = status('crashes', terminated(137, 'OOMKilled', 10), { restarts: 8, last: terminated(4, 'Error') });
  await reportStates('all', init, [killed, ...main.slice(1)]);
  const ended = 'crashes | OOMKilled (exit code 137) 10d ago [bad] | no | 8 [warn] | Error (exit code 4) 11d ago';
  await shows(page, 'Container states', [ended, ...expected.slice(1)]);
  await page.context().close();
});

test('an init container that crashes, and the containers that wait for it', options, async () => {
  const init = [
    status('fetch', terminated(0, 'Completed'), { ready: true }),
    status('migrate', waiting('CrashLoopBackOff', 'back-off'), { restarts: 4, last: terminated(1, 'Error') }),
    status('warm', waiting('PodInitializing')),
  ];
  const page = await open('init', init, [status('web', waiting('PodInitializing'))]);
  await shows(page, 'Init container states', [
    'fetch | Completed (exit code 0) 11d ago [idle] | yes | 0 | ',
    'migrate | CrashLoopBackOff [bad] | no | 4 [warn] | Error (exit code 1) 11d ago',
    'warm | PodInitializing [warn] | no | 0 | ',
  ]);
  await shows(page, 'Container states', ['web | PodInitializing [warn] | no | 0 | ']);
  await page.locator('.finding[data-code=ContainerCrashLoop]', { hasText: /migrate.*exited with code 1/ }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});
