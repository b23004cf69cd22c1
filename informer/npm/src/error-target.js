// The `error` event of an informer. Without a listener the first error is shown on the console; otherwise a misspelt resource
// would be silent.
import { InformerErrorEvent } from "./error.js";

export class ErrorTarget extends EventTarget {
  #hasListener = false;

  addEventListener(type, ...rest) {
    if (type === "error") this.#hasListener = true;
    super.addEventListener(type, ...rest);
  }

  /** `name` is the resource. */
  reportError(name, error) {
    this.dispatchEvent(new InformerErrorEvent(error));
    if (this.#hasListener) return;
    this.#hasListener = true;
    console.warn(`kube-informer: ${name}: ${error.message} (${error.code}). Add an "error" listener to its informer for further errors.`);
  }
}
