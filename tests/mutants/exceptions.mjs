// Exceptions in .cargo/mutants.toml, and whether each of them still matches a mutant. An exception with an old function name
// excludes nothing, and a glob of a moved folder tests nothing.

/** The settings: strings, and lists of them. It is a small part of TOML. */
export function readConfig(toml) {
  const text = toml.replace(/^\s*#.*$/gm, '');
  const config = {};
  for (const [, name, value] of text.matchAll(/^(\w+) = (\[[^\]]*\]|"[^"]*")/gm)) {
    config[name] = JSON.parse(value.replace(/,\s*\]$/, ']'));
  }
  return config;
}

/** The same settings without their exceptions, for a list of every mutant. */
export const withoutExceptions = (toml) => toml.replace(/^exclude_re = \[[\s\S]*?^\]$/m, '');

/** A glob of cargo-mutants as a regular expression: `*` is part of a name, and `**` is any number of folders. */
const pattern = (glob) =>
  new RegExp(`^${glob.replace(/[.+^$()|{}[\]\\]/g, '\\$&').replace(/\*\*\/|\*\*|\*/g, (star) => ({ '**/': '(?:.*/)?', '**': '.*' })[star] ?? '[^/]*')}$`);

/**
 * Descriptions of the exceptions without a match.
 *
 * @param config of mutants.toml  @param names of every mutant, without the exceptions  @param files of the tree
 */
export function stale({ exclude_re = [], examine_globs = [], exclude_globs = [] }, names, files) {
  const exceptions = exclude_re.filter((expression) => !names.some((name) => new RegExp(expression).test(name)));
  const globs = [...examine_globs, ...exclude_globs].filter((glob) => !files.some((file) => pattern(glob).test(file)));
  return [...exceptions.map((expression) => `the exception ${JSON.stringify(expression)} matches no mutant`), ...globs.map((glob) => `the glob ${JSON.stringify(glob)} matches no file`)];
}
