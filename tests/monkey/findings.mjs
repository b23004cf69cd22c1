// Findings: each kind of failure once, with the actions before it.

/** Checks, by the kind of their findings. */
const CHECKS = {
  exception: 'no exception in the page',
  console: 'no error on the console',
  worker: 'no error in the worker',
  crash: 'the page does not crash',
  focus: 'no focus is lost with what had it',
  rows: 'the rows are those of the server at the end',
  end: 'it comes to its end',
};
const BEFORE = 12;

export class Findings {
  #found = new Map();
  #done = [];

  /** Takes note of an action. */
  note(at, what) {
    this.#done.push(`${at} ${what}`);
  }

  /** Adds a finding. Of those that are equal except for numbers, only the first is reported. */
  add(kind, text) {
    const name = `${kind} ${text.split('\n')[0].replace(/\d+/g, 'N')}`;
    const known = this.#found.get(name);
    if (known) known.times++;
    else this.#found.set(name, { kind, text, times: 1, done: this.#done.slice(-BEFORE) });
  }

  has(kind) {
    return [...this.#found.values()].some((finding) => finding.kind === kind);
  }

  /** Prints each check with its findings; returns the numbers of passed and failed checks. */
  tell(again) {
    const all = [...this.#found.values()];
    let [passed, failed] = [0, 0];
    for (const [kind, what] of Object.entries(CHECKS)) {
      const found = all.filter((finding) => finding.kind === kind);
      if (found.length === 0) passed++;
      else failed++;
      console.log(`${found.length ? 'BAD' : 'ok '} ${what}`);
      for (const { text, times, done } of found) {
        console.log(`    ${times} times: ${text.replaceAll('\n', '\n      ')}\n    the first after (${again}):\n${done.map((line) => `      ${line}`).join('\n')}`);
      }
    }
    console.log('');
    return { passed, failed };
  }
}
