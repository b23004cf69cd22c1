// The `error` event of an informer. The first error that has no listener is shown on the console: a wrong resource would
// be silent otherwise.
import { InformerErrorEvent } from "./error.js";

export class ErrorTarget extends EventTarget {
  #isHeard = false;

  addEventListener(type, ...rest) {
    if (type === "error") this.#isHeard = true;
    super.addEventListener(type, ...rest);
  }

  /** `name` is the resource. */
  tellError(name, error) {
    this.dispatchEvent(new InformerErrorEvent(error));
    if (this.#isHeard) return;
    this.#isHeard = true;
    console.warn(`kube-informer: ${name}: ${error.message} (${error.code}). Add an "error" listener to its informer to hear of more.`);
  }
}
