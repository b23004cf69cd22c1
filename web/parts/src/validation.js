// Validation of a text against the server's OpenAPI schemas, while it is typed. Its findings are warnings: the server decides.
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import { below, resolve, schemaOf } from './schema.js';

/** Maximum number of warnings. */
const MAX_WARNINGS = 50;

const NAMES = { string: 'a string', integer: 'an integer', number: 'a number', boolean: 'true or false', array: 'a list', object: 'an object' };

/** Article and name of a node's type. */
function typeOf(node) {
  if (isMap(node)) return NAMES.object;
  if (isSeq(node)) return NAMES.array;
  const { value } = node;
  if (typeof value === 'boolean') return `a boolean (${value})`;
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  return NAMES.string;
}

/** Whether a node has a type of the schema. A date is a string in JSON. */
function fits(node, type) {
  if (type === 'object') return isMap(node);
  if (type === 'array') return isSeq(node);
  if (!isScalar(node)) return false;
  const { value } = node;
  if (type === 'string') return typeof value === 'string' || value instanceof Date;
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'bigint' || (typeof value === 'number' && (type === 'number' || Number.isInteger(value)));
}

/** The types that a schema allows; none if it allows all. Some kinds of values are an integer or a string. */
function typesOf(schema) {
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return ['integer', 'string'];
  const one = (schema.oneOf ?? schema.anyOf ?? []).map(({ type }) => type);
  if (one.length) return one.every((type) => type in NAMES) ? one : [];
  return schema.type in NAMES ? [schema.type] : [];
}

/** Walk through one document and its schema: `warn(node, message)` is called for each difference. */
class Walk {
  constructor(all, warn) {
    this.all = all;
    this.warn = warn;
  }

  /** `owner` is the node at which a missing field is reported. */
  value(node, schema, owner) {
    // A null is no value, and an alias was checked at its anchor.
    if (!node || isAlias(node) || (isScalar(node) && node.value === null)) return;
    const types = typesOf(schema);
    if (types.length && !types.some((type) => fits(node, type))) {
      return this.warn(node, `Expected ${types.map((type) => NAMES[type]).join(' or ')}, not ${typeOf(node)}.`);
    }
    if (isScalar(node)) return this.scalar(node, schema);
    if (isSeq(node)) {
      const items = resolve(schema.items, this.all);
      for (const item of node.items) this.value(item, items, item);
    } else this.map(node, schema, owner);
  }

  scalar(node, { enum: allowed }) {
    if (!allowed?.length || allowed.includes(node.value)) return;
    this.warn(node, `Expected one of: ${allowed.filter((value) => value !== '').join(', ')}.`);
  }

  map(node, schema, owner) {
    const isOpen = !schema.properties || schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties;
    let isWhole = true;
    for (const { key, value } of node.items) {
      if (!isScalar(key) || typeof key.value === 'symbol') {
        isWhole = false;
        continue;
      }
      const of = below(schema, `${key.value}`, this.all);
      if (of) this.value(value, of, key);
      else if (!isOpen) this.warn(key, `The kind has no field ${key.value} here.`);
    }
    if (!isWhole) return;
    for (const name of schema.required ?? []) if (!node.has(name)) this.warn(owner, `The field ${name} is missing.`);
  }
}

/** The kinds that the text itself defines: `group/kind`. Until they are created, the server does not have them. */
const defined = (objects) => objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ spec }) => `${spec?.group}/${spec?.names?.kind}`);

/**
 * The warnings about a text without syntax errors: `[{ line, column, message, severity }]`, in order. A document whose schema
 * cannot be read has none.
 */
export async function validate(client, text) {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, version: '1.1' });
  const documents = (Array.isArray(parsed) ? parsed : []).filter(({ contents, errors }) => isMap(contents) && errors.length === 0);
  const warnings = [];
  const warn = (node, message) => {
    const { line, col } = lines.linePos(node.range[0]);
    warnings.push({ line, column: col, message, severity: 'warning' });
  };
  const own = defined(documents.map((document) => document.toJS({ maxAliasCount: 100 })));
  for (const { contents } of documents) {
    const [apiVersion, kind] = [contents.get('apiVersion'), contents.get('kind')];
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') continue;
    let found;
    try {
      found = await schemaOf(client, { apiVersion, kind });
    } catch {
      continue;
    }
    if (found) new Walk(found.all, warn).value(contents, found.schema, contents);
    else if (!own.includes(`${apiVersion.split('/')[0]}/${kind}`)) warn(contents.get('kind', true), `The server has no kind ${kind} in ${apiVersion}.`);
  }
  return warnings.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_WARNINGS);
}
