// Confirmation of a write: whether the watch has shown its result.

const DIGITS = /^\d+$/;

/**
 * The versions of one object, as the watch shows them, null while the object is gone. The version that was accepted may
 * never be among them: the watch is shown once a frame, and a controller may have written a newer one by then. An older one,
 * of a change that was in flight, confirms nothing. Versions that are no numbers have no order: then any other one than that
 * shown when the write was sent confirms it. `web/src/actions/run.rs` has the same rule.
 */
export class Confirmation {
  #shown;
  #before;
  #accepted = null;

  constructor(version) {
    this.#shown = version;
  }

  /** The watch shows this version. */
  show(version) {
    this.#shown = version;
  }

  /** The write is sent. */
  send() {
    this.#before = this.#shown;
  }

  /** The server has accepted the write, with this version as its result. */
  accept(version) {
    this.#accepted = version;
  }

  get isAccepted() {
    return this.#accepted !== null;
  }

  /** Whether the watch has shown the result of the write, or a later version. A write without a change keeps its version. */
  get isShown() {
    const [shown, accepted] = [this.#shown, this.#accepted];
    if (!this.isAccepted) return false;
    if (DIGITS.test(shown) && DIGITS.test(accepted)) return BigInt(shown) >= BigInt(accepted);
    return shown === accepted || shown !== this.#before;
  }
}
