// Delivered state: what a handler has been given. After a change of engine it receives only the differences.

/**
 * Of each object about 140 bytes are cached, its key included: uid and version as one flat string. Name and namespace are
 * in the key, and kind and version of the API are the same for all. Bodies are not cached: a handler that needs them
 * keeps them.
 */
const pack = ({ uid = "", resourceVersion = "" } = {}) => [uid, resourceVersion].join(" ");

/** A uid contains no blank. */
function unpack(packed) {
  const at = packed.indexOf(" ");
  return { uid: packed.slice(0, at), resourceVersion: packed.slice(at + 1) };
}

export class Told {
  /** By key, what the handler knows of. */
  #known = new Map();
  /** `apiVersion` and `kind` of the objects. */
  #type = {};
  /** While an engine begins anew: the keys that it has not named yet. */
  #missing;
  #isInitial = true;

  /** Another engine is about to begin. */
  begin(hasSynced) {
    this.#missing = new Set(this.#known.keys());
    this.#isInitial = !hasSynced;
  }

  /** Of the changes those that are news. */
  news(changes) {
    return changes.flatMap((change) => this.#read(change));
  }

  #read(change) {
    const { type, key, object } = change;
    const before = this.#known.get(key);
    this.#missing?.delete(key);
    if (type === "delete") this.#known.delete(key);
    else {
      this.#known.set(key, pack(object.metadata));
      this.#type = { apiVersion: object.apiVersion, kind: object.kind };
    }
    if (type !== "add") return change;
    if (before === undefined || !this.#missing) return { ...change, isInInitialList: change.isInInitialList && this.#isInitial };
    const { uid, resourceVersion } = unpack(before);
    if (resourceVersion === object.metadata.resourceVersion) return [];
    return { type: "update", key, object, previous: { ...object, metadata: { ...object.metadata, uid, resourceVersion } } };
  }

  /** The engine has named everything: what is left is gone. */
  end() {
    const gone = [...(this.#missing ?? [])];
    this.#missing = undefined;
    return gone.map((key) => {
      const object = this.#gone(key);
      this.#known.delete(key);
      return { type: "delete", key, object, finalStateUnknown: true };
    });
  }

  /** What is known of an object that is gone. */
  #gone(key) {
    const slash = key.indexOf("/");
    const [namespace, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
    return { ...this.#type, metadata: { name, namespace, ...unpack(this.#known.get(key)) } };
  }
}
