// Protected contexts: patterns of their names, as PROTECTED= of web/serve.sh.

/** Characters of a pattern: an escaped one, a set, `*`, `?`, or one that stands for itself. */
const PARTS = /\\([\s\S])|\[([!^]?)(\]?[^\]]*)\]|\*|\?|[\s\S]/gu;
const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
/** A set's characters: a range keeps its hyphen. */
const setOf = (text) => text.replaceAll(/[\\^[\]]/g, String.raw`\$&`);

/** Returns the regular expression of a shell pattern that matches whole names. */
function expressionOf(pattern) {
  const source = pattern.replaceAll(PARTS, (part, literal, negated, set) => {
    if (literal !== undefined) return escaped(literal);
    if (set !== undefined && set !== '') return `[${negated ? '^' : ''}${setOf(set)}]`;
    return { '*': '[\\s\\S]*', '?': '[\\s\\S]' }[part] ?? escaped(part);
  });
  return new RegExp(`^${source}$`, 'u');
}

/** Whether one of the patterns, which commas or blanks separate, matches the whole name of a context. Throws for a set with an invalid range. */
export const protects = (patterns = '', name) => patterns.split(/[, ]+/).filter(Boolean).map(expressionOf).some((expression) => expression.test(name));
