// YAML text to objects and back, by the package `yaml`.
import { Document, LineCounter, isMap, isScalar, parseAllDocuments, visit } from 'yaml';
import { visible } from './visible.js';

/**
 * Reads a text of one or more documents: `{ documents, problems }`. A problem is `{ line, column, message }`, both from 1, and
 * with problems there are no documents. A document is `{ object, text, line }`: send `text` to a server, because integers above
 * 2^53 are rounded in `object`.
 */
export function parse(text) {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, version: '1.1' });
  const problems = [];
  const documents = [];
  const at = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  for (const document of Array.isArray(parsed) ? parsed : []) {
    for (const { pos, message } of document.errors) problems.push({ ...at(pos[0]), message });
    const { contents } = document;
    // The document is empty, or has only comments.
    if (document.errors.length || contents === null || contents.range[0] === contents.range[1]) continue;
    const start = at(contents.range[0]);
    let object;
    try {
      object = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      problems.push({ ...start, message: error.message });
      continue;
    }
    if (object === null || typeof object !== 'object' || Array.isArray(object)) {
      problems.push({ ...start, message: 'A document must be an object with apiVersion and kind.' });
    } else {
      // From the start of the line, because the first key may be indented.
      const from = text.lastIndexOf('\n', contents.range[0] - 1) + 1;
      documents.push({ object, text: text.slice(from, contents.range[1]).replace(/^---\s+/, ''), line: start.line });
    }
  }
  return problems.length ? { documents: [], problems } : { documents, problems };
}

/** The text of an object, laid out as `kubectl get -o yaml` does. Hidden characters are escapes, for which there are double quotes. */
export function print(object) {
  const document = new Document(object, { version: '1.1', aliasDuplicateObjects: false });
  const options = { lineWidth: 0, indentSeq: false };
  const text = document.toString(options);
  if (visible(text) === text) return text;
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && visible(scalar.value) !== scalar.value) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return visible(document.toString(options));
}

/** The item of a list with these values, by key. A key that an item omits has a default value, such as a port's protocol. */
function itemWith(items, keys) {
  const maps = items.filter(isMap);
  const agrees = (item, [key, value]) => item.get(key) === value;
  return maps.find((item) => Object.entries(keys).every((one) => agrees(item, one)))
    ?? maps.find((item) => Object.entries(keys).some((one) => agrees(item, one)) && Object.entries(keys).every((one) => !item.has(one[0]) || agrees(item, one)));
}

/** The next step of a path below a node. A key with dots is several segments of the path. */
function step(node, path) {
  const [segment] = path;
  if (typeof segment === 'object') {
    const items = node?.items ?? [];
    return { next: 'is' in segment ? items.find((item) => isScalar(item) && item.value === segment.is) : itemWith(items, segment.keys), taken: 1 };
  }
  if (!isMap(node)) return { next: node?.items?.[segment], taken: 1 };
  for (let taken = path.length; taken > 0; taken--) {
    const name = path.slice(0, taken).join('.');
    const pair = node.items.find(({ key }) => isScalar(key) && `${key.value}` === name);
    if (pair) return { pair, next: pair.value, taken };
  }
  return { taken: 1 };
}

/** Position of the field of a path in the text, or of its nearest existing parent: `{ line, column }`, both from 1. */
export function locate(text, path, at = 0) {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, version: '1.1' });
  const contents = (Array.isArray(parsed) ? parsed : []).map((document) => document.contents).filter((one) => one?.range);
  let node = contents[at];
  let offset = node?.range[0] ?? 0;
  for (let rest = path; rest.length > 0;) {
    const { pair, next, taken } = step(node, rest);
    const begins = (pair?.key ?? next)?.range?.[0];
    if (begins === undefined) break;
    offset = begins;
    node = next;
    rest = rest.slice(taken);
  }
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Range of the key and value of a path in the text of one document: `{ from, to, column }`; null if they are missing. */
export function pairAt(text, path) {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, version: '1.1' });
  let node = (Array.isArray(parsed) ? parsed : []).map((document) => document.contents).find((one) => one?.range);
  let pair;
  for (const segment of path) {
    pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && `${key.value}` === `${segment}`) : undefined;
    if (!pair?.key?.range || !pair.value?.range) return null;
    node = pair.value;
  }
  if (!pair) return null;
  // The range of a block value includes its last line break.
  const to = pair.value.range[1];
  const [from] = pair.key.range;
  return { from, to: text[to - 1] === '\n' ? to - 1 : to, column: lines.linePos(from).col };
}
