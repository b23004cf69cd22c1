// Placement of the map: ranks, unusual graphs, and the boxes with texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { place } from '../src/map-placement.js';
import { HEIGHT, WIDTH } from '../src/map-size.js';
import { changes } from '../src/map-texts.js';

test('each line goes to the right, and no two boxes overlap', () => {
  const boxes = Array.from({ length: 60 }, (_, at) => `b${at}`);
  const lines = boxes.flatMap((to, at) => (at === 0 ? [] : [[`b${Math.floor((at - 1) / 3)}`, to]]));
  const { places, width, height } = place(boxes, lines);
  for (const [from, to] of lines) assert.ok(places[from][0] + WIDTH < places[to][0], `${from} ${to}`);
  const all = Object.values(places);
  for (const [at, [x, y]] of all.entries()) {
    assert.ok(x >= WIDTH / 2 && x <= width - WIDTH / 2 && y >= HEIGHT / 2 && y <= height - HEIGHT / 2);
    for (const [otherX, otherY] of all.slice(at + 1)) assert.ok(Math.abs(x - otherX) >= WIDTH || Math.abs(y - otherY) >= HEIGHT);
  }
});

test('an empty graph, cycles, and ids that are names of object properties are placed', () => {
  assert.deepEqual(place([], []).places, {});
  const { places } = place(['a', 'b', 'constructor', '__proto__ of'], [['a', 'b'], ['b', 'a'], ['constructor', 'a']]);
  for (const place of Object.values(places)) assert.ok(place.every(Number.isFinite));
});

test('boxes in view get their texts, the middle first, and all lose them when the scale is too small', () => {
  const places = { left: [0, 0], middle: [500, 300], right: [1000, 0], out: [1000 + WIDTH / 2, 0], below: [500, 600 + HEIGHT / 2], edge: [1000, 599] };
  const view = { left: 0, top: 0, right: 1000, bottom: 600 };
  assert.deepEqual(changes(places, view, new Set(['right'])), ['middle', 'edge', 'left']);
  assert.deepEqual(changes(places, view, new Set(Object.keys(places))), [], 'boxes out of view keep their texts');
  assert.deepEqual(changes(places, null, new Set(['right', 'out'])), ['right', 'out']);
});
