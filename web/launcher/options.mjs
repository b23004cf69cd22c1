// Options of the launcher: their help text, and their checks.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { protects } from './protected.mjs';

/** The command as the user typed it. kubectl runs a plugin under the name `kubectl-informer`. */
const command = basename(process.argv[1]).startsWith('kubectl-') ? 'kubectl informer' : 'kube-informer-dashboard';

/** Port by default, if it is free. A browser keeps the page's settings for each port. */
export const USUAL_PORT = 8001;
/** Whether Node can connect to the Unix socket of `kubectl proxy`. */
export const hasUnixSockets = process.platform !== 'win32';

export const USAGE = `Usage: ${command} [options]

Opens a live dashboard of one or more Kubernetes clusters in the browser. Requires kubectl, except with --demo.

Options:
      --demo              a simulated cluster in the browser; kubectl is not used
      --context NAME      context of the kubeconfig (default: the current one); repeat it for several clusters in one page
      --kubeconfig FILE   kubeconfig (default: kubectl's)
  -n, --namespace NS      namespace that the page opens with; several are separated by commas (default: all)
      --port N            port on 127.0.0.1; 0 is any free one (default: ${USUAL_PORT}, or any free one if it is in use)
      --protected LIST    patterns of protected contexts, separated by commas, such as "prod*,live": there, the page
                          confirms destructive actions by typing a name (default: none)
      --read-only         reject all writes, shells and port forwarding
      --allow-exec        allow shells in pods; excludes --read-only
      --no-open           do not open the browser
      --page FOLDER       folder of a built page (default: the page of this package)
      --version           print the version
  -h, --help              print this help`;

const OPTIONS = {
  demo: { type: 'boolean' },
  context: { type: 'string', multiple: true },
  kubeconfig: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  port: { type: 'string' },
  protected: { type: 'string' },
  'read-only': { type: 'boolean' },
  'allow-exec': { type: 'boolean' },
  'no-open': { type: 'boolean' },
  page: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

/** Failure of the launcher: a message for the user, and the exit code. */
export class LaunchError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Invalid options have the exit code 2. */
const invalid = (reason) => new LaunchError(`${reason} "${command} --help" lists the options.`, 2);

/** Checks the names of several contexts: each is part of a URL. */
function checkContexts(names) {
  if (names.length < 2) return;
  if (!hasUnixSockets) throw invalid("Option '--context' is given several times. Several clusters in one page are not available on Windows: they need Unix sockets. Start one command for each context.");
  for (const name of names) {
    if (/^\.{1,2}$/.test(name)) throw invalid(`Option '--context': '${name}' cannot be part of a URL. Rename the context with "kubectl config rename-context".`);
  }
}

/** Checks the patterns of protected contexts. */
function checkProtected(patterns) {
  try {
    protects(patterns, '');
  } catch {
    throw invalid(`Option '--protected': '${patterns}' has an invalid range.`);
  }
}

/** Options that the demo does not have: there is no cluster to reach. */
const OF_CLUSTERS = ['context', 'kubeconfig', 'protected', 'read-only', 'allow-exec'];

/** Parses the options. `context` is the list of names, without duplicates. Throws a `LaunchError` for invalid ones. */
export function parseOptions(args) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: OPTIONS }));
  } catch (error) {
    // Only the first sentence of Node's message is about the option.
    throw invalid(`${error.message.split(/\.\s/)[0].replace(/\.$/, '')}.`);
  }
  const excluded = values.demo && OF_CLUSTERS.find((name) => values[name] !== undefined);
  if (excluded) throw invalid(`Options '--demo' and '--${excluded}' exclude each other: the demo has a simulated cluster.`);
  values.context = [...new Set(values.context)];
  for (const name of ['context', 'kubeconfig', 'namespace', 'page']) if ([values[name]].flat().includes('')) throw invalid(`Option '--${name}' has an empty value.`);
  checkContexts(values.context);
  checkProtected(values.protected);
  const { port } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) throw invalid(`Option '--port': '${port}' is not a port number.`);
  if (values['allow-exec'] && values['read-only']) throw invalid("Options '--allow-exec' and '--read-only' exclude each other: a shell can write.");
  if (values['allow-exec'] && !hasUnixSockets) throw invalid("Option '--allow-exec' is not available on Windows: any web page could open a shell there.");
  return values;
}
