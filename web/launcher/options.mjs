// Options of the launcher: their help text, and their checks.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** The command as the user typed it. kubectl runs a plugin under the name `kubectl-informer`. */
const command = basename(process.argv[1]).startsWith('kubectl-') ? 'kubectl informer' : 'kube-informer-dashboard';

/** Port by default, if it is free. A browser keeps the page's settings for each port. */
export const USUAL_PORT = 8001;
/** Whether Node can connect to the Unix socket of `kubectl proxy`. */
export const hasUnixSockets = process.platform !== 'win32';

export const USAGE = `Usage: ${command} [options]

Opens a live dashboard of a Kubernetes cluster in the browser. Requires kubectl.

Options:
      --context NAME      context of the kubeconfig (default: the current one)
      --kubeconfig FILE   kubeconfig (default: kubectl's)
  -n, --namespace NS      namespace that the page opens with; several are separated by commas (default: all)
      --port N            port on 127.0.0.1; 0 is any free one (default: ${USUAL_PORT}, or any free one if it is in use)
      --read-only         reject all writes, shells and port forwarding
      --allow-exec        allow shells in pods; excludes --read-only
      --no-open           do not open the browser
      --version           print the version
  -h, --help              print this help`;

const OPTIONS = {
  context: { type: 'string' },
  kubeconfig: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  port: { type: 'string' },
  'read-only': { type: 'boolean' },
  'allow-exec': { type: 'boolean' },
  'no-open': { type: 'boolean' },
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

/** Parses the options. Throws a `LaunchError` for invalid ones. */
export function parseOptions(args) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: OPTIONS }));
  } catch (error) {
    // Only the first sentence of Node's message is about the option.
    throw invalid(`${error.message.split(/\.\s/)[0].replace(/\.$/, '')}.`);
  }
  for (const name of ['context', 'kubeconfig', 'namespace']) if (values[name] === '') throw invalid(`Option '--${name}' has an empty value.`);
  const { port } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) throw invalid(`Option '--port': '${port}' is not a port number.`);
  if (values['allow-exec'] && values['read-only']) throw invalid("Options '--allow-exec' and '--read-only' exclude each other: a shell can write.");
  if (values['allow-exec'] && !hasUnixSockets) throw invalid("Option '--allow-exec' is not available on Windows: any web page could open a shell there.");
  return values;
}
