// Task graph: order, limits, and the effect of a failing step on the others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runGraph } from './graph.mjs';

/** A graph whose steps the test ends; `running` are those that have started and not ended. */
function graph(steps, jobs) {
  const running = new Map();
  const order = [];
  const done = runGraph(
    steps,
    ({ name }) => {
      order.push(name);
      return new Promise((resolve, reject) => running.set(name, { resolve, reject }));
    },
    jobs,
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name, how = 'resolve') => {
    running.get(name)[how](new Error(name));
    running.delete(name);
    await settle();
  };
  return { done, end, order, settle, running: () => [...running.keys()] };
}

test('so many run at a time, in the order of the list', async () => {
  const { done, end, order, settle, running } = graph([{ name: 'a' }, { name: 'b' }, { name: 'c' }], 2);
  await settle();
  assert.deepEqual(running(), ['a', 'b']);
  await end('b');
  assert.deepEqual(running(), ['a', 'c']);
  await end('c');
  await end('a');
  await done;
  assert.deepEqual(order, ['a', 'b', 'c']);
});

test('a step waits for those before it, and a failed one holds up nothing', async () => {
  const { done, end, settle, running } = graph([{ name: 'late', after: ['early', 'not chosen'] }, { name: 'early' }], 2);
  await settle();
  assert.deepEqual(running(), ['early']);
  await end('early', 'reject');
  assert.deepEqual(running(), ['late']);
  await end('late');
  await done;
});

test('two steps with the same exclusive resource run one after the other, and a third step takes the free job', async () => {
  const steps = [{ name: 'a', uses: ['cargo'] }, { name: 'b', uses: ['cargo', 'kube'] }, { name: 'c', uses: ['page'] }, { name: 'd', uses: ['kube'] }];
  const { done, end, settle, running } = graph(steps, 2);
  await settle();
  assert.deepEqual(running(), ['a', 'c']);
  await end('a');
  assert.deepEqual(running(), ['c', 'b']);
  await end('c');
  assert.deepEqual(running(), ['b'], 'd needs what b uses');
  await end('b');
  assert.deepEqual(running(), ['d']);
  await end('d');
  await done;
});

test('a circle is an error, not an endless wait', async () => {
  const circle = [{ name: 'a', after: ['b'] }, { name: 'b', after: ['a'] }];
  await assert.rejects(runGraph(circle, () => {}, 2), /wait for each other: a, b/);
});
