// Client: requests beyond the cache, for one apiserver.
import { number, optionsOf, refuse, whole } from "../check.js";
import { badRequest } from "../error.js";
import { Access } from "./access.js";
import { read, stringify } from "./body.js";
import { Kinds } from "./kinds.js";
import { listener } from "./listener.js";
import { locate, query } from "./refs.js";
import { Sender, throwUnlessOk } from "./send.js";

const WRITE = "dryRun fieldManager fieldValidation onWarning signal timeoutMs";
const FIELD_MANAGER = "kube-informer";

export class Client {
  #sender;
  #kinds;
  #access;
  #factory;
  #parse;

  constructor(connection, url, access, factory, life) {
    this.#sender = new Sender(connection, url, access, life);
    this.#kinds = new Kinds(this.#sender);
    this.#access = new Access(this.#sender);
    this.#factory = factory;
    this.#parse = (text) => connection.parse(text);
  }

  async get(ref, given) {
    const { signal, timeoutMs } = optionsOf("get()", "signal timeoutMs", given);
    const { path } = await locate(ref, this.#kinds, signal);
    return this.#json("GET", path, { signal, timeoutMs });
  }

  async create(object, given) {
    const options = optionsOf("create()", WRITE, given);
    const { ref, text } = read(object);
    const { path } = await locate(ref, this.#kinds, options.signal, "create");
    return this.#write("POST", path, text ?? stringify(object), "application/json", options);
  }

  async apply(object, given) {
    const options = optionsOf("apply()", `${WRITE} force ref`, given);
    const { ref, text } = read(object, options.ref);
    const { path } = await locate(ref, this.#kinds, options.signal);
    return this.#write("PATCH", path, text ?? stringify(withoutManagedFields(object)), "application/apply-patch+yaml", options);
  }

  async patch(ref, patch, given) {
    const options = optionsOf("patch()", `${WRITE} type`, given);
    const type = options.type ?? (Array.isArray(patch) ? "json" : "merge");
    if (!["merge", "json", "strategic"].includes(type)) refuse("type", '"merge", "json" or "strategic"');
    if (typeof patch !== "object" || patch === null) refuse("patch", "an object, or an array of JSON patch operations");
    const { path } = await locate(ref, this.#kinds, options.signal);
    const prefix = type === "strategic" ? "strategic-merge" : type === "merge" ? "merge" : "json";
    return this.#write("PATCH", path, stringify(patch), `application/${prefix}-patch+json`, options);
  }

  async delete(ref, given) {
    const { dryRun, propagation, gracePeriodSeconds, uid, resourceVersion, signal, timeoutMs, onWarning } = optionsOf(
      "delete()", "dryRun propagation gracePeriodSeconds uid resourceVersion onWarning signal timeoutMs", given);
    const { path } = await locate(ref, this.#kinds, signal);
    const body = stringify({
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: propagationOf(propagation),
      gracePeriodSeconds: whole("gracePeriodSeconds", gracePeriodSeconds),
      preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
      dryRun: dryRun ? ["All"] : undefined,
    });
    await this.#json("DELETE", path, { body, type: "application/json", signal, timeoutMs, onWarning });
  }

  async scale(ref, replicas, given) {
    if (whole("replicas", replicas) === undefined) refuse("replicas", "a whole number, 0 or more");
    const options = optionsOf("scale()", WRITE, given);
    await this.patch({ ...(await locate(ref, this.#kinds, options.signal)), subresource: "scale" }, { spec: { replicas } }, options);
  }

  async evict(ref, given) {
    const { dryRun, gracePeriodSeconds, uid, signal, timeoutMs, onWarning } =
      optionsOf("evict()", "dryRun gracePeriodSeconds uid onWarning signal timeoutMs", given);
    const pod = await locate(ref, this.#kinds, signal);
    const { path } = await locate({ ...pod, subresource: "eviction" });
    const body = stringify({
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: pod.name, namespace: pod.namespace },
      deleteOptions: {
        gracePeriodSeconds: whole("gracePeriodSeconds", gracePeriodSeconds),
        preconditions: uid ? { uid } : undefined,
        dryRun: dryRun ? ["All"] : undefined,
      },
    });
    await this.#json("POST", path, { body, type: "application/json", signal, timeoutMs, onWarning });
  }

  async can(verb, resource, given) {
    return (await this.access(verb, resource, given)).allowed;
  }

  access(verb, resource, given) {
    return this.#access.ask(verb, resource, optionsOf("can()", "namespace name subresource signal", given));
  }

  async request(path, given = {}) {
    const { method = "GET", headers, body, stream = false, throwOnError = false, signal, timeoutMs } =
      optionsOf("request()", "method headers body stream throwOnError signal timeoutMs", given);
    if (typeof path !== "string" || !path.startsWith("/")) throw badRequest("`path` must be a path of the apiserver: \"/version\"");
    number("timeoutMs", timeoutMs, 1);
    if (typeof throwOnError !== "boolean") refuse("throwOnError", "true or false");
    const verb = `${method}`.toUpperCase();
    if ((body ?? undefined) !== undefined && /^(GET|HEAD)$/.test(verb)) throw badRequest(`\`body\` cannot be sent by ${verb}: set \`method\``);
    const response = await this.#sender.send(verb, path, { headers, body, isStream: stream, signal, timeoutMs });
    if (throwOnError) await throwUnlessOk(response, verb, path);
    return response;
  }

  async *logs(ref, options) {
    const { logs } = await import("./logs.js");
    yield* logs({ sender: this.#sender, kinds: this.#kinds, factory: this.#factory, get: (...args) => this.get(...args) }, ref, options);
  }

  async exec(ref, options) {
    return this.#process("exec", ref, options);
  }

  async attach(ref, options) {
    return this.#process("attach", ref, options);
  }

  async #process(verb, ref, options) {
    const { open } = await import("./exec.js");
    return open(verb, this.#sender, await locate(ref, this.#kinds, options?.signal), options, () => this.get(ref, { signal: options?.signal }));
  }

  async #write(method, path, body, type, { dryRun, force, fieldManager = FIELD_MANAGER, fieldValidation, signal, timeoutMs, onWarning }) {
    if (typeof fieldManager !== "string" || !fieldManager) refuse("fieldManager", "a string that is not empty");
    const asked = query({ fieldManager, force: force ? true : undefined, dryRun: dryRun ? "All" : undefined, fieldValidation });
    return this.#json(method, `${path}?${asked}`, { body, type, signal, timeoutMs, onWarning });
  }

  /** Sends a request and parses the response as JSON; any status but 2xx is an error. */
  async #json(method, path, { onWarning, ...options }) {
    number("timeoutMs", options.timeoutMs, 1);
    const tell = listener("onWarning", onWarning);
    const { response, text } = await this.#sender.text(method, path, options);
    for (const [, warning] of response.headers.get("warning")?.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g) ?? []) {
      tell(warning.replace(/\\(.)/g, "$1"));
    }
    return this.#sender.parse(this.#parse, text, method, path);
  }
}

/** Removes managedFields: an object that was read contains them, and the server rejects an apply with them. */
function withoutManagedFields({ metadata: { managedFields: _, ...metadata } = {}, ...object }) {
  return { ...object, metadata };
}

function propagationOf(propagation) {
  const policies = { background: "Background", foreground: "Foreground", orphan: "Orphan" };
  if (propagation !== undefined && !Object.hasOwn(policies, propagation)) refuse("propagation", '"background", "foreground" or "orphan"');
  return policies[propagation];
}
