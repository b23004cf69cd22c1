// The check of links finds dead ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadLinks } from './links.mjs';

const page = (...links) => `<h2 id="there">There</h2>${links.map((link) => `<a class="x" href="${link}">x</a>`).join('')}`;
const check = (...links) => deadLinks(new Map([['guide/a.html', page(...links)], ['index.html', page()]]), (path) => path === 'logo.svg');

test('links to pages, anchors and files of the site are accepted', () => {
  assert.deepEqual(check('/', '/guide/a', '/guide/a.html#there', '#there', 'a.html', '../index.html#there', '/logo.svg', 'https://example.com/x'), []);
});

test('missing pages, anchors and unresolved links of the reference are found', () => {
  assert.deepEqual(check('/guide/b.html', '#nowhere', '/#nowhere', 'b', 'api:Client'), ['/guide/b.html', '#nowhere', '/#nowhere', 'b', 'api:Client'].map((link) => `guide/a.html: ${link}`));
});
