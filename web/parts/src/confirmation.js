// Confirmation of a write: whether the watch has shown its result.

const DIGITS = /^\d+$/;

/**
 * Resource versions of one object: those that the watch shows (null while the object does not exist), and that of the accepted
 * write. The watch may never show the accepted version: the page shows an object once per frame, and a controller may write a
 * newer version by then. An older version, of a change that was in flight, confirms nothing. Versions that are no numbers have no
 * order: then each version other than that at the time of the request confirms the write. `web/src/actions/run.rs` has the same rule.
 */
export class Confirmation {
  #shown;
  #before;
  #accepted = null;

  constructor(version) {
    this.#shown = version;
  }

  /** Records the version that the watch shows. */
  show(version) {
    this.#shown = version;
  }

  /** Records that the write is sent. */
  send() {
    this.#before = this.#shown;
  }

  /** Records that the server has accepted the write, with this version as its result. */
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
