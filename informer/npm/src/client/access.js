// Access: the user's rights from the server's reviews, cached for a short time.
import { refuse, text } from "../check.js";
import { describe } from "../resource.js";
import { waitFor } from "./wait.js";

/** Lifetime of a cached response in milliseconds. */
const FRESH = 30_000;

export class Access {
  #sender;
  /** By request: `{ at, answer }`. */
  #known = new Map();

  constructor(sender) {
    this.#sender = sender;
  }

  /** Resolves to `{ allowed, reason }`. */
  async ask(verb, ref, { namespace, name, subresource, signal } = {}) {
    if (!text("verb", verb)) refuse("verb", 'a verb of the API: "get", "delete"');
    for (const [what, value] of Object.entries({ namespace, name, subresource })) text(what, value);
    const { group, version, resource } = describe(ref).resource;
    if (namespace) {
      // Rules that allow the verb save a request. Another authorizer may allow what they do not contain, so a denial and
      // its reason always come from an access review.
      const rules = await this.#once(`rules ${namespace}`, signal, () => this.#rules(namespace)).catch(() => []);
      signal?.throwIfAborted();
      if (rules.some((rule) => allows(rule, verb, group, subresource ? `${resource}/${subresource}` : resource, name))) {
        return { allowed: true, reason: "" };
      }
    }
    const question = { verb, group, version, resource, subresource, namespace, name };
    return this.#once(JSON.stringify(question), signal, async () => {
      const { status } = await this.#review("selfsubjectaccessreviews", "SelfSubjectAccessReview", { resourceAttributes: question });
      const { allowed = false, denied = false, reason = "", evaluationError = "" } = status ?? {};
      return { allowed: allowed && !denied, reason: reason || evaluationError };
    });
  }

  /** Caches a request, unless it fails. The signal ends the wait, not the request: other callers may share it. */
  #once(key, signal, ask) {
    signal?.throwIfAborted();
    const now = Date.now();
    let known = this.#known.get(key);
    if (!known || now - known.at > FRESH) {
      for (const [old, { at }] of this.#known) if (now - at > FRESH) this.#known.delete(old);
      known = { at: now, answer: ask() };
      this.#known.set(key, known);
      const own = known;
      known.answer.catch(() => this.#known.get(key) === own && this.#known.delete(key));
    }
    return waitFor(known.answer, signal);
  }

  async #rules(namespace) {
    const { status } = await this.#review("selfsubjectrulesreviews", "SelfSubjectRulesReview", { namespace });
    return status?.resourceRules ?? [];
  }

  async #review(resource, kind, spec) {
    const path = `/apis/authorization.k8s.io/v1/${resource}`;
    const body = JSON.stringify({ apiVersion: "authorization.k8s.io/v1", kind, spec });
    const { text: answer } = await this.#sender.text("POST", path, { body, type: "application/json" });
    return this.#sender.parse(JSON.parse, answer, "POST", path);
  }
}

// Whether a rule of RBAC allows a verb. "*" means all, and "*/scale" that subresource of all resources.
function allows({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }, verb, group, resource, name) {
  const has = (list, value) => list.includes("*") || list.includes(value);
  const [, subresource] = resource.split("/");
  const isResource = has(resources, resource) || (subresource && resources.includes(`*/${subresource}`));
  return has(verbs, verb) && has(apiGroups, group) && isResource && (resourceNames.length === 0 || resourceNames.includes(name));
}
