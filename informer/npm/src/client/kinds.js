// Kinds: the resource of each kind, from the server's discovery documents.
import { InformerError } from "../error.js";
import { waitFor } from "./wait.js";

/** Lifetime of a cached document, and of one that lacks the requested kind, in milliseconds. */
const FRESH = 300_000;
const WITHOUT = 5_000;

export class Kinds {
  #sender;
  /** By apiVersion: `{ at, kinds }`. */
  #known = new Map();
  /** Requests in flight, by apiVersion. */
  #asking = new Map();

  constructor(sender) {
    this.#sender = sender;
  }

  /** Resolves to `{ resource, isNamespaced }`. */
  async resource(apiVersion, kind, signal) {
    const [version, group = ""] = apiVersion.split("/").reverse();
    const age = () => Date.now() - (this.#known.get(apiVersion)?.at ?? -Infinity);
    if (age() > FRESH) await this.#ask(apiVersion, group, version, signal);
    let found = this.#known.get(apiVersion)?.kinds.get(kind);
    if (!found && age() > WITHOUT) {
      await this.#ask(apiVersion, group, version, signal);
      found = this.#known.get(apiVersion)?.kinds.get(kind);
    }
    if (found) return { resource: { group, version, resource: found.name }, isNamespaced: found.namespaced };
    throw new InformerError("not-found", `the server has no kind "${kind}" in ${apiVersion}. Check both, or install its definition.`, {
      request: `GET ${path(group, version)}`, retryable: true,
    });
  }

  #ask(apiVersion, group, version, signal) {
    signal?.throwIfAborted();
    let asking = this.#asking.get(apiVersion);
    if (!asking) {
      asking = this.#read(apiVersion, group, version).finally(() => this.#asking.delete(apiVersion));
      this.#asking.set(apiVersion, asking);
    }
    return waitFor(asking, signal);
  }

  async #read(apiVersion, group, version) {
    const at = path(group, version);
    const { text } = await this.#sender.text("GET", at).catch((error) => {
      if (error.code === "not-found") return { text: '{"resources":[]}' };
      throw error;
    });
    const { resources } = this.#sender.parse(JSON.parse, text, "GET", at);
    const own = (resources ?? []).filter(({ name }) => !name.includes("/"));
    this.#known.set(apiVersion, { at: Date.now(), kinds: new Map(own.map((resource) => [resource.kind, resource])) });
  }
}

const path = (group, version) => (group ? `/apis/${encodeURIComponent(group)}/` : "/api/") + encodeURIComponent(version);
