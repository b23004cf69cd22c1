// Shells of a pod: terminals of processes in its containers, each with its own connection.
import { element, failure, fill } from './dom.js';
import { proxyRejection, rejections } from './shell-access.js';
import { createTerminal } from './terminal.js';

/** Puts the shells of the pod `ref` into `parent`. `containers` are their names, as JSON; with `focus`, the focus moves to the button that opens one. */
export function shell(parent, { client, ref, containers, focus }) {
  const names = JSON.parse(containers);
  const option = (value, label = value) => element('option', { value }, label);
  const container = element('select', { className: 'field', 'aria-label': 'Container' }, ...names.map((name) => option(name)));
  const command = element('select', { className: 'field', 'aria-label': 'Process' },
    option('sh'), option('bash'), option('', 'main process (attach)'));
  // While no shell is possible, the button is aria-disabled: it can have the focus, and refers to the reason.
  const open = element('button', { className: 'button primary', type: 'button', textContent: 'Open', 'aria-describedby': 'shell-refusal', onclick: () => denied() || add() });
  const refusal = element('div', { id: 'shell-refusal', className: 'notices' });
  const tabs = element('div', { className: 'shells', role: 'group', 'aria-label': 'Shells' });
  const hint = element('p', { className: 'note' }, 'F6 leaves the terminal. Ctrl+Shift+C copies, Ctrl+Shift+V pastes. Leaving this tab ends its shells.');
  const place = element('div', { className: 'terminals' });
  fill(parent, element('div', { className: 'shell-tools' }, container, command, open, tabs), refusal, hint, place);
  const sessions = [];
  let last = 0;
  let reasons = { exec: null, attach: null };
  let ended = false;
  command.onchange = () => explain();
  // The user may have gone elsewhere while this file was being loaded.
  if (focus && [null, document.body, document.getElementById('tab-shell')].includes(document.activeElement)) open.focus();
  checkAccess();

  /** Elements that explain why the chosen process cannot be entered; null if it can. */
  function denied() {
    return command.value ? reasons.exec : reasons.attach;
  }

  function explain() {
    const why = denied();
    open.setAttribute('aria-disabled', `${why !== null}`);
    fill(refusal, why && element('div', { className: 'outcome failed', role: 'status' }, ...why,
      element('div', {}, element('button', { className: 'button', type: 'button', textContent: 'Check again', onclick: () => (open.focus(), checkAccess()) }))));
  }

  async function checkAccess() {
    reasons = await rejections(client, { namespace: ref.namespace, name: ref.name });
    if (!ended) explain();
  }

  function choose(chosen) {
    for (const session of sessions) {
      session.frame.hidden = session !== chosen;
      session.tab.setAttribute('aria-pressed', `${session === chosen}`);
    }
    chosen?.terminal?.focus();
  }

  function add() {
    const made = new Session(client, ref, { container: container.value, command: command.value, number: ++last, leave: () => open.focus() });
    made.tab.onclick = () => choose(made);
    made.onRemove = () => {
      sessions.splice(sessions.indexOf(made), 1);
      choose(sessions.at(-1));
      open.focus();
    };
    sessions.push(made);
    tabs.append(made.tab);
    place.append(made.frame);
    choose(made);
    made.start();
  }

  return {
    /** Attaches to a container that was added later: a debug container. */
    attach(name) {
      if (![...container.options].some(({ value }) => value === name)) container.append(option(name));
      [container.value, command.value] = [name, ''];
      add();
    },
    destroy() {
      ended = true;
      for (const session of sessions) session.end();
    },
  };
}

class Session {
  #client;
  #ref;
  #options;
  #place = element('div', { className: 'terminal' });
  #statusElement = element('div', { className: 'terminal-says' });
  #process = null;
  #writer = null;
  #aborted = new AbortController();
  terminal = null;
  onRemove = () => {};

  constructor(client, ref, options) {
    this.#client = client;
    this.#ref = ref;
    this.#options = options;
    this.tab = element('button', { className: 'button', type: 'button' }, `${options.number}: ${options.command || 'attach'} in ${options.container}`);
    this.frame = element('div', { className: 'terminal-frame' }, this.#statusElement, this.#place);
  }

  async start() {
    const { container, command } = this.#options;
    this.#status('Connecting …');
    const given = { container, tty: true, stdin: true, signal: this.#aborted.signal };
    try {
      this.#process = command ? await this.#client.exec(this.#ref, { ...given, command: [command] }) : await this.#client.attach(this.#ref, given);
    } catch (error) {
      if (!this.#aborted.signal.aborted) this.#connectionFailed(error);
      return;
    }
    const process = this.#process;
    this.#writer = process.stdin.getWriter();
    this.#status('Connected.', false);
    this.terminal ??= createTerminal(this.#place, {
      label: `Terminal of ${this.#ref.name}`,
      onData: (data) => this.#writer?.write(data).catch(() => {}),
      onResize: (columns, rows) => this.#process?.resize(columns, rows),
      onLeave: () => this.#options.leave(),
    });
    process.resize(...this.terminal.size);
    this.terminal.focus();
    try {
      // Backpressure: the next bytes are read when these are on screen.
      for (let reader = process.stdout.getReader(), next = await reader.read(); !next.done; next = await reader.read()) await this.terminal.write(next.value);
      const { code, reason, message } = await process.exit;
      this.#over(code === null ? `The process could not be run: ${message || reason}` : `The process ended with exit code ${code}.`, 'Start again');
    } catch (error) {
      if (this.#aborted.signal.aborted) return;
      this.#over(`The connection was lost: ${error.message} The process may still run, but this terminal cannot return to it.`, 'Open a new one');
    }
  }

  #status(text, hasClose = true, ...more) {
    fill(this.#statusElement, element('p', { role: 'status' }, text), ...more, hasClose && this.#remove());
  }

  #remove() {
    return element('button', { className: 'button', type: 'button', textContent: 'Remove', onclick: () => (this.end(), this.frame.remove(), this.tab.remove(), this.onRemove()) });
  }

  #over(text, again) {
    this.#writer = null;
    this.#process = null;
    this.#status(text, true, element('button', { className: 'button primary', type: 'button', textContent: again, onclick: () => this.start() }));
  }

  #connectionFailed(error) {
    // A 403 of the apiserver has a Status with a reason; that of the proxy has none.
    const isProxy = error.code === 'forbidden' && !error.reason;
    fill(this.#statusElement, ...(isProxy
      ? [element('div', { className: 'outcome failed', role: 'alert' }, ...proxyRejection())]
      : [failure(error), element('button', { className: 'button', type: 'button', textContent: 'Try again', onclick: () => this.start() })]), this.#remove());
  }

  end() {
    this.#aborted.abort();
    this.#process?.close();
    this.terminal?.destroy();
    this.terminal = null;
  }
}
