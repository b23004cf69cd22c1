// Confirmation of a write: whether the watch has shown its result.

/**
 * The versions of one object from the watch; null while the object does not exist. The accepted version may be missing: the
 * page is updated once a frame, and a controller may have written a newer version by then. Versions are opaque, so any
 * version other than the one at the time of the write confirms it.
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
    return this.isAccepted && (this.#shown === this.#accepted || this.#shown !== this.#before);
  }
}
