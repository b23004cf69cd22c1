// Containers of a pod: selection by name, by "*" or by default, and the status of each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containersOf, defaultContainer, statusOf } from '../../src/client/containers.js';

const named = (...names) => names.map((name) => ({ name }));
const pod = {
  metadata: { annotations: {} },
  spec: { initContainers: named('init'), containers: named('first', 'main'), ephemeralContainers: named('debug') },
  status: {
    initContainerStatuses: [{ name: 'init', restartCount: 1 }],
    containerStatuses: [{ name: 'first', restartCount: 2 }, { name: 'main', restartCount: 3 }],
    ephemeralContainerStatuses: [{ name: 'debug', restartCount: 4 }],
  },
};
const annotated = (name) => ({ ...pod, metadata: { annotations: { 'kubectl.kubernetes.io/default-container': name } } });

test('the default container is the annotated one if the pod has it, else the first', () => {
  assert.equal(defaultContainer(pod), 'first');
  assert.equal(defaultContainer(annotated('main')), 'main');
  assert.equal(defaultContainer(annotated('gone')), 'first');
  assert.equal(defaultContainer(annotated('init')), 'first', 'an init container is no default');
  for (const metadata of [undefined, {}]) assert.equal(defaultContainer({ metadata, spec: pod.spec }), 'first');
  for (const spec of [undefined, {}, { containers: [] }]) assert.equal(defaultContainer({ spec }), undefined);
});

test('the selected containers of a pod', () => {
  assert.deepEqual(containersOf(pod, '*'), ['init', 'first', 'main', 'debug']);
  assert.deepEqual(containersOf(pod, undefined), ['first']);
  assert.deepEqual(containersOf(annotated('main'), undefined), ['main']);
  for (const name of ['init', 'main', 'debug']) assert.deepEqual(containersOf(pod, name), [name]);
  assert.deepEqual(containersOf(pod, 'gone'), []);
  for (const spec of [undefined, {}]) for (const wanted of ['*', undefined, 'main']) assert.deepEqual(containersOf({ spec }, wanted), []);
});

test('the status of a container, of whichever kind', () => {
  assert.deepEqual(['init', 'first', 'main', 'debug'].map((name) => statusOf(pod, name).restartCount), [1, 2, 3, 4]);
  assert.equal(statusOf(pod, 'gone'), undefined);
  for (const none of [undefined, {}, { status: {} }]) assert.equal(statusOf(none, 'main'), undefined);
});
