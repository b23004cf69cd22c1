// Exceptions in .cargo/mutants.toml, and whether each of them still matches a mutant. An exception with an old function name
// excludes nothing, and a glob of a moved folder tests nothing.
import picomatch from 'picomatch';
import { parse, stringify } from 'smol-toml';

/** The settings, by name. */
export const readConfig = (toml) => ({ ...parse(toml) });

/** The same settings without their exceptions, as TOML: for a list of every mutant. */
export function withoutExceptions(toml) {
  const { exclude_re: _, ...others } = parse(toml);
  return stringify(others);
}

/** Matcher of a glob by the rules of cargo-mutants: a glob without a slash matches the name of a file or folder anywhere. */
function matcher(glob) {
  const globs = glob.includes('/') ? [glob] : [`**/${glob}`, `**/${glob}/**`];
  return picomatch(globs, { dot: true, noextglob: true, nonegate: true });
}

/** An exception as a regular expression. JavaScript and Rust differ, so one that JavaScript does not know is an error. */
function regex(expression) {
  try {
    return new RegExp(expression, 'u');
  } catch (error) {
    throw new Error(`.cargo/mutants.toml: ${error.message}. Write the exception so that JavaScript can read it too.`, { cause: error });
  }
}

/**
 * Exceptions and globs without a match, as sentences.
 *
 * @param config of mutants.toml  @param names of every mutant, without the exceptions  @param files of the tree
 */
export function withoutMatch({ exclude_re = [], examine_globs = [], exclude_globs = [] }, names, files) {
  const exceptions = exclude_re.filter((expression) => {
    const pattern = regex(expression);
    return !names.some((name) => pattern.test(name));
  });
  const globs = [...examine_globs, ...exclude_globs].filter((glob) => !files.some(matcher(glob)));
  return [...exceptions.map((expression) => `the exception ${JSON.stringify(expression)} matches no mutant`), ...globs.map((glob) => `the glob ${JSON.stringify(glob)} matches no file`)];
}
