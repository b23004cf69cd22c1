// Layout of the picture of related objects, tested without a page: positions of the nodes, and the lines between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { place } from '../src/picture.js';

const SIZE = [160, 56];
const node = (id, size = SIZE) => ({ id, size });
const branch = (side, from, id, ...ids) => ({ id, side, from, size: [70, 18], nodes: ids.map((id) => node(id)) });
const self = node('self', [160, 60]);
/** A pod: its owners, what selects it, what it uses. */
const pod = [
  branch('above', 'set', 'owner-2', 'deployment'),
  branch('above', 'self', 'owner', 'set'),
  branch('before', 'self', 'selected', 'service', 'budget'),
  branch('after', 'self', 'node', 'n1'),
  branch('after', 'self', 'uses', 'secret', 'map', 'claim'),
];

/** The boxes of all nodes and labels: the computed positions with the given sizes. */
function boxesOf(given, { nodes }) {
  const all = [given.self, ...given.branches, ...given.branches.flatMap(({ nodes }) => nodes)];
  return new Map(all.map(({ id, size: [width, height] }) => [id, { left: nodes[id][0], top: nodes[id][1], width, height }]));
}

function draw(branches, room = 5000) {
  const given = { self, branches, room };
  const result = place(given);
  return { result, boxes: boxesOf(given, result) };
}

const centre = ({ left, top, width, height }) => [left + width / 2, top + height / 2];

function assertApart(boxes, { width, height }) {
  const all = [...boxes];
  for (const [at, [id, a]] of all.entries()) {
    assert.ok(a.left >= 0 && a.top >= 0 && a.left + a.width <= width && a.top + a.height <= height, `${id} is inside the picture`);
    for (const [other, b] of all.slice(at + 1)) {
      const overlap = a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
      assert.ok(!overlap, `${id} and ${other} overlap`);
    }
  }
}

test('owners are above the object, what it owns is below, the rest beside it', () => {
  const { result, boxes } = draw([...pod, branch('below', 'self', 'owns', 'child', 'other'), branch('below', 'child', 'owns-2', 'grandchild')]);
  assertApart(boxes, result);
  const at = (id) => centre(boxes.get(id));
  assert.ok(at('deployment')[1] < at('set')[1] && at('set')[1] < at('self')[1]);
  assert.ok(at('child')[1] > at('self')[1] && at('grandchild')[1] > at('child')[1]);
  assert.equal(at('child')[1], at('other')[1]);
  for (const id of ['service', 'budget']) assert.ok(at(id)[0] < at('selected')[0] && at('selected')[0] < at('self')[0], id);
  for (const id of ['secret', 'map', 'claim']) assert.ok(at(id)[0] > at('uses')[0] && at('uses')[0] > at('self')[0], id);
});

test('without room for both sides, referrers are on the right', () => {
  const { result: wide } = draw(pod);
  const { result: narrow, boxes } = draw(pod, wide.width - 1);
  assertApart(boxes, narrow);
  assert.ok(narrow.width < wide.width);
  assert.ok(centre(boxes.get('service'))[0] > centre(boxes.get('self'))[0]);
  assert.deepEqual(draw(pod, wide.width).result, wide);
});

test('each line ends at its node, and crosses no other node', () => {
  const children = Array.from({ length: 4 }, (_, at) => `child-${at}`);
  const { result, boxes } = draw([...pod, branch('below', 'self', 'owns', ...children)]);
  assert.equal(Object.keys(result.lines).length, 6 + 8 + 4, 'one line to each label and to each node');
  for (const [id, path] of Object.entries(result.lines)) {
    const [from, out, end] = path.match(/^M(.*)L(.*)C(?:[^,]*,){4}(.*)$/).slice(1).map((point) => point.split(',').map(Number));
    const { left, top, width, height } = boxes.get(id);
    assert.ok(end[0] >= left - 1 && end[0] <= left + width + 1 && end[1] >= top - 1 && end[1] <= top + height + 1, `${id}: ${path}`);
    for (const [other, box] of boxes) {
      const isOn = from[0] > box.left && from[0] < box.left + box.width && Math.min(from[1], out[1]) < box.top + box.height - 1 && Math.max(from[1], out[1]) > box.top + 1;
      assert.ok(!isOn, `the line to ${id} crosses ${other}: ${path}`);
    }
  }
});

test('nodes keep their given order when a node is added', () => {
  const ids = (count) => Array.from({ length: count }, (_, at) => `n${at}`);
  const orderOf = (count, side, axis) => {
    const { boxes } = draw([branch(side, 'self', 'branch', ...ids(count)), branch('below', 'self', 'owns', 'x')]);
    return ids(count).toSorted((a, b) => centre(boxes.get(a))[axis] - centre(boxes.get(b))[axis]);
  };
  for (const count of [2, 3, 4]) {
    assert.deepEqual(orderOf(count, 'after', 1), ids(count));
    assert.deepEqual(orderOf(count, 'before', 1), ids(count));
    assert.deepEqual(orderOf(count, 'below', 0), ids(count));
  }
});

test('the picture of an object without relations has one node', () => {
  const { result, boxes } = draw([]);
  assertApart(boxes, result);
  assert.deepEqual(result.lines, {});
  assert.deepEqual([result.width, result.height], [170, 70]);
});
